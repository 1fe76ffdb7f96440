"""One open page: whose it is, which project it shows, and how it reaches the server's services."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from nicegui import Client, Event

from agent import EventSink, working_in
from corpora import ProjectKey
from server import RequestError, Services, TurnBody, answer_turn
from server.document_lists import Listed
from workbench.story.open_story import BLANK, OpenStory
from workbench.story.room import OpenStories
from workbench.story.scene_view import SceneView, view_scene
from workbench.story.shown_story import ShownStory

logger = logging.getLogger(__name__)

_Result = TypeVar("_Result")

_PATIENCE_S = 10.0  # for what a turn came to; beside others who compute it takes seconds
_DRIVE_PATIENCE_S = 30.0


def visit_of(client: Client) -> "Visit | None":
    """The visit of a page; None of one that has none."""
    return getattr(client.request.state, "visit", None)


class Visit:
    """What the parts of one page share.

    Args:
        services: The server's.
        workspace: What the visitor's token opened; nothing of another one is ever asked for.
        is_owner: The visitor has the key of the owner's file.
        project: The id of the project that is shown.
        room: What its stories share with those of other pages.

    Attributes:
        project_changed: Another project is shown.
        place_changed: Another document is open in some tab, another page of it, or none any more.
        documents_changed: The project's documents are others, or have more vectors.
        question_proposed: A question that the visitor may want to ask, for the tab `Ask`.
        shown: What is open in the tab `Story`.
        is_over: The page is gone.
    """

    def __init__(self, services: Services, workspace: str, *, is_owner: bool, project: str, room: OpenStories) -> None:
        self.services = services
        self.workspace = workspace
        self.is_owner = is_owner
        self.project = ProjectKey(workspace, project).project_id
        self.project_changed = Event[[]]()
        self.place_changed = Event[[]]()
        self.documents_changed = Event[[]]()
        self.question_proposed = Event[[str]]()
        self.shown = ShownStory(partial(room.add, workspace))
        self._room = room
        self.is_over = False
        self._turns: set[asyncio.Task[dict[str, Any]]] = set()
        self._under_way: set[asyncio.Future[None]] = set()

    @property
    def key(self) -> ProjectKey:
        """The project that is shown."""
        return ProjectKey(self.workspace, self.project)

    @property
    def has_model(self) -> bool:
        """Whether a language model answers, and not the planner without one."""
        return self.services.assistant.answerer.converses

    def show(self, project: str) -> None:
        """Shows another project; raises `InvalidName`."""
        self.project = ProjectKey(self.workspace, project).project_id
        self.project_changed.emit()

    def address(self, path: str) -> str:
        """Where the API has something of the project, by the rest of its path."""
        return f"/projects/{quote(self.project)}/{path}"

    async def ask(self, work: Callable[[], _Result]) -> _Result:
        """What the work returns, which waits for a store, in a thread of the workspace."""
        await self.services.rounds.wait(self.workspace)
        return await self.services.asking.run(self.workspace, work)

    async def ask_drive(self, work: Callable[[], _Result], file: str) -> _Result:
        """What the work returns, which reads or writes a user's file, in a thread of the workspace for that.

        Raises:
            RequestError: Its drive does not answer; what was begun is done, or not, once it does.
        """
        await self.services.rounds.wait(self.workspace)
        try:
            async with asyncio.timeout(_DRIVE_PATIENCE_S):
                return await self.services.drives.run(self.workspace, work)
        except TimeoutError as error:
            problem = f"{file}: its drive has not answered for {_DRIVE_PATIENCE_S:.0f} s. What was begun may still be "
            raise RequestError(503, "STORAGE_ERROR", f"{problem}done; look at the file once it answers.") from error

    async def scan(self, work: Callable[[], _Result]) -> _Result:
        """What the work returns, which looks through folders, in the workspace's one thread for that."""
        await self.services.rounds.wait(self.workspace)
        return await self.services.scanning.run(self.workspace, work)

    @asynccontextmanager
    async def drawing(self) -> AsyncGenerator[None]:
        """For what a page draws by itself or once it is known, in one go: when the event loop was others' long enough.

        Whatever it depends upon may be another by then.
        """
        pace = self.services.paces[self.workspace]
        await pace.wait(is_message=False)
        with pace.holding():
            yield

    async def listed(self) -> Listed:
        """The project's documents; they are listed only where something has changed."""
        lists, key = self.services.lists, self.key
        known = await self.ask(partial(lists.known, key))
        return known or await self.services.listing.run(self.workspace, partial(lists.now, key))

    def begin_turn(self, body: TurnBody, tell: EventSink) -> asyncio.Task[dict[str, Any]]:
        """One turn, as `POST …/turns` runs it, without a story where that is `BLANK`; the task raises what it does."""
        turn = asyncio.ensure_future(self._turn(body, tell))
        self._turns.add(turn)
        turn.add_done_callback(self._turns.discard)
        return turn

    def end(self) -> None:
        """Stops what is under way, and lets go of the story: nobody sees it any more."""
        self.is_over = True
        self.shown.close()
        for turn in self._turns:
            turn.cancel()

    @contextmanager
    def busy(self) -> Generator[None]:
        """Meanwhile something is under way, until what it came to is shown."""
        through = asyncio.get_running_loop().create_future()
        self._under_way.add(through)
        try:
            yield
        finally:
            self._under_way.discard(through)
            through.set_result(None)

    async def leave_off(self) -> bool:
        """Stops the turns that are under way, and waits for what another one came to; whether one came to nothing."""
        stopped = [turn for turn in self._turns if turn.cancel()]
        if waited_for := {*stopped, *self._under_way}:
            await asyncio.wait(waited_for, timeout=_PATIENCE_S)
        return self.shown.is_changing or any(map(_came_to_nothing, stopped))

    async def compute(self, work: Callable[[], _Result]) -> _Result:
        """What the work returns, which keeps the interpreter busy, in a thread of the workspace."""
        await self.services.rounds.wait(self.workspace)
        return await self.services.computing.run(self.workspace, work)

    async def read_file(self, read: Callable[[Path], tuple[Path, bytes]], picked: Path) -> OpenStory:
        """As `read_story`, of a file, by its real path and its bytes; raises as `ask_drive` does, too."""
        async with self._room.reading(self.workspace):
            file, data = await self.ask_drive(partial(read, picked), str(picked))
            return await self.read_story(partial(OpenStory.read, file.name, data, file))

    async def read_story(self, read: Callable[[], OpenStory]) -> OpenStory:
        """The story that `read` returns, to be shown instead of the one that is.

        Raises:
            RequestError: There is no room for it, it cannot be drawn, or what `read` raises; what is shown stays.
        """
        story = await self.compute(lambda: _drawable(read()))
        self._room.admit(self.workspace, story, self.shown.story, self.shown.preview)
        return story

    async def preview_story(self, story: OpenStory, preview: Callable[[], OpenStory]) -> OpenStory:
        """What `preview` makes of a story, to be shown beside it; raises as `read_story` does."""
        previewed = await self.compute(preview)
        self._room.add(self.workspace, story)
        self._room.admit(self.workspace, previewed, self.shown.preview)
        return previewed

    def admit_view(self, view: SceneView, instead_of: SceneView | None) -> None:
        """Makes room for what is drawn of the story that is open; raises `RequestError` where there is none."""
        self._room.admit(self.workspace, view, instead_of, self.shown.story, self.shown.preview)

    async def _turn(self, body: TurnBody, tell: EventSink) -> dict[str, Any]:
        await self.services.rounds.wait(self.workspace)
        has_story = body.arrow_content != BLANK
        if has_story and (story := self.shown.story) is not None:
            self._room.refuse(self.workspace, story, story, self.shown.preview)
        with working_in(self.services.threads_of(self.workspace)):
            return await answer_turn(body, self.key, self.services, tell, has_story=has_story)


def _came_to_nothing(turn: asyncio.Task[Any]) -> bool:
    return not turn.done() or turn.cancelled() or turn.exception() is not None


def _drawable(story: OpenStory) -> OpenStory:
    """The story, once its first scene has been drawn: else another one would stay on the page in its place."""
    try:
        view_scene(story, None, story.scene_of_entry, lambda: None)
    except Exception as error:
        logger.warning("a story cannot be drawn (%s)", type(error).__name__)
        problem = f"{story.name} cannot be drawn: something in it is not as Arrow writes it. Correct it in Arrow."
        raise RequestError(422, "INVALID_REQUEST", problem) from error
    return story
