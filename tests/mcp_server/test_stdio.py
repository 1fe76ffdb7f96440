"""`fletcher mcp`: a real process that an assistant starts, with a live owner of the data directory and without one."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any, TextIO

import anyio
import httpx
import pytest
from mcp import StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.server.stdio import stdio_server

from fletcher.owner import live_owner
from fletcher.settings import load_settings
from tests.agent.story import story_text
from tests.end_to_end.conftest import fletcher
from tests.forked import Forked
from tests.forked import started as forked
from tests.full_pipe import full_pipe
from tests.mcp_server.assistant import ERAS, Assistant, Era, User, connected
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, running_server

pytestmark = pytest.mark.long

_GOLD = {"function": "create_variable", "arguments": {"name": "gold", "type": "num"}}
_DELETE = {"function": "delete_node", "arguments": {"node_id": 2}}
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture(scope="module")
def owned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data directory whose owner is this process: who talks to an owner starts in a third of the time."""
    data_dir = tmp_path_factory.mktemp("owned") / "data"
    with live_owner(load_settings(data_dir=data_dir, model="local")):
        yield data_dir


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return _story_in(tmp_path)


def _story_in(folder: Path) -> Path:
    path = folder / "story.arrow"
    path.write_bytes(json.dumps(json.loads(story_text(), strict=False), indent=1).encode())
    (folder / "people.md").write_text("Elena keeps the lighthouse. " + chr(0x2028) + "Her lamp is cold.", "utf-8")
    return path


@dataclass
class Process:
    """`fletcher mcp`, forked: what an assistant has of the process that it starts."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    forked: Forked | subprocess.Popen[bytes]

    def wait(self) -> int:
        return self.forked.wait(PATIENCE_S)


@contextmanager
def _process(data_dir: Path, *arguments: str | Path, errlog: TextIO | None = None) -> Generator[Process]:
    (its_stdin, ours), (its, its_stdout) = os.pipe(), os.pipe()
    with os.fdopen(ours, "wb") as stdin, os.fdopen(its, "rb") as stdout:
        process = forked(
            _command(data_dir, *arguments), data_dir.parent, CLEAN_ENVIRONMENT, its_stdout, errlog, its_stdin
        )
        os.close(its_stdin)
        os.close(its_stdout)
        try:
            yield Process(stdin, stdout, process)
        finally:
            stdin.close()
            process.kill()
            process.wait()


def started(
    data_dir: Path,
    *arguments: str | Path,
    era: Era = "legacy",
    user: User | None = None,
    errlog: TextIO = sys.stderr,
) -> Any:
    """An assistant that has started `fletcher mcp`."""
    return connected(_over_pipes(data_dir, *arguments, errlog=errlog), era, user)


def started_anew(data_dir: Path, *arguments: str | Path, era: Era = "legacy") -> Any:
    """As an assistant starts it, which takes longer than most of what it is asked."""
    program, *words = _command(data_dir, *arguments)
    parameters = StdioServerParameters(
        command=program, args=words, env=dict(CLEAN_ENVIRONMENT), cwd=str(data_dir.parent)
    )
    return connected(stdio_client(parameters), era)


def _command(data_dir: Path, *arguments: str | Path) -> list[str]:
    return [sys.executable, "-m", "fletcher", "mcp", "--data-dir", str(data_dir), *map(str, arguments)]


@asynccontextmanager
async def _over_pipes(data_dir: Path, *arguments: str | Path, errlog: TextIO) -> AsyncGenerator[Any]:
    """The transport to a process of ours: what the SDK has for servers, which reads and writes the same lines."""
    with _process(data_dir, *arguments, errlog=errlog) as process:
        read, write = (TextIOWrapper(file, "utf-8", newline="\n") for file in (process.stdout, process.stdin))
        async with stdio_server(anyio.wrap_file(read), anyio.wrap_file(write)) as streams:
            try:
                yield streams
            finally:
                write.close()  # it ends, and so does what waits for its next line


async def _works(scribe: Assistant, story: Path) -> None:
    before = story.read_bytes()
    added = await scribe.ok("add_documents", paths=["people.md"])
    found = await scribe.ok("search_documents", query="lighthouse")
    outlined = await scribe.ok("outline")
    done = await scribe.ok("apply_operations", operations=[_GOLD])
    assert b"gold" in story.read_bytes()
    undone = await scribe.ok("undo")

    assert added["documents"][0]["status"] in ("searchable", "unchanged")
    assert chr(0x2028) in found["passages"][0]["text"]
    assert "The lamp is cold." in outlined["outline"]
    assert (done["status"], undone["status"]) == ("done", "done")
    assert story.read_bytes() == before


async def test_without_an_owner_it_is_the_owner(data_dir: Path, story: Path) -> None:
    async with started(data_dir, "--project", "1", "--file", story) as scribe:
        await _works(scribe, story)
        assert fletcher("documents", "--project", "1", data_dir=data_dir).out  # others are answered meanwhile


@pytest.mark.skipif(sys.platform == "win32", reason="fills a pipe as POSIX does")
async def test_an_assistant_that_does_not_read_what_it_logs_holds_nobody_up(data_dir: Path, story: Path) -> None:
    with full_pipe() as full:
        async with started(data_dir, "--project", "1", "--file", story, errlog=full) as scribe:
            url = json.loads((data_dir / "owner.json").read_bytes())["url"]
            wrong = {"Authorization": "Bearer wrong"}  # which is logged
            async with httpx.AsyncClient(headers=wrong, timeout=PATIENCE_S, trust_env=False) as stranger:
                assert (await stranger.get(f"{url}/projects")).status_code == 401
            assert "The lamp is cold." in (await scribe.ok("outline"))["outline"]


async def test_with_a_live_owner_it_talks_to_it_and_so_do_others_of_either_era_and_then_to_the_next(
    data_dir: Path, story: Path
) -> None:
    before = story.read_bytes()
    one, other = (started_anew(data_dir, "--project", "1", "--file", story, era=era) for era in ERAS)
    with running_server(data_dir):
        first, second = await one.__aenter__(), await other.__aenter__()
        await _works(first, story)
        await second.ok("outline")
    with running_server(data_dir):
        await _works(second, story)
        await first.ok("apply_operations", operations=[_GOLD])
        await second.ok("undo")  # what one does, the other can take back
        assert story.read_bytes() == before
        await other.__aexit__(None, None, None)
        await one.__aexit__(None, None, None)


async def test_a_change_is_taken_back_by_the_command_line_as_well(owned: Path, story: Path) -> None:
    before = story.read_bytes()
    async with started(owned, "--file", story) as scribe:
        await scribe.ok("apply_operations", operations=[_GOLD])

    assert fletcher("undo", story, data_dir=owned).code == 0
    assert story.read_bytes() == before


@pytest.mark.parametrize("era", ERAS)
async def test_the_user_is_asked(owned: Path, story: Path, era: Era) -> None:
    user = User(["yes"])
    async with started(owned, "--file", story, era=era, user=user) as scribe:
        done = await scribe.ok("apply_operations", operations=[_DELETE])

    assert done["status"] == "done"
    assert len(user.shown) == 1


async def test_only_the_file_s_folder_may_be_read(owned: Path, tmp_path: Path) -> None:
    story = _story_in(owned.parent)  # a data directory within it may not
    outside = tmp_path / "outside.md"
    outside.write_text("secret", "utf-8")
    async with started(owned, "--file", story) as scribe:
        for path in (str(outside), f"../{tmp_path.name}/{outside.name}", "data/owner.json", "/etc/hostname"):
            assert await scribe.code("add_documents", paths=[path], project="1") == "PATH_NOT_ALLOWED", path


# --- the wire --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def process(owned: Path) -> Generator[Process]:
    """One for all who ask it for something odd: it goes on."""
    with _process(owned) as process:
        assert _say(process, json.dumps(INITIALIZE).encode())["result"]["serverInfo"]["name"] == "fletcher"
        yield process


def _say(process: Process, line: bytes) -> dict[str, Any]:
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def test_what_is_no_message_is_said_and_the_next_is_answered(process: Process) -> None:
    assert _say(process, b"{not json")["error"]["code"] == -32700
    assert _say(process, b"\xff\xfe")["error"]["code"] == -32700
    assert _say(process, b"[]")["error"]["code"] == -32600
    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
    assert _say(process, json.dumps(ping).encode()) == {"jsonrpc": "2.0", "id": 2, "result": {}}


_META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}
_ODD_REQUESTS = (
    b'{"jsonrpc":"2.0","id":[1],"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":true,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":5,"method":["ping"]}',
    b'{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}',
    b"[" * 100_000,
    b'{"a":' * 100_000,
    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"outline","arguments":{"story":"\\ud800"}}}',
    json.dumps({"jsonrpc": "2.0", "id": 8, "method": "t\u00f6\u00f6ls", "params": {"_meta": _META}}).encode(),
    json.dumps({"jsonrpc": "2.0", "id": 9, "method": "to\nols", "params": {"_meta": _META}}).encode(),
    json.dumps(
        {"jsonrpc": "2.0", "id": 10, "method": "tools/list", "params": {"_meta": dict.fromkeys(_META, "\u00fc\n")}}
    ).encode(),
)
_ODD_NOTICES = (
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[1]}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"\\ud800"}}',
    b'{"jsonrpc":"2.0","id":999,"result":{}}',
)


def test_whatever_comes_every_request_is_answered(process: Process) -> None:
    for line in _ODD_REQUESTS:
        answer = _say(process, line)
        assert answer["error"]["code"] < 0, line[:80]
        assert "Fletcher has ended" not in answer["error"]["message"], line[:80]
    for number, line in enumerate(_ODD_NOTICES):
        ping = {"jsonrpc": "2.0", "id": f"ping {number}", "method": "ping"}
        answer = _say(process, line + b"\n" + json.dumps(ping).encode())
        while answer["id"] != ping["id"]:  # what is wrong with a notice is said to nobody's request
            assert answer["id"] is None, line
            answer = _say(process, b"")


def test_it_ends_with_its_client(data_dir: Path) -> None:
    with _process(data_dir) as process:
        _say(process, json.dumps(INITIALIZE).encode())
        process.stdin.close()
        assert process.wait() == 0
        assert process.stdout.read() == b""


@pytest.mark.parametrize(("given", "said"), [("--file", "it is a folder"), ("--project", "project id")])
def test_wrong_usage_is_said_before_anything_is_started(data_dir: Path, given: str, said: str) -> None:
    done = fletcher("mcp", given, "///", data_dir=data_dir)

    assert done.code in (1, 2)
    assert said in done.err.replace("\n", " ").lower() or given == "--project"
    assert done.out == ""
