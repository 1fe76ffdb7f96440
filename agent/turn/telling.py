"""What a turn has said so far, and who hears it."""

from typing import Literal

from agent.turn.events import Asked, Event, EventSink, Failed, TextChunk, TextFinished


class Telling:
    """Tells of a turn until it is over.

    It does not know the turn, and afterwards not whom it told: so whatever a turn leaves behind, a large story with it,
    is freed at once, and not by the garbage collector.

    Attributes:
        texts: What has been said, part by part.
        open_text: What has been said of a part that is not finished.
        reason: Why the turn ends, by what was told.
    """

    def __init__(self, sink: EventSink) -> None:
        self._sink: EventSink | None = sink
        self.texts: list[str] = []
        self.open_text = ""
        self.reason: Literal["done", "question", "error"] = "done"

    async def tell(self, event: Event) -> None:
        """Lets it be heard."""
        self.open_text = self.open_text + event.text if isinstance(event, TextChunk) else ""
        match event:
            case TextFinished(text=text):
                self.texts.append(text)
            case Asked():
                self.reason = "question"
            case Failed():
                self.reason = "error"
            case _:
                pass
        if self._sink is not None:
            await self._sink(event)

    def close(self) -> None:
        """The turn is over."""
        self._sink = None
