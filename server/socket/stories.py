"""The stories of one client, as it has last shown them."""

import asyncio
import logging
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any

from agent import Unread, in_thread
from arrow_project import ArrowProject, ParseError, parse
from corpora import InvalidName, ProjectKey
from server.limits.story_size import size_in_memory
from server.socket.messages import MessageError
from server.socket.read_story import ReadStory, read_story

logger = logging.getLogger(__name__)

NO_PROJECT = "-1"
_MOST_STORIES = 20
_MOST_OF_ONE = 128 * 2**20
_MOST_OF_ALL = 512 * 2**20
_MOST_FORGOTTEN = 1000
_MOST_NOTED = 100  # projects


@dataclass
class _Story:
    """A project as it is now, what the client sent last, and how many bytes the project takes in memory.

    `unseen` is the story from before a turn whose outcome the client has not shown yet; `came` is the number of the
    last of those that the client has sent which it has, as `Stories.comes` gives it.
    """

    project: ArrowProject
    read: ReadStory | None = None
    size: int = 0
    unseen: str | None = None
    came: int = 0

    @property
    def takes(self) -> int:
        return self.size + (sys.getsizeof(self.unseen) if self.unseen else 0)


class StoryRoom:
    """What the stories of all clients of a server may have together.

    Where they have more, the workspace that has most of them loses the story that was used longest ago. For a single
    one, however large, others lose none that has room in half of it.

    Args:
        most: In bytes, as they are in memory.
        most_of_one: The same for each client.

    Attributes:
        most_of_one: As given.
    """

    def __init__(self, most: int = _MOST_OF_ALL, most_of_one: int = _MOST_OF_ONE) -> None:
        self.most_of_one = most_of_one
        self._most = most
        self._sizes: Counter[str] = Counter()
        self._stories: defaultdict[str, OrderedDict[tuple[Stories, str], int]] = defaultdict(OrderedDict)

    def use(self, stories: "Stories", project_id: str, size: int) -> None:
        """The story has just been used, so it is not the one that is forgotten."""
        self.free(stories, project_id)
        used = (stories, project_id)
        self._stories[stories.workspace][used] = size
        self._sizes[stories.workspace] += size
        most = max(self._most, size + self._most // 2)
        while self._sizes.total() > most and (oldest := self._oldest_but(used)) is not None:
            of, forgotten = oldest
            of.forget(forgotten)

    def free(self, stories: "Stories", project_id: str) -> None:
        """The story is not kept any more."""
        kept = self._stories[stories.workspace].pop((stories, project_id), 0)
        self._sizes[stories.workspace] -= kept

    def _oldest_but(self, used: "tuple[Stories, str]") -> "tuple[Stories, str] | None":
        for workspace, _ in self._sizes.most_common():
            oldest = next(iter(self._stories[workspace]), used)
            if oldest != used:
                return oldest
        return None


class Stories:
    """What the client has open: by project id, its content as parsed and as the turns since then have edited it.

    Only the last ones are kept: at most 20, and of those as many as there is room for. The client has them all, and
    sends one that was forgotten again.

    Args:
        workspace: Whose projects they are.
        room: What they share with those of other clients.

    Attributes:
        workspace: As given.
        last: The project of the story that the client has shown last; `-1` for none.
        unread: Those that have come and are not known yet, read or being decoded.
    """

    def __init__(self, workspace: str, room: StoryRoom) -> None:
        self.workspace = workspace
        self._room = room
        self._stories: OrderedDict[str, _Story] = OrderedDict()  # the last used last
        self._forgotten: deque[str] = deque(maxlen=_MOST_FORGOTTEN)
        self._settling: asyncio.Task[None] | None = None
        self._is_closed = False
        self._came = self._last_came = 0
        self._last_of: dict[str, int] = {}  # by project, the number of what came last of it, read or not
        self._last_of_any = 0
        self.last = NO_PROJECT
        self.unread = Unread()

    def comes(self) -> int:
        """The number of a story that has just come: of two that are read at the same time the later is kept."""
        self._came += 1
        return self._came

    def show(self, project_id: str, came: int) -> None:
        """Notes what the client has open, unless it has shown something else since."""
        if came > self._last_came:
            self.last, self._last_came = project_id, came

    def get(self, project_id: str) -> ArrowProject | None:
        """The story; None where the client has not sent any, or so many others since that it is forgotten."""
        story = self._stories.get(project_id)
        return story.project if story else None

    def refuse_forgotten(self, project_id: str) -> None:
        """Says that a story is missing which the client believes to be here.

        Raises:
            MessageError: It was forgotten, and not sent again.
        """
        if project_id in self._forgotten and project_id not in self._stories:
            raise MessageError(
                "PROJECT_NOT_FOUND",
                f"The story of project {project_id} is not kept any more: of each connection the last {_MOST_STORIES} "
                f"stories are, up to {self._room.most_of_one // 2**20} MiB in memory, and of all connections those "
                "used last. Send its .arrow content (file_sync) again.",
            )

    async def read(self, project_id: str, content: str, came: int = 0, *, is_late: bool = False) -> ArrowProject:
        """Takes over what the client has sent, and shows now unless it `is_late`.

        Where it cannot be read, it is shown all the same, and the one known before `is_outdated`.

        Where one that `came` later has been read meanwhile, that one is kept, and returned.

        Raises:
            MessageError: Arrow would not load it.
            CorpusError: The project's id cannot be one.
        """
        came = came or self.comes()
        if project_id != NO_PROJECT:
            ProjectKey(self.workspace, project_id)  # refuses what cannot be the name of a project
        self.has_come(project_id, came)
        if not is_late:
            self.show(project_id, came)
        try:
            before = self._stories.get(project_id)
            read = await in_thread(read_story, content, before.read if before else None)
        except ParseError as error:
            raise MessageError(error.code, f"{error} The content known before is kept.") from error
        meanwhile = self._stories.get(project_id)  # a turn may have ended
        if meanwhile is not None and meanwhile.came > came:
            return meanwhile.project
        unseen = meanwhile.unseen if meanwhile else None
        self._keep(project_id, _Story(read.project, read, read.size, unseen, came))
        return read.project

    def has_come(self, project_id: str | None, came: int) -> None:
        """A story of the project, or of nobody knows which, is here: until it is read, the one before `is_outdated`."""
        if project_id is None:
            self._last_of_any = max(came, self._last_of_any)
        elif project_id == NO_PROJECT or self._can_be_one(project_id):
            self._last_of[project_id] = max(came, self._last_of.pop(project_id, 0))
            if len(self._last_of) > _MOST_NOTED:
                self._last_of_any = max(self._last_of_any, self._last_of.pop(next(iter(self._last_of))))

    def _can_be_one(self, project_id: str) -> bool:
        try:
            ProjectKey(self.workspace, project_id)
        except InvalidName:
            return False
        return True

    def is_outdated(self, project_id: str) -> bool:
        """Whether the client has shown another story of the project since, which is not read yet or could not be."""
        story = self._stories.get(project_id)
        return story is not None and story.came < max(self._last_of_any, self._last_of.get(project_id, 0))

    def came(self, project_id: str) -> int:
        """The number of the last story of the project that the client has sent and that is known."""
        return self._stories[project_id].came if project_id in self._stories else 0

    def size(self, project_id: str) -> int:
        """What the story takes in memory; 0 of one that is not here."""
        return self._stories[project_id].size if project_id in self._stories else 0

    def put(self, project_id: str, project: ArrowProject, came: int) -> None:
        """What a turn has made of the story that `came`; one that was forgotten meanwhile stays so."""
        before = self._stories.get(project_id)
        if before is not None or project_id not in self._forgotten:
            # What was read of another project would stay in memory with it, and be counted nowhere.
            read = before.read if before and before.read and before.read.project is project else None
            known = before or _Story(project)
            self._keep(project_id, replace(known, project=project, read=read, came=came))

    def replace(self, project_id: str, known: ArrowProject | None, project: ArrowProject, came: int) -> None:
        """`put`, unless the client has sent something newer than `known`."""
        if self.get(project_id) is known:
            is_same = project is known  # and the client may have sent it once more
            self.put(project_id, project, max(came, self.came(project_id)) if is_same else came)

    def note_unseen(self, project_id: str, before: str) -> None:
        """Keeps the story from before a turn whose outcome the client has not shown, and of several the first."""
        story = self._stories.get(project_id)
        if story is not None and story.unseen is None:
            self._keep(project_id, replace(story, unseen=before))

    def take_unseen(self, project_id: str) -> str | None:
        """What was noted, once."""
        story = self._stories.get(project_id)
        if story is None or story.unseen is None:
            return None
        self._keep(project_id, replace(story, unseen=None))
        return story.unseen

    async def weigh(self, project_id: str) -> None:
        """Counts what turns have added to the story; they are over, and cannot be rolled back any more."""
        if (story := self._stories.get(project_id)) is None:
            return
        size = await in_thread(_committed_size, story.project)
        if self._stories.get(project_id) is story:
            self._keep(project_id, replace(story, size=size))

    def _keep(self, project_id: str, story: _Story) -> None:
        if self._is_closed:  # as of what is still read then
            return
        self._stories[project_id] = story
        self._stories.move_to_end(project_id)
        size = sum(kept.takes for kept in self._stories.values())
        while len(self._stories) > 1 and (len(self._stories) > _MOST_STORIES or size > self._room.most_of_one):
            size -= self.forget(next(iter(self._stories)))
        self._room.use(self, project_id, story.takes)

    def forget(self, project_id: str) -> int:
        """There is no room for the story any more; returns how many bytes that frees."""
        self._room.free(self, project_id)
        self._forgotten.append(project_id)
        return self._stories.pop(project_id).takes

    async def adopt(self, project_id: str, known: ArrowProject, content: str, came: int) -> None:
        """`replace` with what the client has reported; what cannot be read is only logged."""
        try:
            project = await in_thread(parse, content)
        except ParseError as error:
            logger.warning("the client reported content that cannot be read: rule %s", error.rule)
            return
        self.replace(project_id, known, project, came)

    def settle(self, work: Coroutine[Any, Any, None]) -> None:
        """Lets `work` bring a story up to date, for which nobody but the next turn has to wait."""
        self._settling = asyncio.create_task(work)

    async def settled(self) -> None:
        """Waits for what `settle` was given; a caller that is stopped meanwhile does not stop it."""
        if self._settling is not None:
            await asyncio.wait((self._settling,))

    def close(self) -> None:
        """The client is gone."""
        self._is_closed = True
        if self._settling is not None:
            self._settling.cancel()
            self._settling = None
        for project_id in self._stories:
            self._room.free(self, project_id)
        self._stories.clear()


def _committed_size(project: ArrowProject) -> int:
    project.commit()
    return size_in_memory(project)
