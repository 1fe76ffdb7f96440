"""The stories of one client, as it has last shown them."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from arrow_project import ArrowProject, ParseError, parse
from corpora import ProjectKey
from server.messages import MessageError
from server.read_story import ReadStory, read_story

logger = logging.getLogger(__name__)

NO_PROJECT = "-1"


class Stories:
    """What the client has open: by project id, its content as parsed and as the turns since then have edited it.

    Args:
        workspace: Whose projects they are.

    Attributes:
        last: The project that the client has sent last; `-1` for none.
    """

    def __init__(self, workspace: str) -> None:
        self._workspace = workspace
        self._projects: dict[str, ArrowProject] = {}
        self._read: dict[str, ReadStory] = {}  # what was made of the content that the client sent last
        self._settling: asyncio.Task[None] | None = None
        self.last = NO_PROJECT

    def get(self, project_id: str) -> ArrowProject | None:
        """The story; None where the client has not sent any."""
        return self._projects.get(project_id)

    async def read(self, project_id: str, content: str) -> ArrowProject:
        """Takes over what the client has sent; content that cannot be read changes nothing.

        Raises:
            MessageError: Arrow would not load it.
            CorpusError: The project's id cannot be one.
        """
        if project_id != NO_PROJECT:
            ProjectKey(self._workspace, project_id)  # refuses what cannot be the name of a project
        try:
            story = await asyncio.to_thread(read_story, content, self._read.get(project_id))
        except ParseError as error:
            raise MessageError(error.code, f"{error} The content known before is kept.") from error
        self._read[project_id] = story
        self._projects[project_id] = story.project
        self.last = project_id
        return story.project

    def put(self, project_id: str, project: ArrowProject) -> None:
        """What a turn has made of the story."""
        self._projects[project_id] = project

    def replace(self, project_id: str, known: ArrowProject | None, project: ArrowProject) -> None:
        """`put`, unless the client has sent something newer than `known`."""
        if self._projects.get(project_id) is known:
            self._projects[project_id] = project

    async def adopt(self, project_id: str, known: ArrowProject, content: str) -> None:
        """`replace` with what the client has reported; what cannot be read is only logged."""
        try:
            project = await asyncio.to_thread(parse, content)
        except ParseError as error:
            logger.warning("the client reported content that cannot be read: %s", error)
            return
        self.replace(project_id, known, project)

    def settle(self, work: Coroutine[Any, Any, None]) -> None:
        """Lets `work` bring a story up to date, for which nobody but the next turn has to wait."""
        self._settling = asyncio.create_task(work)

    async def settled(self) -> None:
        """Waits for what `settle` was given; a caller that is stopped meanwhile does not stop it."""
        if self._settling is not None:
            await asyncio.wait((self._settling,))

    def close(self) -> None:
        """The client is gone."""
        if self._settling is not None:
            self._settling.cancel()
