"""axe-core finds nothing serious on any tab, wide and narrow, light and dark."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Page, ViewportSize

from tests.workbench.conftest import AXE, NARROW, WIDE, OpenPage, node, open_story, tab
from tests.workbench.test_asking import QUESTION, ask
from tests.workbench.test_change import say


def serious(page: Page) -> list[Any]:
    """What axe-core finds that keeps people out."""
    page.evaluate(AXE.read_text("utf-8"))
    found: dict[str, Any] = page.evaluate("axe.run({resultTypes: ['violations']})")
    return [
        (one["id"], [part["html"][:200] for part in one["nodes"]])
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
    ]


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: make page does it, with npm")
@pytest.mark.parametrize(("viewport", "scheme"), [(WIDE, "light"), (NARROW, "dark")], ids=["wide", "narrow"])
def test_nothing_serious_is_found(
    sample: str, open_page: OpenPage, viewport: ViewportSize, scheme: Literal["light", "dark"]
) -> None:
    page = open_page(f"{sample}/?project=1", viewport, color_scheme=scheme)
    page.get_by_role("textbox", name="New project").wait_for()
    assert serious(page) == []
    tab(page, "Documents")
    page.get_by_role("button", name="game-bible.pdf", exact=True).click()
    page.get_by_role("img", name="game-bible.pdf, page 1").wait_for()
    assert serious(page) == []
    page.get_by_role("button", name="Remove quests.md").click()
    page.get_by_role("dialog").wait_for()
    assert serious(page) == []
    page.get_by_role("button", name="Keep").click()
    page.get_by_role("dialog").wait_for(state="detached")
    tab(page, "Ask")
    ask(page, QUESTION)
    page.get_by_role("img", name="game-bible.pdf, page 6").wait_for()
    assert serious(page) == []
    tab(page, "Story")
    open_story(page)
    node(page, 13).click()
    page.get_by_role("heading", name="Node 13").wait_for()
    say(page, "delete node 13", "Preview")
    page.locator(".graph .removed").first.wait_for()
    page.get_by_text("Functions", exact=True).click()
    for drawer in ("Checks:", "Outline", "Continuity"):
        page.get_by_text(drawer).first.click()
    assert serious(page) == []
    page.get_by_role("button", name="Apply", exact=True).click()
    page.locator(".graph .removed").first.wait_for(state="detached")
    page.get_by_role("button", name="Open the sample story").click()
    page.get_by_role("dialog").wait_for()
    assert serious(page) == []
