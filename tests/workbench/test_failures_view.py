"""What the tab `Documents` says of files that could not be read, without a browser."""

from types import SimpleNamespace
from typing import Any

from nicegui import ui

from corpora import ProjectKey
from ingest import DocumentReport, IngestReport, Problem
from server.background.failures import Failures
from tests.workbench.test_forms import on_a_page
from workbench.documents.failures import FailuresView
from workbench.documents.panel import DocumentsPanel
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


def test_who_opens_a_project_sees_what_could_not_be_read_until_somebody_dismisses_it() -> None:
    failures = Failures()
    report = DocumentReport("broken.pdf", "failed", error=FAILED["broken.pdf"])
    failures.note(KEY, IngestReport("1", (report,), 0.1))
    intake = SimpleNamespace(under_way=lambda _: (), reading=lambda _: None, failures=failures)
    services: Any = SimpleNamespace(
        catalog=SimpleNamespace(documents=lambda _: []),
        intake=intake,
        embedding=SimpleNamespace(failure=lambda _: None),
        limits=SimpleNamespace(upload_bytes=1),
        rounds=SimpleNamespace(wait=_at_once),
        asking=SimpleNamespace(run=_run),
    )

    async def use() -> tuple[list[str], list[str]]:
        visit = Visit(services, "red", is_owner=False, project="1")
        with ui.column() as whole, ui.tabs() as tabs:
            panel: Any = DocumentsPanel(visit, tabs)
        await panel._look()
        before = shown(whole)
        await panel._dismiss()
        return before, shown(whole)

    before, after = on_a_page(use)
    assert "broken.pdf is broken." in before
    assert "broken.pdf is broken." not in after


async def _at_once(_workspace: str) -> None: ...


async def _run(_workspace: str, work: Any) -> Any:
    return work()
