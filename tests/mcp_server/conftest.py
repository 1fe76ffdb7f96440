"""A server for each test, with a folder of stories that an assistant may read."""

from collections.abc import Iterator
from pathlib import Path

import pytest

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
def home(tmp_path: Path, folder: Path) -> Iterator[House]:
    """A server whose workspace may read the folder; its model is never asked."""
    with house(tmp_path / "data", roots={"local": (folder,)}) as opened:
        opened.put("people.md", "# Elena\n\nElena keeps the lighthouse at Skarhavn. Her lamp burns whale oil.")
        yield opened
