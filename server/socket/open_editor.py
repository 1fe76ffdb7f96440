"""A client with a story open, in which an assistant of the user's own may work too."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from typing import TypeGuard

from agent import ConfirmationPolicy, Failure, Outcome, TurnRequest, in_thread
from arrow_project import ArrowProject, fingerprint
from corpora import ProjectKey
from server.dialects import Frame
from server.services import Services, stricter
from server.socket.editors import Guest, GuestRefused
from server.socket.messages import FileSync, UserMessage
from server.socket.open_turn import OpenTurn
from server.socket.session import Session
from server.socket.state import State
from server.turn_ledger import TurnRecord

_UNREADABLE = Failure(
    "PARSE_ERROR", "The story that this editor has open cannot be read as it is now; the editor was told why."
)
_STOPPED = Failure("STOPPED", "The user has stopped it. Ask what is wanted instead.")
_USERS_OWN = Failure(
    "USER_NEEDED",
    "The user wants to be asked before every change, and answers in the Fletcher panel: an assistant cannot bring the "
    "answer.",
)


class OpenEditor(Session):
    """A session that has guests: each of their turns is one of its own, which its user sees and can stop."""

    def __init__(
        self,
        send: Callable[[Frame], Awaitable[None]],
        dialect: str | None,
        workspace: str,
        workspace_of: Callable[[str], str],
        services: Services,
    ) -> None:
        super().__init__(send, dialect, workspace, workspace_of, services)
        self._left_by_guest = ""  # what is kept from before the last turn that has done something, if it was a guest's
        self._guests_turn = ""  # that one
        # Who waits for the client to show its story: by the id of the request, with the number that was next then.
        self._shown: dict[str, tuple[int, asyncio.Future[Failure | None]]] = {}
        self._names_requests = False  # a client that repeats an id always does
        self._stops: asyncio.Task[None] | None = None  # only so that it is not lost

    @property
    def key(self) -> ProjectKey:
        """Whose story the client shows."""
        return ProjectKey(self.workspace, self.project_id)

    @property
    def confirm(self) -> ConfirmationPolicy:
        """When its user is asked first."""
        return stricter(self._services.confirm, self.situation.confirm)

    async def show_story(self, key: ProjectKey) -> ArrowProject:
        """The story of `key` as the client has it now, where it can be asked; else as it has last shown it.

        Raises:
            GuestRefused: It does not answer, or has no story open that can be read, or one of another project.
        """
        request_id = f"req_{secrets.token_hex(8)}"
        frames = list(self._dialect.story_request(request_id))
        if frames and self.state is State.IDLE:  # else a turn follows what the client does
            await self._ask_for_story(request_id, frames)
        project = self._story
        if project is None:
            raise GuestRefused(Failure("PROJECT_NOT_FOUND", "This editor has closed its story."))
        self._require_shown(key)
        return project

    async def _ask_for_story(self, request_id: str, frames: Iterable[Frame]) -> None:
        shown: asyncio.Future[Failure | None] = asyncio.get_running_loop().create_future()
        self._shown[request_id] = self._conversation.stories.comes(), shown
        try:
            await self._send_all(frames)
            async with asyncio.timeout(self._services.limits.call_timeout_s):
                problem = await shown
        except TimeoutError as error:
            raise GuestRefused(Failure("TIMEOUT", "The editor does not answer; is its window frozen?")) from error
        finally:
            del self._shown[request_id]
        if problem is not None:
            raise GuestRefused(problem)

    async def host(self, guest: Guest, message: UserMessage, key: ProjectKey) -> None:
        """A turn of an assistant's in the story of `key`; returns when it has ended.

        The client sees it as its own, and its user can stop it. Cancelled, it is stopped. An `undo` asks first, unless
        it takes back what a guest has done.

        Raises:
            GuestRefused: As for `show_story`; the client's own turn is under way, or this one was stopped; or its yes
                does not count.
        """
        await self.show_story(key)
        await self._stop_is_told()
        self._require_shown(key)  # from here on nothing is waited for until the turn has begun
        self._require_idle()
        if guest.brings_yes and self.confirm == "always":  # as the client says with its story
            raise GuestRefused(_USERS_OWN)
        guest = replace(guest, may_undo=self._left_by_guest)
        now = self.situation
        situation = {
            "current_project_id": self.project_id,
            "current_scene_id": now.scene_id,
            "selected_node_ids": list(now.selected_node_ids),
            "confirm": now.confirm,
        }
        try:
            task = await self._start_turn(message.model_copy(update=situation), guest)
            if task is not None:
                await asyncio.wait((task,))
        except asyncio.CancelledError:  # perhaps as it began
            # by itself, as all that is awaited here may be cancelled again
            self._stops = asyncio.create_task(self._stop(guest))
            raise
        if task is None or task.cancelled():
            raise GuestRefused(_STOPPED)

    async def take_back(self, guest: Guest, key: ProjectKey) -> Outcome | None:
        """Has the client take its last turn back itself; None where `undo` is a turn like others.

        That it is where the client cannot or will not, where its user is asked before everything, where it would be no
        guest's turn that is taken back, and where the user has written during that.

        Raises:
            GuestRefused: As for `show_story`, or the client's own turn is under way, or its user stops this.
        """
        await self.show_story(key)
        await self._stop_is_told()
        pendings, left = self._conversation.pendings(self.project_id), self._left_by_guest
        if self.confirm == "always" or not await self._is_left_by(left):
            return None
        self._require_shown(key)
        self._require_idle()
        editor = self._editor_for(UserMessage(type="user_message"))
        self._conversation.asks(self.project_id, editor.request_ids)
        turn_id = f"turn_{secrets.token_hex(8)}"
        turn = self._turn = OpenTurn(turn_id, self.project_id, editor, guest, has_no_end=True)
        turn.has_read.set()
        self._machine.move(State.PROCESSING)
        conversation, outcome = self._conversation, None
        stories = conversation.stories
        self._left_by_guest = ""  # whatever comes of it
        task = turn.begin(editor.take_back(self._guests_turn))
        try:
            await asyncio.wait((task,))
            if task.cancelled():
                raise GuestRefused(_STOPPED)
            outcome = task.result()
        finally:
            editor.close()  # what is cancelled ends only later, and the client is free at once
            task.cancel()
            if self._turn is turn:
                self._turn = None
                self._machine.move(State.IDLE)
            if editor.request_ids and not _tells(outcome):
                stories.has_come(turn.project_id, stories.comes())
        if outcome is None or not outcome.success:
            self._left_by_guest = left
            if not _is_refused(outcome):
                return outcome
        else:
            await in_thread(pendings.drop_before, left)
        if outcome.content is not None and self._conversation is conversation:  # else it may show another story
            with stories.unread.reading():  # no message is handled just now, and another assistant's turn may begin
                await self._sync_file(turn.project_id, outcome.content, outcome.came, is_late=True)
        return outcome if outcome.success else None

    async def _follow(self, open_turn: OpenTurn, request: TurnRequest, record: TurnRecord) -> None:
        try:
            await super()._follow(open_turn, request, record)
        finally:
            if open_turn.running is not None and open_turn.running.executed:
                self._left_by_guest = open_turn.kept if open_turn.guest is not None else ""
                self._guests_turn = open_turn.id

    async def _is_left_by(self, kept: str) -> bool:
        """Whether the turn that a guest's has `kept` this from is the last that has led to the story, and by itself."""
        project = self._story
        if project is None or not kept:
            return False
        pendings = self._conversation.pendings(self.project_id)
        last = await in_thread(lambda: pendings.id_of_unshared(fingerprint(project)))
        return last == kept and project is self._story

    def _require_shown(self, key: ProjectKey) -> None:
        shown = {self.project_id, self._conversation.open_project}
        if self.workspace != key.workspace or shown != {key.project_id}:  # what it shows may have no key
            another = "Another story has been opened in this editor meanwhile. Look at that one first, then try again."
            raise GuestRefused(Failure("CONFLICT", another))

    def _require_idle(self) -> None:
        if self.state is not State.IDLE or self._stopping.locked():
            busy = "Another message is being worked on in the editor. Wait for its end, and try again."
            raise GuestRefused(Failure("BUSY", busy))

    async def _take_story(self, message: FileSync | UserMessage, project_id: str) -> None:
        request_id, came = message.request_id if isinstance(message, FileSync) else None, self._arrived
        try:
            await super()._take_story(message, project_id)
        except BaseException:
            self._note_shown(_UNREADABLE, request_id, came)
            raise
        if message.arrow_content is not None:
            self._note_shown(None, request_id, came)

    def _lose_track(self) -> None:
        super()._lose_track()
        for _, shown in self._shown.values():
            _tell(shown, _UNREADABLE)

    def _note_shown(self, problem: Failure | None, request_id: str | None, came: int) -> None:
        """Who waits for the story goes on, or is told why not: one from before the request is not what it has now."""
        self._names_requests |= request_id in self._shown
        for waits_for, (asked, shown) in self._shown.items():
            if request_id == waits_for if self._names_requests else came > asked:
                _tell(shown, problem)


def _tell(shown: "asyncio.Future[Failure | None]", problem: Failure | None) -> None:
    if not shown.done():
        shown.set_result(problem)


def _tells(outcome: Outcome | None) -> bool:
    """Whether anybody knows what the editor shows now: what came of it, or the same as before."""
    if outcome is None:
        return False
    is_refused = outcome.failure is not None and outcome.failure.code != "TIMEOUT"
    return is_refused or outcome.content is not None


def _is_refused(outcome: Outcome | None) -> TypeGuard[Outcome]:
    """Whether the editor has said that it does not take its last turn back: it may have none, or another one."""
    return outcome is not None and outcome.failure is not None and outcome.failure.code == "EDITOR_ERROR"
