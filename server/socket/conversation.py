"""What a client and we have told each other about the projects of one workspace: stories, questions, suggestions."""

import asyncio
from array import array
from collections import deque
from collections.abc import Container
from contextlib import suppress
from functools import partial

from agent import (
    Asked,
    Before,
    ConfirmationPolicy,
    Ended,
    Event,
    Exchange,
    Suggested,
    Suggestion,
    TurnRequest,
    in_thread,
)
from arrow_project import ArrowProject, ParseError, fingerprint, parse
from corpora import ProjectKey
from server.dialects import without_appendix
from server.limits.written import HISTORY_OF_QUESTION, latest
from server.services import CatalogPendings, Services, policy_for, stricter
from server.socket.editors import Guest, selected_in
from server.socket.messages import Confirmation, FunctionResult, MessageError, UserMessage
from server.socket.stories import NO_PROJECT, Stories
from server.socket.uploads import Uploads

# Of how many turns a result may still come in late.
_TURNS_REMEMBERED = 20
_MOST_QUESTIONS = 100
_MOST_OF_PROJECT = 20


class Conversation:
    """Begins anew when a client's token opens another workspace.

    Args:
        workspace: Whose projects they are.
        services: The parts of the server.

    Attributes:
        workspace: As given.
        stories: What the client has open.
        project_id: Of the last turn.
        open_project: As the client has said last, by a story or with a message; None where nobody knows which.
    """

    def __init__(self, workspace: str, services: Services) -> None:
        self.workspace = workspace
        self.stories = Stories(workspace, services.story_room)
        self.project_id = NO_PROJECT
        self.open_project: str | None = NO_PROJECT
        self._services = services
        self._asked: deque[tuple[str, Container[str]]] = deque(
            maxlen=_TURNS_REMEMBERED
        )  # projects, requests about them
        self._situation: UserMessage | None = None  # of the last message, of which nothing else is kept
        self._selected = array("q")  # in that message
        # The open ones of each project, the latest last, with the guest's turn that has asked: an assistant may ask
        # while the user's own is open.
        self._questions: dict[str, dict[str, str]] = {}
        self._keeping = asyncio.Lock()
        self._suggested: dict[tuple[str, str], Suggestion] = {}  # of the last turn, by project and what it is called

    def close(self) -> None:
        """The client is gone, or in another workspace: nothing of what it has said is kept."""
        self.stories.close()
        self._asked.clear()
        self._questions.clear()
        self._suggested.clear()
        self._situation = None
        self._selected = array("q")

    def begin(self, message: UserMessage, requests: Container[str]) -> str:
        """The project that a message is about, of which a turn begins; `requests` will have the ids of its calls."""
        self.project_id = self.open_project = message.current_project_id or self.stories.last
        self._situation, self._selected = _situation_of(message), selected_in(message)
        self.asks(self.project_id, requests)
        return self.project_id

    def asks(self, project_id: str, requests: Container[str]) -> None:
        """The client is asked for something in the story of a project; `requests` will have the ids of that."""
        self._asked.append((project_id, requests))

    def pendings(self, project_id: str) -> CatalogPendings:
        """What waits for an answer in a project."""
        return CatalogPendings(self._services.catalog, self.workspace, project_id)

    def project_of(self, result: FunctionResult) -> str | None:
        """The project that a result is about; None where nobody has asked for it here."""
        projects = (project_id for project_id, requests in self._asked if result.request_id in requests)
        return next(projects, None)

    def note(self, event: Event, project_id: str, guests_turn: str) -> None:
        """Keeps what the next message may refer to of what is said in a turn; `guests_turn` is empty in the user's."""
        match event:
            case Ended(unseen_before=unseen) if unseen is not None:
                self.stories.note_unseen(project_id, unseen)
            case Asked(pending_id=pending_id):
                asked = self._questions.setdefault(project_id, {})
                asked[pending_id] = guests_turn
                for old in [one for one, turn in asked.items() if turn][:-_MOST_OF_PROJECT]:
                    del asked[old]
                if len(self._questions) > _MOST_QUESTIONS:
                    del self._questions[next(iter(self._questions))]
            case Suggested(suggestions=suggestions):
                self._suggested = {(project_id, suggestion.label): suggestion for suggestion in suggestions}
            case _:
                pass

    async def read(self, project_id: str, content: str, came: int = 0, *, is_late: bool) -> ArrowProject:
        """Takes over a story that the client has sent, and shows now unless it `is_late`; raises as `Stories.read`."""
        came = came or self.stories.comes()
        if not is_late:  # also where it cannot be read
            self.open_project = project_id
        project = await self.stories.read(project_id, content, came, is_late=is_late)
        await self._keep_unseen(project_id, project)
        return project

    async def keep_known(self, project_id: str) -> None:
        """Keeps the story as it is known, once the client shows another one: something was done to it too late."""
        await self.stories.settled()  # it may be taking back what a turn has done that was stopped
        project = self.stories.get(project_id)
        if project is not None:
            with suppress(RuntimeError, KeyError):  # a turn changes it at this moment, and keeps what was before that
                await self._keep_unseen(project_id, project)
                known = await in_thread(project.to_text)
                self.stories.take_unseen(project_id)
                self.stories.note_unseen(project_id, known)

    async def _keep_unseen(self, project_id: str, project: ArrowProject) -> None:
        """Keeps what was noted, where the story is another one by now; else it stays noted."""
        async with self._keeping:  # of two stories that come at once the second may be the one that differs
            if unseen := self.stories.take_unseen(project_id):
                is_kept = False
                try:
                    is_kept = await in_thread(self._keep_before, project_id, unseen, project)
                finally:
                    if not is_kept:  # for the next time
                        self.stories.note_unseen(project_id, unseen)

    def _keep_before(self, project_id: str, unseen: str, project: ArrowProject) -> bool:
        """Keeps what was before a turn whose outcome is seen now; not where it is unchanged: it may be yet to come."""
        pendings, now = self.pendings(project_id), fingerprint(project)
        try:
            is_unchanged = now == fingerprint(parse(unseen))  # which texts are not, once it is saved
        except ParseError:  # it has become larger than a story that is read: nothing can lead back to it
            return True
        if is_unchanged:
            return False
        kept = pendings.find_before(now)
        if kept is None or kept.content != unseen:  # of an earlier turn, which led to the same
            pendings.keep_before(Before(unseen, is_shared=True), now)
        return True

    def as_message(
        self, confirmation: Confirmation, confirm: ConfirmationPolicy | None, *, may_be_early: bool
    ) -> UserMessage:
        """An answer by button as the same answer in words, in the situation of the message that was asked about.

        Its user is asked first as often as that message or the client's last story, with `confirm`, has said: the
        connection on which the question came may be gone, or the user have chosen to be asked more often since.

        Raises:
            MessageError: Nothing was asked, or of another story than is open now; where it `may_be_early`, the first is
                said as it is of any message.
        """
        # An editor would do in the story that is open what was asked about the other one.
        if self.project_id not in (NO_PROJECT, self.open_project):
            open_now = "another one is" if self.open_project is not None else "one that cannot be read is"
            problem = f"The question is about the story of project {self.project_id}, and {open_now} open now."
            raise MessageError("NOT_PENDING", f"{problem} Open that one to answer it.", "confirmation")
        words = confirmation.message if confirmation.decision == "modify" else confirmation.decision
        asked = list(self._questions.get(self.project_id, ()))
        pending_id = confirmation.request_id or (asked[0] if len(asked) == 1 else None)
        if pending_id is None and not asked and not may_be_early:
            problem = "There is no open question to answer. Send what you want as a user_message."
            raise MessageError("NOT_PENDING", problem, "confirmation")
        situation = self._situation or UserMessage(type="user_message")
        if confirm is not None:
            confirm = stricter(confirm, situation.confirm)
        said = {"message": words, "pending_id": pending_id, "selected_node_ids": list(self._selected)}
        return situation.model_copy(update=said | {"confirm": confirm or situation.confirm})

    async def drop_questions(self, guests_turn: str | None) -> None:
        """Whoever stops does not mean to say yes afterwards: to nothing, or to what a guest's turn has asked."""
        asked = self._questions.get(self.project_id, {})
        for pending_id in [one for one, turn in asked.items() if guests_turn in (None, turn)]:
            asked.pop(pending_id, None)
            await in_thread(self.pendings(self.project_id).take, pending_id)

    async def request(
        self, message: UserMessage, project_id: str, uploads: Uploads, guest: Guest | None = None
    ) -> TurnRequest:
        """What a message asks for, once the story and the documents that were sent before it are known.

        Raises:
            MessageError: Nothing is known of the project.
        """
        await self.stories.settled()
        key = None if project_id == NO_PROJECT else ProjectKey(self.workspace, project_id)
        self.stories.refuse_forgotten(project_id)
        project = self.stories.get(project_id)
        if project is None:
            await self._require_documents(key, project_id, uploads)
        asked = self._questions.get(project_id, {})
        pending_id, may_mean_another = message.pending_id, False
        if guest is None:
            self._questions.pop(project_id, None)
            pending_id = message.pending_id or next(reversed(asked), None)
            may_mean_another = message.pending_id is None and len(asked) > 1
        elif pending_id in asked:  # a question to the user is not an assistant's to drop
            del asked[pending_id]
        function, params = message.function, message.function_params or {}
        chosen = self._suggested.get((project_id, message.message.strip().removeprefix("- ")))
        if function is None and chosen is not None and guest is None:
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
            operations=guest.operations if guest else (),
            pending_id=pending_id,
            may_mean_another=may_mean_another,
            confirm=policy_for(self._services.confirm, message.confirm, message.function),
            being_read=self._services.intake.under_way(key) if key else (),
            plan=message.mode == "plan",
            taken=(self._services.taken.of if guest else self._services.taken.known_of)((self.workspace, project_id)),
            by_assistant=guest is not None,
            may_undo=guest.may_undo if guest else "",
            is_outdated=self.stories.is_outdated(project_id),
            unread=self.stories.unread,
        )

    async def _require_documents(self, key: ProjectKey | None, project_id: str, uploads: Uploads) -> None:
        if await self._has_documents(key):
            return
        await uploads.settled(project_id)  # what makes it known may still be on its way
        if await self._has_documents(key):
            return
        problem = "No project is open" if key is None else f"Project {project_id} is not known here"
        raise MessageError(
            "PROJECT_NOT_FOUND",
            f"{problem}. Send its .arrow content (file_sync) or a design document (design_doc_sync) first.",
        )

    async def _has_documents(self, key: ProjectKey | None) -> bool:
        if key is None:
            return False
        return await self._services.asking.run(key.workspace, partial(self._services.catalog.has_project, key))


def _situation_of(message: UserMessage) -> UserMessage:
    """A message without its words and what is selected, and of the conversation before it the end."""
    return UserMessage.model_construct(
        type="user_message",
        history=latest(message.history, HISTORY_OF_QUESTION),
        current_scene_id=message.current_scene_id,
        current_project_id=message.current_project_id,
        confirm=message.confirm,
        enveloped=message.enveloped,
    )
