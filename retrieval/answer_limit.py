"""How much a server may answer, and for how long: what is given up must not be read on by a thread of ours.

`hooks()` are for a client of httpx (or httpx2), and `within` goes around what is done with it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

_Answer = TypeVar("_Answer")

# Of one answer, where no more is asked for. Whoever sends more, or sends for longer than the call may take, does so to
# fill our memory.
MOST_BYTES = 2**20
_MOST_BYTES_OF_AN_ERROR = 2**16  # each is written to the log
_BYTES_OF_A_VALUE = 8  # at least, on average: what we ask for has ids and numbers, and an object takes ten times that
_SOONEST_S = 0.001  # no time is no time limit to some clients

LATE = "it did not answer in time"


class AnswerWithoutEnd(Exception):
    """The server sent more than any answer has, or for longer than anybody waits."""


class _Call(threading.local):  # each has a thread of its own
    ends_at: float | None = None
    most_bytes = MOST_BYTES
    given_up: AnswerWithoutEnd | None = None


_call = _Call()


def within(limit_s: float, work: Callable[[], _Answer], most_bytes: int = MOST_BYTES) -> _Answer:
    """What `work` makes of a client that has the `hooks`, in so many seconds, of answers of so many bytes.

    Raises:
        AnswerWithoutEnd: It was given up, or its time is over, whatever the client makes of that.
    """
    ends_at = time.monotonic() + limit_s
    _call.ends_at, _call.most_bytes, _call.given_up = ends_at, most_bytes, None
    try:
        return work()
    except AnswerWithoutEnd:
        raise
    except Exception as error:
        if _call.given_up is None and time.monotonic() < ends_at:
            raise
        raise (_call.given_up or AnswerWithoutEnd(LATE)) from error
    finally:
        _call.ends_at, _call.most_bytes = None, MOST_BYTES


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
    response.encoding = "utf-8"  # as JSON is: there are others that take minutes to read a MiB
    most_bytes = _call.most_bytes if response.is_success else _MOST_BYTES_OF_AN_ERROR
    ends_at, read = _call.ends_at, response.iter_raw

    def read_limited(chunk_size: int | None = None) -> Iterator[bytes]:
        return _limited(read(chunk_size), ends_at, most_bytes)

    response.iter_bytes = read_limited  # all else reads with this


def _limited(chunks: Iterator[bytes], ends_at: float | None, most_bytes: int) -> Iterator[bytes]:
    size = values = 0
    most_values = most_bytes // _BYTES_OF_A_VALUE
    for chunk in chunks:
        size += len(chunk)
        values += chunk.count(b",") + chunk.count(b"[") + chunk.count(b"{")  # before each but some
        if size > most_bytes:
            raise _given_up(f"it sent more than {most_bytes:,} bytes in one answer")
        if values > most_values:
            raise _given_up(f"it sent more than {most_values:,} values in one answer")
        if ends_at is not None and time.monotonic() > ends_at:
            raise _given_up("its answer did not end in time")
        yield chunk


def _given_up(reason: str) -> AnswerWithoutEnd:
    _call.given_up = AnswerWithoutEnd(reason)
    return _call.given_up
