"""The tab `Documents`: what is in the project's corpus, what comes in, and what could not be read."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any
from urllib.parse import unquote

from nicegui import ui
from pydantic import BaseModel, ValidationError

from corpora import Document, ProjectKey
from ingest import Problem, Progress, counted
from server.document_lists import Listed
from server.http.answers import Problem as StatedProblem
from workbench.documents.document_list import DocumentList
from workbench.documents.failures import FailuresView, draw_failures, draw_problem, listed
from workbench.documents.folder import FolderView
from workbench.documents.place import Place, PlaceView
from workbench.frame.bounded import MOST_ELEMENTS, draw_first
from workbench.frame.drop import Drop, refusal_in
from workbench.projects import offer_sample
from workbench.visit import Visit

_LOOK_S = 1.0
_REPLACED = "Another version was there and is replaced"
_NOT_TAKEN = "The server has not taken them. Try it again."
_THERE = "There already, with the same content"


class DocumentsPanel:
    """Shows the corpus as it is now, also what another browser has added.

    Args:
        visit: The page.
        tabs: Where the first visit goes on.

    Attributes:
        place: Where a document is shown.
    """

    def __init__(self, visit: Visit, tabs: ui.tabs) -> None:
        self._visit = visit
        self._tabs = tabs
        self._seen: object = None
        self._sending = Counter[str]()  # files, by the address that they go to
        self._sent = dict[str, set[str]]()  # names of what failed of that, which the browser has still, by the address
        ui.label("Documents").classes("title").props('role="heading" aria-level="1"')
        with ui.element("div").classes("beside"):
            with ui.element("div").classes("main"):
                self._draw_main()
            self.place = PlaceView(visit, with_text=True)
        visit.project_changed.subscribe(self._change_project)
        ui.timer(_LOOK_S, self._look)

    def _draw_main(self) -> None:
        address, most = self._visit.address("corpus"), self._visit.services.limits.upload_bytes
        with Drop(address, self._begin, self._answered, workspace=self._visit.workspace, most_bytes=most) as self._drop:
            with ui.row().classes("line drop"):
                add = ui.button("Add documents", icon="upload_file").props("no-caps")
                folder = ui.button("Add a folder", icon="folder").props("no-caps outline")
                ui.label("or drop files and folders here").classes("hint")
            self._drop.picks(add)
            self._drop.picks(folder, folder=True)
        self._status = ui.label().props('role="status"').classes("status")
        self._progress = ui.linear_progress(0, show_value=False).props('aria-label="Passages that have their vectors"')
        self._progress.set_visibility(False)
        self._failures = FailuresView(self._send_again, self._dismiss)
        self._remarks = ui.column().classes("problems")
        self._offer = ui.element("div")
        self._list = DocumentList(self._open, self._read_again, self._ask_to_remove, self._visit.drawing)
        self._asking = ui.element("div")
        FolderView(self._visit)

    def _change_project(self) -> None:
        self._drop.send_to(self._visit.address("corpus"))
        self._remarks.clear()
        self._seen = None

    def _begin(self, url: str, files: int) -> None:
        self._remarks.clear()
        self._sending[url] += files
        self._seen = None
        self._status.set_text(f"Sending {counted(files, 'file')} …")

    async def _answered(self, url: str, answer: dict[str, Any]) -> None:
        project = unquote(url.split("/")[2])
        async with self._visit.drawing():
            elsewhere = "" if project == self._visit.project else f"Project {project}: "
            with self._remarks:
                if (report := _report_in(answer)) is not None:
                    self._draw_report(report, url, project, elsewhere)
                else:
                    self._sending[url] = 0
                    draw_problem(f"{elsewhere}{refusal_in(answer, _NOT_TAKEN)}")
            for remark in list(self._remarks)[:-MOST_ELEMENTS]:
                remark.delete()
        self._seen = None
        await self._look()

    def _draw_report(self, report: list["_Reported"], url: str, project: str, elsewhere: str) -> None:
        self._sending[url] = max(self._sending[url] - len(report), 0)
        failed = {e.name: Problem(e.error.code, e.error.message) for e in report if e.error and e.status == "failed"}
        known = self._visit.services.intake.failures.of(ProjectKey(self._visit.workspace, project))
        self._sent[url] = (self._sent.get(url, set()) | failed.keys()) & known.keys()
        draw_failures({name: one for name, one in failed.items() if elsewhere or name not in known}, elsewhere)
        skipped = [entry.error.message for entry in report if entry.error and entry.status == "skipped"]
        draw_first(skipped, lambda message: draw_problem(f"{elsewhere}{message}", is_failure=False))
        there = [entry.name for entry in report if entry.status == "unchanged"]
        replaced = [entry.name for entry in report if entry.replaced]
        for said, names in ((_THERE, there), (_REPLACED, replaced)):
            if names:
                draw_problem(f"{elsewhere}{said}: {listed(names)}.", is_failure=False)

    def _send_again(self, names: list[str]) -> None:
        self._drop.send_again(self._visit.address("corpus"), names)

    async def _dismiss(self) -> None:
        self._visit.services.intake.failures.dismiss(self._visit.key)
        await self._look()

    async def _read_again(self, document: Document) -> None:
        """Reads what was given: it may say more to the readers of today, or to text recognition."""
        services, key = self._visit.services, self._visit.key
        source = await self._visit.ask(partial(services.ingestor.original, key, document.id))
        self._remarks.clear()
        (report,) = (await services.intake.add(key, [source])).documents
        now = await self._visit.ask(partial(services.ingestor.documents, key, [document.name]))
        if report.status != "failed" and key == self._visit.key:
            # Not by its status, which is that of its vectors as long as these are missing.
            is_as_it_was = [_reader_of(one) for one in now.values()] == [_reader_of(document)]
            said = "would be read as it was" if is_as_it_was else "was read again"
            with self._remarks:
                draw_problem(report.error.message if report.error else f"{document.name} {said}.", is_failure=False)
        await self._look()

    async def _look(self) -> None:
        """Shows what is not as it was."""
        visit, key = self._visit, self._visit.key
        corpus = await visit.listed()
        being_read = visit.services.intake.under_way(key)
        failure, reading = visit.services.embedding.failure(key), visit.services.intake.reading(key)
        sending, unread = self._sending[visit.address("corpus")], visit.services.intake.failures.of(key)
        seen = key, corpus, being_read, reading, sending, str(failure), unread
        if seen == self._seen:
            return
        self._seen = seen
        self._status.set_text(_said(corpus, being_read, reading, failure, sending))
        self._progress.set_value(round(corpus.embedded / corpus.passages, 3) if corpus.passages else 0)
        self._progress.set_visibility(corpus.embedded < corpus.passages)
        async with visit.drawing():
            self._failures.show(unread, self._sent.get(visit.address("corpus"), ()))
        await self._draw_list(corpus.documents, is_empty=not (corpus.documents or being_read or sending))
        visit.documents_changed.emit()

    async def _draw_list(self, documents: Sequence[Document], *, is_empty: bool) -> None:
        await self._list.show(documents)
        if not is_empty:
            self._offer.clear()
        elif not list(self._offer):
            with self._offer:
                offer_sample(self._visit, self._tabs, self._drop.picks)

    async def _open(self, place: Place) -> None:
        await self.place.show(place)

    def _ask_to_remove(self, document: Document) -> None:
        async def confirmed() -> None:
            dialog.close()
            await self._remove(document)

        self._asking.clear()
        with self._asking, ui.dialog().props('aria-label="Remove a document"') as dialog, ui.card():
            ui.label(f"Remove {document.name} from the project? The file on your disk stays.")
            with ui.row().classes("line"):
                ui.button("Remove", on_click=confirmed).props("no-caps color=negative")
                ui.button("Keep", on_click=dialog.close).props("no-caps outline")
        dialog.open()

    async def _remove(self, document: Document) -> None:
        await self._visit.services.intake.remove(self._visit.key, document.id)
        self.place.close()
        await self._look()


class _Reported(BaseModel):
    """What is shown of one document's report, which comes back through the browser."""

    name: str
    status: str
    error: StatedProblem | None
    replaced: bool = False


def _report_in(answer: dict[str, Any]) -> list[_Reported] | None:
    """What became of each document; None where it is not what the server has answered."""
    try:
        return [_Reported.model_validate(entry) for entry in answer["documents"]]
    except (KeyError, TypeError, ValidationError):
        return None


def _reader_of(document: Document) -> tuple[int, str]:
    return document.reader_version, document.ocr_languages


def _said(
    corpus: Listed,
    being_read: tuple[str, ...],
    reading: Progress | None,
    failure: Exception | None,
    sending: int,
) -> str:
    passages, embedded = corpus.passages, corpus.embedded
    if being_read:
        to_come = f" {counted(sending, 'file')} to go." if sending > len(being_read) else ""
        return _said_of_reading(being_read, reading) + to_come
    if sending:
        return f"Sending {counted(sending, 'file')} …"
    if embedded < passages and failure is not None:
        return f"Found by their words only, and tried again by itself: {failure}"
    if embedded < passages:
        return f"Found by their words already; by their meaning {embedded} of {counted(passages, 'passage')} so far."
    return f"{counted(len(corpus.documents), 'document')}, {counted(passages, 'passage')}." if corpus.documents else ""


def _said_of_reading(being_read: tuple[str, ...], reading: Progress | None) -> str:
    if reading is not None and reading.pages:
        waiting = f"; {counted(len(being_read) - 1, 'document')} more" if len(being_read) > 1 else ""
        return f"Reading {reading.document}, page {reading.page} of {reading.pages}{waiting} …"
    return f"Reading {listed(being_read)} …"
