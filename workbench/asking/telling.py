"""An answer while it is said."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from nicegui import ui

from agent import Asked, Citation, Cited, Event, Failed, TextChunk, TextFinished
from workbench.frame.bounded import LONGEST_CONVERSATION, beginning

# The browser gets all of it each time: a piece may be a word, and a page's workspace may have a hundred answers coming.
_SHOWN_EVERY_S, _SENT_PER_S = 0.2, 50_000  # seconds; characters of one answer


class Telling:
    """Shows what a turn says as it comes, a few times in a second; the longer it is, the fewer.

    Attributes:
        citations: The places that it cites.
        asked: What it ends with and waits for, without its texts; None where it waits for nothing.
        was_postponed: It has not begun, as there was no room or no store: what was open before still is.
    """

    def __init__(self, label: ui.label) -> None:
        self._label = label
        self._finished: list[str] = []
        self._open = ""
        self._to_show: asyncio.TimerHandle | None = None
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
                self._show_soon()
                return
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

    def _show_soon(self) -> None:
        if self._to_show is None:
            wait_s = _SHOWN_EVERY_S + len(self._label.text) / _SENT_PER_S
            self._to_show = asyncio.get_running_loop().call_later(wait_s, self._show)

    def _show(self) -> None:
        if self._to_show is not None:
            self._to_show.cancel()
            self._to_show = None
        if not self._label.is_deleted:  # as it is once another project was chosen
            self._label.set_text(beginning(self.text, LONGEST_CONVERSATION))
