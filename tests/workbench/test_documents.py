"""Documents come in, are looked at and go, in one browser and in another."""

import json
import re
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from playwright.sync_api import Dialog, Page, expect

from tests.waiting import eventually
from tests.workbench.conftest import MOST_OF_UPLOAD, OpenPage, load_anew, tab


def add(page: Page, *files: Path) -> None:
    """Chooses files as a visitor does."""
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Add documents").click()
    chosen.value.set_files([str(file) for file in files])


def names(url: str, project: str) -> list[str]:
    """What the API lists."""
    with urlopen(f"{url}/projects/{project}/documents") as answer:
        return [document["name"] for document in json.load(answer)["documents"]]


def test_documents_that_are_added_are_listed_and_failures_say_why(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    (tmp_path / "pier.md").write_text("# The pier\n\nThe pier is made of whale bones.")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    page = open_page(f"{sample}/?project=adding&tab=Documents")
    add(page, tmp_path / "pier.md", tmp_path / "broken.pdf")
    page.get_by_role("button", name="pier.md", exact=True).wait_for()
    assert "broken.pdf" in page.get_by_role("alert").first.inner_text()
    page.get_by_text("1 document, 1 passage.").wait_for()
    assert names(sample, "adding") == ["pier.md"]


def test_a_folder_is_added_by_the_paths_in_it(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    folder = tmp_path / "design"
    (folder / "people").mkdir(parents=True)
    (folder / "people" / "elena.md").write_text("Elena keeps the light.")
    page = open_page(f"{sample}/?project=folders&tab=Documents")
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Add a folder").click()
    chosen.value.set_files(str(folder))
    page.get_by_role("button", name="people/elena.md", exact=True).wait_for()


def test_files_that_are_dropped_are_added(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=dropping&tab=Documents")
    page.get_by_role("button", name="Add documents").wait_for()
    transfer = page.evaluate_handle(
        """() => {
            const transfer = new DataTransfer();
            transfer.items.add(new File(["The lamp is cold."], "lamp.md"));
            transfer.items.add(new File(["The \u201cold\u201d lamp."], 'the "old" %22.md'));
            return transfer;
        }"""
    )
    page.dispatch_event(".drop", "drop", {"dataTransfer": transfer})
    for name in ("lamp.md", 'the "old" %22.md'):
        page.get_by_role("button", name=name, exact=True).wait_for()


def test_files_that_are_dropped_beside_the_area_are_added_and_replace_no_page(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=beside&tab=Documents")
    page.get_by_role("button", name="Add documents").wait_for()
    is_prevented = """(name) => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(["The lamp is cold."], name));
        return ["dragover", "drop"].map((kind) =>
            !document.body.dispatchEvent(new DragEvent(kind, {dataTransfer, bubbles: true, cancelable: true})));
    }"""
    assert page.evaluate(is_prevented, "lamp.md") == [True, True]
    page.get_by_role("button", name="lamp.md", exact=True).wait_for()
    tab(page, "Ask")
    assert page.evaluate(is_prevented, "other.md") == [True, True]
    assert names(sample, "beside") == ["lamp.md"]


def test_files_go_to_the_project_that_they_were_added_to(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    files = [tmp_path / f"note-{number}.md" for number in range(45)]
    for file in files:
        file.write_text(f"This is {file.name}.")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    page = open_page(f"{sample}/?project=alpha&tab=Documents")
    add(page, *files, tmp_path / "broken.pdf")
    tab(page, "Projects")
    page.get_by_role("textbox", name="New project").fill("beta")
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_role("alert").filter(has_text="Project alpha").filter(has_text="broken.pdf").wait_for()
    eventually(lambda: len(names(sample, "alpha")) == len(files))
    with pytest.raises(HTTPError):
        names(sample, "beta")


def test_what_was_there_already_is_said(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("One kettle.")
    page = open_page(f"{sample}/?project=twice&tab=Documents")
    add(page, tmp_path / "notes.md")
    page.get_by_text("1 document, 1 passage.").wait_for()
    add(page, tmp_path / "notes.md")
    page.get_by_text("There already, with the same content: notes.md.").wait_for()
    page.get_by_text("1 document, 1 passage.").wait_for()
    (tmp_path / "notes.md").write_text("Two kettles.")
    add(page, tmp_path / "notes.md")
    page.get_by_text("Another version was there and is replaced: notes.md.").wait_for()


def test_of_two_files_of_a_name_the_second_does_not_replace_the_first(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    first, second = tmp_path / "first" / "notes.md", tmp_path / "second" / "notes.md"
    files = [first, *(tmp_path / f"note-{number}.md" for number in range(20)), second]  # more than go in one request
    for file in files:
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"This is {file.parent.name}.")
    page = open_page(f"{sample}/?project=namesakes&tab=Documents")
    add(page, *files)
    page.get_by_text("notes.md: another file of this name was given before it").wait_for()
    page.get_by_text("21 documents, 21 passages.").wait_for()
    with urlopen(f"{sample}/projects/namesakes/search?q=first&document=notes.md") as answer:
        assert "This is first." in answer.read().decode()


def test_files_that_are_on_their_way_as_the_page_is_loaded_anew_are_named(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    for number in range(4):
        (tmp_path / f"part {number}.md").write_text("The lamp is cold.")
    page = open_page(f"{sample}/?project=unsent&tab=Documents", is_new=True)
    page.route("**/corpus", lambda _: None)  # no answer ever comes
    asked = list[str]()

    def leaves(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", leaves)
    with page.expect_request("**/corpus"):
        add(page, *sorted(tmp_path.iterdir()))
    tab(page, "Ask")
    tab(page, "Documents")
    assert not page.get_by_text("The page was loaded anew").is_visible()
    load_anew(page)
    told = page.get_by_role("alert").filter(has_text="4 files were on the way: part 0.md, part 1.md, part 2.md, ….")
    told.wait_for()
    assert asked == ["beforeunload"]
    load_anew(page)
    page.get_by_role("button", name="Add documents").wait_for()
    assert asked == ["beforeunload"]


def test_files_that_were_on_their_way_are_named_once_the_page_is_heard(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    """Where its server has not answered until then, a page is loaded once more."""
    (tmp_path / "part.md").write_text("The lamp is cold.")
    page = open_page(f"{sample}/?project=unheard&tab=Documents", is_new=True)
    page.route("**/corpus", lambda _: None)
    page.on("dialog", lambda dialog: dialog.accept())
    with page.expect_request("**/corpus"):
        add(page, tmp_path / "part.md")
    page.route("**/_nicegui_ws/**", lambda route: route.abort())
    page.route_web_socket("**/_nicegui_ws/**", lambda _: None)
    page.reload()
    page.get_by_role("button", name="Add documents").wait_for()
    page.unroute("**/_nicegui_ws/**")
    page.route_web_socket("**/_nicegui_ws/**", lambda socket: socket.connect_to_server() and None)
    load_anew(page)
    page.get_by_role("alert").filter(has_text="1 file was on the way: part.md").wait_for()


def test_two_browsers_see_each_others_documents(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "shared.md").write_text("The bell is under the floor.")
    one, other = (open_page(f"{sample}/?project=both&tab=Documents") for _ in range(2))
    other.get_by_role("button", name="Add documents").wait_for()
    add(one, tmp_path / "shared.md")
    other.get_by_role("button", name="shared.md", exact=True).wait_for()


def test_a_document_is_removed_after_a_yes(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text("It was a cave once.")
    page = open_page(f"{sample}/?project=removing&tab=Documents")
    add(page, tmp_path / "old.md")
    page.get_by_role("button", name="Remove old.md").click()
    page.get_by_role("button", name="Remove", exact=True).click()
    page.get_by_role("button", name="old.md", exact=True).wait_for(state="detached")
    eventually(lambda: names(sample, "removing") == [])


def test_a_document_opens_at_its_pages(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Documents")
    page.get_by_role("button", name="game-bible.pdf", exact=True).click()
    page.get_by_role("img", name="game-bible.pdf, page 1").wait_for()
    page.get_by_role("button", name="Next page").click()
    page.get_by_role("img", name="game-bible.pdf, page 2").wait_for()
    expect(page.get_by_role("button", name="Next page")).to_be_focused()
    page.get_by_role("spinbutton", name="Page, of 18").fill("9")
    page.keyboard.press("Enter")
    page.get_by_role("img", name="game-bible.pdf, page 9").wait_for()
    expect(page.get_by_role("spinbutton", name="Page, of 18")).to_be_focused()
    picture, text = page.get_by_role("img"), page.get_by_role("region", name="Text of the page")
    text.get_by_role("button", name=re.compile("^Mark")).first.click()
    text.locator("mark").wait_for()
    expect(picture).to_have_attribute("src", re.compile("passage="))
    boxes = picture.bounding_box(), text.bounding_box()
    assert boxes[0]
    assert boxes[1]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]  # side by side


def test_a_document_without_pages_opens_as_text(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Documents")
    page.get_by_role("button", name="quests.md", exact=True).click()
    text = page.get_by_role("region", name="Text of the document")
    text.wait_for()
    assert "quest" in text.inner_text().lower()


def test_what_lies_in_a_folder_and_is_no_document_is_named_in_one_line(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    folder = tmp_path / "vault"
    folder.mkdir()
    (folder / "bell.md").write_text("The bell is under the floor.")
    for number in range(25):
        (folder / f"shot-{number}.psd").write_bytes(b"8BPS\x00\x01" + bytes(20))
    page = open_page(f"{sample}/?project=vault&tab=Documents")
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Add my documents").click()
    assert chosen.value.is_multiple()
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Add a folder").click()
    chosen.value.set_files(str(folder))
    page.get_by_text("Skipped 25 files of kinds that are not read").wait_for()
    page.get_by_role("button", name="bell.md", exact=True).wait_for()
    assert page.get_by_role("alert").count() == 1
    assert page.get_by_role("button", name="Read again").count() == 0


def test_what_failed_is_read_again(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    (tmp_path / "quay.md").write_text("The quay is dry.")
    page = open_page(f"{sample}/?project=again&tab=Documents")
    add(page, tmp_path / "broken.pdf", tmp_path / "quay.md")
    page.get_by_role("alert").filter(has_text="broken.pdf").wait_for()
    with page.expect_response("**/projects/again/corpus") as answered:
        page.get_by_role("button", name="Read again").click()
    assert [document["name"] for document in answered.value.json()["documents"]] == ["broken.pdf"]
    failure = page.get_by_role("alert").filter(has_text="broken.pdf")
    failure.wait_for()
    page.get_by_role("button", name="Read quay.md again").click()
    page.get_by_text("quay.md would be read as it was.").wait_for()  # whether or not it has its vectors by now
    load_anew(page)  # as another browser sees it
    failure.wait_for()
    assert not page.get_by_role("button", name="Read again").count()
    page.get_by_role("button", name="Dismiss").click()
    failure.wait_for(state="detached")


def test_a_folder_is_linked_followed_and_let_go(
    sample: str, folders: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    folder = folders / "design"
    folder.mkdir()
    (folder / "bell.md").write_text("The bell is under the floor.")
    page = open_page(f"{sample}/?project=linking&tab=Documents")
    page.get_by_text("Linked folder").click()
    page.get_by_role("textbox", name="Folder").fill(str(tmp_path / "elsewhere"))
    page.get_by_role("button", name="Link", exact=True).click()
    refused = page.get_by_role("alert").filter(has_text="elsewhere")
    refused.wait_for()
    colours = [
        element.evaluate("it => getComputedStyle(it).color") for element in (refused, refused.get_by_role("button"))
    ]
    assert colours[0] == colours[1]
    page.get_by_role("textbox", name="Folder").fill(str(folder))
    page.get_by_role("button", name="Link", exact=True).click()
    page.get_by_role("button", name="bell.md", exact=True).wait_for()
    (folder / "rope.md").write_text("The rope is new.")
    page.get_by_role("button", name="rope.md", exact=True).wait_for()
    page.get_by_role("button", name="Unlink").click()
    page.get_by_role("textbox", name="Folder").wait_for()


def test_of_many_documents_some_are_looked_for_and_others_arriving_leave_the_focus(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    files = [tmp_path / f"note-{number:02}.md" for number in range(14)]
    for file in files:
        file.write_text(f"This is {file.name}.")
    page = open_page(f"{sample}/?project=many&tab=Documents")
    add(page, *files)
    page.get_by_text("14 documents, 14 passages.").wait_for()
    remove = page.get_by_role("button", name="Remove note-03.md", exact=True)
    remove.focus()
    other = open_page(f"{sample}/?project=many&tab=Documents")
    (tmp_path / "a-first.md").write_text("The bell rings.")
    add(other, tmp_path / "a-first.md")
    page.get_by_text("15 documents, 15 passages.").wait_for()
    listed = page.locator(".documents .entry")
    assert listed.first.inner_text() == "a-first.md"
    assert remove.evaluate("(button) => button === document.activeElement")
    page.get_by_role("textbox", name="Filter by name").fill("NOTE-1")
    page.get_by_text("4 of 15 documents.").wait_for()
    assert listed.filter(visible=True).count() == 4


def test_a_file_that_is_too_long_is_named_and_the_others_are_added(
    sample: str, open_page: OpenPage, tmp_path: Path
) -> None:
    assert MOST_OF_UPLOAD == 50_000
    files = [tmp_path / f"{name}.md" for name in ("long", "one", "two", "three")]
    for file, length in zip(files, (60_000, 30_000, 30_000, 13), strict=True):
        file.write_text("bell " * (length // 5))
    page = open_page(f"{sample}/?project=too-long&tab=Documents")
    add(page, *files)
    page.get_by_role("alert").filter(has_text="long.md: it has 60000 bytes, and the server takes 50000").wait_for()
    for file in files[1:]:
        page.get_by_role("button", name=file.name, exact=True).wait_for()
    page.get_by_text("3 documents, ").wait_for()
