"""The tab `Documents`: what is in the project's corpus, what comes in, and what could not be read."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

from nicegui import ui

from corpora import Document
from ingest import Progress, counted
from server.http.answers import DocumentEntry
from workbench.documents.document_list import DocumentList
from workbench.documents.folder import FolderView
from workbench.documents.place import Place, PlaceView
from workbench.frame.drop import Drop
from workbench.projects import offer_sample
from workbench.visit import Visit

_LOOK_S = 1.0
_SHOWN_NAMES = 3
_NEW = ("indexed", "searchable", "updated")
_REPLACED = "Another version was there and is replaced"
_UNKNOWN = "UNKNOWN_FORMAT"
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
        self._names = list[str]()
        self._before = set[tuple[str, str]]()  # addresses and names of what was there before the last were sent
        self._unknown = list[str]()  # files among the last that were sent, of kinds that are not read
        self._is_one = False  # no other file was sent with it
        self._sending = Counter[str]()  # files, by the address that they go to
        ui.label("Documents").classes("title").props('role="heading" aria-level="1"')
        with ui.element("div").classes("beside"):
            with ui.element("div").classes("main"):
                self._draw_main()
            self.place = PlaceView(visit, with_text=True)
        visit.project_changed.subscribe(self._change_project)
        ui.timer(_LOOK_S, self._look)

    def _draw_main(self) -> None:
        address, most = self._visit.address("corpus"), self._visit.services.limits.upload_bytes
        with Drop(address, self._begin, self._answered, most_bytes=most) as self._drop:
            with ui.row().classes("line drop"):
                add = ui.button("Add documents", icon="upload_file").props("no-caps")
                folder = ui.button("Add a folder", icon="folder").props("no-caps outline")
                ui.label("or drop files and folders here").classes("hint")
            self._drop.picks(add)
            self._drop.picks(folder, folder=True)
        self._status = ui.label().props('role="status"').classes("status")
        self._progress = ui.linear_progress(0, show_value=False).props('aria-label="Passages that have their vectors"')
        self._progress.set_visibility(False)
        self._problems = ui.column().classes("problems")
        self._offer = ui.element("div")
        self._list = DocumentList(self._open, self._ask_to_remove)
        self._asking = ui.element("div")
        FolderView(self._visit)

    def _change_project(self) -> None:
        self._drop.send_to(self._visit.address("corpus"))
        self._forget_problems()
        self._seen = None

    def _forget_problems(self) -> None:
        self._problems.clear()
        self._unknown = []
        with self._problems:
            self._skipped = ui.column()

    def _begin(self, url: str, files: int) -> None:
        self._forget_problems()
        self._is_one = files == 1
        self._sending[url] += files
        self._seen = None
        self._before = {(self._visit.address("corpus"), name) for name in self._names}
        self._status.set_text(f"Sending {counted(files, 'file')} …")

    async def _answered(self, url: str, answer: dict[str, Any]) -> None:
        project = url.split("/")[2]
        elsewhere = "" if project == self._visit.project else f"Project {project}: "
        with self._problems:
            if error := answer.get("error"):
                self._sending[url] = 0
                _problem(f"{elsewhere}{error['message']}")
            else:
                self._draw_report(
                    [DocumentEntry.model_validate(entry) for entry in answer["documents"]], url, elsewhere
                )
        self._seen = None
        await self._look()

    def _draw_report(self, report: list[DocumentEntry], url: str, elsewhere: str) -> None:
        self._sending[url] = max(self._sending[url] - len(report), 0)
        unknown = [entry.name for entry in report if entry.error is not None and entry.error.code == _UNKNOWN]
        if not self._is_one:  # a folder has pictures in it and the like; a file that is given by itself is meant
            report = [entry for entry in report if entry.name not in unknown]
            self._draw_skipped(unknown)
        for entry in report:
            if entry.error is not None:
                _problem(f"{elsewhere}{entry.error.message}", is_failure=entry.status == "failed")
        there = [entry.name for entry in report if entry.status == "unchanged"]
        replaced = [entry.name for entry in report if entry.status in _NEW and (url, entry.name) in self._before]
        for said, names in ((_THERE, there), (_REPLACED, replaced)):
            if names:
                _problem(f"{elsewhere}{said}: {_listed(names)}.", is_failure=False)
        if failed := [entry.name for entry in report if entry.status == "failed"]:
            again = partial(self._drop.send_again, url, failed)
            ui.button("Read again", icon="refresh", on_click=again).props("no-caps outline dense")

    def _draw_skipped(self, names: Sequence[str]) -> None:
        if not names:
            return
        self._unknown += names
        self._skipped.clear()
        with self._skipped:
            skipped = f"Skipped {counted(len(self._unknown), 'file')} of kinds that are not read"
            _problem(f"{skipped}: {_listed(self._unknown)}.", is_failure=False)

    async def _look(self) -> None:
        """Shows what is not as it was."""
        visit, key = self._visit, self._visit.key
        documents = await visit.ask(partial(visit.services.catalog.documents, key))
        being_read = visit.services.intake.under_way(key)
        failure, reading = visit.services.embedding.failure(key), visit.services.intake.reading(key)
        sending = self._sending[visit.address("corpus")]
        seen = key, tuple(documents), being_read, reading, sending, str(failure)
        if seen == self._seen:
            return
        self._seen = seen
        self._names = [document.name for document in documents]
        self._status.set_text(_said(documents, being_read, reading, failure, sending))
        passages, embedded = sum(d.passages for d in documents), sum(d.embedded for d in documents)
        self._progress.set_value(round(embedded / passages, 3) if passages else 0)
        self._progress.set_visibility(embedded < passages)
        self._draw_list(documents, is_empty=not documents and not being_read and not sending)
        visit.documents_changed.emit()

    def _draw_list(self, documents: list[Document], *, is_empty: bool) -> None:
        self._list.show(documents)
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
        await self._visit.ask(partial(self._visit.services.ingestor.remove, self._visit.key, document.id))
        self.place.close()
        await self._look()


def _said(
    documents: list[Document],
    being_read: tuple[str, ...],
    reading: Progress | None,
    failure: Exception | None,
    sending: int,
) -> str:
    passages, embedded = sum(d.passages for d in documents), sum(d.embedded for d in documents)
    if being_read:
        to_come = f" {counted(sending, 'file')} to go." if sending > len(being_read) else ""
        return _said_of_reading(being_read, reading) + to_come
    if sending:
        return f"Sending {counted(sending, 'file')} …"
    if embedded < passages and failure is not None:
        return f"Found by their words only, and tried again by itself: {failure}"
    if embedded < passages:
        return f"Found by their words already; by their meaning {embedded} of {counted(passages, 'passage')} so far."
    return f"{counted(len(documents), 'document')}, {counted(passages, 'passage')}." if documents else ""


def _said_of_reading(being_read: tuple[str, ...], reading: Progress | None) -> str:
    if reading is not None and reading.pages:
        waiting = f"; {counted(len(being_read) - 1, 'document')} more" if len(being_read) > 1 else ""
        return f"Reading {reading.document}, page {reading.page} of {reading.pages}{waiting} …"
    return f"Reading {_listed(being_read)} …"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _SHOWN_NAMES
    return f"{', '.join(names[:_SHOWN_NAMES])}{f' and {more} more' if more > 0 else ''}"


def _problem(message: str, *, is_failure: bool = True) -> None:
    with ui.row().classes("problem" if is_failure else "problem skipped").props('role="alert"'):
        ui.icon("error" if is_failure else "info").props('aria-hidden="true"')
        ui.label(message)
