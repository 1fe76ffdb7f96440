"""One client's conversation over the socket: a small state machine around the turns."""

import asyncio
import base64
import binascii
import logging
from collections.abc import Awaitable, Callable, Iterable
from contextlib import aclosing
from enum import Enum

from agent import Asked, Event, Turn, TurnRequest
from arrow_project import ArrowProject, ParseError, parse
from corpora import CorpusError, ProjectKey
from ingest import Source, unnamed
from server.dialects import Dialect
from server.dialects.dialect import Frame
from server.messages import (
    ClientMessage,
    DesignDocSync,
    FileSync,
    FunctionResult,
    MessageError,
    Stop,
    UserMessage,
    decode,
)
from server.remote_editor import RemoteEditor
from server.reports import in_words
from server.services import CatalogPendings, Services, stricter

logger = logging.getLogger(__name__)

_NO_PROJECT = "-1"
_INTERNAL = "INTERNAL: Something went wrong in the server; its log has the details."


class State(Enum):
    """What a session is doing.

    IDLE -> PROCESSING (a user message) -> EXECUTING (a function call is out) -> PROCESSING ... -> IDLE (`end`)
    """

    IDLE = "idle"
    PROCESSING = "processing"
    EXECUTING = "executing"


class Session:
    """The messages of one socket, in order, and at most one turn at a time.

    Args:
        send: Sends one frame to the client.
        dialect: The client's wire form.
        workspace: What the client's token opened.
        services: The parts of the server.
    """

    def __init__(
        self, send: Callable[[Frame], Awaitable[None]], dialect: Dialect, workspace: str, services: Services
    ) -> None:
        self._send = send
        self._dialect = dialect
        self._workspace = workspace
        self._services = services
        self._projects: dict[str, ArrowProject] = {}
        self._last_project = _NO_PROJECT
        self._turn_project = _NO_PROJECT  # whose results may still come in after the turn
        self._pending_id: str | None = None
        self._turn: asyncio.Task[None] | None = None
        self._turn_is_open = False
        self._running: Turn | None = None
        self._editor = RemoteEditor(dialect, send, services.limits.call_timeout_s)
        self._uploads: set[asyncio.Task[None]] = set()

    @property
    def state(self) -> State:
        """What the session is doing now."""
        if self._turn is None or self._turn.done():
            return State.IDLE
        return State.EXECUTING if self._editor.is_waiting else State.PROCESSING

    async def receive(self, text: str) -> None:
        """Handles one text frame; whatever is wrong with it is said, and the connection lives."""
        try:
            await self._handle(decode(text))
        except (MessageError, CorpusError) as error:
            await self._say(f"{error.code}: {error}")
            if isinstance(error, MessageError) and error.message_type == "user_message" and self.state is State.IDLE:
                await self._send_all(self._dialect.turn_ended())
        except Exception:
            logger.exception("a message failed unexpectedly")
            await self._say(_INTERNAL)

    async def close(self) -> None:
        """The client is gone: its turn ends; its uploads are finished."""
        await self._stop_turn()
        await asyncio.gather(*self._uploads, return_exceptions=True)

    async def _handle(self, message: ClientMessage) -> None:
        match message:
            case FileSync():
                await self._sync_file(message.project_id, message.arrow_content)
            case DesignDocSync():
                self._start_upload(message)
            case UserMessage():
                await self._start_turn(message)
            case FunctionResult():
                if not self._editor.resolve(message) and message.arrow_content:
                    await self._sync_file(self._turn_project, message.arrow_content)
            case Stop():
                await self._stop()

    # --- the client's files ----------------------------------------------------------------------------------------

    async def _sync_file(self, project_id: str, content: str) -> None:
        try:
            project = await asyncio.to_thread(parse, content)
        except ParseError as error:
            raise MessageError(error.code, f"{error} The content known before is kept.") from error
        self._projects[project_id] = project
        self._last_project = project_id
        if self._running is not None and project_id == self._turn_project:
            self._running.context.project = project  # newer than the shadow of the turn that goes on

    def _start_upload(self, message: DesignDocSync) -> None:
        task = asyncio.create_task(self._upload(message))
        self._uploads.add(task)
        task.add_done_callback(self._uploads.discard)

    async def _upload(self, message: DesignDocSync) -> None:
        name = message.file_name or "the document"
        try:
            key = ProjectKey(self._workspace, message.project_id)
            source = await asyncio.to_thread(_source, message)
            report = await asyncio.to_thread(self._services.ingestor.add, key, [source])
        except binascii.Error:
            await self._say(
                f"INVALID_BASE64: {name}: file_content is not base64; send the file's bytes encoded as base64."
            )
        except CorpusError as error:
            await self._say(f"{error.code}: {name}: {error}")
        except Exception:
            logger.exception("an upload failed unexpectedly")
            await self._say(f"INTERNAL: {name} could not be taken in; the server's log has the details.")
        else:
            self._services.embedding.submit(key)
            await self._say(in_words(report))

    # --- turns -----------------------------------------------------------------------------------------------------

    async def _start_turn(self, message: UserMessage) -> None:
        if self.state is not State.IDLE:
            await self._say("BUSY: The last message is still being worked on. Wait for its end, or send stop.")
            return
        self._turn_is_open = True
        await self._send_all(self._dialect.turn_started())
        self._turn = asyncio.create_task(self._run_turn(message))

    async def _run_turn(self, message: UserMessage) -> None:
        try:
            project_id = self._turn_project = message.current_project_id or self._last_project
            request = await self._request(message, project_id)
            await self._follow(request, project_id)
        except (MessageError, CorpusError) as error:
            await self._say(f"{error.code}: {error}")
        except Exception:
            logger.exception("a turn failed unexpectedly")
            await self._say(_INTERNAL)
        finally:
            await self._end_turn()

    async def _request(self, message: UserMessage, project_id: str) -> TurnRequest:
        if message.arrow_content:
            await self._sync_file(project_id, message.arrow_content)
        key = None if project_id == _NO_PROJECT else ProjectKey(self._workspace, project_id)
        project = self._projects.get(project_id)
        if project is None and self._uploads:  # what makes the project known may still be on its way
            await asyncio.wait(set(self._uploads))
        if project is None and (key is None or not await asyncio.to_thread(self._services.catalog.has_project, key)):
            problem = "No project is open" if key is None else f"Project {project_id} is not known here"
            raise MessageError(
                "PROJECT_NOT_FOUND",
                f"{problem}. Send its .arrow content (file_sync) or a design document (design_doc_sync) first.",
            )
        pending_id, self._pending_id = message.pending_id or self._pending_id, None
        return TurnRequest(
            key=key,
            message=message.message,
            project=project,
            history=tuple(message.history),
            selected_node_ids=tuple(node for node in message.selected_node_ids if node is not None),
            scene_id=message.current_scene_id,
            function=message.function,
            function_params=message.function_params or {},
            pending_id=pending_id,
            confirm=stricter(self._services.confirm, message.confirm),
            plan=message.mode == "plan",
        )

    async def _follow(self, request: TurnRequest, project_id: str) -> None:
        """Sends the turn's events. What it did to the shadow stays; when it is stopped, the client rolls back.

        A plan is only tried on a copy.
        """
        pendings = CatalogPendings(self._services.catalog, self._workspace, project_id)
        turn = self._services.assistant.turn(request, self._editor, pendings)
        checkpoint = request.project.checkpoint() if request.project else None
        self._running = None if request.plan else turn
        try:
            async with aclosing(turn.run()) as events:
                async for event in events:
                    await self._tell(event)
        except asyncio.CancelledError:
            if request.project is not None and checkpoint is not None:
                request.project.rollback(checkpoint)
                self._projects[project_id] = request.project
            raise
        finally:
            self._running = None
        if turn.context.project is not None and not request.plan:
            self._projects[project_id] = turn.context.project

    async def _tell(self, event: Event) -> None:
        if isinstance(event, Asked):
            self._pending_id = event.pending_id
        await self._send_all(self._dialect.event(event))

    async def _stop(self) -> None:
        if self.state is State.IDLE:
            self._turn_is_open = True  # a stop that comes too late is answered too
        await self._stop_turn()
        await self._end_turn()

    async def _stop_turn(self) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.cancel()
            await asyncio.gather(self._turn, return_exceptions=True)

    async def _end_turn(self) -> None:
        if self._turn_is_open:
            await self._send_all(self._dialect.turn_ended())
            self._turn_is_open = False  # not before: a stop that comes while this is being sent sends it again

    # --- frames ----------------------------------------------------------------------------------------------------

    async def _say(self, text: str) -> None:
        await self._send_all(self._dialect.say(text))

    async def _send_all(self, frames: Iterable[Frame]) -> None:
        for frame in frames:
            await self._send(frame)


def _source(message: DesignDocSync) -> Source:
    data = base64.b64decode("".join(message.file_content.split()).encode(), validate=True)
    return Source(message.file_name, data) if message.file_name else unnamed(data)
