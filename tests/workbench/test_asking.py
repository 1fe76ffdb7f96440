"""Questions, searches and the places that are cited."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from fletcher.loopback import bind, serving
from tests.end_to_end.messages_api import Answer, HttpError, MessagesApi, Text
from tests.server_process import running_server
from tests.waiting import eventually
from tests.workbench.conftest import NARROW, WIDE, OpenPage, load_anew, tab

QUESTION = "Why do the night carters cross only in the dark, and what do they steer by?"


def ask(page: Page, question: str, button: str = "Ask") -> None:
    """Asks as a visitor does."""
    page.get_by_role("textbox", name="Question").fill(question)
    page.get_by_role("button", name=button, exact=True).click()


def test_an_answer_cites_its_page_and_shows_it(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    ask(page, QUESTION)
    page.get_by_role("img", name="game-bible.pdf, page 6").wait_for()
    assert "they steer by the two flashes of Pell Light" in page.locator(".answer").first.inner_text()
    page.get_by_role("button", name="Close the source").click()
    page.get_by_role("img", name="game-bible.pdf, page 6").wait_for(state="detached")
    page.get_by_role("button", name="[1] game-bible.pdf, page 6").click()
    page.get_by_role("img", name="game-bible.pdf, page 6").wait_for()
    expect(page).to_have_url(re.compile("&document=.*&page=6"))
    load_anew(page)
    page.get_by_role("img", name="game-bible.pdf, page 6").wait_for()
    assert page.locator(".question").inner_text() == QUESTION
    page.locator(".answer", has_text="they steer by the two flashes of Pell Light").wait_for()
    page.get_by_role("button", name="[1] game-bible.pdf, page 6").click()
    expect(page.locator(".sought")).to_be_in_viewport()


def test_a_question_that_is_written_in_place_of_a_proposed_one_is_there_again(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask&question=Who%20waits?")
    question = page.get_by_role("textbox", name="Question")
    expect(question).to_have_value("Who waits?")

    def is_kept() -> bool:
        question.fill(QUESTION)  # the first keys may come before anything hears them
        return page.evaluate("text => Object.values(sessionStorage).includes(text)", QUESTION)

    eventually(is_kept)
    load_anew(page)
    expect(question).to_have_value(QUESTION)


def test_enter_asks_unless_it_ends_a_word_that_is_put_together(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    question = page.get_by_role("textbox", name="Question")
    question.fill(QUESTION)
    for ends_a_word in ({"isComposing": True}, {"keyCode": 229}):
        question.dispatch_event("keydown", {"key": "Enter", **ends_a_word})
    tab(page, "Story")  # by now the server would have heard of it
    tab(page, "Ask")
    asked = page.locator(".question", has_text=QUESTION)
    assert asked.count() == 0
    question.press("Enter")
    asked.wait_for()


def test_the_tab_keeps_what_is_written_and_nothing_that_the_server_heard_before(
    sample: str, open_page: OpenPage
) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    page.evaluate("""() => {
        window.kept = [];
        Storage.prototype.setItem = (name, text) => name.startsWith("fletcher/draft/") && window.kept.push(text);
    }""")
    page.get_by_role("textbox", name="Question").fill(QUESTION)
    tab(page, "Story")  # by now the server has heard it, and has said what comes of it
    assert page.evaluate("window.kept") == [QUESTION]


def test_a_search_shows_the_passages_of_one_kind(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    page.get_by_role("combobox", name="Kind").click()
    page.get_by_role("option", name=".md").click()
    ask(page, "the lighthouse", "Search")
    found = page.get_by_role("button", name="[1]")
    found.wait_for()
    assert ".md" in found.inner_text()
    assert page.locator(".citation", has_text=".pdf").count() == 0
    found.click()
    mark = page.get_by_role("region", name="Text of the document").locator("mark")
    expect(mark).to_be_in_viewport()


def test_a_question_changes_no_story_and_claims_no_change(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    ask(page, "create a variable gold = 10")
    answer = page.locator(".answer").first
    answer.filter(has_text="Not done: No Arrow project is open").wait_for()
    assert "Created" not in answer.inner_text()


def test_the_story_that_is_open_can_be_asked_about(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Story")
    page.get_by_role("button", name="Open the sample story").click()
    page.locator("[data-node='13']").wait_for()
    tab(page, "Ask")
    ask(page, "What leads to node 13?")
    page.locator(".answer").filter(has_text="12").wait_for()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_what_is_cited_is_seen_at_once_in_a_text_and_in_a_picture(
    sample: str, open_page: OpenPage, viewport: ViewportSize
) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask", viewport)
    ask(page, QUESTION)
    expect(page.locator(".sought")).to_be_in_viewport()
    larger = page.get_by_role("button", name="Larger or smaller")
    larger.click()
    expect(larger).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".sought")).to_be_in_viewport()
    ask(page, "Which ending needs trust?", "Search")
    chips = page.locator(".citation", has_text=".md")
    chips.first.wait_for()
    for chip in chips.all():
        chip.click()
        title = chip.inner_text().partition(" ")[2]
        page.locator(".place").get_by_role("heading", name=title, exact=True).wait_for()
        expect(page.locator(".place mark")).to_be_in_viewport()


def test_passages_that_fit_nothing_are_called_the_nearest(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    ask(page, QUESTION)
    page.get_by_role("img", name="game-bible.pdf, page 6").wait_for()
    ask(page, "zxqv blorptang", "Search")
    page.get_by_text("these passages are only the nearest").wait_for()
    assert "they steer by the two flashes" in page.locator(".answer").first.inner_text()  # the answer before stays


@pytest.fixture(scope="module")
def provider() -> MessagesApi:
    """A model that refuses one question, and answers every other."""

    def answer(asked: dict[str, Any]) -> Answer:
        if QUESTION in str(asked):
            return HttpError(401, "authentication_error", "invalid x-api-key")
        return (Text(["The lamp is lit."]),)

    return MessagesApi([answer] * 9)


@pytest.fixture(scope="module")
def with_model(ingested: Path, provider: MessagesApi, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a server that asks the model, with the sample in project 1."""
    data_dir = tmp_path_factory.mktemp("with_model") / "data"
    shutil.copytree(ingested, data_dir)
    with (
        bind("127.0.0.1", 0) as bound,
        serving(provider.app(), 2**20, bound) as api,
        running_server(data_dir, ANTHROPIC_API_KEY="not-a-key", ANTHROPIC_BASE_URL=api) as url,
    ):
        yield url


def test_a_model_is_told_that_there_is_no_story_to_ask_about(
    with_model: str, provider: MessagesApi, open_page: OpenPage
) -> None:
    page = open_page(f"{with_model}/?project=1&tab=Ask")
    ask(page, "create a variable gold = 10")
    page.locator(".answer").filter(has_text="The lamp is lit.").wait_for()
    (asked,) = [request for request in provider.requests if "gold" in str(request["messages"])]
    assert "There is no story to read or to edit" in str(asked)


def test_an_empty_project_says_what_to_do(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=nothing-here&tab=Ask")
    ask(page, QUESTION, "Search")
    page.get_by_text("has no documents").first.wait_for()


def test_a_provider_that_refuses_is_told_with_a_remedy(with_model: str, open_page: OpenPage) -> None:
    page = open_page(f"{with_model}/?project=1&tab=Ask")
    ask(page, QUESTION)
    answer = page.locator(".answer").filter(has_text="ANTHROPIC_API_KEY")
    answer.wait_for()
    assert "not-a-key" not in page.content()
    page.get_by_role("button", name="Ask", exact=True).click()
    answer.nth(1).wait_for()


def test_a_question_that_is_too_long_for_a_server_is_told_the_limit(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Ask")
    question = page.get_by_role("textbox", name="Question")
    question.evaluate("box => box.removeAttribute('maxlength')")
    question.fill("ferry " * 2000)
    for button in ("Ask", "Search"):
        page.get_by_role("button", name=button).click()
        page.get_by_text("Question has at most 10,000 characters").wait_for()
    assert not page.locator(".exchange").count()
