"""The project's documents, one below the other: what is so already stays as it is when another one comes in."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

from nicegui import ui

from corpora import Document
from ingest import counted, page_list
from workbench.documents.place import Place
from workbench.frame.bounded import MOST_ELEMENTS

_MANY = 12  # documents, from which on a name is looked for rather than read
_AT_ONCE = 10  # rows
_LONGEST_SOUGHT, _SOUGHT_AT_ONCE = 100, 500  # characters, and names in which they are sought


class DocumentList:
    """Shows documents, and of many those with a part of a name.

    Args:
        open_place: Opens a document.
        read_again: Reads one again.
        remove: Asks whether to remove one.
        in_turn: Begins when others have had their turn: to draw many rows keeps the event loop, which is everybody's.
    """

    def __init__(
        self,
        open_place: Callable[[Place], Awaitable[None]],
        read_again: Callable[[Document], Awaitable[None]],
        remove: Callable[[Document], object],
        in_turn: Callable[[], AbstractAsyncContextManager[None]],
    ) -> None:
        self._open = open_place
        self._read_again = read_again
        self._remove = remove
        self._in_turn = in_turn
        self._documents: Sequence[Document] = ()
        self._drawing: Sequence[Document] = ()
        self._rows: dict[str, tuple[Document, ui.element]] = {}
        self._sought = ui.input("Filter by name", on_change=self._filter).props("dense outlined clearable debounce=200")
        self._found = ui.label().props('role="status"').classes("hint")
        self._list = ui.element("ul").classes("documents")

    async def show(self, documents: Sequence[Document]) -> None:
        """Shows these from now on."""
        self._documents = documents
        self._sought.set_visibility(len(documents) >= _MANY)
        if len(documents) < _MANY:
            self._sought.set_value("")
        await self._filter()

    async def _draw(self, documents: Sequence[Document]) -> None:
        """Draws what is another than before; the rest is left alone, with the focus that may be in it.

        It leaves off where others are to be drawn meanwhile: they go on from what is there.
        """
        self._drawing = documents
        gone = self._rows.keys() - {document.id for document in documents}
        for document_id in gone:
            self._rows.pop(document_id)[1].delete()
        for start in range(0, len(documents), _AT_ONCE):
            async with self._in_turn():
                if self._drawing is not documents or self._list.is_deleted:
                    return
                for position, document in enumerate(documents[start : start + _AT_ONCE], start):
                    self._show_one(position, document)

    def _show_one(self, position: int, document: Document) -> None:
        before, row = self._rows.get(document.id, (None, None))
        if row is None:
            with self._list:
                row = ui.element("li").classes("document")
            row.move(target_index=position)
            with row:
                self._draw_head(document)
        if before != document:
            self._rows[document.id] = document, row
            _draw_state(row, document)

    def _draw_head(self, document: Document) -> None:
        opened = ui.button(document.name, on_click=partial(self._open, Place(document.id)))
        opened.props("flat no-caps align=left").classes("entry")
        ui.element("span").classes("hint")
        with ui.element("div").classes("tools"):
            again = ui.button(icon="refresh", on_click=partial(self._read_again, document)).props("flat round dense")
            again.props["aria-label"] = f"Read {document.name} again"
            remove = ui.button(icon="delete", on_click=partial(self._remove, document)).props("flat round dense")
            remove.props["aria-label"] = f"Remove {document.name}"

    async def _filter(self) -> None:
        documents, written = self._documents, self._sought.value
        fitting, sought = documents, (written or "")[:_LONGEST_SOUGHT].casefold()
        if sought:
            fitting = []
            for start in range(0, len(documents), _SOUGHT_AT_ONCE):
                async with self._in_turn():
                    if self._documents is not documents or self._sought.value != written:  # and is sought by others
                        return
                    some = documents[start : start + _SOUGHT_AT_ONCE]
                    fitting += [document for document in some if sought in document.name.casefold()]
        shown = fitting[:MOST_ELEMENTS]
        is_cut = len(shown) < len(fitting)
        self._found.set_visibility(bool(sought) or is_cut)
        first = f", the first {len(shown)} shown" if is_cut else ""
        self._found.set_text(f"{len(fitting)} of {counted(len(self._documents), 'document')}{first}.")
        await self._draw(shown)


def _draw_state(row: ui.element, document: Document) -> None:
    """What changes of a document while it is in the list; its buttons stay the same."""
    _opened, counts, _tools, *remarks = list(row)
    counts.clear()
    with counts:
        ui.label(_counts(document))
    for remark in remarks:
        remark.delete()
    with row:
        for said in _remarks(document):
            ui.label(said).classes("remark")


def _counts(document: Document) -> str:
    pages = counted(document.pages, "page") + ", " if document.pages is not None else ""
    waiting = "" if document.embedded == document.passages else ", vectors to come"
    return f"{pages}{counted(document.passages, 'passage')}{waiting}"


def _remarks(document: Document) -> list[str]:
    said: list[tuple[Sequence[int], Callable[[str], str]]] = [
        (
            document.pages_without_text,
            lambda pages: f"Not found by a search, as they are pictures or blank: {pages}.",
        ),
        (document.pages_with_hidden_text, lambda pages: f"Text that nobody can see was left out on {pages}."),
        (document.pages_recognized, lambda pages: f"Text recognized in pictures on {pages}."),
    ]
    return [sentence(f"page{'s'[: len(pages) - 1]} {page_list(pages)}") for pages, sentence in said if pages]
