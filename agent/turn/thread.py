"""Work that would hold up everybody else's messages, beside the event loop."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, ParamSpec, TypeVar

from arrow_project import GoOn

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")

# Characters: as many of a story's patterns compile in six milliseconds, and nothing takes longer for its length. A
# hundred sockets may say so much at once.
_FEW = 2_000

Run = Callable[[Callable[[], Any]], Awaitable[Any]]
"""Runs work in a thread, and returns what it does."""


async def _let_others() -> None:
    """Whoever is ready goes first."""
    await asyncio.sleep(0)


@dataclass(frozen=True)
class Threads:
    """Where work goes.

    Attributes:
        compute: What keeps the interpreter busy.
        ask: What waits most of the time, for a store.
        drive: The same for a user's drive, which may hang without an end.
        give_way: Returns when the next short piece of work may be done on the event loop.
    """

    compute: Run = asyncio.to_thread
    ask: Run = asyncio.to_thread
    drive: Run = asyncio.to_thread
    give_way: Callable[[], Awaitable[None]] = _let_others


_threads: ContextVar[Threads] = ContextVar("threads", default=Threads())  # noqa: B039 - it is frozen


@contextmanager
def working_in(threads: Threads) -> Generator[None]:
    """In the block, and in tasks that are begun in it, work goes to these threads; by default to those of asyncio.

    So a server gives everybody's work a share, and nobody else's has to wait for all of it.
    """
    before = _threads.set(threads)
    try:
        yield
    finally:
        _threads.reset(before)


async def give_way() -> None:
    """Lets others have the event loop before the next of many short pieces of work."""
    await _threads.get().give_way()


async def in_thread(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """What `work` returns, computed in a thread.

    A task that is cancelled meanwhile ends only when the work has: whoever waits for its end may then edit the story
    that the work has read or written.
    """
    return await _to_the_end(_threads.get().compute, partial(work, *args, **kwargs), lambda: None)


async def in_thread_until_cancelled(work: Callable[[GoOn], _Result]) -> _Result:
    """As `in_thread`, for what takes long: of a task that is cancelled, the work ends with its next call of `GoOn`."""
    return await _until_cancelled(_threads.get().compute, work)


async def ask_drive(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """As `in_thread`, for what reads or writes a user's file and waits where its drive hangs."""
    return await _to_the_end(_threads.get().drive, partial(work, *args, **kwargs), lambda: None)


async def look_at_drive(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """As `ask_store`, for what only looks whether a user's file is there."""
    return await _threads.get().drive(partial(work, *args, **kwargs))


async def ask_store_until_cancelled(work: Callable[[GoOn], _Result]) -> _Result:
    """As `in_thread_until_cancelled`, for what waits for a store again and again, and computes in between."""
    return await _until_cancelled(_threads.get().ask, work)


async def _until_cancelled(run: Run, work: Callable[[GoOn], _Result]) -> _Result:
    cancelled = threading.Event()

    def go_on() -> None:
        if cancelled.is_set():
            raise _Cancelled

    def begin() -> _Result:
        go_on()  # it may have waited for a thread
        return work(go_on)

    return await _to_the_end(run, begin, cancelled.set)


class _Cancelled(Exception):
    """Nobody wants the result any more."""


async def _to_the_end(run: Run, work: Callable[[], _Result], cancel: Callable[[], None]) -> _Result:
    working = asyncio.ensure_future(run(work))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        cancel()
        while not working.done():
            with suppress(asyncio.CancelledError):  # once is enough
                await asyncio.wait((working,))
        working.exception()  # nobody is left whom it would concern
        raise
    finally:
        # What the work has failed with refers to this place: it would keep all that the work had in its hands.
        del working


async def in_thread_if_large(
    characters: int, work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """What `work` returns, computed at once on a story of few characters: a thread would take longer than the work.

    Others have their turn before it, as there may be hundreds of these, one after the other.
    """
    if characters >= _FEW:
        return await in_thread(work, *args, **kwargs)
    await asyncio.sleep(0)
    return work(*args, **kwargs)


async def ask_store(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """What `work` returns, which waits for a store, from a thread.

    A task that is cancelled meanwhile ends at once, though the work goes on: what it holds counts nowhere any more, so
    it must be no story.
    """
    return await _threads.get().ask(partial(work, *args, **kwargs))
