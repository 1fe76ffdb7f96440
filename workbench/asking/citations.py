"""Citations as buttons that open their place."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from nicegui import ui

from agent import Citation
from workbench.documents.place import Place
from workbench.frame.bounded import MOST_WAYS, draw_first

_SHOWN_CHARACTERS = 400


def draw_citations(
    citations: Sequence[Citation], show: Callable[[Place], Awaitable[None]], *, with_text: bool = False
) -> None:
    """A button for each, `[n] document, page p`; `with_text` the passage below it. Of very many the first."""

    def draw(citation: Citation) -> None:
        page = "" if citation.page_from is None else f", page {citation.page_from}"
        place = Place(citation.document_id, citation.page_from, citation.passage_id)
        button = ui.button(f"[{citation.number}] {citation.document}{page}", on_click=partial(show, place))
        button.props("outline no-caps dense align=left").classes("citation")
        button.props["data-passage"] = citation.passage_id
        if citation.also_in:
            ui.label(f"The same stands in {', '.join(citation.also_in)}.").classes("hint")
        if with_text:
            text = " ".join(citation.text.split())
            ui.label(text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 1] + "…").classes("passage")

    draw_first(citations, draw, "more are cited", MOST_WAYS)
