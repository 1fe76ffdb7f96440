"""Work that ends with the connection of whoever asked for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from fastapi import Request

from server.ended_task import let_go
from server.http.dependencies import RequestError

_Result = TypeVar("_Result")

_CLIENT_CLOSED_REQUEST = 499  # not sent to anybody


class HungUp(RequestError):
    """The caller has hung up."""

    def __init__(self) -> None:
        super().__init__(_CLIENT_CLOSED_REQUEST, "CLIENT_CLOSED_REQUEST", "The caller has hung up.")


async def while_connected(request: Request, work: Coroutine[Any, Any, _Result]) -> _Result:
    """What `work` returns; it is cancelled when the caller hangs up. The request's body has been read before.

    Raises:
        HungUp: The caller has.
    """
    working = asyncio.create_task(work)
    working.add_done_callback(let_go)
    hanging_up = asyncio.create_task(_hung_up(request))
    try:
        await asyncio.wait((working, hanging_up), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise HungUp
        return working.result()
    finally:
        for task in (working, hanging_up):
            task.cancel()
        await asyncio.gather(working, hanging_up, return_exceptions=True)


async def _hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
