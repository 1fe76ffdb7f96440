"""The story that a page has open: as it is, as a preview would have it, and where it came from."""

import codecs
import copy
import hashlib
import json
import re
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from sys import getsizeof

from arrow_project import ArrowProject, ParseError, Story, parse
from server import RequestError
from server.json_text import JsonError, refuse_crowded_story
from server.limits.story_size import size_in_memory

_LONGEST_TEXT = 100_000
_PIECE = 2**20  # bytes
_TEXT = re.compile(r'"[^"]*+"')

BLANK = json.dumps(
    {
        "title": "",
        "entry": 1,
        "meta": {
            "chapter": 0,
            "authors": {"0": ["Fletcher", 2]},
            "last_save": None,
            "editor": "3.1.0",
            "offline": True,
            "remote": {},
        },
        "resources": {
            "scenes": {"0": {"name": "scene", "entry": 1, "map": {"1": {"offset": [100, 100]}}}},
            "nodes": {"1": {"type": "entry", "name": "1", "data": {"plaque": "Start"}}},
            "variables": {},
            "characters": {},
        },
    }
)
"""Stands for no story, where the documents alone are asked about."""


@dataclass(frozen=True)
class OpenStory:
    """One state of a story; a change makes another one.

    Attributes:
        name: The file's.
        text: As Arrow would save it.
        file: Where it was picked on the server; None for one that was dropped.
        sha256: Of the file as it was read or written last.
        story: For reading.
        size: What it takes in memory, in bytes.
        digest: The SHA-256 of the text.
        number: Which state it is, of all of this server.
    """

    name: str
    text: str
    file: Path | None = None
    sha256: str = ""
    project: ArrowProject = field(init=False, repr=False, compare=False)
    story: Story = field(init=False, repr=False, compare=False)
    size: int = field(init=False, repr=False, compare=False)
    digest: str = field(init=False, repr=False, compare=False)
    number: int = field(init=False, repr=False, compare=False, default_factory=partial(next, count(1)))

    def __post_init__(self) -> None:
        object.__setattr__(self, "project", parse(self.text))
        object.__setattr__(self, "story", Story(self.project))
        # All of it now, in a thread: what a page asks for first would be made on the event loop.
        _ = self.story.variables, self.story.characters, self.story.leading_to(self.story.entry)
        object.__setattr__(self, "digest", digest(self.text.encode()))
        object.__setattr__(self, "size", size_in_memory(self.project) + getsizeof(self.text))

    @classmethod
    def read(cls, name: str, data: bytes, file: Path | None = None) -> "OpenStory":
        """A file that a visitor has sent, or picked on the server.

        Raises:
            RequestError: Arrow would not load it, or it would take too long to read; the message says why.
        """
        try:
            story = _decoded(data)
            if isinstance(story, str):
                refuse_crowded_story(story, "it")
            text = parse(story).to_text()
            _refuse_long_texts(text)
            return cls(name, text, file, digest(data))
        except (ParseError, JsonError) as error:
            code = error.code if isinstance(error, ParseError) else "INVALID_REQUEST"
            what = "cannot be opened" if name.endswith(".arrow") else "is no .arrow file"
            raise RequestError(422, code, f"{name} {what}: {error}") from error

    @property
    def scene_of_entry(self) -> int:
        """The scene that is shown first."""
        scene = self.story.scene_of_entry()
        return next(iter(self.story.scenes), 0) if scene is None else scene

    def changed(self, text: str) -> "OpenStory":
        """The same file with another text.

        Raises:
            RequestError: With it, it would not be opened again.
        """
        try:
            _refuse_long_texts(text)
            return OpenStory(self.name, text, self.file, self.sha256)
        except (ParseError, JsonError) as error:
            raise RequestError(422, "INVALID_REQUEST", f"{self.name} would not be opened again: {error}") from error

    def written(self, sha256: str) -> "OpenStory":
        """The same state, with that checksum of its file; it is not read anew."""
        same = copy.copy(self)
        object.__setattr__(same, "sha256", sha256)
        return same


def _decoded(data: bytes) -> str | bytes:
    """Its text, read in pieces between which others go on; where it is none, what of it is none."""
    pieces = (data[at : at + _PIECE] for at in range(0, len(data), _PIECE))
    try:
        return "".join(codecs.iterdecode(pieces, "utf-8"))
    except UnicodeDecodeError as error:
        return error.object


def _refuse_long_texts(text: str) -> None:
    """A form has a field for each text of a node, and a browser holds up everybody with one that no writer fills."""
    unescaped = text.replace("\\\\", "..").replace('\\"', "..")  # two characters for two: they end no text
    longest = max(found.end() - found.start() for found in _TEXT.finditer(unescaped))
    if longest > _LONGEST_TEXT:
        raise JsonError(
            f"A text or name in it has {longest:,} characters, and the page shows stories of which none has more than "
            f"{_LONGEST_TEXT:,}; shorten it in Arrow."
        )


def digest(data: bytes) -> str:
    """What tells whether a file is still what it was."""
    return hashlib.sha256(data).hexdigest()
