"""The content that a client sends, read once as long as it stays the same."""

import hashlib
from dataclasses import dataclass

from arrow_project import ArrowProject, parse
from server.limits.story_size import size_in_memory


@dataclass(frozen=True)
class ReadStory:
    """A parsed content, and how to tell whether it still is what was parsed.

    Attributes:
        sha256: Of the content.
        project: What it says; a turn may edit it.
        unedited: Its checkpoint when it was parsed.
        size: What it takes in memory, in bytes.
    """

    sha256: bytes
    project: ArrowProject
    unedited: int
    size: int


def read_story(content: str, last: ReadStory | None) -> ReadStory:
    """The story in `content`: the one that was read last, if content and story are both unchanged since.

    Most messages come with the content of the message before, and hashing it takes a fiftieth of the time of parsing.

    Raises:
        ParseError: Arrow would not load it.
    """
    sha256 = hashlib.sha256(content.encode(errors="surrogatepass")).digest()
    if last is not None and last.sha256 == sha256 and last.project.checkpoint() == last.unedited:
        return last
    project = parse(content)
    return ReadStory(sha256, project, project.checkpoint(), size_in_memory(project))
