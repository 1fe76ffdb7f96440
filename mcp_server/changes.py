"""Notices that something has changed: looked for as long as somebody wants to know, whoever has changed it."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Hashable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

from corpora import CorpusError
from mcp_server.projects import project_of
from mcp_server.resources import OUTLINE
from mcp_server.story_argument import story_of
from mcp_server.tool import AssistantCall, ToolError

_LOOK_EVERY_S = 1.0
_MOST = 200

LIST = ""
"""Stands for the list of resources, where others are addresses."""

Tell = Callable[[str], Awaitable[None]]


class Changes:
    """Who is told of what."""

    def __init__(self) -> None:
        self._watching: Counter[str] = Counter()

    async def watch(self, call: AssistantCall, of: str, tell: Tell) -> "asyncio.Task[None]":
        """Looks at an address, or the list, until the task is cancelled; `tell` hears of each change from now on.

        Raises:
            ToolError: So many are looked at already.
        """
        workspace = call.caller.workspace
        if self._watching[workspace] >= _MOST:
            raise ToolError("TOO_MANY", f"{_MOST} subscriptions of this workspace are open; end some first.")
        self._watching[workspace] += 1  # before the first look, in which others may come
        try:
            task = asyncio.create_task(_watched(call, of, tell, await _state(call, of)))
        except BaseException:
            self._watching[workspace] -= 1
            raise
        task.add_done_callback(lambda _: self._watching.subtract((workspace,)))
        return task

    @asynccontextmanager
    async def watching(self, of: Mapping[str, AssistantCall], tell: Tell) -> AsyncGenerator[None]:
        """`watch` for several while the block runs; for too many, for none."""
        tasks: list[asyncio.Task[None]] = []
        try:
            for one, call in of.items():
                tasks.append(await self.watch(call, one, tell))
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


async def _watched(call: AssistantCall, of: str, tell: Tell, before: Hashable) -> None:
    while True:
        await asyncio.sleep(_LOOK_EVERY_S)
        now = await _state(call, of)
        if now != before:
            before = now
            await tell(of)


async def _state(call: AssistantCall, of: str) -> Hashable:
    """Something that differs once what is there does; None while nothing is."""
    with suppress(ToolError, CorpusError):
        if of == OUTLINE:
            return await (await story_of(call)).version()
        key = await project_of(call)
        version = partial(call.services.catalog.corpus_version, key)
        version_now: Any = await call.services.asking.run(key.workspace, version)
        return version_now
    return None
