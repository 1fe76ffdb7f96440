"""Work that would hold up everybody else's messages, beside the event loop."""

import asyncio
from collections.abc import Callable
from typing import ParamSpec, TypeVar

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


async def in_thread(
    work: Callable[_Arguments, _Result], *args: _Arguments.args, **kwargs: _Arguments.kwargs
) -> _Result:
    """What `work` returns, computed in a thread.

    A task that is cancelled meanwhile ends only when the work has: whoever waits for its end may then edit the story
    that the work has read or written.
    """
    working = asyncio.create_task(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait((working,))
        working.exception()  # nobody is left whom it would concern
        raise
