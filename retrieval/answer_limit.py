"""How much a server may answer, and for how long: what is given up must not be read on by a thread of ours.

`hooks()` are for a client of httpx (or httpx2), and `within` goes around what is done with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")

# Of one answer: a project's million passages have ids of that length. Whoever sends more, or sends for longer than the
# call may take, does so to fill our memory.
_MOST_BYTES = 64 * 2**20
_SOONEST_S = 0.001  # no time is no time limit to some clients

LATE = "it did not answer in time"


class AnswerWithoutEnd(Exception):
    """The server sent more than any answer has, or for longer than anybody waits."""


class _Call(threading.local):  # each has a thread of its own
    ends_at: float | None = None
    given_up: AnswerWithoutEnd | None = None


_call = _Call()


def within(limit_s: float, work: Callable[[], _Answer]) -> _Answer:
    """What `work` makes of a client that has the `hooks`.

    Raises:
        AnswerWithoutEnd: It was given up, or its time is over, whatever the client makes of that.
    """
    ends_at = time.monotonic() + limit_s
    _call.ends_at, _call.given_up = ends_at, None
    try:
        return work()
    except Exception as error:
        if _call.given_up is None and time.monotonic() < ends_at:
            raise
        raise (_call.given_up or AnswerWithoutEnd(LATE)) from error
    finally:
        _call.ends_at = None


def hooks() -> dict[str, list[Callable[..., Any]]]:
    """The `event_hooks` of a client whose answers are limited."""
    return {"request": [_limit_request], "response": [_limit_response]}


def _limit_request(request: Any) -> None:
    request.headers["Accept-Encoding"] = "identity"  # a small answer may unpack to anything
    if _call.ends_at is None:
        return
    if (left := _call.ends_at - time.monotonic()) <= 0:  # a client that tries again, when nobody waits any more
        raise _given_up(LATE)
    times = request.extensions.get("timeout") or dict.fromkeys(("connect", "read", "write", "pool"))
    request.extensions["timeout"] = {
        name: max(_SOONEST_S, left if seconds is None else min(seconds, left)) for name, seconds in times.items()
    }


def _limit_response(response: Any) -> None:
    response.headers.pop("content-encoding", None)  # not asked for
    ends_at, read = _call.ends_at, response.iter_raw

    def read_limited(chunk_size: int | None = None) -> Iterator[bytes]:
        return _limited(read(chunk_size), ends_at)

    response.iter_bytes = read_limited  # all else reads with this


def _limited(chunks: Iterator[bytes], ends_at: float | None) -> Iterator[bytes]:
    size = 0
    for chunk in chunks:
        size += len(chunk)
        if size > _MOST_BYTES:
            raise _given_up(f"it sent more than {_MOST_BYTES // 2**20} MiB in one answer")
        if ends_at is not None and time.monotonic() > ends_at:
            raise _given_up("its answer did not end in time")
        yield chunk


def _given_up(reason: str) -> AnswerWithoutEnd:
    _call.given_up = AnswerWithoutEnd(reason)
    return _call.given_up
