"""A server for each test, with a folder of stories that an assistant may read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from server import Access
from tests.agent.story import story_text
from tests.server.house import House, house


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The allowed folder, with a story."""
    path = tmp_path / "game"
    path.mkdir()
    (path / "story.arrow").write_bytes(story_text().encode())
    return path


@pytest.fixture
def owned_home(tmp_path: Path) -> Iterator[House]:
    """A server whose owner's key is `owner`, as `fletcher mcp` has it; nothing else may be read."""
    with house(tmp_path / "data", access=Access(owner_key="owner")) as opened:
        opened.put("people.md", "Elena keeps the lighthouse at Skarhavn.")
        yield opened


@pytest.fixture
def home(tmp_path: Path, folder: Path) -> Iterator[House]:
    """A server whose workspace may read the folder; its model is never asked."""
    with house(tmp_path / "data", roots={"local": (folder,)}) as opened:
        opened.put("people.md", "# Elena\n\nElena keeps the lighthouse at Skarhavn. Her lamp burns whale oil.")
        yield opened
