"""What the tab `Documents` says of files that are read or could not be, without a browser."""

import asyncio
import threading
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import ui

from corpora import ProjectKey
from ingest import DocumentReport, IngestReport, Problem, Source
from ingest.extracted import Extracted
from server.background.failures import Failures
from server.document_lists import DocumentLists
from server.limits.pace import Pace
from tests.ingest.sources import a_pdf
from tests.server.house import house
from tests.server_process import PATIENCE_S
from tests.workbench.test_forms import on_a_page
from workbench.documents.failures import FailuresView
from workbench.documents.panel import DocumentsPanel
from workbench.frame.bounded import MOST_ELEMENTS
from workbench.story.room import OpenStories
from workbench.visit import Visit

KEY = ProjectKey("red", "1")
FAILED = {
    "broken.pdf": Problem("BROKEN", "broken.pdf is broken."),
    "a.psd": Problem("UNKNOWN_FORMAT", "a.psd is of no known kind."),
    "b.psd": Problem("UNKNOWN_FORMAT", "b.psd is of no known kind."),
}


def shown(whole: ui.element) -> list[str]:
    """What is written there."""
    return [one.text for one in whole.descendants() if isinstance(one, ui.label | ui.button) and one.text]


def test_files_of_unknown_kinds_are_one_line_and_those_at_hand_are_read_again() -> None:
    async def use() -> list[list[str]]:
        with ui.column() as whole:
            view = FailuresView(list, list)
        says = list[list[str]]()
        for failures, sent in ((FAILED, FAILED), (FAILED, ()), ({"a.psd": FAILED["a.psd"]}, ()), ({}, ())):
            view.show(failures, sent)
            says.append(shown(whole))
        return says

    lines = ["Skipped 2 files of kinds that are not read: a.psd, b.psd.", "broken.pdf is broken."]
    assert on_a_page(use) == [
        [*lines, "Read again", "Dismiss"],
        [*lines, "Dismiss"],
        ["a.psd is of no known kind.", "Dismiss"],
        [],
    ]


def services(failures: Failures) -> Any:
    """Of a server with an empty project."""
    catalog: Any = SimpleNamespace(documents=lambda _: [], corpus_version=lambda _: 0, lacking_vectors=lambda _: 0)
    intake = SimpleNamespace(under_way=lambda _: (), reading=lambda _: None, failures=failures)
    return SimpleNamespace(
        lists=DocumentLists(catalog),
        intake=intake,
        embedding=SimpleNamespace(failure=lambda _: None),
        limits=SimpleNamespace(upload_bytes=1),
        rounds=SimpleNamespace(wait=_at_once),
        paces=defaultdict(Pace),
        asking=SimpleNamespace(run=_run),
        listing=SimpleNamespace(run=_run),
    )


def test_who_opens_a_project_sees_what_could_not_be_read_until_somebody_dismisses_it() -> None:
    failures = Failures()
    report = DocumentReport("broken.pdf", "failed", error=FAILED["broken.pdf"])
    failures.note(KEY, IngestReport("1", (report,), 0.1))

    async def use() -> tuple[list[str], list[str]]:
        visit = Visit(services(failures), "red", is_owner=False, project="1", room=OpenStories())
        with ui.column() as whole, ui.tabs() as tabs:
            panel: Any = DocumentsPanel(visit, tabs)
        await panel._look()
        before = shown(whole)
        await panel._dismiss()
        return before, shown(whole)

    before, after = on_a_page(use)
    assert "broken.pdf is broken." in before
    assert "broken.pdf is broken." not in after


@pytest.mark.parametrize("answer", [{"detail": "Bad gateway"}, {"error": "Bad gateway"}])
def test_an_answer_that_is_none_of_ours_is_said(answer: dict[str, Any]) -> None:
    async def use() -> tuple[list[str], Any]:
        visit = Visit(services(Failures()), "red", is_owner=False, project="1", room=OpenStories())
        with ui.column(), ui.tabs() as tabs:
            panel: Any = DocumentsPanel(visit, tabs)
        url = visit.address("corpus")
        panel._begin(url, 2)
        await panel._answered(url, answer)
        return shown(panel._remarks), panel._sending[url]

    said, sending = on_a_page(use)
    assert "The server has not taken them. Try it again." in said
    assert sending == 0


def test_of_what_a_browser_says_without_end_so_much_is_kept() -> None:
    """It may be no page that speaks: of answers that no server gave, and of addresses that no page has."""
    error = {"code": "UNKNOWN_FORMAT", "message": "It is of no known kind."}
    entry = {"id": None, "pages": None, "pages_without_text": [], "passages": 0, "embedded": 0, "error": error}

    async def use() -> tuple[int, Any]:
        visit = Visit(services(Failures()), "red", is_owner=False, project="1", room=OpenStories())
        with ui.column(), ui.tabs() as tabs:
            panel: Any = DocumentsPanel(visit, tabs)
        for number in range(3):
            for status in ("skipped", "failed"):
                many = [entry | {"name": f"{number} {nth}", "status": status} for nth in range(1000)]
                await panel._answered(visit.address("corpus"), {"documents": many})
        for number in range(1000):
            told = {"url": f"/projects/{number}/corpus", "files": 1, "answer": {"error": error}}
            for listener in panel._drop._event_listeners.values():
                panel._drop._handle_event({"listener_id": listener.id, "args": told})
        return len(list(panel._remarks)), (panel._sent, panel._sending)

    lines, (sent, sending) = on_a_page(use)
    assert lines <= MOST_ELEMENTS
    assert sent == {"/projects/1/corpus": set()}
    assert sending.keys() <= {"/projects/1/corpus"}


def test_what_is_read_says_at_which_page_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_at_a_page, may_go_on = threading.Event(), threading.Event()

    with house(tmp_path, completes=False) as home:
        read_all = home.readers.read

        def read(name: str, data: bytes, progress: Any, **options: Any) -> Extracted:
            def at(page: int, pages: int) -> None:
                progress(page, pages)
                is_at_a_page.set()
                assert may_go_on.wait(PATIENCE_S)

            return read_all(name, data, at, **options)

        monkeypatch.setattr(home.readers, "read", read)

        async def use() -> tuple[list[str], list[str]]:
            visit = Visit(
                home.services, home.key.workspace, is_owner=True, project=home.key.project_id, room=OpenStories()
            )
            with ui.column() as whole, ui.tabs() as tabs:
                panel: Any = DocumentsPanel(visit, tabs)
            source = Source("long.pdf", a_pdf("The bell rings.", "The lamp is lit."))
            reading = asyncio.create_task(home.services.intake.add(home.key, [source]))
            assert await asyncio.to_thread(is_at_a_page.wait, PATIENCE_S)
            await panel._look()
            before = shown(whole)
            may_go_on.set()
            await reading
            await panel._look()
            return before, shown(whole)

        before, after = on_a_page(use)
    assert "Reading long.pdf, page 1 of 2 …" in before
    assert "long.pdf" in after
    assert not any("Reading" in line for line in after)


async def _at_once(_workspace: str) -> None: ...


async def _run(_workspace: str, work: Any) -> Any:
    return work()


def test_of_what_a_browser_says_of_a_report_no_more_is_looked_at_than_is_shown() -> None:
    """What the server says of pages may be a list of any length, and each wrong one in it would be told."""
    entry = {"name": "a.md", "status": "skipped", "error": {"code": "X", "message": "It is there."}}
    entry |= {"pages_without_text": [[]] * 100_000}

    async def use() -> list[str]:
        visit = Visit(services(Failures()), "red", is_owner=False, project="1", room=OpenStories())
        with ui.column(), ui.tabs() as tabs:
            panel: Any = DocumentsPanel(visit, tabs)
        for documents in ([entry], [entry | {"error": "none"}], 7):
            await panel._answered(visit.address("corpus"), {"documents": documents})
        return shown(panel._remarks)

    said = on_a_page(use)
    assert said == ["It is there.", *["The server has not taken them. Try it again."] * 2]
