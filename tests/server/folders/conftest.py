"""A folder to link, and a server whose owner links it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.server.folders.linking import FERRY, owned, owner
from tests.server.house import House


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is at rest, and who has ended, is seen sooner than in earnest; nobody is dead who is only slow."""
    monkeypatch.setattr("ingest.watching._QUIET_S", 0.15)
    monkeypatch.setattr("ingest.watched_path._TOLD_AFTER_S", 0.15)
    monkeypatch.setattr("server.background.linked_folders._LEASE_S", 3600.0)
    monkeypatch.setattr("server.background.linked_folders._RENEW_S", 0.1)
    monkeypatch.setattr("server.background.linked_folders._AGAIN_S", 0.1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "bible.md").write_text("# Elena\n\nShe keeps the lighthouse.")
    (folder / "ferry.md").write_text(FERRY)
    (folder / "map.xyz").write_bytes(b"\0\1")
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with owned(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def http(home: House) -> Iterator[httpx.Client]:
    with owner(home) as opened:
        yield opened
