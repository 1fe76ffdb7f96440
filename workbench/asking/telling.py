"""An answer while it is said."""

from collections.abc import Sequence
from dataclasses import replace

from nicegui import ui

from agent import Asked, Citation, Cited, Event, Failed, TextChunk, TextFinished
from workbench.frame.bounded import LONGEST_CONVERSATION, beginning


class Telling:
    """Shows what a turn says as it comes.

    Attributes:
        citations: The places that it cites.
        asked: What it ends with and waits for, without its texts; None where it waits for nothing.
        was_postponed: It has not begun, as there was no room or no store: what was open before still is.
    """

    def __init__(self, label: ui.label) -> None:
        self._label = label
        self._finished: list[str] = []
        self._open = ""
        self.citations: Sequence[Citation] = ()
        self.asked: Asked | None = None
        self.was_postponed = False

    @property
    def text(self) -> str:
        """What has been said."""
        return "\n\n".join(filter(None, [*self._finished, self._open]))

    async def tell(self, event: Event) -> None:
        """Takes one event of the turn."""
        match event:
            case TextChunk(text=text):
                self._open += text
            case TextFinished(text=text):
                self._open = ""  # it is the whole of what was said bit by bit
                self.add(text)
            case Failed(failure=failure):
                self.add(failure.message)
            case Asked(text=text):
                self.asked = replace(event, text="", diff="")  # as long as the story each, and a page keeps it
                self.add(text)
            case Cited(citations=citations):
                self.citations = citations
            case _:
                return
        self._show()

    def refuse(self, problem: str) -> None:
        """The turn has failed; what it has said of that itself is not said again."""
        if problem not in self._finished[-1:]:
            self.add(problem)
        self._label.classes("problem")

    def add(self, text: str) -> None:
        """A part that is whole, after what was said before it."""
        self._finished += [self._open, text] if self._open else [text]
        self._open = ""
        self._show()

    def _show(self) -> None:
        self._label.set_text(beginning(self.text, LONGEST_CONVERSATION))
