"""How much of what is long a page draws: each element takes a moment of the event loop, which is everybody's."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from nicegui import ui

_Item = TypeVar("_Item")

MOST_ELEMENTS = 200
MOST_NODES, MOST_LINKS = 5000, 20_000
"""In one drawing."""
MOST_WAYS = 50
"""To a node, from it, and to what an answer cites: a button costs more than other elements."""
MOST_FIELDS = 50
"""Of one kind in a form, or passages of a page: each is half a dozen elements."""
MOST_CHOICES = 200
"""In a field of a form, each of which costs as much as an element."""
LONGEST_NAME, LONGEST_PROBLEM, LONGEST_TEXT, LONGEST_OUTLINE = 200, 3_000, 10_000, 200_000
LONGEST_FORM = LONGEST_CONVERSATION = LONGEST_CARD = 200_000
"""In characters; of a form, a conversation and a node, those of all that is drawn of it together."""
_NOT_WORTH_IT = 50  # characters: the beginning of a beginning is the same


def draw_first(
    items: Sequence[_Item],
    draw: Callable[[_Item], object],
    rest: str = "more are not shown",
    most: int = MOST_ELEMENTS,
) -> None:
    """Draws the first of them, and says how many there are besides."""
    for item in items[:most]:
        draw(item)
    if len(items) > most:
        ui.label(f"{len(items) - most} {rest}.").classes("hint")


def beginning(text: str, longest: int = LONGEST_TEXT) -> str:
    """A text, or as much of it as is drawn, and how long the rest is, where that is longer than to say so."""
    rest = len(text) - longest
    return text if rest <= _NOT_WORTH_IT else f"{text[:longest]}… ({rest:,} characters more)"
