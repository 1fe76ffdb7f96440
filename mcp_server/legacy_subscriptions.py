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
        # By session and address, what ends it; there from the first request on, as others come in the first look.
        self._ends: dict[str, dict[str, asyncio.Future[None]]] = {}

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
        if (end := self._ends.get(_session_id(call), {}).pop(uri, None)) is not None:
            end.cancel()
        return EmptyResult()

    async def _follow(self, call: AssistantCall, of: str) -> None:
        session_id, session = _session_id(call), call.context.session
        if session_id not in self._ends:
            self._ends[session_id] = {}
            _ends_with(session).callback(self._end, session_id)
        ends = self._ends[session_id]
        if of in ends:
            return

        async def tell(of: str) -> None:
            await (session.send_resource_list_changed() if of == LIST else session.send_resource_updated(of))

        def forget(_: object) -> None:
            if ends.get(of) is end:
                del ends[of]

        end = ends[of] = asyncio.get_running_loop().create_future()
        end.add_done_callback(forget)
        try:
            task = await self._changes.watch(call, of, tell)
        except BaseException:
            end.cancel()
            raise
        task.add_done_callback(lambda _: end.cancel())
        end.add_done_callback(lambda _: task.cancel())

    def _end(self, session_id: str) -> None:
        for end in self._ends.pop(session_id).values():
            end.cancel()


def _session_id(call: AssistantCall) -> str:
    request: Any = call.context.request
    return request.headers.get(_SESSION, "")


def _ends_with(session: Any) -> AsyncExitStack:
    """What is closed with the session; the SDK says to put such things there, and has no other name for it."""
    return session._connection.exit_stack
