"""How much an answer brings, counted as it comes: before anything reads all that has come once more."""

from collections.abc import AsyncIterator
from dataclasses import is_dataclass
from typing import Any, cast

from pydantic_ai.messages import ModelResponseStreamEvent, PartDeltaEvent, PartStartEvent

from agent.models.failures import AnswerWithoutEnd
from agent.turn.thread import give_way

_MOST = 250_000  # characters: thirty times the tokens that are asked for, what was thought among them
# With each part that begins, pydantic-ai reads all that has come: the most that a response may call come to less.
_MOST_READ_AGAIN = 8_000_000
# What makes a part longer; whatever else is in a delta takes the place of what the part had.
_LONGER = ("content_delta", "args_delta", "tool_name_delta", "signature_delta", "citations_delta", "provider_details")


async def counted(events: AsyncIterator[ModelResponseStreamEvent]) -> AsyncIterator[ModelResponseStreamEvent]:
    """The events of one answer, with others' turns between them.

    Raises:
        AnswerWithoutEnd: They come to more than any answer has.
    """
    size = again = 0
    async for event in events:
        await give_way()
        if isinstance(event, PartStartEvent):
            size += characters(event.part)
            again += size
        elif isinstance(event, PartDeltaEvent):
            size += characters([getattr(event.delta, name, None) for name in _LONGER])
        require_answer(size, again)
        yield event


def require_answer(size: int, again: int = 0) -> None:
    """Raises `AnswerWithoutEnd` where no answer has so many characters, or such a number of parts."""
    if size > _MOST or again > _MOST_READ_AGAIN:
        told = f"The answer has {size:,} characters, in so many parts that {again:,} would be read for their beginnings"
        raise AnswerWithoutEnd(f"{told}; at most {_MOST:,} and {_MOST_READ_AGAIN:,} are taken.")


def characters(value: Any) -> int:
    """Those of all texts in a value; whatever else is in it counts as one."""
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        return 1 + sum(characters(key) + characters(item) for key, item in cast("dict[Any, Any]", value).items())
    if isinstance(value, list | tuple):
        return 1 + sum(map(characters, cast("list[Any]", value)))
    if is_dataclass(value):
        return 1 + sum(map(characters, vars(value).values()))
    return 0 if value is None else 1
