"""One client's conversation over the socket: its messages in order, and at most one turn at a time."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from agent import (
    Asked,
    Ended,
    Event,
    Exchange,
    Failure,
    Suggested,
    Suggestion,
    TextFinished,
    TurnRequest,
    Usage,
    in_thread,
)
from arrow_project import fingerprint
from corpora import CorpusError, ProjectKey
from server.access import AccessDenied
from server.dialects import DIALECTS, MAX_FRAME_BYTES, Client, Dialect, Frame, PlainDialect, View, without_appendix
from server.headroom import Headroom
from server.messages import (
    ClientMessage,
    Confirmation,
    DesignDocSync,
    FileSync,
    FunctionResult,
    Hello,
    MessageError,
    Stop,
    UserMessage,
    decode,
)
from server.open_turn import OpenTurn
from server.remote_editor import RemoteEditor
from server.services import CatalogPendings, Services, policy_for
from server.state import State, StateMachine
from server.stopped_turn import StoppedTurn
from server.stories import NO_PROJECT, Stories
from server.turn_ledger import TurnRecord
from server.turn_rate import TooManyTurns
from server.uploads import Uploads
from server.version import VERSION

logger = logging.getLogger(__name__)

_INTERNAL = Failure("INTERNAL", "Something went wrong in the server; its log has the details.")
_NOT_TEXT = "A message must be a text frame with one JSON object, and this was a binary frame."
_BUSY = Failure("BUSY", "The last message is still being worked on. Wait for its end, or send stop.")
_CAPABILITIES = ("batch", "confirm", "progress", "citations", "offset", "preview")
_SMALLEST_FRAME_BYTES = 1000
# What is longer is decoded beside the event loop, so that the other clients notice nothing.
_DECODED_AT_ONCE = 100_000
# Of how many turns a result may still come in late.
_TURNS_REMEMBERED = 20


class Session:
    """What one client sends and is sent.

    Args:
        send: Sends one frame to the client.
        dialect: The name of the client's wire form; None where the address does not say it.
        workspace: What the client's token opened.
        workspace_of: The workspace that a token opens which comes later.
        services: The parts of the server.
    """

    def __init__(
        self,
        send: Callable[[Frame], Awaitable[None]],
        dialect: str | None,
        workspace: str,
        workspace_of: Callable[[str], str],
        services: Services,
    ) -> None:
        self._send = send
        self._dialect_name = dialect
        self._dialect: Dialect = DIALECTS[dialect](Client()) if dialect else PlainDialect(Client())
        self._workspace = workspace
        self._workspace_of = workspace_of
        self._services = services
        self._machine = StateMachine()
        self._sending = asyncio.Lock()
        self._stories = Stories(workspace, services.story_room)
        self._turn_project = NO_PROJECT
        self._asked: deque[tuple[str, set[str]]] = deque(maxlen=_TURNS_REMEMBERED)  # projects, and requests about them
        self._last_message: UserMessage | None = None
        self._asking: dict[str, str] = {}  # the open question of each project
        self._suggested: dict[str, Suggestion] = {}  # by what the last turn's suggestions are called
        self._unseen: dict[str, str] = {}  # stories from before a turn whose outcome the client has not shown yet
        self._turn: OpenTurn | None = None
        self._headroom = Headroom()
        self._uploads = Uploads(send, lambda: self._dialect, lambda: self._workspace, services)

    @property
    def state(self) -> State:
        """What the session is doing now."""
        return self._machine.state

    @property
    def workspace(self) -> str:
        """Whose messages these are: what the client's last token opened."""
        return self._workspace

    async def receive(self, text: str | None) -> None:
        """Handles one text frame, or a binary one (None); whatever is wrong with it is said, and the connection lives.

        Raises:
            AccessDenied: A `hello` brought a token that opens nothing.
        """
        try:
            if text is None:
                raise MessageError("INVALID_JSON", _NOT_TEXT)
            self._headroom.note(text)
            message = await in_thread(decode, text) if len(text) > _DECODED_AT_ONCE else decode(text)
            await self._handle(message)
        except (MessageError, CorpusError) as error:
            await self._say_error(Failure(error.code, str(error)))
            if isinstance(error, MessageError) and error.starts_turn and self.state is State.IDLE:
                await self._send_all(self._dialect.turn_ended("error", Usage()))
        except AccessDenied:
            raise
        except Exception:
            logger.exception("a message failed unexpectedly")
            await self._say_error(_INTERNAL)

    async def close(self) -> None:
        """The client is gone: its turn ends; its uploads are finished."""
        await self._cancel_turn()
        self._stories.close()
        await self._uploads.close()

    async def _handle(self, message: ClientMessage) -> None:
        match message:
            case Hello():
                await self._greet(message)
            case FileSync():
                await self._sync_file(message.project_id or NO_PROJECT, message.arrow_content)
            case DesignDocSync():
                await self._uploads.start(message)
            case UserMessage():
                await self._start_turn(message)
            case Confirmation():
                await self._start_turn(self._as_message(message))
            case FunctionResult():
                await self._take_result(message)
            case Stop():
                await self._stop()

    # --- who the client is -----------------------------------------------------------------------------------------

    async def _greet(self, hello: Hello) -> None:
        if self.state is not State.IDLE:
            await self._say_error(_BUSY)
            return
        if hello.token is not None:
            self._enter(self._workspace_of(hello.token))
        if hello.dialect is not None and hello.dialect not in DIALECTS:
            known = ", ".join(DIALECTS)
            raise MessageError("UNKNOWN_DIALECT", f"There is no dialect {hello.dialect[:40]!r}. Known: {known}.")
        name = hello.dialect or self._dialect_name
        limit = MAX_FRAME_BYTES if hello.max_frame_bytes is None else hello.max_frame_bytes
        limit = min(max(limit, _SMALLEST_FRAME_BYTES), self._services.limits.message_bytes)
        self._speak(name, Client(frozenset(hello.capabilities) & frozenset(_CAPABILITIES), limit))
        await self._send_all(
            [
                {
                    "type": "connected",
                    "version": VERSION,
                    "workspace": self._workspace,
                    "capabilities": list(_CAPABILITIES),
                    "max_frame_bytes": limit,
                }
            ]
        )

    def _enter(self, workspace: str) -> None:
        if workspace != self._workspace:
            self._stories.close()
            self._workspace, self._stories = workspace, Stories(workspace, self._services.story_room)
            self._turn_project = NO_PROJECT
            self._last_message = None
            self._asking.clear()
            self._suggested.clear()
            self._unseen.clear()
            self._asked.clear()

    def _speak(self, name: str | None, client: Client) -> None:
        self._dialect_name = name
        self._dialect = DIALECTS[name](client) if name else PlainDialect(client)

    # --- the client's files ----------------------------------------------------------------------------------------

    async def _sync_file(self, project_id: str, content: str) -> None:
        project = await self._stories.read(project_id, content)
        if unseen := self._unseen.pop(project_id, None):
            pendings = CatalogPendings(self._services.catalog, self._workspace, project_id)
            await in_thread(lambda: pendings.keep_before(unseen, fingerprint(project)))
        if self._turn is not None and self._turn.running is not None and project_id == self._turn.project_id:
            self._turn.running.context.project = project  # newer than the shadow of the turn that goes on

    async def _take_result(self, result: FunctionResult) -> None:
        if self._turn is not None and self._turn.editor.resolve(result):
            return
        if result.arrow_content:  # of a call that nobody waits for any more; what it says of the story is true
            projects = (project_id for project_id, requests in self._asked if result.request_id in requests)
            await self._sync_file(next(projects, self._turn_project), result.arrow_content)

    # --- turns -----------------------------------------------------------------------------------------------------

    def _as_message(self, confirmation: Confirmation) -> UserMessage:
        """An answer by button as the same answer in words, in the situation of the message that was asked about."""
        words = confirmation.message if confirmation.decision == "modify" else confirmation.decision
        pending_id = confirmation.request_id or self._asking.get(self._turn_project)
        if pending_id is None and self.state is State.IDLE:  # or else it comes too early, which is said of any message
            problem = "There is no open question to answer. Send what you want as a user_message."
            raise MessageError("NOT_PENDING", problem, "confirmation")
        asked = {"message": words, "pending_id": pending_id}
        if self._last_message is None:
            return UserMessage(type="user_message", message=words, pending_id=pending_id)
        kept = {"function": None, "function_params": None, "mode": "apply"}
        return self._last_message.model_copy(update=asked | kept)

    async def _start_turn(self, message: UserMessage) -> None:
        if self.state is not State.IDLE:
            await self._say_error(_BUSY)
            return
        if self._dialect_name is None:
            self._speak(message.shape, self._dialect.client)
        self._machine.move(State.PROCESSING)
        project_id = self._turn_project = message.current_project_id or self._stories.last
        self._last_message = message.model_copy(update={"arrow_content": None})
        turn = self._turn = OpenTurn(f"turn_{secrets.token_hex(8)}", project_id, self._editor_for(message))
        self._asked.append((project_id, turn.editor.request_ids))
        await self._send_all(self._dialect.turn_started(turn.id))
        warning = self._headroom.warning(self._dialect.longest_sent)
        if warning is not None:  # in the turn's own text: the client keeps one message of each turn
            await self._send_all(self._dialect.event(TextFinished(warning)))
        turn.task = asyncio.create_task(self._run_turn(turn, message))

    def _editor_for(self, message: UserMessage) -> RemoteEditor:
        scene_id = message.current_scene_id

        def view(content: str | None) -> View:
            assert self._turn is not None
            assert self._turn.running is not None
            project = self._turn.running.context.project
            assert project is not None
            return View(project, scene_id, content)

        editor = RemoteEditor(
            self._dialect, self._send_one, self._machine.move, view, self._services.limits.call_timeout_s
        )
        editor.last_content = message.arrow_content or None
        return editor

    async def _run_turn(self, turn: OpenTurn, message: UserMessage) -> None:
        try:
            with self._services.ledger.turn(self._workspace, turn.project_id, self._dialect_name or "") as record:
                request = await self._request(message, turn.project_id)
                record.begin(request)
                await self._follow(turn, request, record)
        except (MessageError, CorpusError, TooManyTurns) as error:
            await self._tell(turn, self._dialect.error(Failure(error.code, str(error))))
        except Exception:
            logger.exception("a turn failed unexpectedly")
            await self._tell(turn, self._dialect.error(_INTERNAL))
        if self._turn is turn:
            turn.editor.close()
            self._turn = None
            self._machine.move(State.IDLE)
            await self._send_all(self._dialect.turn_ended(turn.reason, turn.usage))

    async def _request(self, message: UserMessage, project_id: str) -> TurnRequest:
        if message.arrow_content:
            await self._sync_file(project_id, message.arrow_content)
        await self._stories.settled()
        key = None if project_id == NO_PROJECT else ProjectKey(self._workspace, project_id)
        self._stories.refuse_forgotten(project_id)
        project = self._stories.get(project_id)
        if project is None and not await self._has_documents(key):
            await self._uploads.settled(project_id)  # what makes it known may still be on its way
        if project is None and not await self._has_documents(key):
            problem = "No project is open" if key is None else f"Project {project_id} is not known here"
            raise MessageError(
                "PROJECT_NOT_FOUND",
                f"{problem}. Send its .arrow content (file_sync) or a design document (design_doc_sync) first.",
            )
        asked = self._asking.pop(project_id, None)
        function, params = message.function, message.function_params or {}
        chosen = self._suggested.get(message.message.strip().removeprefix("- "))
        if function is None and chosen is not None:
            function, params = chosen.function, dict(chosen.params)
        self._suggested = {}
        return TurnRequest(
            key=key,
            message=message.message,
            project=project,
            history=tuple(Exchange(past.message, without_appendix(past.output)) for past in message.history),
            selected_node_ids=tuple(node for node in message.selected_node_ids if node is not None),
            scene_id=message.current_scene_id,
            function=function,
            function_params=params,
            pending_id=message.pending_id or asked,
            confirm=policy_for(self._services.confirm, message.confirm, message.function),
            being_read=self._services.intake.under_way(key) if key else (),
            plan=message.mode == "plan",
        )

    async def _has_documents(self, key: ProjectKey | None) -> bool:
        if key is None:
            return False
        return await self._services.asking.run(key.workspace, partial(self._services.catalog.has_project, key))

    async def _follow(self, open_turn: OpenTurn, request: TurnRequest, record: TurnRecord) -> None:
        """Sends the turn's events. What it did to the shadow stays, unless it is stopped; a plan does nothing to it."""
        pendings = CatalogPendings(self._services.catalog, self._workspace, open_turn.project_id)

        async def show(event: Event) -> None:
            record.add(event)
            await self._show(open_turn, event)

        turn = self._services.assistant.turn(request, open_turn.editor, pendings, show)
        open_turn.project = request.project
        open_turn.checkpoint = request.project.checkpoint() if request.project else 0
        open_turn.running = None if request.plan else turn
        await turn.run()
        if self._turn is open_turn and turn.context.project is not None and not request.plan:
            self._stories.put(open_turn.project_id, turn.context.project)

    async def _show(self, turn: OpenTurn, event: Event) -> None:
        match event:
            case Ended(reason=reason, usage=usage, unseen_before=unseen):
                turn.reason, turn.usage = reason, usage
                if unseen is not None:
                    self._unseen.setdefault(turn.project_id, unseen)
            case Asked(pending_id=pending_id):
                self._asking[turn.project_id] = pending_id
            case Suggested(suggestions=suggestions):
                self._suggested = {suggestion.label: suggestion for suggestion in suggestions}
            case _:
                pass
        await self._tell(turn, self._dialect.event(event))

    # --- stop ------------------------------------------------------------------------------------------------------

    async def _stop(self) -> None:
        """Ends what runs. Whoever stops does not mean to say yes afterwards, so an open question goes with it."""
        turn = await self._cancel_turn()
        await self._drop_question()
        if turn is not None:
            await self._send_all(await StoppedTurn(turn, self._stories, self._dialect).settle())
        await self._send_all(self._dialect.turn_ended("stopped", Usage()))  # a stop that comes too late is answered too

    async def _cancel_turn(self) -> OpenTurn | None:
        turn, self._turn = self._turn, None
        if turn is None:
            return None
        turn.editor.close()
        self._machine.move(State.IDLE)
        await turn.cancel()
        return turn

    async def _drop_question(self) -> None:
        pending_id = self._asking.pop(self._turn_project, None)
        if pending_id is not None:
            pendings = CatalogPendings(self._services.catalog, self._workspace, self._turn_project)
            await in_thread(pendings.take, pending_id)

    # --- frames ----------------------------------------------------------------------------------------------------

    async def _tell(self, turn: OpenTurn, frames: Iterable[Frame]) -> None:
        if self._turn is turn:
            await self._send_all(frames)

    async def _say_error(self, failure: Failure) -> None:
        await self._send_all(self._dialect.error(failure))

    async def _send_one(self, frame: Frame) -> None:
        await self._send_all((frame,))

    async def _send_all(self, frames: Iterable[Frame]) -> None:
        async with self._sending:  # what belongs together is not torn apart
            for frame in frames:
                await self._send(frame)
