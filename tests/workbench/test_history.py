"""The browser's Back and Forward, and a reload: they lead to what was shown."""

import re

from playwright.sync_api import expect

from tests.workbench.conftest import OpenPage, load_anew, tab
from workbench.address import Address
from workbench.documents.place import Place


def test_an_address_says_what_is_shown_and_takes_nothing_else() -> None:
    address = Address("a b", "Ask", Place("id&1", 3, "p+1"))
    assert Address.read(address.url.partition("?")[2]) == address
    for query in ("", "tab=None&page=3", "document=&page=-1", "%00=%ff&&==", "project=&tab=ask&question=why"):
        assert Address.read(query) == Address("", "Projects")
    assert Address.read("document=x&page=" + "9" * 5000).place == Place("x")
    assert Address.read("tab=Ask&project=" + "x" * 10_000) == Address("", "Projects")


def test_back_leads_through_tabs_projects_and_documents_and_a_reload_stays(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Projects")
    tab(page, "Documents")
    page.get_by_role("button", name="game-bible.pdf", exact=True).click()
    first, second = (page.get_by_role("img", name=f"game-bible.pdf, page {number}") for number in (1, 2))
    first.wait_for()
    page.get_by_role("button", name="Next page").click()
    second.wait_for()
    tab(page, "Projects")
    page.get_by_role("textbox", name="New project").fill("Stepping Över")
    page.get_by_role("button", name="New", exact=True).click()
    page.get_by_text("is not allowed: it must begin with").wait_for()
    page.get_by_role("button", name="Call it stepping-over").click()
    page.get_by_text("Nothing is here yet").wait_for()
    expect(page).to_have_url(re.compile("project=stepping-over&tab=Documents$"))
    page.go_back()
    page.get_by_text("Project 1", exact=True).wait_for()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()
    page.go_back()
    second.wait_for()
    load_anew(page)
    second.wait_for()
    page.go_back()
    second.wait_for(state="detached")
    page.get_by_role("heading", name="Documents", exact=True).wait_for()
    page.go_back()
    page.get_by_role("heading", name="Projects", exact=True).wait_for()
    for _ in range(2):
        page.go_forward()
    second.wait_for()
    expect(page).to_have_url(re.compile(r"tab=Documents&document=\w+&page=2$"))


def test_where_the_browser_has_gone_before_the_page_could_listen_is_shown(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Story", is_new=True)
    page.add_init_script("if (location.search) history.replaceState(null, '', '/?project=1&tab=Documents')")
    page.reload()
    page.get_by_role("heading", name="Documents", exact=True).wait_for()
    expect(page).to_have_url(re.compile("tab=Documents$"))


def test_a_source_that_is_closed_leaves_the_focus_at_what_opened_it(sample: str, open_page: OpenPage) -> None:
    page = open_page(f"{sample}/?project=1&tab=Documents")
    opened = page.get_by_role("button", name="quests.md", exact=True)
    opened.click()
    close = page.get_by_role("button", name="Close the source").locator("visible=true")
    close.click()
    expect(opened).to_be_focused()
    tab(page, "Ask")
    page.get_by_role("textbox", name="Question").fill("Which ending needs trust?")
    page.get_by_role("button", name="Ask", exact=True).click()
    close.click()
    expect(page.locator(".citation").first).to_be_focused()
