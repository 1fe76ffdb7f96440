"""One client of the socket: its messages in order, and at most one turn at a time."""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial

from agent import (
    Ended,
    Event,
    Failed,
    Failure,
    LocalPlanner,
    TextFinished,
    TurnRequest,
    Usage,
    in_thread,
    in_thread_if_large,
)
from arrow_project import ArrowProject, ParseError, parse
from corpora import CorpusError
from server.access.rules import AccessDenied
from server.dialects import DIALECTS, MAX_FRAME_BYTES, Client, Dialect, Frame, PlainDialect, View
from server.limits.headroom import Headroom
from server.limits.story_size import size_of_request, size_of_words, size_once_read
from server.limits.turn_rate import TooManyTurns
from server.limits.turn_room import NoRoomForTurn
from server.services import CatalogPendings, Services
from server.socket.conversation import Conversation
from server.socket.editors import Guest, Situation
from server.socket.messages import (
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
from server.socket.open_turn import OpenTurn
from server.socket.remote_editor import ANOTHER_STORY, NOT_FOLLOWED, WRITTEN_MEANWHILE, RemoteEditor
from server.socket.state import State, StateMachine
from server.socket.stopped_turn import StoppedTurn
from server.socket.stories import NO_PROJECT
from server.socket.uploads import Uploads
from server.turn_ledger import TurnRecord
from server.version import VERSION

logger = logging.getLogger(__name__)

_INTERNAL = Failure("INTERNAL", "Something went wrong in the server; its log has the details.")
_NOT_TEXT = "A message must be a text frame with one JSON object, and this was a binary frame."
_BUSY = Failure("BUSY", "The last message is still being worked on. Wait for its end, or send stop.")
_CAPABILITIES = ("batch", "confirm", "progress", "citations", "offset", "preview", "assistant")
_SMALLEST_FRAME_BYTES = 1000
_SENT_AT_ONCE = 10  # frames
_DECODED_AT_ONCE = 2_000  # characters, some tenths of a millisecond
_STORY = '"arrow_content"'  # in what is no message, and may be one with a story all the same
_LARGEST_FRAME_BYTES = 4 * 2**20  # nobody else is served while one is written


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
        self._workspace_of = workspace_of
        self._services = services
        self._machine = StateMachine()
        self._sending = asyncio.Lock()
        self._conversation = Conversation(workspace, services)
        self._turn: OpenTurn | None = None
        self._ended_in: str | None = None  # the project of a turn that the client may not know to have ended
        self._arrived = 0  # the number, as of a story, of the message that is handled
        self._story_number: int | None = None  # by which the client knows the story that it has shown last
        self._stopping = asyncio.Lock()
        self._headroom = Headroom()
        self._uploads = Uploads(send, lambda: self._dialect, lambda: self.workspace, services)
        self.id = secrets.token_hex(4)
        self.client = ""
        self.situation = Situation()

    @property
    def state(self) -> State:
        """What the session is doing now."""
        return self._machine.state

    @property
    def workspace(self) -> str:
        """Whose messages these are: what the client's last token opened."""
        return self._conversation.workspace

    @property
    def project_id(self) -> str:
        """The project that the client has shown last."""
        return self._conversation.stories.last

    @property
    def _story(self) -> ArrowProject | None:
        return self._conversation.stories.get(self.project_id)

    @property
    def has_story(self) -> bool:
        """Whether the client has shown one."""
        return self.project_id != NO_PROJECT and self._story is not None

    @property
    def story_version(self) -> tuple[str, int, int]:
        """Another one once the story that the client shows is another one."""
        project = self._story
        return self.project_id, id(project), project.checkpoint() if project else 0

    @property
    def dialect_name(self) -> str:
        """What the client speaks; empty as long as that is not known."""
        return self._dialect_name or ""

    async def receive(self, text: str | None) -> None:
        """Handles one text frame, or a binary one (None); whatever is wrong with it is said, and the connection lives.

        Raises:
            AccessDenied: A `hello` brought a token that opens nothing.
        """
        stories = self._conversation.stories
        self._arrived = stories.comes()
        with stories.unread.reading():  # whatever it is, a story may stand behind it
            await self._services.rounds.wait(self.workspace)
            await self._receive(text)

    async def _receive(self, text: str | None) -> None:
        try:
            if text is None:
                raise MessageError("INVALID_JSON", _NOT_TEXT)
            self._headroom.note(text)
            await self._handle(await self._decoded(text))
        except (MessageError, CorpusError) as error:
            await self._say_error(Failure(error.code, str(error)))
            if isinstance(error, MessageError) and error.starts_turn:
                await self._end_where_none_ends()
        except AccessDenied:
            raise
        except Exception:
            logger.exception("a message failed unexpectedly")
            await self._say_error(_INTERNAL)

    async def _decoded(self, text: str) -> ClientMessage:
        try:
            if len(text) < _DECODED_AT_ONCE:
                return decode(text)
            return await self._services.paces[self.workspace].read(partial(decode, text))
        except MessageError:
            if _STORY in text:
                self._lose_track()
            raise

    async def close(self) -> None:
        """The client is gone: its turn ends; its uploads are finished."""
        await self._cancel_turn()
        self._conversation.close()
        self.situation = Situation()
        await self._uploads.close()

    async def _stop_is_told(self) -> None:
        """Waits for the end of a turn that is being stopped, an assistant's: what follows at once finds none."""
        async with self._stopping:
            pass

    async def _handle(self, message: ClientMessage) -> None:
        if isinstance(message, FileSync | UserMessage | FunctionResult) and message.story_number is not None:
            self._story_number = message.story_number
        if isinstance(message, Hello | UserMessage | Confirmation):
            await self._stop_is_told()
        match message:
            case Hello():
                await self._greet(message)
            case FileSync():
                await self._take_story(message, message.project_id or NO_PROJECT)
            case DesignDocSync():
                await self._uploads.start(message)
            case UserMessage():
                task = await self._start_turn(message)
                if task is None and self._turn is not None:  # it was refused, and shows what is open all the same
                    await self._take_story(message, message.current_project_id or self.project_id)
            case Confirmation():
                # One that comes too early is refused as any message is then.
                is_idle = self.state is State.IDLE
                await self._start_turn(
                    self._conversation.as_message(message, self.situation.confirm, may_be_early=not is_idle)
                )
            case FunctionResult():
                await self._take_result(message)
            case Stop():
                await self._stop()

    # --- who the client is -----------------------------------------------------------------------------------------

    async def _greet(self, hello: Hello) -> None:
        if self.state is not State.IDLE:
            await self._say_error(self._busy)
            return
        if hello.token is not None and (workspace := self._workspace_of(hello.token)) != self.workspace:
            self._conversation.close()
            self._conversation, self._ended_in = Conversation(workspace, self._services), None
        if hello.dialect is not None and hello.dialect not in DIALECTS:
            known = ", ".join(DIALECTS)
            raise MessageError("UNKNOWN_DIALECT", f"There is no dialect {hello.dialect[:40]!r}. Known: {known}.")
        self.client = hello.client or self.client
        name = hello.dialect or self._dialect_name
        limit = MAX_FRAME_BYTES if hello.max_frame_bytes is None else hello.max_frame_bytes
        limit = min(max(limit, _SMALLEST_FRAME_BYTES), _LARGEST_FRAME_BYTES, self._services.limits.message_bytes)
        self._speak(name, Client(frozenset(hello.capabilities) & frozenset(_CAPABILITIES), limit))
        await self._send_all(
            [
                {
                    "type": "connected",
                    "version": VERSION,
                    "workspace": self.workspace,
                    "capabilities": list(_CAPABILITIES),
                    "max_frame_bytes": limit,
                }
            ]
        )

    def _speak(self, name: str | None, client: Client) -> None:
        self._dialect_name = name
        self._dialect = DIALECTS[name](client) if name else PlainDialect(client)

    # --- the client's files ----------------------------------------------------------------------------------------

    async def _take_story(self, message: FileSync | UserMessage, project_id: str) -> None:
        self.situation, self._conversation.open_project = Situation.of(message), project_id
        if self._turn is not None and project_id != self._turn.project_id:
            self._turn.editor.leave(ANOTHER_STORY)  # at once, and whether or not the other story can be read
        content = message.arrow_content
        if content or (content is not None and isinstance(message, FileSync)):
            await self._sync_file(project_id, content)

    async def _sync_file(self, project_id: str, content: str, came: int = 0, *, is_late: bool = False) -> None:
        parts, stories = self._turn.editor.parts_asked if self._turn is not None else 0, self._conversation.stories
        number, conversation = came or stories.comes(), self._conversation
        try:
            project = await conversation.read(project_id, content, number, is_late=is_late)
            if self._conversation is not conversation:  # the client has brought another token meanwhile
                return
            turn = self._turn
            if turn is not None and turn.running is not None and project_id == turn.project_id:
                came = stories.came(project_id)
                if came == number:  # else a later one has been read
                    turn.editor.last_content = content
                turn.weigh(stories.size(project_id))
                if await self._may_go_on(turn, project):
                    may_be_half = not await turn.running.follow(project, came) and parts > 0
                else:  # then there is no part after the one that the client is asked for
                    turn.running.take(project, came)
                    may_be_half = parts > 1
                if may_be_half:
                    turn.running.note_half(came)
                turn.shown = project
            elif turn is not None and turn.has_no_end and not turn.editor.request_ids:
                turn.editor.leave(WRITTEN_MEANWHILE)  # what was to be taken back need not be the last any more
        except (MessageError, CorpusError):
            turn = self._turn
            if turn is not None and project_id == turn.project_id:
                self._do_not_follow(turn)
            raise

    async def _may_go_on(self, turn: OpenTurn, shown: ArrowProject | str) -> bool:
        """Between two calls of one operation nobody else looks at what has come into the story."""
        if turn.running is None or not turn.editor.has_more or turn.editor.left is ANOTHER_STORY:
            return True
        try:
            project = await in_thread(parse, shown) if isinstance(shown, str) else shown
        except ParseError:  # and so nobody knows what the rest would take away
            self._do_not_follow(turn)
            return False
        if not await turn.running.would_lose(project):
            return True
        turn.editor.leave(WRITTEN_MEANWHILE)
        return False

    def _lose_track(self) -> None:
        """A story has come of which not even the project is known."""
        self._do_not_follow(self._turn)
        stories, self._conversation.open_project = self._conversation.stories, None
        stories.has_come(None, stories.comes())

    def _do_not_follow(self, turn: OpenTurn | None) -> None:
        """A turn cannot have the story that the client shows now, and must not go on with the one from before."""
        if turn is None:
            return
        if turn.editor.left is None:
            turn.editor.leave(NOT_FOLLOWED)
        if turn.running is not None:  # before what is shown from now on, nobody knows what came of it
            turn.running.note_half(self._conversation.stories.comes())

    async def _take_result(self, result: FunctionResult) -> None:
        turn, content, project_id = self._turn, result.arrow_content, self._conversation.project_of(result)
        came = self._has_another_story(project_id) if content else 0
        if content and turn is not None and turn.editor.waits_for(result) and not await self._takes(turn, content):
            try:
                await self._sync_file(turn.project_id, content, came, is_late=True)
            finally:
                turn.editor.resolve(result.model_copy(update={"arrow_content": None}), came)
            return
        if turn is not None and turn.editor.resolve(result, came):
            return
        try:
            if result.success and project_id is not None:
                await self._keep_known(project_id)
        finally:
            await self._take_late(result, project_id, came)

    async def _take_late(self, result: FunctionResult, project_id: str | None, came: int) -> None:
        """Of a call that nobody waits for any more, what it says of the story is true."""
        turn, content = self._turn, result.arrow_content
        if content and project_id is not None and project_id == self._conversation.open_project:
            await self._sync_file(project_id, content, came, is_late=True)
        elif content or result.success:
            if not content:
                self._has_another_story(project_id)
            if turn is not None and turn.running is not None and project_id in (None, turn.project_id):
                turn.running.lose_track()

    async def _keep_known(self, project_id: str) -> None:
        """Something was done to the story too late: it is kept as it is known, for an undo."""
        turn = self._turn
        if turn is not None and turn.project_id == project_id:
            await turn.has_read.wait()
            if turn.running is not None and await turn.running.keep_known(turn.editor.last_content):
                return
        await self._conversation.keep_known(project_id)

    def _has_another_story(self, project_id: str | None) -> int:
        """Notes that the client has another story of the project, or of the one which is open now; its number."""
        stories, open_project = self._conversation.stories, self._conversation.open_project
        came = stories.comes()
        for shown in {project_id or open_project, open_project}:
            stories.has_come(shown, came)
        return came

    async def _takes(self, turn: OpenTurn, content: str) -> bool:
        """Whether a result may show that to the turn, and nobody else has to take it over."""
        return await self._looks_at(turn, content) and await self._may_go_on(turn, content)

    async def _looks_at(self, turn: OpenTurn, content: str) -> bool:
        """Whether a turn looks itself at the story that a result of it shows; it passes over another story's."""
        if turn.editor.left is not None:
            return turn.editor.left is ANOTHER_STORY and self._conversation.open_project != turn.project_id
        try:
            turn.weigh(await in_thread_if_large(len(content), size_once_read, content), content)
        except NoRoomForTurn:
            return False
        return True

    # --- turns -----------------------------------------------------------------------------------------------------

    @property
    def _busy(self) -> Failure:
        return self._turn.guest.busy if self._turn is not None and self._turn.guest is not None else _BUSY

    async def _start_turn(self, message: UserMessage, guest: Guest | None = None) -> asyncio.Task[None] | None:
        """What runs the turn; None where none can be now, or this one was stopped as it was announced."""
        if self.state is not State.IDLE:
            await self._say_error(self._busy)
            await self._end_where_none_ends()
            return None
        if self._dialect_name is None:
            self._speak(message.shape, self._dialect.client)
        self._machine.move(State.PROCESSING)
        self._ended_in = None
        editor = self._editor_for(message)
        project_id = self._conversation.begin(message, editor.request_ids)
        came = self._conversation.stories.comes()
        if message.arrow_content:  # the turn may end before it is read
            self._conversation.stories.has_come(project_id, came)
        turn = self._turn = OpenTurn(f"turn_{secrets.token_hex(8)}", project_id, editor, guest, came=came)
        if guest is None:
            self.situation = Situation.of(message)
            await self._send_all(self._dialect.turn_started(turn.id))
        else:
            await self._send_all(self._dialect.guest_started(turn.id, guest.name, guest.doing))
        warning = self._headroom.warning(self._dialect.longest_sent)
        if warning is not None:  # in the turn's own text: the client keeps one message of each turn
            await self._tell(turn, self._dialect.event(TextFinished(warning)))
        return turn.begin(self._run_turn(turn, message)) if self._turn is turn else None

    async def _end_where_none_ends(self) -> None:
        """Whoever has sent what begins no turn waits for an end, and none comes of one that is under way."""
        if self.state is State.IDLE or (self._turn is not None and self._turn.has_no_end):
            await self._send_all(self._dialect.turn_ended("error", Usage()))

    def _editor_for(self, message: UserMessage) -> RemoteEditor:
        scene_id = message.current_scene_id

        def view(content: str | None) -> View:
            assert self._turn is not None
            assert self._turn.running is not None
            project = self._turn.running.context.project
            assert project is not None
            return View(project, scene_id, content)

        timeout_s, unread = self._services.limits.call_timeout_s, self._conversation.stories.unread
        editor = RemoteEditor(self._dialect, self._send_calls, self._machine.move, view, timeout_s, unread)
        editor.last_content = message.arrow_content or None
        return editor

    async def _run_turn(self, turn: OpenTurn, message: UserMessage) -> None:
        try:
            with self._services.ledger.turn(self.workspace, turn.project_id, self._dialect_name or "") as record:
                words = size_of_words(message.message, message.history)
                with self._services.turn_room.at_work(self.workspace, 0, turn.size(0) + words):
                    if message.arrow_content:
                        await self._sync_file(turn.project_id, message.arrow_content, turn.came)
                    turn.has_read.set()
                    await self._conversation.stories.unread.all_read()
                    request = await self._conversation.request(message, turn.project_id, self._uploads, turn.guest)
                del message  # the editor has its text, until it has shown another one
                record.begin(request)
                size = turn.size(self._conversation.stories.size(turn.project_id))
                besides = size_of_request(request)
                with self._services.turn_room.at_work(self.workspace, size, besides) as turn.story:
                    await self._follow(turn, request, record)
        except (MessageError, CorpusError, TooManyTurns) as error:
            await self._say_failed(turn, Failure(error.code, str(error)))
        except Exception:
            logger.exception("a turn failed unexpectedly")
            await self._say_failed(turn, _INTERNAL)
        if self._turn is turn:
            turn.editor.close()
            self._turn = None
            self._ended_in = turn.project_id if turn.running is not None and turn.running.executed else None
            self._machine.move(State.IDLE)
            await self._send_all(self._dialect.turn_ended(turn.reason, turn.usage))

    async def _say_failed(self, turn: OpenTurn, failure: Failure) -> None:
        await self._tell(turn, self._dialect.error(failure))
        if turn.guest is not None:
            await turn.guest.told(Failed(failure))

    async def _follow(self, open_turn: OpenTurn, request: TurnRequest, record: TurnRecord) -> None:
        """Sends the turn's events. What it did to the shadow stays, unless it is stopped; a plan does nothing to it."""
        assert open_turn.story is not None
        weigh, project_id = open_turn.story.weigh_another, open_turn.project_id
        is_guests = open_turn.guest is not None
        pendings = CatalogPendings(self._services.catalog, self.workspace, project_id, weigh, by_assistant=is_guests)

        async def show(event: Event) -> None:
            record.add(event)
            await self._show(open_turn, event)
            if open_turn.guest is not None:
                await open_turn.guest.told(event)

        assistant = self._services.assistant
        if open_turn.guest is not None:  # who thinks for itself, and at its own cost
            assistant = replace(assistant, answerer=LocalPlanner())
        turn = assistant.turn(request, open_turn.editor, pendings, show)
        open_turn.project = open_turn.shown = request.project
        open_turn.came = self._conversation.stories.came(project_id)
        open_turn.checkpoint = request.project.checkpoint() if request.project else 0
        open_turn.running = None if request.plan else turn
        stories = self._conversation.stories
        try:
            await turn.run()
        except Exception:
            if turn.not_kept is not None:
                stories.note_unseen(project_id, turn.not_kept)
            raise
        finally:  # also where it fails: the client has what was done before
            if self._turn is open_turn and turn.context.project is not None and not request.plan:
                stories.replace(project_id, open_turn.shown, turn.context.project, turn.came or open_turn.came)
                if not turn.is_known:
                    stories.has_come(project_id, stories.comes())
                stories.settle(stories.weigh(project_id))

    async def _show(self, turn: OpenTurn, event: Event) -> None:
        if isinstance(event, Ended):
            turn.reason, turn.usage, turn.kept = event.reason, event.usage, event.kept
        if self._turn is turn:  # what a stopped one asks nobody is shown, so a yes is to something else
            self._conversation.note(event, turn.project_id, "" if turn.guest is None else turn.id)
            await self._send_all(self._dialect.event(event))

    # --- stop ------------------------------------------------------------------------------------------------------

    async def _stop(self, guest: Guest | None = None) -> None:
        """Ends what runs, and the open questions with it; for a guest only its own turn, if that has not ended yet."""
        async with self._stopping:
            await self._stop_now(guest)

    async def _stop_now(self, guest: Guest | None) -> None:
        if guest is not None and (self._turn is None or self._turn.guest is not guest):
            return
        turn = await self._cancel_turn()
        await self._conversation.drop_questions(turn.id if turn is not None and guest is not None else None)
        if turn is not None:
            stopped = StoppedTurn(turn, self._conversation.stories, self._dialect, by_client=guest is None)
            await self._send_all(await stopped.settle())
        elif guest is None and self._dialect.rolls_back and self._ended_in is not None:  # it was taken back there
            stories = self._conversation.stories
            stories.has_come(self._ended_in, stories.comes())
        await self._send_all(self._dialect.turn_ended("stopped", Usage()))  # a stop that comes too late is answered too

    async def _cancel_turn(self) -> OpenTurn | None:
        turn, self._turn = self._turn, None
        if turn is None:
            return None
        turn.editor.close()
        self._machine.move(State.IDLE)
        await turn.cancel()
        return turn

    # --- frames ----------------------------------------------------------------------------------------------------

    async def _tell(self, turn: OpenTurn, frames: Iterable[Frame]) -> None:
        if self._turn is turn:
            await self._send_all(frames)

    async def _say_error(self, failure: Failure) -> None:
        await self._send_all(self._dialect.error(failure))

    async def _send_calls(self, frames: Iterable[Frame]) -> None:
        """Each says which story it is sent after, as the number of that is by then."""
        await self._send_all(frame | self._numbered for frame in frames)

    @property
    def _numbered(self) -> Frame:
        return {} if self._story_number is None else {"story_number": self._story_number}

    async def _send_all(self, frames: Iterable[Frame]) -> None:
        async with self._sending:  # what belongs together is not torn apart
            for number, frame in enumerate(frames):
                if number >= _SENT_AT_ONCE:  # a text is thousands, and many clients of a workspace may be sent one
                    await self._services.paces[self.workspace].wait(is_message=False)
                await self._send(frame)
                await asyncio.sleep(0)  # a client that reads quickly never makes it wait
