"""A place in a document: its page as a picture with the passage marked, or its text where there are no pages."""

import json
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import quote

from nicegui import ui

from corpora import Document, Passage, ProjectKey, part_ids
from retrieval import Surroundings
from workbench.frame.bounded import MOST_FIELDS, draw_first
from workbench.visit import Visit

Passages = list[tuple[Passage, tuple[str, ...]]]

_CHARACTERS = 3_000  # on either side of a passage
_OF_SOUGHT = 60  # characters by which a passage is found on its page
_FRAMES = 600  # until what is drawn must be there
# A text is scrolled to its mark; a picture that is larger than its place, to the height of what is marked on it. What
# is drawn may come after this does.
_LOOK = """
const look = (frames) => {
  const view = getHtmlElement(%(view)d), drawn = document.getElementById("c%(drawn)d");
  if (!drawn) return frames && requestAnimationFrame(() => look(frames - 1));
  const box = view.querySelector(".page-text"), mark = view.querySelector("mark");
  view.scrollIntoView({block: "start"});
  view.scrollTop = 0;
  if (mark) box.scrollTop += mark.getBoundingClientRect().top - box.getBoundingClientRect().top - 40;
  if (view.classList.contains("enlarged")) view.querySelector(".sought")?.scrollIntoView({block: "center"});
  if (%(focus)s) view.querySelector(`[aria-label="${%(focus)s}"]`)?.focus({preventScroll: true});
};
look(%(frames)d);
"""
# A source that opens by itself belongs to the button that names it.
_OPENED = 'getHtmlElement(%d).opener = document.activeElement.closest("button, input, textarea")'
_CLOSED = """
const opener = getHtmlElement(%d).opener, named = [...document.querySelectorAll(%s)];
(named.includes(opener) ? opener : named[0] ?? opener)?.focus();
"""
_ENLARGE = """(event) => {
  const view = getHtmlElement(%d), isLarge = view.classList.toggle("enlarged");
  event.currentTarget.setAttribute("aria-pressed", isLarge);
  if (isLarge) view.querySelector(".sought")?.scrollIntoView({block: "center"});
}"""


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

    Attributes:
        place: What is shown; None while nothing is.
    """

    def __init__(self, visit: Visit, *, with_text: bool = False) -> None:
        self._visit = visit
        self._with_text = with_text
        self.place: Place | None = None
        self._wanted: object = None  # what was asked for last, while it is made
        self._view = (
            ui.element("section").classes("place with-text" if with_text else "place").props('aria-label="Source"')
        )
        self._view.set_visibility(False)
        visit.project_changed.subscribe(self.close)

    async def show(self, place: Place) -> None:
        """Shows it; raises what the corpus says where it is gone."""
        self._view.client.run_javascript(_OPENED % self._view.id)
        await self._show(place)

    async def _show(self, place: Place, focus: str = "") -> None:
        """See `show`; `focus` is the label of the button in the head that has the focus afterwards, if any."""
        visit, key = self._visit, self._visit.key
        wanted = self._wanted = object()
        document = await visit.ask(partial(visit.services.retriever.document, key, place.document))
        if document.pages is None:
            place = replace(place, page=None)
            texts = await self._surroundings(key, place)
            draw = partial(_draw_text, texts.before, texts.text, texts.after)
        else:
            place = replace(place, page=min(max(place.page or 1, 1), document.pages))
            draw = await self._page(key, document, place)
        async with visit.drawing():
            if wanted is self._wanted:
                self._draw(document, place, draw, focus)

    def _draw(self, document: Document, place: Place, draw: Callable[[], None], focus: str) -> None:
        self.place = place
        self._view.clear()
        with self._view:
            self._draw_head(document, place)
            with ui.element("div") as drawn:
                draw()
        self._view.set_visibility(True)
        names = {"view": self._view.id, "drawn": drawn.id, "focus": json.dumps(focus), "frames": _FRAMES}
        self._view.client.run_javascript(_LOOK % names)
        self._visit.place_changed.emit()

    def close(self) -> None:
        """Shows nothing any more."""
        self.place = self._wanted = None
        self._view.set_visibility(False)
        self._view.clear()
        self._visit.place_changed.emit()

    def _close_here(self) -> None:
        """For whoever uses keys, it goes on where the source was opened."""
        passage = self.place.passage if self.place is not None else None
        self.close()
        self._view.client.run_javascript(_CLOSED % (self._view.id, json.dumps(f"[data-passage='{passage}']")))

    async def _page(self, key: ProjectKey, document: Document, place: Place) -> Callable[[], None]:
        visit, retriever, page = self._visit, self._visit.services.retriever, place.page or 1
        # Drawn now and kept for a while, so that what keeps it from being drawn is told in words.
        picture = partial(retriever.page_picture, key, document.id, page, place.passage)
        png = await visit.services.drawing.run(visit.workspace, picture)
        read = partial(retriever.read_pages, key, document.id, page, page)
        text = "\n\n".join(one.text for one in await visit.ask(read))
        of_page = partial(retriever.passages_of_page, key, document.id, page)
        passages = await visit.compute(of_page) if self._with_text else []
        sought = None if place.passage is None else _height(text, (await self._surroundings(key, place)).text)
        return partial(self._draw_page, document, place, passages, _size(png), sought)

    async def _surroundings(self, key: ProjectKey, place: Place) -> Surroundings:
        retriever = self._visit.services.retriever
        return await self._visit.ask(partial(retriever.surroundings, key, place.document, place.passage, _CHARACTERS))

    def _draw_head(self, document: Document, place: Place) -> None:
        with ui.row().classes("line"):
            ui.label(_title(document, place)).classes("title").props('role="heading" aria-level="2"')
            ui.space()
            if place.page is not None and document.pages is not None:
                self._draw_turning(place, place.page, document.pages)
                larger = ui.button(icon="zoom_in").props('flat round dense aria-label="Larger or smaller"')
                larger.props('aria-pressed="false"').on("click", js_handler=_ENLARGE % self._view.id)
            ui.button(icon="close", on_click=self._close_here).props('flat round dense aria-label="Close the source"')

    def _draw_turning(self, place: Place, page: int, pages: int) -> None:
        async def turn(to: int, focus: str) -> None:
            await self._show(replace(place, page=to), focus)

        earlier = ui.button(icon="chevron_left", on_click=partial(turn, page - 1, "Page before"))
        earlier.props('flat round dense aria-label="Page before"').set_enabled(page > 1)
        number = ui.number(value=page, min=1, max=pages, precision=0, format="%d").props("dense outlined")
        number.classes("page-number").props["aria-label"] = f"Page, of {pages}"
        number.on("keydown.enter", lambda: turn(int(number.value or page), f"Page, of {pages}"))
        later = ui.button(icon="chevron_right", on_click=partial(turn, page + 1, "Next page"))
        later.props('flat round dense aria-label="Next page"').set_enabled(page < pages)

    def _draw_page(
        self, document: Document, place: Place, passages: Passages, size: tuple[int, int], sought: float | None
    ) -> None:
        with ui.element("div").classes("page-and-text"):
            # As large as it will be before it is there, so that what is scrolled to stays where it is.
            with ui.element("div").classes("page-frame").style(f"--ratio: {size[0]} / {size[1]}"):
                image = ui.element("img").classes("page-picture")
                image.props["alt"] = _title(document, place)
                marked = f"?passage={quote(place.passage)}" if place.passage else ""
                image.props["src"] = self._visit.address(
                    f"documents/{quote(document.id)}/pages/{place.page}.png{marked}"
                )
                if sought is not None:
                    ui.element("span").classes("sought").style(f"top: {sought:.0%}")
            if self._with_text:
                self._draw_passages(place, passages)

    def _draw_passages(self, place: Place, passages: Passages) -> None:
        """The text as it is searched: a passage can be marked in the picture, and says where else it stands."""
        with ui.column().classes("page-text").props('tabindex="0" role="region" aria-label="Text of the page"'):
            if not passages:
                ui.label("This page has no text: it is a picture.")
            marked = part_ids(place.passage or "")

            def draw(of_page: tuple[Passage, Sequence[str]]) -> None:
                passage, also_in = of_page
                is_marked = passage.id in marked
                with ui.element("mark" if is_marked else "div").classes("passage"):
                    ui.label(passage.text)
                    if also_in:
                        ui.label(f"The same stands in {', '.join(also_in)}.").classes("hint")
                    if not is_marked:
                        mark = ui.button("Mark", on_click=partial(self._show, replace(place, passage=passage.id)))
                        mark.props("flat dense no-caps size=sm").props["aria-label"] = f"Mark “{passage.text[:40]}”"

            if len(passages) > MOST_FIELDS:
                passages = sorted(passages, key=lambda of_page: of_page[0].id not in marked)
            draw_first(passages, draw, "more passages are not shown", MOST_FIELDS)


def _size(png: bytes) -> tuple[int, int]:
    """Width and height, in pixels, of which a PNG speaks first."""
    return struct.unpack(">II", png[16:24])


def _height(page: str, passage: str) -> float:
    """Where the middle of a passage stands on its page, nearly: 0 is the top, 1 the foot."""
    begin = max(page.find(passage[:_OF_SOUGHT]), 0)
    end = min(begin + len(passage), len(page))
    return (begin + end) / 2 / max(len(page), 1)


def _title(document: Document, place: Place) -> str:
    return document.name if place.page is None else f"{document.name}, page {place.page}"


def _draw_text(before: str, text: str, after: str) -> None:
    with ui.element("div").classes("page-text").props('tabindex="0" role="region" aria-label="Text of the document"'):
        ui.label(before).classes("inline")
        if text:
            with ui.element("mark"):
                ui.label(text).classes("inline")
        ui.label(after).classes("inline")
