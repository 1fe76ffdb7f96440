"""A place in a document: its page as a picture with the passage marked, or its text where there are no pages."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from nicegui import ui

from corpora import Document
from workbench.visit import Visit

_CHARACTERS = 3_000  # on either side of a passage


@dataclass(frozen=True)
class Place:
    """Where to look.

    Attributes:
        document: The document's id.
        page: From 1; None in a format without pages.
        passage: The id of the passage that is marked; None for none.
    """

    document: str
    page: int | None = None
    passage: str | None = None


class PlaceView:
    """Shows one place at a time; nothing until `show` is called.

    Args:
        visit: The page.
        with_text: The text of a page stands beside its picture.
        on_close: Called when the reader closes it.
    """

    def __init__(self, visit: Visit, *, with_text: bool = False, on_close: Callable[[], None] = lambda: None) -> None:
        self._visit = visit
        self._with_text = with_text
        self._on_close = on_close
        self._view = ui.element("section").classes("place").props('aria-label="Source"')
        self._view.set_visibility(False)
        visit.project_changed.subscribe(self.close)

    async def show(self, place: Place) -> None:
        """Shows it; raises what the corpus says where it is gone."""
        visit = self._visit
        retriever = visit.services.retriever
        document = await visit.ask(partial(visit.services.catalog.find_document, visit.key, place.document))
        page = None if document.pages is None else min(place.page or 1, document.pages)
        if page is None:
            around = partial(retriever.surroundings, visit.key, document.id, place.passage, _CHARACTERS)
            texts = await visit.ask(around)
            draw = partial(_draw_text, texts.before, texts.text, texts.after)
        else:
            # Drawn now and kept for a while, so that what keeps it from being drawn is told in words.
            picture = partial(retriever.page_picture, visit.key, document.id, page, place.passage)
            await visit.services.drawing.run(visit.workspace, picture)
            draw = partial(self._draw_page, document, replace(place, page=page), await self._text(document, page))
        self._view.clear()
        with self._view:
            self._draw_head(document, replace(place, page=page))
            draw()
        self._view.set_visibility(True)
        ui.run_javascript(f"getHtmlElement({self._view.id}).scrollIntoView({{block: 'start'}})")

    def close(self) -> None:
        """Shows nothing any more."""
        self._view.set_visibility(False)
        self._view.clear()
        self._on_close()

    async def _text(self, document: Document, page: int) -> str:
        if not self._with_text:
            return ""
        read = partial(self._visit.services.retriever.read_pages, self._visit.key, document.id, page, page)
        return "\n\n".join(one.text for one in await self._visit.ask(read))

    def _draw_head(self, document: Document, place: Place) -> None:
        with ui.row().classes("line"):
            ui.label(_title(document, place)).classes("title").props('role="heading" aria-level="2"')
            ui.space()
            if place.page is not None and document.pages is not None:
                turn = partial(self._turn_to, place)
                earlier = ui.button(icon="chevron_left", on_click=partial(turn, place.page - 1))
                later = ui.button(icon="chevron_right", on_click=partial(turn, place.page + 1))
                earlier.props('flat round dense aria-label="Page before"').set_enabled(place.page > 1)
                later.props('flat round dense aria-label="Next page"').set_enabled(place.page < document.pages)
                larger = ui.button(icon="zoom_in").props('flat round dense aria-label="Larger or smaller"')
                larger.on("click", js_handler=f"() => getHtmlElement({self._view.id}).classList.toggle('enlarged')")
            ui.button(icon="close", on_click=self.close).props('flat round dense aria-label="Close the source"')

    def _draw_page(self, document: Document, place: Place, text: str) -> None:
        with ui.element("div").classes("page-and-text"):
            image = ui.element("img").classes("page-picture")
            image.props["alt"] = _title(document, place)
            marked = f"?passage={place.passage}" if place.passage else ""
            image.props["src"] = self._visit.address(f"documents/{quote(document.id)}/pages/{place.page}.png{marked}")
            if self._with_text:
                shown = ui.label(text or "This page has no text: it is a picture.").classes("page-text")
                shown.props('tabindex="0" role="region" aria-label="Text of the page"')

    async def _turn_to(self, place: Place, page: int) -> None:
        await self.show(replace(place, page=page))


def _title(document: Document, place: Place) -> str:
    return document.name if place.page is None else f"{document.name}, page {place.page}"


def _draw_text(before: str, text: str, after: str) -> None:
    with ui.element("div").classes("page-text").props('tabindex="0" role="region" aria-label="Text of the document"'):
        ui.label(before).classes("inline")
        if text:
            with ui.element("mark"):
                ui.label(text).classes("inline")
        ui.label(after).classes("inline")
