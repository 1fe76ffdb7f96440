"""What was said, kept by the browser for as long as its tab is open."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nicegui import ui
from nicegui.events import GenericEventArguments
from pydantic import TypeAdapter, ValidationError

from agent import Citation
from workbench.frame.bounded import MOST_ELEMENTS, MOST_WAYS, beginning

MOST_EXCHANGES = 50
_MOST_CHARACTERS = 200_000  # of JSON
_OF_A_PASSAGE = 500


@dataclass(frozen=True)
class Exchange:
    """A message and its answer.

    Attributes:
        said: The message, or what was searched for.
        answer: What was answered.
        citations: The places that it cites, or that were found.
        is_search: It was no turn, and a model hears nothing of it.
        is_open: It ends with a question that waits for an answer.
    """

    said: str
    answer: str
    citations: tuple[Citation, ...] = ()
    is_search: bool = False
    is_open: bool = False


@dataclass(frozen=True)
class _Kept:
    about: str
    exchanges: list[Exchange]


_JSON, _ONE = TypeAdapter(_Kept), TypeAdapter(Exchange)


class KeptConversation(ui.element, component="kept_conversation.js"):
    """Keeps what was said on one tab of the page.

    Args:
        on_read: Gets what was kept.
    """

    def __init__(self, on_read: Callable[[list[Exchange]], None]) -> None:
        super().__init__()
        self.move(self.client.content)  # a browser has what is in the tab only once that is shown, and this at once
        self._asked: tuple[str, str] | None = None

        def read(event: GenericEventArguments) -> None:
            asked = self._asked
            if asked is None or event.args["name"] != asked[0]:
                return  # nobody has asked, or for something else meanwhile
            self._asked = None
            if exchanges := exchanges_in(event.args["text"], asked[1]):
                on_read(exchanges)

        self.on("kept", read)

    def read(self, name: str, about: str) -> None:
        """Asks for what was kept by that name, where it was about that."""
        self._asked = name, about
        self.run_method("read", name)

    def keep(self, name: str, about: str, exchanges: Sequence[Exchange]) -> list[Exchange]:
        """Keeps these in place of what was kept by that name, of too much the latest; returns what is kept."""
        text = as_text(about, exchanges)
        self.run_method("keep", name, text)
        return exchanges_in(text, about)


def as_text(about: str, exchanges: Sequence[Exchange]) -> str:
    """What a browser keeps: JSON of so many characters at most; of what is too long for that the beginning.

    The last exchange is kept in any case, without the places that it cites where these alone are too long.
    """
    kept: list[Exchange] = []
    room, places = _MOST_CHARACTERS - len(_JSON.dump_json(_Kept(about, kept))), MOST_ELEMENTS
    for whole in map(_shortened, reversed(exchanges)):
        brief = replace(whole, said=beginning(whole.said), answer=beginning(whole.answer))
        tellings = (whole, brief) if kept else (whole, brief, replace(brief, citations=()))
        # Without being written where it cannot fit: it may be as long as the story.
        written = ((one, len(_ONE.dump_json(one)) + 1) for one in tellings if len(one.answer) < room)
        exchange, length = next(((one, length) for one, length in written if length <= room), (None, 0))
        places -= len(whole.citations)
        if exchange is None or places < 0:
            break
        room -= length
        kept.insert(0, exchange)
    return _JSON.dump_json(_Kept(about, kept)).decode()


def exchanges_in(text: object, about: str) -> list[Exchange]:
    """What was kept, as long as it is about that; nothing of what we would not have written."""
    if not isinstance(text, str) or len(text) > _MOST_CHARACTERS:
        return []
    try:
        kept = _JSON.validate_json(text)
    except ValidationError:
        return []
    cited = sum(len(exchange.citations) for exchange in kept.exchanges)
    return kept.exchanges[-MOST_EXCHANGES:] if kept.about == about and cited <= MOST_ELEMENTS else []


def _shortened(exchange: Exchange) -> Exchange:
    """With the places that are drawn, of each the beginning."""
    first = exchange.citations[:MOST_WAYS]
    cited = tuple(replace(citation, text=citation.text[:_OF_A_PASSAGE]) for citation in first)
    return replace(exchange, citations=cited)
