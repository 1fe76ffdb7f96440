"""How much a provider may send: whoever answers without an end takes a limited part of the memory."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from agent.models.failures import AnswerWithoutEnd
from agent.turn.thread import give_way

if TYPE_CHECKING:
    from httpx2 import Request, Response

_MOST = 16 * 2**20  # an event for each token takes a quarter of it; `size` counts what is in them
# The SDKs read one at once, and a refusal; the longest is the whole answer once more, or what it thought.
_LONGEST_EVENT = 2**20
_MOST_COPIED = 32 * _MOST  # with each line an SDK copies what it has of the event: its bytes times its lines
_EVENT_END = re.compile(rb"\n\n|\r\n\r\n|\r\r(?!\n)")  # as the SDKs, which go on where line ends are mixed


class LimitedAnswers:
    """For a provider's HTTP client, before its class: what it reads ends with `AnswerWithoutEnd` at a limit."""

    async def send(self, request: "Request", *, stream: bool = False, **options: Any) -> "Response":
        """As the client does, which always streams: what is read as a whole is limited as well."""
        response: Response = await super().send(request, stream=True, **options)  # type: ignore[misc]
        read = response.aiter_bytes

        def read_limited(chunk_size: int | None = None) -> AsyncGenerator[bytes]:
            return _limited(read(chunk_size), _MOST if response.is_success else _LONGEST_EVENT)

        # The SDKs read with this, as the response itself does; what it counts is not compressed any more.
        response.aiter_bytes = read_limited
        if not stream:
            try:
                await response.aread()
            except BaseException:
                await response.aclose()
                raise
        return response


async def _limited(chunks: AsyncGenerator[bytes], most: int) -> AsyncGenerator[bytes]:
    """Whole events, and what is left at the end: an SDK copies what it has of an event with each piece of it, too."""
    size = copied = 0
    waiting = bytearray()
    async with aclosing(chunks):
        async for chunk in chunks:
            size += len(chunk)
            seen = max(len(waiting) - 3, 0)
            waiting += chunk
            ends = [0, *(found.end() for found in _EVENT_END.finditer(waiting, seen))]
            copied += sum(_copied(waiting, *event) for event in pairwise(ends))
            _within(most, size, max(end - begin for begin, end in pairwise([*ends, len(waiting)])), copied)
            for begin, end in pairwise(ends):  # an SDK takes its time also for what says nothing
                await give_way()
                yield bytes(waiting[begin:end])
            del waiting[: ends[-1]]
            await asyncio.sleep(0)  # what has come already, or is unpacked, is read without a pause
        _within(most, size, len(waiting), copied + _copied(waiting, 0, len(waiting)))
        if waiting:
            yield bytes(waiting)


def _copied(text: bytearray, begin: int, end: int) -> int:
    return (end - begin) * (text.count(b"\n", begin, end) + text.count(b"\r", begin, end))


def _within(most: int, size: int, event: int, copied: int) -> None:
    if size > most or event > _LONGEST_EVENT or copied > _MOST_COPIED:
        told = f"The provider sent {size:,} bytes, {event:,} of them without an empty line; "
        raise AnswerWithoutEnd(f"{told}each event's bytes times its lines are {copied:,} together.")
