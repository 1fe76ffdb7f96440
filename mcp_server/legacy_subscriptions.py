"""Subscriptions of clients before 2026: each address by a request of its own, for as long as the session lasts."""

import asyncio
from contextlib import AsyncExitStack, suppress
from typing import Any

from mcp.types import EmptyResult

from mcp_server.changes import LIST, Changes
from mcp_server.tool import AssistantCall, ToolError

_SESSION = "mcp-session-id"


class LegacySubscriptions:
    """Which session is told of what."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}

    async def add(self, call: AssistantCall, uri: str) -> EmptyResult:
        """Tells the session of every change of what is at the address; raises `ToolError` for too many."""
        await self._follow(call, uri)
        return EmptyResult()

    async def follow_list(self, call: AssistantCall) -> None:
        """Tells a session that has asked for the list when it changes, where there is room for that."""
        if _session_id(call):
            with suppress(ToolError):
                await self._follow(call, LIST)

    def remove(self, call: AssistantCall, uri: str) -> EmptyResult:
        """Tells it no more."""
        if (task := self._tasks.pop((_session_id(call), uri), None)) is not None:
            task.cancel()
        return EmptyResult()

    async def _follow(self, call: AssistantCall, of: str) -> None:
        subscription, session = (_session_id(call), of), call.context.session
        if subscription in self._tasks:
            return

        async def tell(of: str) -> None:
            await (session.send_resource_list_changed() if of == LIST else session.send_resource_updated(of))

        task = self._tasks[subscription] = await self._changes.watch(call, of, tell)
        task.add_done_callback(lambda _: self._tasks.pop(subscription, None))
        _ends_with(session).callback(task.cancel)


def _session_id(call: AssistantCall) -> str:
    request: Any = call.context.request
    return request.headers.get(_SESSION, "")


def _ends_with(session: Any) -> AsyncExitStack:
    """What is closed with the session; the SDK says to put such things there, and has no other name for it."""
    return session._connection.exit_stack
