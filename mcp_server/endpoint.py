"""`/mcp`: the protocol as streamable HTTP, behind the same rules as everything else; loaded when it is first asked."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import create_task_group, sleep_forever
from fastapi import FastAPI
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from agent import in_thread_if_large
from arrow_project import has_more_values
from mcp_server.request_place import RequestPlace
from mcp_server.story_files import StoryFiles, UndoableFile
from server import JsonError, Services
from server.json_text import read_object
from server.limits.places import Places

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from mcp.server.lowlevel import Server
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

PATH = "/mcp"

_MOST_SESSIONS = 200  # of one workspace; half an hour after the last request one ends
# A call may wait for its user for minutes, and a stream of changes for as long as its client likes; all of the message
# stays in memory meanwhile, whatever of it is read.
_LONGEST_REQUEST = 2**20  # bytes
_TOO_LONG = f"A request over MCP has at most {_LONGEST_REQUEST} bytes; make several calls of it."
_NO_MESSAGE = "A request over MCP must be one JSON-RPC message, and this is none."
_MOST_VALUES = 20_000  # brackets and commas
_LONGEST_ID = 200  # characters: notices of changes and of progress repeat it, each of them
_MOST_ANSWERED = 500  # brackets and commas of what a user has answered
_S_PER_BYTE, _S_PER_VALUE = 3e-8, 5e-6
_MOST_REQUESTS, _REQUESTS_EACH = 200, 50  # under way, of all and of a workspace


def serve_mcp(app: FastAPI, services: Services, open_file: Callable[[Path], UndoableFile]) -> None:
    """Lets the app answer at `PATH`.

    Args:
        app: As `server.create_app` makes it, not started yet.
        services: The parts of its server.
        open_file: The story file at a path of this machine.
    """
    logging.getLogger("mcp").setLevel(logging.WARNING)  # below that, it tells the ids that sessions are used with
    endpoint = _Endpoint(services, StoryFiles(open_file))
    without = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncGenerator[None]:
        async with without(app), endpoint.running():
            yield

    app.router.lifespan_context = lifespan
    app.router.routes.append(Route(PATH, endpoint))


class _Endpoint:
    """Hands requests to the SDK: each workspace has sessions of its own, and so many that it keeps nobody else out."""

    def __init__(self, services: Services, files: StoryFiles) -> None:
        self._services = services
        self._files = files
        self._server: Server[Any] | None = None
        self._managers: dict[str, StreamableHTTPSessionManager] = {}
        self._beginning = asyncio.Lock()
        self._under_way = Places(_MOST_REQUESTS, _REQUESTS_EACH)
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Answers while the block runs."""
        async with create_task_group() as self._tasks:
            yield
            self._tasks.cancel_scope.cancel()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers one request."""
        workspace = scope["state"]["workspace"]
        manager = await self._manager(workspace)
        if scope["method"] != "POST":
            await manager.handle_request(scope, receive, send)
            return
        body = await _read(receive)
        place = RequestPlace(self._under_way, workspace)
        if not place.take():
            raise HTTPException(503, RequestPlace.PROBLEM)
        scope["state"]["place"] = place
        try:
            body = await in_thread_if_large(len(body), _message, body)
            pace = self._services.paces[workspace]
            await pace.wait(is_message=False)
            pace.held(_seconds(body))
            await manager.handle_request(scope, _once_more(body, receive), send)
        finally:
            place.give_back()

    async def _manager(self, workspace: str) -> StreamableHTTPSessionManager:
        async with self._beginning:
            if workspace not in self._managers:
                assert self._tasks is not None
                server = await self._loaded()
                from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

                manager = StreamableHTTPSessionManager(server, max_sessions=_MOST_SESSIONS)
                await self._tasks.start(_run, manager)
                self._managers[workspace] = manager
            return self._managers[workspace]

    async def _loaded(self) -> Server[Any]:
        if self._server is None:
            # In a thread: it takes half a second, and asks the catalog; and most servers are never asked.
            self._server = await asyncio.to_thread(self._load)
        return self._server

    def _load(self) -> Server[Any]:
        from mcp_server.protocol import Protocol

        return Protocol(self._services, self._files).server()


async def _read(receive: Receive) -> bytes:
    """The body of a request; raises `HTTPException` where it is long."""
    body = bytearray()
    is_whole = False
    while not is_whole:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > _LONGEST_REQUEST:
            raise HTTPException(413, _TOO_LONG)
        is_whole = not message.get("more_body", False)  # or nobody is there any more
    return bytes(body)


def _message(body: bytes) -> bytes:
    """The message in a body, without whatever nobody reads: a session keeps what it was asked with.

    The SDK reads it once more on the event loop; of what is no message it would say there eleven times what it was.

    Raises:
        HTTPException: It is of very many values, or no message.
    """
    from mcp.types import jsonrpc_message_adapter

    # The SDK reads JSON in other encodings as well, in which a quotation mark is none.
    if not json.detect_encoding(body).startswith("utf-8"):
        raise HTTPException(400, "A request over MCP is JSON in UTF-8.")
    text = body.decode(errors="replace")
    if has_more_values(text, _MOST_VALUES):
        problem = f"A request over MCP has at most {_MOST_VALUES} brackets and commas; make several calls of it."
        raise HTTPException(413, problem)
    try:
        sent = read_object(text, "A request over MCP")
        message = jsonrpc_message_adapter.validate_python(sent, by_name=False)
    except JsonError as error:
        raise HTTPException(400, str(error)) from error
    except ValidationError as error:
        raise HTTPException(400, _NO_MESSAGE) from error
    if "id" in sent and getattr(message, "id", None) is None:  # else it would be a notification, which nobody answers
        raise HTTPException(400, _NO_MESSAGE)
    if any(isinstance(one, str) and len(one) > _LONGEST_ID for one in _ids(sent)):
        raise HTTPException(400, f"The id and the progressToken of a request have at most {_LONGEST_ID} characters.")
    params = sent.get("params")
    answers = params.get("inputResponses") if isinstance(params, dict) else None
    if has_more_values(json.dumps(answers), _MOST_ANSWERED):
        # The library tries each of their values as twenty kinds, on the event loop.
        raise HTTPException(413, f"The inputResponses of a request have at most {_MOST_ANSWERED} brackets and commas.")
    written = jsonrpc_message_adapter.dump_json(message, by_alias=True, exclude_unset=True)
    if len(written) > _LONGEST_REQUEST:  # control characters take six bytes, and JSON has none as they are
        raise HTTPException(413, _TOO_LONG)
    return written


def _ids(sent: dict[str, Any]) -> Iterator[object]:
    """By which its client knows a request, and its progress."""
    yield sent.get("id")
    params = sent.get("params")
    about = params.get("_meta") if isinstance(params, dict) else None
    if isinstance(about, dict):
        yield about.get("progressToken")


def _seconds(body: bytes) -> float:
    """How long the event loop is held at most until a message has been read and looked at."""
    return len(body) * _S_PER_BYTE + sum(body.count(mark) for mark in (b",", b"[", b"{")) * _S_PER_VALUE


def _once_more(body: bytes, receive: Receive) -> Receive:
    """What the client sends, from the beginning."""
    messages: list[Message] = [{"type": "http.request", "body": body}]

    async def receive_again() -> Message:
        return messages.pop() if messages else await receive()

    return receive_again


async def _run(manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[None]) -> None:
    async with manager.run():
        task_status.started()
        await sleep_forever()
