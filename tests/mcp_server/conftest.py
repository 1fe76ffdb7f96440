"""A server for each test, with a folder of stories that an assistant may read."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora import DataDirectory
from server import Access
from tests.agent.story import story_text
from tests.closed_files import settle
from tests.empty_data import copies
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


@pytest.fixture(scope="session")
def with_a_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory to copy: to put a document into each test's own takes longer than most of them."""
    path = tmp_path_factory.mktemp("with_a_document") / "data"
    with house(path) as opened:
        opened.put("people.md", "# Elena\n\nElena keeps the lighthouse at Skarhavn. Her lamp burns whale oil.")
    settle(DataDirectory(path).chroma_path)
    return path


@pytest.fixture
def home(tmp_path: Path, folder: Path, with_a_document: Path) -> Iterator[House]:
    """A server with a document, whose workspace may read the folder; its model is never asked."""
    data = DataDirectory(shutil.copytree(with_a_document, tmp_path / "data"))
    copies.add(data.chroma_path / "chroma.sqlite3")
    with house(data.path, roots={"local": (folder,)}, completes=False) as opened:
        yield opened
