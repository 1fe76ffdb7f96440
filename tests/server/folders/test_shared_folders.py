"""A folder that several servers could follow: one does."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from corpora import ProjectKey
from ingest import Change, FolderRoots, IngestReport, ProgressListener
from server import EmbeddingWorker
from server.background.intake import Intake
from server.background.linked_folders import LinkedFolders
from server.metrics import Metrics
from tests.server.house import House, house
from tests.waiting import eventually


class Counted(Intake):
    """Remembers what it was told to follow; a test can have it fail."""

    def __init__(self, home: House) -> None:
        self.embedding = EmbeddingWorker(lambda *_: True, home.retriever.repair)
        super().__init__(home.ingestor, Metrics(home.catalog), self.embedding)
        self.followed: list[Change] = []
        self.refusals = 0

    async def follow(self, key: ProjectKey, change: Change, progress: ProgressListener) -> IngestReport:
        if self.refusals:
            self.refusals -= 1
            raise OSError("the database went away")
        report = await super().follow(key, change, progress)
        self.followed.append(change)
        return report


class Server:
    """One of several servers with one database, as far as linked folders go."""

    def __init__(self, home: House) -> None:
        self.intake = Counted(home)
        roots = FolderRoots(Path("/no/data/directory"))
        self.folders = LinkedFolders(home.catalog, self.intake, roots, shared=True)
        self.closers = (self.folders.close, self.intake.close, self.intake.embedding.close)

    async def close(self) -> None:
        for close in self.closers:
            await close()


@pytest.fixture
def catalogued(tmp_path: Path) -> Iterator[House]:
    """What several servers share; its own server follows nothing, which would be one more than a test knows of."""
    with house(tmp_path / "data", completes=False) as opened:
        yield opened


@pytest.fixture
async def servers(catalogued: House) -> AsyncIterator[tuple[Server, Server]]:
    async with AsyncExitStack() as opened:
        both = Server(catalogued), Server(catalogued)
        for server in both:
            server.folders.start()
            opened.push_async_callback(server.close)
        yield both


def names_in(home: House) -> list[str]:
    return [document.name for document in home.catalog.documents(home.key)]


async def so(condition: Callable[[], bool]) -> None:
    await asyncio.to_thread(eventually, condition)


async def test_one_of_two_servers_follows_and_the_other_takes_over(
    catalogued: House, servers: tuple[Server, Server], folder: Path
) -> None:
    first, second = servers
    await first.folders.link(catalogued.key, str(folder), by_owner=True)
    (folder / "ferry.md").unlink()
    await so(lambda: names_in(catalogued) == ["bible.md"])
    assert second.intake.followed == []

    await first.folders.close()
    followed_by_first = len(first.intake.followed)
    (folder / "harbour.md").write_text("It freezes in winter.")
    # A report arrives later than what it is on: both are waited for.
    await so(lambda: names_in(catalogued) == ["bible.md", "harbour.md"] and bool(second.intake.followed))
    assert len(first.intake.followed) == followed_by_first


async def test_a_folder_that_is_linked_at_the_other_server_is_followed_there(
    catalogued: House, servers: tuple[Server, Server], folder: Path, tmp_path: Path
) -> None:
    first, second = servers
    await first.folders.link(catalogued.key, str(folder), by_owner=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "harbour.md").write_text("It freezes in winter.")
    await second.folders.link(catalogued.key, str(other), by_owner=True)
    (folder / "late.md").write_text("Nobody looks here any more.")
    (other / "quay.md").write_text("It is wet.")
    await so(lambda: names_in(catalogued) == ["harbour.md", "quay.md"])
    assert len(first.intake.followed) == 1


async def test_a_server_that_was_not_started_reads_the_folder_once(catalogued: House, folder: Path) -> None:
    server = Server(catalogued)
    report = await server.folders.link(catalogued.key, str(folder), by_owner=True)
    assert len(report.documents) == 3
    (folder / "late.md").write_text("Nobody looks here.")
    await server.close()
    assert len(server.intake.followed) == 1


async def test_a_failure_is_told_and_tried_again(
    catalogued: House, servers: tuple[Server, Server], folder: Path
) -> None:
    first, _ = servers
    first.intake.refusals = 2
    with pytest.raises(OSError, match="went away"):
        await first.folders.link(catalogued.key, str(folder), by_owner=True)
    await so(lambda: len(catalogued.catalog.documents(catalogued.key)) == 2)
