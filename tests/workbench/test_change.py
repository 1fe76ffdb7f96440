"""A story is changed on the page: previewed, applied, asked about, taken back, and taken along."""

import json
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from playwright.sync_api import Dialog, Page, expect

from arrow_project import Operation, parse
from corpora.samples import SAMPLE
from tests.workbench.conftest import WIDE, load_anew, node, open_story, own_story, tab

# What a click leads to is the same on any page: only what has to be reached on a narrow one is done there as well.
wide_alone = pytest.mark.parametrize("story_viewport", [WIDE], ids=["wide"], indirect=True)

BUILD = 'Build a scene from the dialogue "Supper on a Slant" in the documents'


@pytest.fixture
def asked(story_page: Page) -> Iterator[list[str]]:
    """What the browser has asked, each of which is agreed to."""
    asked = list[str]()

    def hear(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    story_page.on("dialog", hear)
    yield asked
    story_page.remove_listener("dialog", hear)


def say(page: Page, message: str, button: str) -> None:
    """Writes a message and sends it."""
    page.get_by_role("textbox", name="Message").fill(message)
    page.get_by_role("button", name=button, exact=True).click()


def answered(page: Page, words: str) -> None:
    """Waits for an answer with these words, and until what it came to is shown."""
    page.locator(".change .answer", has_text=words).wait_for()
    expect(page.get_by_role("button", name="Undo", exact=True)).to_be_enabled()


def open_functions(page: Page) -> None:
    """Opens the forms, unless the test before has left them open."""
    folder = page.get_by_role("button", name="Functions", expanded=False)
    forms = page.get_by_role("combobox", name="Function", exact=True)
    folder.or_(forms).first.wait_for()
    if folder.is_visible():
        folder.click()
    forms.wait_for()


def choose(page: Page, field: str, option: str) -> None:
    """Chooses one of the options of a field."""
    page.get_by_role("combobox", name=field, exact=True).click()
    page.get_by_role("option", name=option).first.click()


def write(page: Page, field: str, text: str) -> None:
    """Writes into a field, and sees to it that it is there: what a browser types goes to where its focus is by then."""
    box = page.get_by_role("textbox", name=field, exact=True)
    box.fill(text)
    while box.input_value() != text:
        box.fill(text)


def apply(page: Page) -> None:
    """Agrees to what is previewed, and waits until it is so."""
    page.get_by_role("button", name="Apply", exact=True).click()
    page.get_by_role("button", name="Discard").wait_for(state="hidden")


def downloaded(page: Page, button: str = "Download") -> Any:
    """The story as the page hands it out."""
    with page.expect_download() as download:
        page.get_by_role("button", name=button, exact=True).click()
    return parse(Path(download.value.path()).read_bytes())


def test_a_preview_is_drawn_applied_and_taken_back(story_page: Page) -> None:
    say(story_page, BUILD, "Preview")
    story_page.locator(".graph .new").first.wait_for()
    before = downloaded(story_page)
    assert len(before.data.scenes) == 2
    story_page.get_by_role("button", name="Apply", exact=True).click()
    story_page.locator(".graph .new").first.wait_for(state="detached")
    assert len(downloaded(story_page).data.scenes) == 3
    story_page.get_by_role("button", name="Undo").click()
    answered(story_page, "is taken back")  # a click just as a button is disabled is none
    story_page.get_by_text("Supper on a Slant", exact=True).wait_for(state="detached")
    assert downloaded(story_page).to_text() == before.to_text()
    assert story_page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_preview_marks_what_is_changed_and_removed_and_is_discarded(story_page: Page) -> None:
    say(story_page, "delete node 13", "Preview")
    story_page.locator(".graph .removed[data-node='13']").wait_for()
    story_page.locator(".graph .changed[data-node='12']").wait_for()
    story_page.get_by_role("button", name="Discard").click()
    story_page.locator(".graph .removed").wait_for(state="detached")
    assert 13 in downloaded(story_page).data.nodes


@pytest.mark.parametrize(("answer", "is_there"), [("Yes", False), ("No", True)])
def test_what_is_destructive_is_asked_about(story_page: Page, answer: str, is_there: bool) -> None:
    say(story_page, "delete node 29", "Apply")
    story_page.get_by_role("button", name=answer, exact=True).click()
    story_page.get_by_role("button", name=answer, exact=True).wait_for(state="hidden")
    assert (29 in downloaded(story_page).data.nodes) is is_there


@wide_alone
def test_a_question_is_answered_with_a_change(story_page: Page) -> None:
    say(story_page, "delete nodes 28 and 29", "Preview")
    story_page.get_by_role("button", name="Change …").click()
    expect(story_page.get_by_role("textbox", name="Message")).to_be_focused()
    story_page.keyboard.type("yes, but keep node 28")
    story_page.get_by_role("button", name="Preview", exact=True).click()
    story_page.locator(".graph .removed[data-node='28']").wait_for(state="detached")


@wide_alone
@pytest.mark.parametrize("message", ["create a variable silver = 5", "yes"])
def test_a_preview_changes_nothing_while_a_question_is_open(story_page: Page, message: str) -> None:
    say(story_page, "delete node 29", "Apply")
    story_page.get_by_role("button", name="Yes", exact=True).wait_for()
    say(story_page, message, "Preview")
    story_page.get_by_role("button", name="Discard").wait_for()
    assert downloaded(story_page).to_text() == parse(SAMPLE.arrow_file.read_bytes()).to_text()


def test_a_message_is_about_the_scene_and_the_node_that_are_looked_at(story_page: Page) -> None:
    story_page.get_by_role("combobox", name="Scene").click()
    story_page.get_by_role("option", name="1 Dusk: The Kitchen").click()
    node(story_page, 24).click()
    story_page.get_by_role("heading", name="Node 24").wait_for()
    before = set(downloaded(story_page).data.nodes)
    say(story_page, "add a dialog by Mina: Good evening.", "Apply")
    answered(story_page, "Mina")
    story = downloaded(story_page)
    (new,) = set(story.data.nodes) - before
    node(story_page, new).wait_for()
    say(story_page, "delete the selected node", "Preview")
    story_page.locator(".graph .removed[data-node='24']").wait_for()


@wide_alone
def test_another_story_is_not_asked_about_the_first(story_page: Page, tmp_path: Path) -> None:
    say(story_page, "create a variable gold = 10", "Apply")
    story_page.locator(".change .answer", has_text="gold").wait_for()
    say(story_page, "delete node 13", "Preview")
    story_page.locator(".graph .removed").first.wait_for()
    other = tmp_path / "other.arrow"
    other.write_bytes(SAMPLE.arrow_file.read_bytes())
    open_story(story_page, other)
    story_page.get_by_role("button", name="Keep the changes").click()
    assert story_page.locator(".graph .removed").count()
    open_story(story_page, other)
    story_page.get_by_role("button", name="Open other.arrow").click()
    story_page.get_by_role("heading", name="other.arrow", exact=True).wait_for()
    story_page.get_by_role("button", name="Discard").wait_for(state="hidden")
    assert story_page.locator(".change .answer").count() == 0
    assert downloaded(story_page).to_text() == parse(SAMPLE.arrow_file.read_bytes()).to_text()


def wait_until_kept(page: Page, tmp_path: Path, text: str) -> None:
    """Waits until the browser keeps that of the story, and of what was said of it."""
    kept = "([key, ...texts]) => texts.every((text) => sessionStorage.getItem(key)?.includes(text))"
    page.wait_for_function(kept, arg=["fletcher/story/local", own_story(tmp_path).name])
    page.wait_for_function(kept, arg=["fletcher/story/local/text", text])
    page.wait_for_function(kept, arg=["fletcher/change/local/1", own_story(tmp_path).name, text])


@wide_alone
def test_a_story_is_there_again_when_the_page_is_loaded_anew(story_page: Page, tmp_path: Path) -> None:
    say(story_page, "create a variable gold = 10", "Apply")
    wait_until_kept(story_page, tmp_path, "gold")
    load_anew(story_page)
    node(story_page, 13).wait_for()
    story = downloaded(story_page)
    assert "gold" in [variable["name"] for variable in story.data.variables.values()]
    story_page.locator(".change .question", has_text="create a variable gold = 10").wait_for()
    story_page.get_by_role("button", name="Undo").click()
    story_page.locator(".change .answer").nth(1).wait_for()
    assert downloaded(story_page).to_text() == parse(SAMPLE.arrow_file.read_bytes()).to_text()


@contextmanager
def room_left(page: Page, characters: int) -> Generator[None]:
    """What the browser keeps of the page has so much room meanwhile, and nothing of the page in it."""
    page.evaluate(
        """(left) => {
          sessionStorage.clear();
          let length = 0;
          for (let step = 2 ** 24; step >= 1; step /= 2) {
            try {
              sessionStorage.setItem("filler", "x".repeat(length + step));
              length += step;
            } catch { }
          }
          sessionStorage.setItem("filler", "x".repeat(length - left));
        }""",
        characters,
    )
    yield
    page.evaluate("sessionStorage.clear()")


@wide_alone
def test_a_story_that_fits_what_a_browser_keeps_is_kept_whole(story_page: Page, tmp_path: Path) -> None:
    text = parse(SAMPLE.arrow_file.read_bytes()).to_text()
    with room_left(story_page, len(json.dumps(text))):  # within JSON it would not fit, as that has a name, too
        say(story_page, "create a variable gold = 10", "Apply")
        wait_until_kept(story_page, tmp_path, "gold")


@wide_alone
def test_who_changes_a_story_that_no_browser_keeps_is_told_once(story_page: Page) -> None:
    with room_left(story_page, 1000):
        for number in range(2):
            say(story_page, f"create a variable gold{number} = 10", "Apply")
            answered(story_page, f"gold{number}")
        told = story_page.get_by_role("alert").filter(has_text="is longer than a browser keeps: its changes are lost")
        assert told.count() == 1
        story_page.wait_for_function("!Object.keys(sessionStorage).some((key) => key.includes('story'))")


@wide_alone
def test_who_closes_the_page_is_asked_about_changes(story_page: Page, asked: list[str], tmp_path: Path) -> None:
    load_anew(story_page)
    node(story_page, 13).wait_for()
    assert asked == []
    say(story_page, "create a variable gold = 10", "Apply")
    wait_until_kept(story_page, tmp_path, "gold")
    load_anew(story_page)
    node(story_page, 13).wait_for()
    assert asked == ["beforeunload"]


@wide_alone
def test_who_closes_the_page_is_asked_about_what_stands_only_in_a_form(story_page: Page, asked: list[str]) -> None:
    open_functions(story_page)
    # A form can be written into as soon as it is drawn, and what the server calls here besides may come after that.
    story_page.evaluate("""() => {
      const heard = socket.listeners("run_javascript"), held = [];
      socket.off("run_javascript").on("run_javascript", (...said) => held.push(said));
      window.letGo = () => held.forEach((said) => heard.forEach((hear) => hear(...said)));
    }""")
    choose(story_page, "Function", "create_variable")
    write(story_page, "notes", "What the keeper is paid with.")
    story_page.evaluate("letGo()")
    tab(story_page, "Documents")
    load_anew(story_page)
    assert asked == ["beforeunload"]
    tab(story_page, "Story")
    node(story_page, 13).wait_for()
    load_anew(story_page)
    node(story_page, 13).wait_for()
    assert asked == ["beforeunload"]


@wide_alone
def test_what_stands_only_in_a_form_is_said_by_the_page_that_the_library_loads_anew(story_page: Page) -> None:
    open_functions(story_page)
    choose(story_page, "Function", "create_character")
    for number, text in enumerate(("Keeper of the lamp.", "Paid in oil.")):
        story_page.get_by_role("button", name="Add to tags").click()
        story_page.get_by_label("value", exact=True).nth(number).fill(text)
    refused = "window.socket.listeners('connect_error').forEach((hear) => hear(Error('Implicit handshake failed')))"
    said = story_page.get_by_role("alert").filter(has_text="value: Keeper of the lamp.\nvalue: Paid in oil.")
    for reloads in (refused, "dispatchEvent(new Event('reloads')); location.reload()"):  # as where a token is asked for
        with story_page.expect_navigation():
            story_page.evaluate(reloads)
        said.wait_for()
    said.get_by_role("button", name="Close").click()
    said.wait_for(state="detached")
    load_anew(story_page)
    node(story_page, 13).wait_for()
    assert not said.is_visible()


@wide_alone
def test_who_closes_the_page_is_asked_about_changes_also_where_the_server_has_ended(
    story_page: Page, asked: list[str], tmp_path: Path
) -> None:
    say(story_page, "create a variable gold = 10", "Apply")
    wait_until_kept(story_page, tmp_path, "gold")
    story_page.evaluate("window.socket.disconnect()")
    load_anew(story_page)
    node(story_page, 13).wait_for()
    assert asked == ["beforeunload"]
    # A server that does not know the page any more: the library loads it anew.
    refused = "window.socket.listeners('connect_error').forEach((hear) => hear(Error('Implicit handshake failed')))"
    with story_page.expect_navigation():
        story_page.evaluate(refused)
    node(story_page, 13).wait_for()
    assert asked == ["beforeunload"]


@wide_alone
def test_what_is_written_and_not_sent_is_there_again(story_page: Page) -> None:
    message = story_page.get_by_label("Message", exact=True)
    message.fill("add a dialog")
    load_anew(story_page)
    expect(message).to_have_value("add a dialog")
    node(story_page, 13).wait_for()  # what is sent before that is kept, to be sent again
    message.fill("nothing")
    story_page.get_by_role("button", name="Preview", exact=True).click()
    expect(message).to_have_value("")
    # Until something has come of it, it would be there again; the field may be empty before the tab hears of it.
    story_page.wait_for_function("!Object.keys(sessionStorage).some((key) => key.startsWith('fletcher/draft/'))")
    load_anew(story_page)
    node(story_page, 13).wait_for()
    expect(message).to_have_value("")


@wide_alone
def test_what_is_written_before_the_server_has_heard_of_a_click_stays(story_page: Page) -> None:
    message = story_page.get_by_label("Message", exact=True)
    message.fill("nothing")
    story_page.evaluate("""() => {
      const emit = socket.emit.bind(socket), held = [];
      window.hold = () => socket.emit = (...said) => held.push(said);
      window.letGo = () => {
        socket.emit = emit;
        held.splice(0).forEach((said) => emit(...said));
      };
    }""")
    story_page.evaluate("hold() && null")
    story_page.get_by_role("button", name="Preview", exact=True).click()
    message.press("End")
    message.press_sequentially(" And what comes next.")
    story_page.evaluate("letGo(); hold() && null")
    story_page.locator(".change .answer").last.filter(has_text="not").wait_for()
    expect(message).to_have_value(" And what comes next.")
    message.press_sequentially(" And more.")
    story_page.evaluate("letGo()")
    story_page.get_by_role("button", name="Preview", exact=True).click()
    story_page.locator(".change .question").last.filter(has_text="And what comes next. And more.").wait_for()
    expect(message).to_have_value("")


@wide_alone
def test_a_story_is_there_with_the_page_whichever_tab_is_loaded_anew(
    story_page: Page, asked: list[str], tmp_path: Path
) -> None:
    say(story_page, "create a variable gold = 10", "Apply")
    wait_until_kept(story_page, tmp_path, "gold")
    zoom = "getComputedStyle(document.querySelector('.graph')).getPropertyValue('--zoom')"
    drawn = story_page.evaluate(zoom)
    assert drawn != "1"
    for _ in range(2):
        tab(story_page, "Ask")
        story_page.wait_for_url("**tab=Ask**")
        load_anew(story_page)
        story_page.get_by_role("heading", name="Ask", exact=True).wait_for()
    assert asked == ["beforeunload"] * 2
    tab(story_page, "Story")
    node(story_page, 13).wait_for()
    story_page.locator(".change .question", has_text="create a variable gold = 10").wait_for()
    assert story_page.evaluate(zoom) == drawn
    assert "gold" in str(downloaded(story_page).data.variables)


@wide_alone
def test_changes_are_kept_elsewhere_once_the_browser_has_all_of_the_story(story_page: Page, tmp_path: Path) -> None:
    say(story_page, "create a variable gold = 10", "Apply")
    wait_until_kept(story_page, tmp_path, "gold")
    is_unsaved = "() => JSON.parse(sessionStorage.getItem('fletcher/story/local')).unsaved"
    address = urljoin(story_page.url, f"/_nicegui/client/{story_page.evaluate('clientId')}/download")
    assert [story_page.request.fetch(address, method=method).status for method in ("HEAD", "GET")] == [200, 200]
    story_page.route("**/download", lambda route: route.abort(), times=1)
    story_page.get_by_role("button", name="Download", exact=True).click()
    story_page.get_by_role("alert").filter(has_text="did not reach this browser").wait_for()
    assert story_page.evaluate(is_unsaved)
    downloaded(story_page)
    story_page.wait_for_function(f"!({is_unsaved})()")


@wide_alone
def test_a_kept_story_that_does_not_come_back_stays_kept(story_page: Page, tmp_path: Path) -> None:
    name = own_story(tmp_path).name
    say(story_page, "create a variable gold = 10", "Apply")
    wait_until_kept(story_page, tmp_path, "gold")
    story_page.route("**/story", lambda route: route.abort(), times=1)
    load_anew(story_page)
    story_page.get_by_role("alert").filter(has_text=f"{name}, which this tab keeps, did not reach").wait_for()
    story_page.get_by_role("button", name="Open the sample story").click()
    story_page.get_by_text(f"{name} has changes that were not downloaded").wait_for()
    story_page.get_by_role("button", name="Keep the changes").click()
    story_page.get_by_role("dialog").wait_for(state="hidden")
    assert "gold" in str(downloaded(story_page, "Download what is kept").data.variables)
    story_page.get_by_role("button", name="Try again").click()
    node(story_page, 13).wait_for()
    assert story_page.get_by_role("button", name="Try again").is_hidden()
    assert "gold" in str(downloaded(story_page).data.variables)


def test_forms_make_and_change_nodes_without_a_word_of_json(story_page: Page) -> None:
    open_functions(story_page)
    choose(story_page, "Function", "create_insert_node")
    preview = story_page.get_by_role("button", name="Preview this function")
    preview.click()
    story_page.get_by_role("alert").filter(has_text="type: This is needed.").wait_for()
    assert not story_page.locator(".change .question").count()
    choose(story_page, "type (needed)", "dialog")
    choose(story_page, "character", "Jory")
    write(story_page, "lines 1", "The tide is out.")
    story_page.get_by_role("button", name="Add to lines").click()
    write(story_page, "lines 2", "Wait for it.")
    preview.click()
    story_page.locator(".graph .new").first.wait_for()
    planned = story_page.get_by_text("Planned: create insert node")
    assert planned.count() == 1
    assert "lines: The tide is out., Wait for it." in planned.inner_text()
    apply(story_page)
    node(story_page, 13).click()
    story_page.get_by_role("button", name="Edit this node").click()
    write(story_page, "actions 1", "Not tonight.")
    preview.click()
    story_page.locator(".graph .changed[data-node='13']").wait_for()
    apply(story_page)
    nodes = downloaded(story_page).data.nodes
    assert nodes[13]["data"]["actions"][0] == "Not tonight."
    *_, made = nodes.values()
    assert made["data"]["lines"] == ["The tide is out.", "Wait for it."]
    assert made["data"]["character"] >= 0


@wide_alone
def test_a_form_that_is_kept_says_whose_it_is_also_where_ids_are_typed(story_page: Page, tmp_path: Path) -> None:
    """As they are in a scene of more nodes than a list has."""
    project = parse(SAMPLE.arrow_file.read_bytes())
    project.apply_all([Operation("create_insert_node", {"type": "content", "scene_id": 0})] * 200)
    large = tmp_path / "large.arrow"
    large.write_text(project.to_text(), encoding="utf-8")
    open_story(story_page, large)
    story_page.get_by_role("heading", name="large.arrow", exact=True).wait_for()
    open_functions(story_page)
    choose(story_page, "Function", "update_node")
    whose = story_page.get_by_role("textbox", name="node (needed)", exact=True)
    whose.fill("13")
    expect(story_page.get_by_role("textbox", name="name", exact=True)).not_to_have_value("")  # the form is 13's
    write(story_page, "notes", "What is written for 13.")
    whose.fill("14")
    story_page.get_by_role("button", name="Keep the changes").click()
    expect(whose).to_have_value("13")
    expect(story_page.get_by_role("textbox", name="notes", exact=True)).to_have_value("What is written for 13.")


@wide_alone
def test_another_project_hears_nothing_of_what_was_said(story_page: Page) -> None:
    say(story_page, "delete node 13", "Preview")
    story_page.locator(".graph .removed").first.wait_for()
    tab(story_page, "Projects")
    story_page.get_by_role("textbox", name="New project").fill("another")
    story_page.get_by_role("button", name="New", exact=True).click()
    tab(story_page, "Story")
    story_page.locator(".graph .removed").first.wait_for(state="detached")
    assert story_page.locator(".change .answer").count() == 0
    assert story_page.get_by_role("button", name="Discard").is_hidden()


@wide_alone
def test_what_is_not_understood_changes_nothing_and_says_so(story_page: Page) -> None:
    say(story_page, "make it all a bit more mysterious", "Apply")
    story_page.locator(".change .answer").last.filter(has_text="not").wait_for()
    assert downloaded(story_page).to_text() == parse(SAMPLE.arrow_file.read_bytes()).to_text()


@wide_alone
def test_a_change_is_taken_back_in_the_project_that_it_was_made_in(story_page: Page) -> None:
    say(story_page, "create a variable gold = 10", "Apply")
    answered(story_page, "gold")
    tab(story_page, "Projects")
    story_page.get_by_role("textbox", name="New project").fill("yet-another")
    story_page.get_by_role("button", name="New", exact=True).click()
    tab(story_page, "Story")
    story_page.get_by_role("button", name="Undo").click()
    story_page.get_by_text("The last change was made in project 1: choose that one to take it back.").wait_for()
