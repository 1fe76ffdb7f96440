"""The folder that belongs to a project: linked, followed, missing, shared between servers, refused."""

import asyncio
import os
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from contextlib import AsyncExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from corpora import ProjectKey
from ingest import Change, FolderRoots, IngestReport, ProgressListener
from server import WORKSPACE_HEADER, Access, EmbeddingWorker
from server.intake import Intake
from server.linked_folders import LinkedFolders
from server.metrics import Metrics
from tests.agent.scripted_model import PATIENCE_S
from tests.server.house import House, house
from tests.waiting import eventually

FERRY = "The ferry is called Bittern."
OWNER_KEY = "the owner's key"
TOKENS = {"ada's token": "ada", "bo's token": "bo"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is at rest, and who has ended, is seen sooner than in earnest; nobody is dead who is only slow."""
    monkeypatch.setattr("ingest.watching._QUIET_S", 0.15)
    monkeypatch.setattr("server.linked_folders._LEASE_S", 3600.0)
    monkeypatch.setattr("server.linked_folders._RENEW_S", 0.1)
    monkeypatch.setattr("server.linked_folders._AGAIN_S", 0.1)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "bible.md").write_text("# Elena\n\nShe keeps the lighthouse.")
    (folder / "ferry.md").write_text(FERRY)
    (folder / "map.xyz").write_bytes(b"\0\1")
    return folder


@contextmanager
def owned(path: Path, *, tokens: bool = False, roots: dict[str, tuple[Path, ...]] | None = None) -> Generator[House]:
    """A server whose owner's key is known."""
    with house(path, access=Access(TOKENS if tokens else {}, OWNER_KEY), roots=roots) as opened:
        yield opened


def owner(home: House, workspace: str = "local") -> httpx.Client:
    """A client with the key of the owner's file."""
    return home.http(Authorization=f"Bearer {OWNER_KEY}", **{WORKSPACE_HEADER: workspace})


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with owned(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
def http(home: House) -> Iterator[httpx.Client]:
    with owner(home) as opened:
        yield opened


def link(http: httpx.Client, folder: Path | str, project: int = 1) -> dict[str, Any]:
    answer = http.put(f"/projects/{project}/folder", json={"path": str(folder)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def linked(http: httpx.Client) -> dict[str, Any]:
    answer = http.get("/projects/1/folder")
    assert answer.status_code == 200, answer.text
    return answer.json()


def error(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def names(report: dict[str, Any]) -> list[str]:
    return [document["name"] for document in report["documents"]]


def test_a_folder_is_linked_shown_and_unlinked(http: httpx.Client, folder: Path) -> None:
    report = link(http, folder)
    assert set(report) == {"project", "path", "problem", "documents"}
    assert (report["project"], report["path"], report["problem"]) == ("1", str(folder), None)
    assert {document["name"]: document["status"] for document in report["documents"]} == {
        "bible.md": "searchable",
        "ferry.md": "searchable",
        "map.xyz": "skipped",
    }
    found = http.get("/projects/1/search", params={"q": "What is the ferry called?"}).json()["passages"]
    assert found[0]["document"] == "ferry.md"
    assert names(linked(http)) == ["bible.md", "ferry.md"]

    assert error(http.delete("/projects/1/documents/ferry.md")) == (409, "DOCUMENT_OF_FOLDER")
    assert names(http.delete("/projects/1/folder").json()) == ["bible.md", "ferry.md"]
    for ask in (http.get, http.delete):
        assert error(ask("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")
    assert http.delete("/projects/1/documents/ferry.md").status_code == 200
    assert names(http.get("/projects/1/documents").json()) == ["bible.md"]


def test_what_happens_in_the_folder_happens_in_the_corpus(http: httpx.Client, folder: Path) -> None:
    link(http, folder)
    (folder / "bible.md").write_text("# Elena\n\nShe went to the lighthouse of Pell.")
    (folder / "ferry.md").rename(folder / "boats.md")
    eventually(lambda: names(linked(http)) == ["bible.md", "boats.md"])
    found = http.get("/projects/1/search", params={"q": "Pell"}).json()["passages"]
    assert "Pell" in found[0]["text"]
    (folder / "boats.md").unlink()
    eventually(lambda: names(linked(http)) == ["bible.md"])


def test_projects_have_their_own_folders(http: httpx.Client, folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "bible.md").write_text("Another world.")
    link(http, folder, 1)
    link(http, other, 2)
    (other / "bible.md").unlink()
    eventually(lambda: names(http.get("/projects/2/documents").json()) == [])
    assert names(http.get("/projects/1/documents").json()) == ["bible.md", "ferry.md"]


def test_another_folder_replaces_the_first_and_leaves_uploads(
    home: House, http: httpx.Client, folder: Path, tmp_path: Path
) -> None:
    home.put("upload.md", "Sent by the editor.")
    link(http, folder)
    second = tmp_path / "second"
    second.mkdir()
    (second / "harbour.md").write_text("It freezes in winter.")
    statuses = {document["name"]: document["status"] for document in link(http, second)["documents"]}
    assert statuses == {"harbour.md": "searchable", "bible.md": "removed", "ferry.md": "removed"}
    (folder / "late.md").write_text("Nobody looks here any more.")
    (second / "quay.md").write_text("It is wet.")
    eventually(lambda: names(linked(http)) == ["harbour.md", "quay.md"])
    assert names(http.get("/projects/1/documents").json()) == ["harbour.md", "quay.md", "upload.md"]
    replaced = http.post("/projects/1/corpus", json={"documents": [], "replace": True}).json()
    assert names(replaced) == ["upload.md"]


def test_a_restart_makes_up_for_what_happened_meanwhile(tmp_path: Path, folder: Path) -> None:
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, folder)
    (folder / "ferry.md").unlink()
    (folder / "harbour.md").write_text("It freezes in winter.")
    with owned(tmp_path / "data") as home, owner(home) as http:
        eventually(lambda: names(linked(http)) == ["bible.md", "harbour.md"])


def test_a_folder_that_disappears_keeps_its_documents(
    http: httpx.Client, folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    link(http, folder)
    folder.rename(tmp_path / "drive")
    eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_MISSING")
    assert names(linked(http)) == ["bible.md", "ferry.md"]
    assert "Its documents are kept" in caplog.text
    (tmp_path / "drive" / "ferry.md").unlink()
    (tmp_path / "drive").rename(folder)
    eventually(lambda: linked(http)["problem"] is None and names(linked(http)) == ["bible.md"])


@pytest.mark.parametrize("leaves_its_place", [False, True])
def test_a_drive_that_is_out_when_the_server_starts(tmp_path: Path, folder: Path, leaves_its_place: bool) -> None:
    with owned(tmp_path / "data") as home, owner(home) as http:
        link(http, folder)
    folder.rename(tmp_path / "drive")
    if leaves_its_place:
        folder.mkdir()
    with owned(tmp_path / "data") as home, owner(home) as http:
        code = "FOLDER_EMPTY" if leaves_its_place else "FOLDER_MISSING"
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == code)
        assert names(linked(http)) == ["bible.md", "ferry.md"]
        if leaves_its_place:  # named by its user, an empty folder is believed
            assert {document["status"] for document in link(http, folder)["documents"]} == {"removed"}
            assert names(linked(http)) == []


def test_a_long_first_reading_ends_when_the_folder_is_unlinked(home: House, http: httpx.Client, folder: Path) -> None:
    home.readers.may_go_on.clear()
    answers: dict[str, httpx.Response] = {}

    def ask(method: str, **options: Any) -> threading.Thread:
        def request() -> None:
            with owner(home) as own:
                answers[method] = own.request(method, "/projects/1/folder", **options)

        thread = threading.Thread(target=request)
        thread.start()
        return thread

    linking = ask("PUT", json={"path": str(folder)})
    assert home.readers.reading.wait(PATIENCE_S)
    unlinking = ask("DELETE")
    home.readers.may_go_on.set()
    for thread in (linking, unlinking):
        thread.join(PATIENCE_S)
    assert answers["DELETE"].status_code == 200
    assert error(http.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")


def test_folders_that_cannot_be_linked(home: House, http: httpx.Client, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "plain.md").write_text("A file.")
    (tmp_path / "data" / "inside").mkdir()
    for path, said in (
        ("design", "absolute"),
        ("/a\0b", r"/a\x00b"),
        ("/a\u202eb", r"/a\u202eb"),
        (tmp_path / "nowhere", "no such folder"),
        (tmp_path / "plain.md", "is a file"),
        (tmp_path / "data", "data directory"),
        (tmp_path / "data" / "inside", "data directory"),
        (tmp_path, "data directory"),
    ):
        answer = http.put("/projects/1/folder", json={"path": str(path)})
        assert error(answer) == (422, "FOLDER_UNUSABLE")
        assert said in answer.json()["error"]["message"]
    assert error(http.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")


def test_a_folder_that_may_not_be_read_is_refused(
    http: httpx.Client, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(path: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("ingest.roots.os.scandir", forbidden)
    answer = http.put("/projects/1/folder", json={"path": str(folder)})
    monkeypatch.undo()
    assert error(answer) == (422, "FOLDER_UNUSABLE")
    assert "Permission denied" in answer.json()["error"]["message"]


def test_only_below_the_operators_folders(tmp_path: Path, folder: Path) -> None:
    allowed = tmp_path / "allowed"
    shutil.copytree(folder, allowed / "game")
    (allowed / "way out").symlink_to(folder)
    with house(tmp_path / "data", roots={"local": (allowed,)}) as home, home.http() as http:
        for path in (folder, allowed / "way out", allowed / ".." / "design", tmp_path / "nowhere"):
            answer = http.put("/projects/1/folder", json={"path": str(path)})
            assert error(answer) == (403, "FOLDER_NOT_ALLOWED")
            message = answer.json()["error"]["message"]
            assert "FLETCHER_FOLDERS" in message
            assert message.startswith(f"{path} may not"), "where a link leads is nobody's to learn"
        assert link(http, allowed / "game")["path"] == str(allowed / "game")
    # What one operator allowed, the next need not.
    with house(tmp_path / "data", roots={"local": (tmp_path / "elsewhere",)}) as home, home.http() as http:
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert names(linked(http)) == ["bible.md", "ferry.md"]


def test_names_that_are_no_text_do_not_break_the_folder(http: httpx.Client, folder: Path) -> None:
    bad, bad_folder = os.fsencode(folder) + b"/caf\xe9.md", os.fsencode(folder) + b"/qu\xeates"
    try:
        os.mkdir(bad_folder)  # noqa: PTH102  (of bytes)
        for path in (bad, bad_folder + b"/harbour.md"):
            with open(path, "w") as file:  # noqa: PTH123
                file.write("Text.")
    except OSError:
        pytest.skip("this system has no such file names")
    report = {document["name"]: document for document in link(http, folder)["documents"]}
    for name in (r"caf\xe9.md", r"qu\xeates/harbour.md"):
        assert (report[name]["status"], report[name]["error"]["code"]) == ("failed", "INVALID_NAME")
        assert name in report[name]["error"]["message"]
    assert names(linked(http)) == ["bible.md", "ferry.md"]
    (folder / "boats.md").write_text("All others go on.")
    eventually(lambda: names(linked(http)) == ["bible.md", "boats.md", "ferry.md"])
    os.rename(bad, os.fsencode(folder) + b"/coffee.md")  # noqa: PTH104
    eventually(lambda: "coffee.md" in names(linked(http)))
    assert linked(http)["problem"] is None


def bearer(home: House, token: str) -> httpx.Client:
    return home.http(Authorization=f"Bearer {token}")


def put(http: httpx.Client, folder: Path) -> tuple[int, str]:
    answer = http.put("/projects/1/folder", json={"path": str(folder)})
    return (200, "") if answer.is_success else error(answer)


def test_a_tenant_links_below_its_own_workspaces_folders_only(tmp_path: Path, folder: Path) -> None:
    adas, bos = tmp_path / "adas", tmp_path / "bos"
    shutil.copytree(folder, adas)
    shutil.copytree(folder, bos)
    roots = {"ada": (adas,), "bo": (bos,)}
    with (
        owned(tmp_path / "data", tokens=True, roots=roots) as home,
        bearer(home, "ada's token") as ada,
        bearer(home, "bo's token") as bo,
        owner(home, "carol") as owners,
    ):
        assert put(bo, adas) == put(ada, bos) == (403, "FOLDER_NOT_ALLOWED")
        assert put(owners, adas) == (403, "FOLDER_NOT_ALLOWED"), "where roots are set, they hold for everybody"
        assert put(ada, adas) == put(bo, bos) == (200, "")


@pytest.mark.parametrize("tokens", [True, False])
def test_without_roots_only_the_owner_has_files_of_the_machine_read(tmp_path: Path, folder: Path, tokens: bool) -> None:
    with owned(tmp_path / "data", tokens=tokens) as home:
        with bearer(home, "ada's token") as anybody:
            for path in (folder, tmp_path / "nowhere", Path("relative")):
                assert put(anybody, path) == (403, "FOLDER_NOT_ALLOWED")
            assert error(anybody.get("/projects/1/folder")) == (404, "FOLDER_NOT_FOUND")
        with owner(home, "ada" if tokens else "local") as owners:
            assert put(owners, folder) == (200, "")
        with bearer(home, "ada's token") as anybody:
            assert names(linked(anybody)) == ["bible.md", "ferry.md"], "it may see what the owner linked"


def test_what_was_linked_outside_of_its_workspaces_folders_is_not_followed_any_more(
    tmp_path: Path, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with owned(tmp_path / "data", tokens=True) as home, owner(home, "bo") as owners:
        assert put(owners, folder) == (200, "")
    (folder / "secret.md").write_text("For Ada alone.")
    roots = {"ada": (folder,)}
    with owned(tmp_path / "data", tokens=True, roots=roots) as home, bearer(home, "bo's token") as bo:
        eventually(lambda: (linked(bo)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert "'bo'" in linked(bo)["problem"]["message"]
        assert names(linked(bo)) == ["bible.md", "ferry.md"]
    assert "FLETCHER_FOLDERS" in caplog.text


@pytest.mark.parametrize("recorded", [True, False])
def test_what_somebody_else_has_linked_is_not_followed_without_roots(
    tmp_path: Path, folder: Path, recorded: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with owned(tmp_path / "data", roots={"local": (tmp_path,)}) as home, home.http() as http:
        link(http, folder)
        if not recorded:
            with closing(sqlite3.connect(tmp_path / "data" / "catalog.sqlite3")) as catalog, catalog:
                catalog.execute("UPDATE folders SET by_owner = NULL")
    (folder / "secret.md").write_text("Whoever runs the server has not linked this.")
    with owned(tmp_path / "data") as home, home.http() as http, owner(home) as owners:
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert f"'fletcher link {folder}'" in linked(http)["problem"]["message"]
        assert names(linked(http)) == ["bible.md", "ferry.md"]
        assert f"{folder} is not read" in caplog.text
        assert "secret.md" in names(link(owners, folder))
    with owned(tmp_path / "data") as home, home.http() as http:
        (folder / "later.md").write_text("What the owner has linked is followed after a restart.")
        eventually(lambda: "later.md" in names(linked(http)))


def test_a_folder_that_becomes_a_way_out_is_not_followed(tmp_path: Path, folder: Path) -> None:
    game = tmp_path / "allowed" / "game"
    shutil.copytree(folder, game)
    (folder / "secret.md").write_text("Not for this project.")
    with house(tmp_path / "data", roots={"local": (tmp_path / "allowed",)}) as home, home.http() as http:
        link(http, game)
        shutil.rmtree(game)
        game.symlink_to(folder)
        eventually(lambda: (linked(http)["problem"] or {}).get("code") == "FOLDER_NOT_ALLOWED")
        assert names(linked(http)) == ["bible.md", "ferry.md"]


class Counted(Intake):
    """Remembers what it was told to follow; a test can have it fail."""

    def __init__(self, home: House) -> None:
        super().__init__(home.ingestor, Metrics(home.catalog))
        self.followed: list[Change] = []
        self.failures = 0

    async def follow(self, key: ProjectKey, change: Change, progress: ProgressListener) -> IngestReport:
        if self.failures:
            self.failures -= 1
            raise OSError("the database went away")
        report = await super().follow(key, change, progress)
        self.followed.append(change)
        return report


class Server:
    """One of several servers with one database, as far as linked folders go."""

    def __init__(self, home: House) -> None:
        self.intake = Counted(home)
        embedding = EmbeddingWorker(lambda *_: True, home.retriever.repair)
        roots = FolderRoots(Path("/no/data/directory"))
        self.folders = LinkedFolders(home.catalog, self.intake, embedding, roots, shared=True)
        self.closers = (self.folders.close, self.intake.close, embedding.close)

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
    first.intake.failures = 2
    with pytest.raises(OSError, match="went away"):
        await first.folders.link(catalogued.key, str(folder), by_owner=True)
    await so(lambda: len(catalogued.catalog.documents(catalogued.key)) == 2)
