"""An assistant, as the SDK's own client has one: connected over HTTP or to a process of ours."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult, ElicitRequestParams, ElicitResult, ImageContent, Implementation, TextContent

from tests.agent.scripted_model import PATIENCE_S

Era = Literal["legacy", "2026-07-28"]
ERAS: tuple[Era, ...] = ("legacy", "2026-07-28")


@dataclass
class User:
    """Who sits before the assistant: answers the forms that are shown.

    Attributes:
        says: The answer to each, in order; None closes the window.
        shown: What was asked.
    """

    says: list[str | None] = field(default_factory=list[str | None])
    shown: list[str] = field(default_factory=list[str])

    async def answer(self, context: Any, params: ElicitRequestParams) -> ElicitResult:
        self.shown.append(params.message)
        said = self.says.pop(0)
        if said is None:
            return ElicitResult(action="cancel")
        return ElicitResult(action="accept", content={"answer": said})


@dataclass
class Assistant:
    """What a test does with one."""

    client: Client

    async def call(self, tool: str, progress: Callable[..., Any] | None = None, **arguments: Any) -> CallToolResult:
        """One call, as it was answered."""
        answer = await self.client.call_tool(tool, arguments, progress_callback=progress)
        assert isinstance(answer, CallToolResult)
        return answer

    async def ok(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The fields of a call that was not refused."""
        answer = await self.call(tool, **arguments)
        assert not answer.is_error, text_of(answer)
        return answer.structured_content

    async def code(self, tool: str, **arguments: Any) -> str:
        """The code that a call was refused with; its text says it as well, and what to do."""
        answer = await self.call(tool, **arguments)
        assert answer.is_error, answer
        error = answer.structured_content["error"]
        assert text_of(answer) == f"{error['code']}: {error['message']}"
        assert error["message"].strip()
        return error["code"]


def text_of(answer: CallToolResult) -> str:
    """What a model reads of it."""
    return "\n".join(part.text for part in answer.content if isinstance(part, TextContent))


def pictures_of(answer: CallToolResult) -> list[ImageContent]:
    """What a model sees of it."""
    return [part for part in answer.content if isinstance(part, ImageContent)]


@asynccontextmanager
async def assistant(
    url: str,
    era: Era = "legacy",
    user: User | None = None,
    query: str = "",
    hear: Callable[[Any], Awaitable[None]] | None = None,
    **headers: str,
) -> AsyncGenerator[Assistant]:
    """One that is connected over HTTP while the block runs; with a user its client can ask."""
    http = httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S, trust_env=False)
    async with (
        http,
        connected(streamable_http_client(f"{url}/mcp{query}", http_client=http), era, user, hear) as opened,
    ):
        yield opened


@asynccontextmanager
async def connected(
    transport: Any,
    era: Era = "legacy",
    user: User | None = None,
    hear: Callable[[Any], Awaitable[None]] | None = None,
) -> AsyncGenerator[Assistant]:
    """One that is connected by any transport while the block runs."""
    client = Client(
        transport,
        mode=era,
        client_info=Implementation(name="scribe", title="Scribe", version="1"),
        elicitation_callback=user.answer if user else None,
        read_timeout_seconds=PATIENCE_S,
        message_handler=hear,
        cache=None,
    )
    async with client:
        yield Assistant(client)
