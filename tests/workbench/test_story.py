"""A story is opened, looked at and checked."""

import json
import os
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page

from arrow_project import parse
from corpora.samples import SAMPLE
from tests.workbench.conftest import OpenPage, node, open_story


def test_nodes_stand_where_arrow_has_them_in_their_colours(story_page: Page) -> None:
    document = json.loads(SAMPLE.arrow_file.read_text("utf-8"))
    places = document["resources"]["scenes"]["0"]["map"]
    assert story_page.locator("[data-node]").count() == len(places)
    for node_id, entry in places.items():
        x, y = entry["offset"]
        assert node(story_page, node_id).get_attribute("transform") == f"translate({x} {y})"
    jory = next(c for c in document["resources"]["characters"].values() if c["name"] == "Jory")
    assert node(story_page, 12).locator(".head").get_attribute("fill") == f"#{jory['color']}"


def test_a_click_says_what_leads_to_a_node_and_where_it_goes(story_page: Page) -> None:
    node(story_page, 13).click()
    story_page.get_by_role("heading", name="Node 13: interaction").wait_for()
    story_page.get_by_role("button", name="14 (dialog by Jory").click()
    story_page.get_by_role("heading", name="Node 14: dialog by Jory").wait_for()


def test_keys_choose_a_node_as_well(story_page: Page) -> None:
    node(story_page, 13).focus()
    story_page.keyboard.press("Enter")
    story_page.get_by_role("heading", name="Node 13: interaction").wait_for()


def test_the_graph_is_one_stop_of_the_tab_key_and_arrows_lead_on(story_page: Page) -> None:
    assert story_page.locator("[data-node][tabindex='0']").count() == 1
    node(story_page, 13).click()
    story_page.get_by_role("heading", name="Node 13: interaction").wait_for()
    story_page.locator("[data-node='13'][tabindex='0']").focus()
    story_page.keyboard.press("ArrowRight")
    assert story_page.evaluate("document.activeElement.dataset.node") == "14"
    assert story_page.locator("[data-node][tabindex='0']").count() == 1


def test_who_goes_to_a_node_by_keys_reads_on_there(story_page: Page) -> None:
    node(story_page, 13).click()
    story_page.get_by_role("button", name="14 (dialog by Jory").press("Enter")
    story_page.get_by_role("heading", name="Node 14: dialog by Jory").wait_for()
    story_page.wait_for_function("document.activeElement.matches('.card')")


def test_zooming_keeps_what_is_in_the_middle(story_page: Page) -> None:
    story_page.get_by_role("button", name="Zoom in").click()
    node(story_page, 13).click()
    story_page.get_by_role("heading", name="Node 13").wait_for()
    inside = """() => {
        const box = document.querySelector(".graph").getBoundingClientRect();
        const node = document.querySelector("[data-node='13']").getBoundingClientRect();
        return node.left < box.right && node.right > box.left && node.top < box.bottom && node.bottom > box.top;
    }"""
    for _ in range(3):
        story_page.get_by_role("button", name="Zoom in").click()
    story_page.wait_for_function("Number(document.querySelector('.graph').style.getPropertyValue('--zoom')) > 1.8")
    assert story_page.evaluate(inside)


def test_scenes_are_switched_and_zoomed(story_page: Page) -> None:
    story_page.get_by_role("combobox", name="Scene").click()
    story_page.get_by_role("option", name="1 Dusk: The Kitchen").click()
    node(story_page, 24).wait_for()
    width = _width(story_page)
    story_page.get_by_role("button", name="Zoom in").click()
    story_page.wait_for_function(f"document.querySelector('.graph svg').getBoundingClientRect().width > {width * 1.2}")
    story_page.get_by_role("button", name="Fit", exact=True).click()
    story_page.wait_for_function(f"document.querySelector('.graph svg').getBoundingClientRect().width < {width}")


def _width(page: Page) -> float:
    return float(page.evaluate("document.querySelector('.graph svg').getBoundingClientRect().width"))


def test_a_finding_goes_to_its_node(sample: str, open_page: OpenPage, tmp_path: Path) -> None:
    document = json.loads(SAMPLE.arrow_file.read_text("utf-8"))
    del document["resources"]["scenes"]["0"]["map"]["12"]["io"]
    broken = tmp_path / "broken.arrow"
    broken.write_text(json.dumps(document))
    page = open_page(f"{sample}/?project=1&tab=Story")
    open_story(page, broken)
    page.get_by_text("Checks:").click()
    page.get_by_role("button", name="node 13: Nothing leads here").click()
    page.get_by_role("heading", name="Node 13: interaction").wait_for()


def test_continuity_shows_story_and_page_side_by_side(story_page: Page) -> None:
    story_page.get_by_text("Continuity").click()
    story_page.get_by_role("button", name="Check against the documents").click()
    story_page.get_by_role("button", name="[1] game-bible.pdf, page 16").click()
    story_page.get_by_role("img", name="game-bible.pdf, page 16").wait_for()
    story_page.get_by_role("button", name="Node 17").click()
    story_page.get_by_role("heading", name="Node 17").wait_for()


def test_continuity_without_documents_says_so(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=none-yet&tab=Story")
    open_story(page)
    node(page, 13).wait_for()  # what is drawn anew is closed
    page.get_by_text("Continuity").click()
    page.get_by_role("button", name="Check against the documents").click()
    page.get_by_text("Project none-yet has no documents to compare with").wait_for()


def test_what_is_no_story_says_why_and_changes_nothing(story_page: Page, tmp_path: Path) -> None:
    (tmp_path / "no.arrow").write_text('{"title": 3}')
    open_story(story_page, tmp_path / "no.arrow")
    story_page.get_by_text("no.arrow cannot be opened").wait_for()
    assert node(story_page, 13).count() == 1


@pytest.mark.skipif(sys.platform != "linux", reason="names are text here")
def test_a_story_whose_name_is_no_utf_8_is_named_and_the_others_are_listed(
    sample: str, folders: Path, open_page: OpenPage
) -> None:
    folder = folders / "old-archive"
    folder.mkdir()
    (folder / "good.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
    unnamed = Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.arrow"))
    unnamed.write_bytes(SAMPLE.arrow_file.read_bytes())
    page = open_page(f"{sample}/?project=1&tab=Story")
    page.get_by_role("button", name="Pick one on the server").click()
    page.get_by_text("caf\\xe9.arrow is not listed: its path is no UTF-8. Rename it.").wait_for()
    page.get_by_role("combobox", name="Story on the server").click()
    page.get_by_role("option", name="good.arrow").click()
    node(page, 13).wait_for()
    unnamed.unlink()


def test_a_story_below_the_servers_folders_is_picked_changed_and_written_back(
    sample: str, folders: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    folder, outside = folders / "stories", tmp_path / "secret.arrow"
    folder.mkdir()
    file = folder / "tale.arrow"
    file.write_bytes(SAMPLE.arrow_file.read_bytes())
    outside.write_bytes(SAMPLE.arrow_file.read_bytes())
    page = open_page(f"{sample}/?project=1&tab=Story")
    page.get_by_role("button", name="Pick one on the server").click()
    page.get_by_role("combobox", name="Story on the server").click()
    assert "secret" not in page.content()
    page.get_by_role("option", name=str(file)).click()
    node(page, 13).wait_for()
    page.get_by_role("textbox", name="Message").fill("create a variable gold = 10")
    page.get_by_role("button", name="Apply", exact=True).click()
    page.locator(".change .answer", has_text="gold").wait_for()
    page.get_by_role("button", name="Write back").click()
    page.get_by_text(f"Written to {file}").wait_for()
    assert "gold" in [v["name"] for v in parse(file.read_bytes()).data.variables.values()]
    file.write_bytes(SAMPLE.arrow_file.read_bytes())
    page.get_by_role("button", name="Write back").click()
    page.get_by_text("was changed since it was opened").first.wait_for()
    assert file.read_bytes() == SAMPLE.arrow_file.read_bytes()
    page.get_by_role("button", name="Download").click()  # as it says, or opened again:
    page.get_by_role("combobox", name="Story on the server").click()
    page.get_by_role("option", name=str(file)).click()
    page.locator(".change .answer").wait_for(state="detached")
    page.get_by_role("button", name="Write back").click()
    page.get_by_text(f"Written to {file}").wait_for()
