"""Standard input and output as a way to `/mcp`: each line is one message, and so is each answer."""

import asyncio
import json
import logging
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast
from urllib.parse import quote

import httpx

from corpora import CorpusError, Owner
from fletcher.errors import CommandError
from fletcher.mcp_messages import BadMessage, Message, answers, header, meta, params, read, with_id
from fletcher.owner import live_owner
from fletcher.settings import Settings
from fletcher.standard_streams import lines_of

logger = logging.getLogger(__name__)

_SESSION = "mcp-session-id"
_VERSION = "mcp-protocol-version"
_VERSION_IN_META = "io.modelcontextprotocol/protocolVersion"
_NAMED_BY = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
_TIMEOUT = httpx.Timeout(10, read=None)  # an answer comes when it comes
_LISTEN_AGAIN_S = 1.0
_UNEXPECTED = "Something went wrong in fletcher mcp; its standard error has the details."
_BROKEN_OFF, _INTERNAL_ERROR = -32000, -32603


class _Lost(Exception):
    """Whoever answered is gone, and has not begun what it was sent."""


@dataclass(frozen=True)
class Started:
    """What the assistant was started for."""

    workspace: str
    project: str | None = None
    file: Path | None = None
    operations: bool = False

    def headers(self) -> dict[str, str]:
        """The same for the server."""
        given = {
            "X-Fletcher-Workspace": self.workspace,
            "X-Fletcher-Project": self.project,
            "X-Fletcher-File": quote(str(self.file)) if self.file else None,
            "X-Fletcher-Tools": "operations" if self.operations else None,
        }
        return {name: value for name, value in given.items() if value is not None}


@dataclass
class _Session:
    """What has to be said again to another owner; clients since 2026 say everything in every message."""

    id: str | None = None
    version: str | None = None
    initialize: Message | None = None


@dataclass
class _Request:
    """One under way; `is_taken` once the server has it."""

    is_modern: bool
    is_taken: asyncio.Event = field(default_factory=asyncio.Event)
    task: "asyncio.Task[None] | None" = None


class Bridge:
    """Passes messages between an assistant and whoever owns the data directory; without an owner, this process is it.

    Args:
        settings: Where the data directory is.
        started: What the assistant was started for.
        write: Where answers go.
    """

    def __init__(self, settings: Settings, started: Started, write: IO[bytes]) -> None:
        self._settings = settings
        self._headers = _ACCEPT | started.headers()
        self._write = write
        self._opened = ExitStack()
        self._owner: Owner | None = None
        self._client = httpx.AsyncClient(timeout=_TIMEOUT, trust_env=False)
        self._session = _Session()
        self._requests: dict[Any, _Request] = {}
        self._listening: asyncio.Task[None] | None = None
        self._finding = asyncio.Lock()

    async def run(self, read: IO[bytes]) -> None:
        """Passes on until there is nothing more to read."""
        with self._opened:
            self._find_owner()
            try:
                async for line in lines_of(read):
                    await self._take(line)
            finally:
                await self._end()

    # --- what the assistant says -----------------------------------------------------------------------------------

    async def _take(self, line: bytes) -> None:
        try:
            message = read(line)
        except BadMessage as error:
            self._refuse(error.id, error.code, str(error))
            return
        await self._pass_on(message)

    async def _pass_on(self, message: Message) -> None:
        if message.get("method") == "notifications/cancelled" and await self._cancelled(message):
            return
        if "id" not in message or "method" not in message:  # a notification, or an answer of the assistant's
            await self._send(message, _Request(is_modern=False))
            if message.get("method") == "notifications/initialized":
                self._listening = asyncio.create_task(self._listen())
            return
        request = self._requests[message["id"]] = _Request(_VERSION_IN_META in meta(message))
        request.task = asyncio.create_task(self._send(message, request))
        request.task.add_done_callback(lambda _: self._requests.pop(message["id"], None))
        if message["method"] == "initialize":  # all that follows needs the session that it begins
            await asyncio.wait((request.task,))

    async def _cancelled(self, message: Message) -> bool:
        """Whether all that the notice asks for is done: since 2026 a request is cancelled by hanging up."""
        cancelled = params(message).get("requestId")
        request = self._requests.get(cancelled) if isinstance(cancelled, str | int) else None
        if request is None or request.task is None:
            return False
        if request.is_modern:
            request.task.cancel()
            return True
        await request.is_taken.wait()  # else it would come before what it cancels
        return False

    # --- what the owner answers ------------------------------------------------------------------------------------

    async def _send(self, message: Message, request: _Request) -> None:
        """Sends a message, to another owner if this one is gone, and passes on what is answered."""
        try:
            await self._sent_again_if_lost(message, request)
        except (httpx.HTTPError, _Lost, CommandError, CorpusError) as error:
            if "id" in message and "method" in message:
                self._refuse(message["id"], _BROKEN_OFF, _broken_off(error))
        except Exception:  # whoever has asked waits for an answer
            logger.exception("a message could not be passed on")
            if "id" in message and "method" in message:
                self._refuse(message["id"], _INTERNAL_ERROR, _UNEXPECTED)
        finally:
            request.is_taken.set()

    async def _sent_again_if_lost(self, message: Message, request: _Request) -> None:
        owner = self._owner
        try:
            await self._post(message, request)
        except (_Lost, httpx.ConnectError):
            await self._found_again(owner)
            await self._post(message, request)

    async def _post(self, message: Message, request: _Request) -> None:
        body = json.dumps(message).encode()  # escapes what no UTF-8 can say, such as half of a pair
        headers = self._headers_of(message)
        async with self._client.stream("POST", "/mcp", content=body, headers=headers) as response:
            # Our key, or our session, is not that of who answers now. Without sessions, a method is what is not found.
            not_ours = (401,) if request.is_modern else (401, 404)
            if response.status_code in not_ours and not (message.get("method") == "initialize"):
                raise _Lost
            request.is_taken.set()
            self._session.id = response.headers.get(_SESSION, self._session.id)
            async for answer in answers(response):
                self._note(message, answer)
                self._pass_back(with_id(answer, message) if response.is_error else answer)

    def _headers_of(self, message: Message) -> dict[str, str]:
        version = meta(message).get(_VERSION_IN_META)
        if version is None or message.get("method") == "initialize":
            given = {_SESSION: self._session.id, _VERSION: self._session.version}
            return {name: value for name, value in given.items() if value}
        method = str(message.get("method"))
        name = params(message).get(_NAMED_BY.get(method, ""))
        headers = {_VERSION: header(str(version)), "mcp-method": header(method)}
        return headers | ({"mcp-name": header(name)} if isinstance(name, str) else {})

    def _note(self, message: Message, answer: Message) -> None:
        """Keeps what a session begins with."""
        result = answer.get("result")
        if message.get("method") == "initialize" and isinstance(result, dict):
            self._session.version = str(cast("Message", result).get("protocolVersion"))
            self._session.initialize = message

    async def _listen(self) -> None:
        """Passes on what the server says unasked, for as long as there is a session."""
        while True:
            with suppress(httpx.HTTPError):
                headers = self._headers_of({})
                async with self._client.stream("GET", "/mcp", headers=headers) as response:
                    if response.is_success:
                        async for said in answers(response):
                            self._pass_back(said)
            await asyncio.sleep(_LISTEN_AGAIN_S)

    def _pass_back(self, message: Message) -> None:
        self._write.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self._write.flush()

    def _refuse(self, request_id: Any, code: int, message: str) -> None:
        self._pass_back({"jsonrpc": "2.0", "id": request_id, "error": {"code": code, "message": message}})

    # --- the owner -------------------------------------------------------------------------------------------------

    def _find_owner(self) -> None:
        self._owner = owner = self._opened.enter_context(live_owner(self._settings))
        self._client.base_url = owner.url or ""
        self._client.headers.update(self._headers | {"Authorization": f"Bearer {owner.key}"})

    async def _found_again(self, lost: Owner | None) -> None:
        """Finds the next owner, or becomes it, and begins the session again that the assistant believes to have."""
        async with self._finding:
            if self._owner is lost:
                self._opened.close()
                self._find_owner()
            elif self._session.id is not None:
                return
            if (initialize := self._session.initialize) is not None:
                self._session = _Session(initialize=initialize, version=None)
                await self._begin_again(initialize)

    async def _begin_again(self, initialize: Message) -> None:
        async with self._client.stream("POST", "/mcp", content=json.dumps(initialize).encode()) as response:
            self._session.id = response.headers.get(_SESSION)
            async for answer in answers(response):
                self._note(initialize, answer)
        await self._post({"jsonrpc": "2.0", "method": "notifications/initialized"}, _Request(is_modern=False))

    async def _end(self) -> None:
        """The assistant is gone, and what it has asked for with it."""
        tasks = [request.task for request in self._requests.values()] + [self._listening]
        running = [task for task in tasks if task is not None]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        if self._session.id is not None:
            with suppress(httpx.HTTPError):
                await self._client.delete("/mcp", headers=self._headers_of({}))
        await self._client.aclose()


def _broken_off(error: Exception) -> str:
    if isinstance(error, CommandError | CorpusError):
        return str(error)
    return (
        "Fletcher has ended while it worked on this, and whether it was done is not known. Look at the story or the "
        "documents, then call again."
    )
