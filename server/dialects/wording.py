"""The events of a turn in words, and words in frames: for every client that has no message of its own for them."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agent import Asked, Citation, Cited, Ended, Event, Failed, Suggested, TextChunk, TextFinished
from arrow_project import is_within
from server.dialects.dialect import Frame

_SUGGESTIONS = "You could go on with:"
# What `words_of` says behind an answer: of a client that keeps the whole chat it comes back with the history.
_APPENDED = re.compile(r"Sources: \[\d+\].*|Ran: .*\. The project was (?:not )?changed\.\s*")


def words_of(event: Event) -> str | None:
    """A question, sources, suggestions, a failure or what was run as text; None for events that are no words."""
    match event:
        case Asked(text=text):
            return text
        case Cited(citations=citations):
            return _sources(citations)
        case Suggested(suggestions=suggestions):
            return f"{_SUGGESTIONS}\n" + "\n".join(f"- {suggestion.label}" for suggestion in suggestions)
        case Failed(failure=failure):
            return f"{failure.code}: {failure.message}"
        case Ended(functions=functions, changed=changed) if functions:
            return f"Ran: {_counted(functions)}. The project was {'changed' if changed else 'not changed'}."
        case _:
            return None


def without_appendix(answer: str) -> str:
    """An earlier answer as it was given: without the sources, suggestions and counts that were said behind it."""
    lines = answer.split("\n")
    end = len(lines)
    while (begin := _appended_at(lines, end)) < end:
        end = begin
    return answer if end == len(lines) else "\n".join(lines[:end]).rstrip("\n")


def _appended_at(lines: Sequence[str], end: int) -> int:
    """The line at which the last of what `words_of` says begins before `end`; `end` where there is none."""
    last = end - 1
    while last >= 0 and not lines[last].strip():
        last -= 1
    if last >= 0 and _APPENDED.fullmatch(lines[last]):
        return last
    while last >= 0 and lines[last].startswith("- "):
        last -= 1
    return last if last >= 0 and lines[last].rstrip() == _SUGGESTIONS else end


def _counted(functions: Sequence[str]) -> str:
    """`create_variable, delete_node (3 times)`."""
    counts = Counter(functions)
    return ", ".join(f"{name} ({count} times)" if count > 1 else name for name, count in counts.items())


def _sources(citations: Sequence[Citation]) -> str:
    """`Sources: [1] [3] bible.pdf, page 4; [2] quests.md`: each place once."""
    numbers: dict[str, list[str]] = {}
    for citation in citations:
        twins = f" (also in {', '.join(citation.also_in)})" if citation.also_in else ""
        numbers.setdefault(citation.place + twins, []).append(f"[{citation.number}]")
    return "Sources: " + "; ".join(f"{' '.join(cited)} {place}" for place, cited in numbers.items())


class Transcript:
    """What has been streamed of a turn, so that nothing is said twice and its parts are kept apart."""

    def __init__(self) -> None:
        self._open = ""  # what has been streamed of a part that is not finished
        self._has_parts = False

    def told(self, event: Event) -> str:
        """What is to be sent of an event where all that is said is one streamed text; nothing of one without words."""
        match event:
            case TextChunk(text=text):
                return self.chunk(text)
            case TextFinished(text=text):
                return self.part(text)
            case _:
                words = words_of(event)
                return self.part(words) if words else ""

    def chunk(self, text: str) -> str:
        """A piece of a part, as it is to be sent."""
        lead = "\n\n" if self._has_parts and not self._open else ""
        self._open += text
        return lead + text

    def aside(self, text: str) -> str:
        """What is said in between and belongs to no part of the turn, as it is to be sent."""
        return f"\n\n{text}\n\n" if self._open else self.part(text)

    def part(self, text: str) -> str:
        """What is still to be sent of a finished part: all of it, its end, or nothing."""
        streamed, self._open = self._open, ""
        lead = "\n\n" if self._has_parts or streamed else ""
        self._has_parts = True
        if streamed.endswith(text):
            return ""
        return text.removeprefix(streamed) if streamed and text.startswith(streamed) else lead + text


_LONGEST_PIECE = 2**16  # bytes of a text that comes in several frames: nobody else is served while one is written
_SHORT = 100  # bytes below which no field is cut
_HALF_CHARACTER = re.compile(r"\\ud[89a-f]", re.IGNORECASE)


def encode(frame: Frame) -> str:
    """A frame as it goes over the wire: JSON, escaped to ASCII, as some clients decode no more.

    A half of a character, which a model may produce and no client can read, becomes a replacement character.
    """
    text = json.dumps(frame)
    return json.dumps(_whole_characters(frame)) if _HALF_CHARACTER.search(text) else text


def _whole_characters(value: Any) -> Any:
    match value:
        case str():
            return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        case dict():
            return {_whole_characters(name): _whole_characters(item) for name, item in value.items()}  # pyright: ignore[reportUnknownVariableType]
        case list() | tuple():
            return [_whole_characters(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value


def size(frame: Frame) -> int:
    """How many bytes a frame has on the wire."""
    return len(json.dumps(frame))


def fits(frame: Frame, max_bytes: int) -> bool:
    """Whether a frame has at most so many bytes on the wire; it is not written where its values alone have more."""
    return is_within(frame, max_bytes) and size(frame) <= max_bytes


def split(text: str, max_bytes: int) -> Iterator[str]:
    """Pieces of `text` whose JSON form, escaped to ASCII, has at most `max_bytes` (14 or more) bytes each."""
    room = max_bytes - 2  # the quotes; a character takes one byte to twelve
    start = 0
    while start < len(text) or start == 0:
        piece = text[start : start + room]
        while (length := len(json.dumps(piece))) > max_bytes:
            piece = piece[: max(1, len(piece) * room // length)]
        yield piece
        start += max(1, len(piece))


def text_frames(frame_of: Callable[[str], Frame], text: str, max_bytes: int) -> Iterator[Frame]:
    """`text` in frames of at most `max_bytes` each; none for an empty text."""
    if not text:
        return
    room = max_bytes - size(frame_of("")) + 2  # the quotes are counted twice
    for piece in split(text, min(room, _LONGEST_PIECE)):
        yield frame_of(piece)


def item_frames(frame_of: Callable[[list[Any]], Frame], items: Sequence[Any], max_bytes: int) -> Iterator[Frame]:
    """Items in frames of at most `max_bytes` each; an item that is too long by itself is left out."""
    empty = size(frame_of([]))
    batch: list[Any] = []
    used = empty
    for item in items:
        length = len(json.dumps(item)) + 2
        if empty + length > max_bytes:
            continue
        if used + length > max_bytes:
            yield frame_of(batch)
            batch, used = [], empty
        batch.append(item)
        used += length
    if batch:
        yield frame_of(batch)


def shortened(item: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """An item whose longest lists end early and whose longest texts are cut, so that it has at most `max_bytes`."""
    while (over := len(json.dumps(item)) - max_bytes) > 0:
        name = max(item, key=lambda name: len(json.dumps(item[name])))
        length = len(json.dumps(item[name]))
        match item[name]:
            case list() as entries if entries:
                left: Any = entries[: min(len(entries) - 1, max(0, len(entries) * (length - over) // length))]
            case dict() as fields if length > _SHORT:
                left = shortened(fields, max(_SHORT, length - over))
            case str() as text if length > _SHORT:
                left = cut(text, max(_SHORT, length - over))
            case _:
                return item
        if left == item[name]:
            return item
        item = item | {name: left}
    return item


def cut(text: str, max_bytes: int) -> str:
    """The beginning of `text` that fits, with an ellipsis where something is missing."""
    first = next(split(text, max(14, max_bytes)))
    return text if first == text else next(split(text, max(14, max_bytes - 6))) + "…"
