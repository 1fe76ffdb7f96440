"""From nothing to a cited answer, and what a page load costs."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import cast
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Response, ViewportSize

from corpora import ProjectKey
from corpora.samples import SAMPLE
from ingest import Source
from server.background.embedding import EmbeddingWorker
from server.background.intake import Intake
from tests.server.house import house
from tests.workbench.conftest import NARROW, WIDE, OpenPage, load_anew, sign_in
from workbench.projects import add_sample
from workbench.visit import Visit

MOST_BYTES = 1_500_000


@pytest.mark.parametrize(("viewport", "token"), [(WIDE, "tok-wide"), (NARROW, "tok-narrow")], ids=["wide", "narrow"])
def test_three_clicks_lead_to_the_first_cited_answer(
    guarded: str, open_page: OpenPage, viewport: ViewportSize, token: str
) -> None:
    page = open_page(guarded, viewport)
    sign_in(page, token)
    page.get_by_role("button", name="Try the sample").click()
    page.get_by_role("button", name="Ask", exact=True).click()
    page.get_by_role("button", name="[1] game-bible.pdf, page 6").click()
    picture = page.get_by_role("img", name="game-bible.pdf, page 6")
    picture.wait_for()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    assert "passage=" in str(picture.get_attribute("src"))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_the_sample_replaces_nothing_that_is_there_by_its_names(tmp_path: Path) -> None:
    key, shown = ProjectKey("local", SAMPLE.name), list[str]()

    async def ask(work: Callable[[], object]) -> object:
        return work()

    with house(tmp_path, completes=False) as home:
        embedding = EmbeddingWorker(lambda *_: True, lambda *_: True)
        intake = Intake(home.ingestor, home.services.metrics, embedding)
        home.ingestor.add(key, [Source("dialogues.txt", b"Three weeks of my own work.")])
        services = SimpleNamespace(intake=intake, ingestor=home.ingestor)
        visit = SimpleNamespace(workspace="local", services=services, ask=ask, show=shown.append)
        await add_sample(cast("Visit", visit))
        await intake.close()
        await embedding.close()
        own = home.catalog.find_document(key, "dialogues.txt")
        assert home.catalog.text(key, own.id) == "Three weeks of my own work."
        assert len(home.catalog.documents(key)) == len(list(SAMPLE.documents.iterdir()))
        assert shown == [SAMPLE.name]


def test_a_page_load_is_small_and_asks_nobody_else(sample: str, open_page: OpenPage) -> None:
    responses = list[Response]()
    page = open_page("about:blank", is_new=True)
    page.on("response", lambda response: responses.append(response))
    page.goto(sample)
    page.get_by_role("tab", name="Projects").wait_for()
    page.wait_for_load_state("networkidle")
    asked = {urlsplit(response.url).netloc for response in responses if not response.url.startswith("data:")}
    assert asked == {urlsplit(sample).netloc}
    assert 0 < sum(_moved(response) for response in responses) <= MOST_BYTES


def _moved(response: Response) -> int:
    sizes = response.request.sizes()
    return sizes["responseBodySize"] + sizes["responseHeadersSize"]


def test_the_page_goes_on_where_its_address_says(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Documents")
    page.get_by_role("button", name="quests.md", exact=True).wait_for()
    _choose(page, "another-one")
    page.wait_for_url("**/?project=another-one*")
    load_anew(page)
    page.get_by_text("Project another-one").wait_for()


def _choose(page: Page, project: str) -> None:
    page.get_by_role("tab", name="Projects").click()
    page.get_by_role("textbox", name="New project").fill(project)
    page.get_by_role("button", name="New", exact=True).click()


def test_dark_or_light_is_chosen_at_once_and_stays(sample: str, open_page: OpenPage) -> None:
    page = open_page(sample, color_scheme="dark")
    page.locator("body.body--dark").wait_for()
    page.get_by_role("button", name="Dark or light").click()
    page.locator("body.body--light").wait_for()
    load_anew(page)
    page.get_by_role("tab", name="Projects").wait_for()
    page.locator("body.body--light").wait_for()


def test_who_has_asked_for_less_motion_sees_none(sample: str, open_page: OpenPage) -> None:
    page = open_page(sample)
    longest = "Math.max(...[...document.querySelectorAll('*')].map((it) => parseFloat(getComputedStyle(it)[%r])))"
    for duration in ("transitionDuration", "animationDuration"):
        assert page.evaluate(longest % duration) < 0.001
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(longest % "transitionDuration") > 0.1
    page.emulate_media(reduced_motion="reduce")  # as the other tests have it


def test_an_address_that_is_too_long_is_a_page(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project={'x' * 300}&tab=Ask&question={'y' * 3000}")
    assert len(page.get_by_role("textbox", name="Question").input_value()) == 1000
    assert page.title() == "1 · Fletcher"
