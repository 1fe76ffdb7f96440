"""Which paths an assistant may name: those below the folders of its workspace, by where they really lead."""

import asyncio
import json
import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, InitializeRequestParams

from arrow_project import Operation
from corpora import CatalogError, ProjectKey
from fletcher.app import KeptStoryFile
from ingest import Refusal, Scan, Source, scan
from mcp_server.protocol import Protocol
from mcp_server.stories import FileStory, Work
from mcp_server.story_files import StoryFiles, UndoableFile, one_spelling
from mcp_server.tool import AssistantCall, Tool, ToolError
from server import Access
from server.limits.turn_room import NoRoomForTurn
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.looks import looks_at
from tests.mcp_server.assistant import assistant, text_of
from tests.server.house import House, house
from tests.waiting import eventually

_TOKENS = Access({"a-token": "one", "b-token": "two"}, owner_key="owner")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[House, Path, Path]]:
    """A server with two workspaces and a folder for each."""
    folders = tmp_path / "one", tmp_path / "two"
    for folder in folders:
        folder.mkdir()
        (folder / "story.arrow").write_text(story_text(title=folder.name), "utf-8")
        (folder / "notes.md").write_text(f"The notes of {folder.name}.", "utf-8")
    (tmp_path / "secret.md").write_text("secret", "utf-8")
    with house(
        tmp_path / "data", access=_TOKENS, roots={folder.name: (folder,) for folder in folders}, completes=False
    ) as home:
        yield home, *folders


async def test_what_leads_out_is_refused(two: tuple[House, Path, Path], tmp_path: Path) -> None:
    home, own, other = two
    (own / "link.md").symlink_to(tmp_path / "secret.md")
    (own / "link.arrow").symlink_to(other / "story.arrow")
    (own / "folder").symlink_to(other)
    refused = [
        str(tmp_path / "secret.md"), "../secret.md", "link.md", "folder", "folder/notes.md", str(other), str(tmp_path),
        str(tmp_path / "data"), "/etc/hostname", "", "no/such/file.md", "notes.md\x00", "~/x.md", "a" * 300,
    ]  # fmt: skip
    async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as scribe:
        for path in refused:
            assert await scribe.code("add_documents", paths=[path]) == "PATH_NOT_ALLOWED", path
        for path in ("link.arrow", "folder/story.arrow", str(other / "story.arrow"), "../two/story.arrow"):
            assert await scribe.code("outline", story=path) == "PATH_NOT_ALLOWED", path
        assert await scribe.code("outline", story="notes.md") == "NOT_A_STORY"
        assert "one" in (await scribe.ok("outline", story="story.arrow"))["outline"]


async def test_what_fletcher_keeps_of_other_workspaces_is_not_read(tmp_path: Path) -> None:
    with house(tmp_path / "srv" / "data", access=_TOKENS, roots={"one": (tmp_path / "srv",)}) as home:
        data = b"The heir is Marten."
        home.ingestor.add(ProjectKey("two", "1"), [Source("secret.md", data)])
        (original,) = (path for path in (tmp_path / "srv" / "data" / "originals").glob("??/*"))
        notes = tmp_path / "srv" / "notes"
        notes.mkdir()
        (notes / "mine.md").write_text("My own note.", "utf-8")
        (notes / "link.md").symlink_to(original)
        async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as scribe:
            assert await scribe.code("add_documents", paths=[str(tmp_path / "srv")]) == "FOLDER_UNUSABLE"
            for path in (original, original.parent, notes / "link.md"):
                assert await scribe.code("add_documents", paths=[str(path)]) == "PATH_NOT_ALLOWED"
            added = await scribe.ok("add_documents", paths=[str(notes)])
    assert [(one["name"], one["status"]) for one in added["documents"]] == [
        ("mine.md", "searchable"),
        ("link.md", "skipped"),
    ]


async def test_paths_are_looked_for_in_threads(two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a drive hangs, nobody waits but who has named it."""
    home, own, _ = two
    looks = looks_at(own, monkeypatch)
    async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as scribe:
        for path in ("story.arrow", "none.arrow"):
            await scribe.call("outline", story=path)
            assert looks == {"drives"}
        looks.clear()
        await scribe.ok("add_documents", paths=[str(own)])
        assert not looks & {"on an event loop", "computing"}


async def test_a_story_is_read_and_written_in_threads_that_wait(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that compute are few, and everybody's."""
    home, own, _ = two
    before, looks = (own / "story.arrow").read_bytes(), looks_at(own, monkeypatch)
    async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as scribe:
        await scribe.ok("create_variable", name="gold", type="num", initial_value=10, story="story.arrow")
        assert b'"gold"' in (own / "story.arrow").read_bytes()
        await scribe.ok("undo", story="story.arrow")
    assert (own / "story.arrow").read_bytes() == before
    assert looks == {"drives"}


async def test_whoever_gives_up_a_call_lets_go_of_the_file_only_once_it_is_written(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, own, _ = two
    files = StoryFiles(lambda path: KeptStoryFile(path, own.parent / "kept"))
    story = FileStory(own / "story.arrow", own, ProjectKey("one", "1"), files, home.services)
    writing, go_on, write = threading.Event(), threading.Event(), KeptStoryFile.write

    def hangs(file: KeptStoryFile, before: bytes, after: bytes) -> None:
        writing.set()
        assert go_on.wait(PATIENCE_S)
        write(file, before, after)

    monkeypatch.setattr(KeptStoryFile, "write", hangs)
    gold = Operation("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
    work = asyncio.create_task(story.work(Work("An assistant", "gold", (gold,))))
    assert await asyncio.to_thread(writing.wait, PATIENCE_S)
    work.cancel()
    for _ in range(10):  # it hears of that when it has its turn
        await asyncio.sleep(0)
    assert files.lock(own / "story.arrow").locked()
    go_on.set()
    await asyncio.wait((work,))
    assert work.cancelled()
    assert b'"gold"' in (own / "story.arrow").read_bytes()


async def test_on_a_drive_that_hangs_no_thread_is_taken_that_computes(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, own, _ = two
    asking, computing = threading.Event(), list[str]()

    async def hangs(_workspace: str, _work: Any) -> Any:
        asking.set()
        await asyncio.Event().wait()

    async def computes(workspace: str, _work: Any) -> Any:
        computing.append(workspace)

    monkeypatch.setattr(home.services.drives, "run", hangs)
    monkeypatch.setattr(home.services.computing, "run", computes)
    calls: list[tuple[str, Any]] = [("outline", {"story": "story.arrow"}), ("add_documents", {"paths": [str(own)]})]
    for tool, given in calls:
        asking.clear()
        async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as scribe:
            call = asyncio.create_task(scribe.call(tool, **given))
            assert await asyncio.to_thread(asking.wait, PATIENCE_S)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
    assert not computing


async def test_a_link_within_an_added_folder_does_not_lead_out(two: tuple[House, Path, Path], tmp_path: Path) -> None:
    home, own, _ = two
    (own / "link.md").symlink_to(tmp_path / "secret.md")
    async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as scribe:
        report = await scribe.ok("add_documents", paths=[str(own)])
        found = await scribe.ok("search_documents", query="secret")

    statuses = {entry["name"]: entry["status"] for entry in report["documents"]}
    assert statuses["notes.md"] == "searchable"
    assert statuses["link.md"] == "skipped"
    assert all("secret" not in passage["text"] for passage in found["passages"])


async def test_a_link_that_comes_into_the_way_is_not_followed(tmp_path: Path) -> None:
    """What was looked at and found allowed is opened as what it was."""
    folder, outside = tmp_path / "game", tmp_path / "outside"
    for made in (folder, outside):
        made.mkdir()
        (made / "story.arrow").write_text(story_text(title=made.name), "utf-8")
        (made / "notes.md").write_text(made.name, "utf-8")
    with house(tmp_path / "data", roots={"local": (folder,)}) as home:
        story = FileStory(folder / "story.arrow", folder, home.key, StoryFiles(_never), home.services)
        found = Scan.of([scan(folder / "notes.md", folder)])
        for name in ("story.arrow", "notes.md"):
            (folder / name).unlink()
            (folder / name).symlink_to(outside / name)
        with pytest.raises(ToolError, match="cannot be read"):
            await story.shown().__aenter__()
        (entry,) = found
        assert isinstance(entry, Refusal)


async def test_a_story_that_an_assistant_reads_counts_as_one_that_a_turn_works_on(
    two: tuple[House, Path, Path],
) -> None:
    home, own, _ = two
    story = FileStory(own / "story.arrow", own, ProjectKey("one", "1"), StoryFiles(_never), home.services)
    async with story.shown():
        with pytest.raises(NoRoomForTurn), home.services.turn_room.at_work("one", 2**40):
            pass
    with home.services.turn_room.at_work("one", 2**40):
        pass


async def test_a_story_for_which_there_is_no_room_is_not_read(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, own, _ = two
    story = FileStory(own / "story.arrow", own, ProjectKey("one", "1"), StoryFiles(_never), home.services)
    monkeypatch.setattr(FileStory, "_bytes", lambda _: pytest.fail("it was read"))
    with home.services.turn_room.at_work("one", 2**40):
        with pytest.raises(NoRoomForTurn):
            await story.shown().__aenter__()
        with pytest.raises(NoRoomForTurn):
            await story.work(Work("Scribe", "adds Ida", (Operation("create_character", {"name": "Ida"}),)))


@pytest.mark.skipif(not os.supports_dir_fd, reason="this system opens files by their whole path only")
async def test_a_turn_is_not_written_behind_a_link_that_comes_into_the_way(tmp_path: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    for folder in (own, other):
        folder.mkdir()
        (folder / "story.arrow").write_text(story_text(), "utf-8")
    before = (other / "story.arrow").read_bytes()

    def exchanged(path: Path) -> KeptStoryFile:
        own.rename(tmp_path / "aside")
        own.symlink_to(other)
        return KeptStoryFile(path, tmp_path / "kept")

    with house(tmp_path / "data", roots={"local": (own,)}) as home:
        story = FileStory(own / "story.arrow", own, home.key, StoryFiles(exchanged), home.services)
        operations = (Operation("create_character", {"name": "Ida"}),)
        with pytest.raises(ToolError, match="cannot be written") as refused:
            await story.work(Work("Scribe", "adds Ida", operations))
    assert refused.value.code == "NOT_WRITTEN"
    assert (other / "story.arrow").read_bytes() == before


def _never(path: Path) -> UndoableFile:
    raise AssertionError(path)


async def test_a_file_is_taken_from_the_owner_only(two: tuple[House, Path, Path], tmp_path: Path) -> None:
    home, _, other = two
    named = {"x-fletcher-file": str(other / "story.arrow")}
    async with assistant(home.url, headers={"authorization": "Bearer a-token"} | named) as scribe:
        assert await scribe.code("outline") == "STORY_NEEDED"
    async with assistant(
        home.url, headers={"authorization": "Bearer owner", "x-fletcher-workspace": "one"} | named
    ) as scribe:
        assert "two" in (await scribe.ok("outline"))["outline"]


INITIALIZE: dict[str, Any] = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
}  # fmt: skip
ACCEPT = {"accept": "application/json, text/event-stream"}


def test_a_file_has_one_spelling() -> None:
    """Or whoever writes `Story` for `story`, which some systems take for the same, would begin from zero."""
    spellings = ["/game/stóry.arrow", "/Game/STÓRY.arrow", "/game/sto\u0301ry.arrow"]
    assert len({one_spelling(Path(one)) for one in spellings}) == 1


async def test_a_session_is_of_the_workspace_that_began_it(two: tuple[House, Path, Path]) -> None:
    home, _, _ = two
    with home.http(authorization="Bearer a-token", **ACCEPT) as own:
        session = own.post("/mcp", json=INITIALIZE).headers["mcp-session-id"]
    with home.http(authorization="Bearer b-token", **ACCEPT, **{"mcp-session-id": session}) as other:
        assert other.post("/mcp", json={"jsonrpc": "2.0", "id": 2, "method": "ping"}).status_code == 404
    with home.http(**ACCEPT) as nobody:
        assert nobody.post("/mcp", json=INITIALIZE).status_code == 401
    with home.http(authorization="Bearer a-token", host="evil.example", **ACCEPT) as foreign:
        assert foreign.post("/mcp", json=INITIALIZE).status_code == 403
    with home.http(authorization="Bearer a-token", origin="http://evil.example", **ACCEPT) as page:
        assert page.post("/mcp", json=INITIALIZE).status_code == 403


async def test_a_catalog_that_is_away_at_the_first_request_is_asked_again_and_by_no_thread_of_others(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _, _ = two
    asked_by: list[str] = []

    def away(_: Protocol) -> None:
        asked_by.append(threading.current_thread().name)
        raise CatalogError("Its server does not answer.")

    with home.http(authorization="Bearer a-token", **ACCEPT) as own:
        with monkeypatch.context() as hanging:
            hanging.setattr(Protocol, "server", away)
            refused = own.post("/mcp", json=INITIALIZE)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "CATALOG_ERROR")
        assert own.post("/mcp", json=INITIALIZE).status_code == 200
    assert asked_by != ["server"]


async def test_sessions_of_one_workspace_keep_no_other_out(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _, _ = two
    monkeypatch.setattr("mcp_server.endpoint._MOST_SESSIONS", 2)
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        statuses = [greedy.post("/mcp", json=INITIALIZE).status_code for _ in range(3)]
    assert statuses == [200, 200, 503]
    with home.http(authorization="Bearer b-token", **ACCEPT) as other:
        assert other.post("/mcp", json=INITIALIZE).status_code == 200


def test_what_a_session_begins_with_is_short_for_it_is_kept(two: tuple[House, Path, Path]) -> None:
    home, _, _ = two
    crowded = {"b": [{"a": 1}] * 7_000}, {"b": "x" * 30_000}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        for one in crowded:
            params = {**INITIALIZE["params"], "capabilities": {"experimental": {"a": one}}}
            refused = greedy.post("/mcp", json={**INITIALIZE, "params": params}).text
            assert "INVALID_REQUEST: initialize may have 20000" in refused


def test_a_client_may_have_an_icon_and_it_does_not_stay(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _, _ = two
    kept, validate = list[str](), InitializeRequestParams.model_validate

    def validated(params: Any, **options: Any) -> InitializeRequestParams:
        kept.append(str(params))
        return validate(params, **options)

    monkeypatch.setattr(InitializeRequestParams, "model_validate", validated)
    icon = {"src": "data:image/png;base64," + "A" * 25_000, "mimeType": "image/png"}
    client = INITIALIZE["params"]["clientInfo"] | {"icons": [icon]}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        answer = greedy.post("/mcp", json=INITIALIZE | {"params": INITIALIZE["params"] | {"clientInfo": client}})
    assert "serverInfo" in answer.text
    assert ["base64" in params for params in kept] == [False] * 2


@pytest.mark.parametrize("at", ["_meta", "arguments", "id"])
def test_a_call_is_short_for_it_stays_while_its_user_is_asked(two: tuple[House, Path, Path], at: str) -> None:
    home, _, _ = two
    call: dict[str, Any] = {"name": "list_documents"}
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    (request if at == "id" else call)[at] = "x" * 2**20 if at == "id" else {"b": "x" * 2**20}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        refused = greedy.post("/mcp", json=request)
    assert refused.status_code == 413
    assert "at most 1048576 bytes; make several calls of it" in refused.json()["error"]["message"]


def test_a_notification_that_is_crowded_is_not_in_the_log(
    two: tuple[House, Path, Path], caplog: pytest.LogCaptureFixture
) -> None:
    home, _, _ = two
    crowded = {"jsonrpc": "2.0", "method": "SECRET", "params": {"a": "x" * 20_001}}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        session = {"mcp-session-id": greedy.post("/mcp", json=INITIALIZE).headers["mcp-session-id"]}
        assert greedy.post("/mcp", json=crowded, headers=session).status_code == 202
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        assert greedy.post("/mcp", json=ping, headers=session).status_code == 200
    assert "SECRET" not in caplog.text


def test_what_nobody_reads_of_a_request_has_so_many_values(two: tuple[House, Path, Path]) -> None:
    home, _, _ = two
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        refused = greedy.post("/mcp", json=INITIALIZE | {"beside": [[]] * 20_001})
    assert refused.status_code == 413
    assert "at most 20000 brackets and commas" in refused.json()["error"]["message"]


def test_what_a_user_has_answered_has_few_values(two: tuple[House, Path, Path]) -> None:
    """Each is tried as whatever it may be, on the event loop: 20,000 zeros held everybody for half a second."""
    home, _, _ = two
    answers: dict[str, Any] = {"k": {"role": "user", "model": "m", "content": [{"type": "text", "text": "x" * 50_000}]}}
    call: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "list_editors"}}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        session = {"mcp-session-id": greedy.post("/mcp", json=INITIALIZE).headers["mcp-session-id"]}
        few = greedy.post("/mcp", json=call | {"params": call["params"] | {"inputResponses": answers}}, headers=session)
        answers["k"]["content"] = [0] * 501
        many = greedy.post(
            "/mcp", json=call | {"params": call["params"] | {"inputResponses": answers}}, headers=session
        )
    assert few.status_code == 200
    assert many.status_code == 413
    assert "at most 500 brackets and commas" in many.json()["error"]["message"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_what_is_counted_is_what_is_read(two: tuple[House, Path, Path], encoding: str) -> None:
    home, _, _ = two
    within = json.dumps(INITIALIZE | {"beside": "\u0122" + "[]," * 60_001}, ensure_ascii=False)
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        assert (
            greedy.post("/mcp", content=within.encode(), headers={"content-type": "application/json"}).status_code
            == 200
        )
        refused = greedy.post("/mcp", content=within.encode(encoding))
    assert (refused.status_code, refused.json()["error"]["message"]) == (400, "A request over MCP is JSON in UTF-8.")


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ("[]", "must be one JSON object, and this is a list"),
        ('{"jsonrpc": "2.0"', "this is not JSON"),
        ('{"SECRET": 1}', "must be one JSON-RPC message, and this is none"),
        ('{"jsonrpc": "2.0", "id": 1, "method": ["SECRET"]}', "must be one JSON-RPC message, and this is none"),
        ('{"jsonrpc": "2.0", "id": true, "method": "SECRET"}', "must be one JSON-RPC message, and this is none"),
        (f'{{"jsonrpc": "2.0", "id": "{"x" * 201}", "method": "SECRET"}}', "have at most 200 characters"),
        (
            f'{{"jsonrpc": "2.0", "method": "SECRET", "params": {{"_meta": {{"progressToken": "{"x" * 201}"}}}}}}',
            "have at most 200 characters",
        ),
        (f'{{"SECRET": [{"9" * 101}]}}', "has more than 100 characters"),
        ("[" * 2_000, "this is not JSON"),
    ],
    ids=["a list", "half", "no message", "no method", "no id", "a long id", "a long token", "a long number", "deep"],
)
def test_what_is_no_message_is_refused_before_it_is_said_again(
    two: tuple[House, Path, Path], body: str, problem: str
) -> None:
    home, _, _ = two
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        refused = greedy.post("/mcp", content=body, headers={"content-type": "application/json"})
    assert refused.status_code == 400
    message = refused.json()["error"]["message"]
    assert problem in message
    assert "SECRET" not in message


def test_a_workspace_has_so_many_streams_of_changes(two: tuple[House, Path, Path]) -> None:
    home, _, _ = two
    version = "2026-07-28"
    of_client = {"protocolVersion": version, "clientInfo": {"name": "a", "version": "1"}, "clientCapabilities": {}}
    params = {"notifications": {}, "_meta": {f"io.modelcontextprotocol/{name}": of for name, of in of_client.items()}}
    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": params}
    headers = {"mcp-protocol-version": version, "mcp-method": "subscriptions/listen"}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy, ExitStack() as streams:
        opened = [streams.enter_context(greedy.stream("POST", "/mcp", json=listen, headers=headers)) for _ in range(50)]
        lines = [stream.iter_lines() for stream in opened]  # a stream ends with the iterator over its lines
        assert {next(each) for each in lines} == {"event: message"}
        assert greedy.post("/mcp", json=INITIALIZE).json()["error"]["code"] == "TOO_BUSY"
        with home.http(authorization="Bearer b-token", **ACCEPT) as other:
            assert other.post("/mcp", json=INITIALIZE).status_code == 200


def test_a_call_keeps_its_place_when_its_client_has_hung_up(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _, _ = two
    may_end = threading.Event()

    async def called(_: AssistantCall) -> CallToolResult:
        await asyncio.to_thread(may_end.wait)
        return CallToolResult(content=[])

    monkeypatch.setattr("mcp_server.protocol.called", called)
    call: dict[str, Any] = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "outline"}}
    with home.http(authorization="Bearer a-token", **ACCEPT) as greedy:
        session = {"mcp-session-id": greedy.post("/mcp", json=INITIALIZE).headers["mcp-session-id"]}
        greedy.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        try:
            for number in range(50):
                with greedy.stream("POST", "/mcp", json=call | {"id": number}, headers=session) as answer:
                    assert answer.status_code == 200
            assert greedy.post("/mcp", json=call | {"id": 50}, headers=session).status_code == 503
        finally:
            may_end.set()
        eventually(lambda: greedy.post("/mcp", json=call | {"id": 51}, headers=session).status_code == 200)


async def test_the_folders_of_one_call_have_so_many_files_together(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, own, _ = two
    monkeypatch.setattr("mcp_server.document_tools.MOST_ENTRIES", 3)
    for name in ("a", "b"):
        (own / name).mkdir()
        for number in range(2):
            (own / name / f"{number}.md").write_text("A note.", "utf-8")
    async with assistant(home.url, headers={"authorization": "Bearer a-token"}, query="?project=1") as opened:
        paths = [str(own / name) for name in ("a", "b")]
        assert await opened.code("add_documents", paths=paths) == "FOLDER_TOO_LARGE"
        assert len((await opened.ok("add_documents", paths=paths[:1] * 3))["documents"]) == 2


async def test_a_call_has_so_many_values(two: tuple[House, Path, Path]) -> None:
    home, _, _ = two
    async with assistant(home.url, headers={"Authorization": "Bearer a-token"}) as opened:
        with pytest.raises(MCPError, match="INVALID_REQUEST: tools/call may have 20000 keys and values"):
            await opened.call("search", query=[{"a": 1}] * 7_000)


async def test_of_a_list_that_is_too_long_nothing_else_is_said(two: tuple[House, Path, Path]) -> None:
    home, _, _ = two
    async with assistant(home.url, headers={"Authorization": "Bearer a-token"}) as opened:
        said = text_of(await opened.call("apply_operations", operations=[{"function": "none"}] * 201))
        assert "apply_operations: operations: it has more than 200 items. It takes:" in said


async def test_the_many_values_of_a_call_are_looked_at_where_nobody_waits_for_them(
    two: tuple[House, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, _, _ = two
    check, threads = Tool.check, list[str]()

    def watched(tool: Tool, arguments: Mapping[str, Any]) -> None:
        threads.append(threading.current_thread().name)
        check(tool, arguments)

    monkeypatch.setattr(Tool, "check", watched)
    async with assistant(home.url, headers={"Authorization": "Bearer a-token"}, query="?project=1") as opened:
        assert await opened.code("add_documents", paths=["a"] * 500) == "INVALID_ARGUMENTS"
    assert {name.rpartition("_")[0] for name in threads} == {"computing"}
