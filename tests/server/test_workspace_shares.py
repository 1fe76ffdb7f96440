"""However much one workspace asks at once, another is answered in between."""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from corpora import Catalog, ProjectCounts, ProjectKey, shares
from server import Access
from server.access.rules import AccessMiddleware
from server.json_text import write_long
from server.limits import workspace_share
from server.limits.rounds import Rounds
from server.limits.shared_threads import SharedThreads
from server.limits.workspace_share import WorkspaceShareMiddleware
from server.socket import stories
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.client import types
from tests.server.house import House, house

TOKENS = {"adas-token": "ada", "bos-token": "bo"}
MANY = 40
"""More than the threads that asyncio begins by itself, on any machine."""


@pytest.fixture
def tenants(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, "Ada has asked.", access=Access(TOKENS), local=True) as home:
        yield home


def test_a_turn_does_not_wait_for_all_that_another_workspace_has_to_compute(
    tenants: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, begun, read = threading.Event(), threading.Event(), stories.read_story
    endless = story_text() + " " * 7

    def read_slowly(content: str, last: Any) -> Any:
        if content == endless:
            begun.set()
            assert go_on.wait(PATIENCE_S)
        return read(content, last)

    monkeypatch.setattr(stories, "read_story", read_slowly)
    with ExitStack() as opened:
        opened.callback(go_on.set)
        for _ in range(MANY):
            ada = opened.enter_context(tenants.client("/ws/chat?dialect=fletcher&token=adas-token"))
            ada.send("file_sync", project_id=1, arrow_content=endless)
        assert begun.wait(PATIENCE_S)
        bo = opened.enter_context(tenants.client("/ws/chat?dialect=fletcher&token=bos-token"))
        bo.ask("What is in this scene?", arrow_content=story_text(), current_scene_id=0)
        assert types(bo.until("turn_end"))[-1] == "turn_end"
        assert not go_on.is_set()


def test_one_message_of_a_workspace_that_has_sent_hundreds_goes_before_one_of_another(tenants: House) -> None:
    answered: list[str] = []

    async def talk(token: str, frames: int) -> None:
        said = [{"type": "websocket.receive", "text": '{"type": "smile"}'} for _ in range(frames)]
        messages = iter([{"type": "websocket.connect"}, *said, {"type": "websocket.disconnect", "code": 1000}])

        async def receive() -> Any:
            return next(messages)  # as of a client whose messages have all come

        async def send(message: Any) -> None:
            if message["type"] == "websocket.send":
                answered.append(token)

        scope = {"type": "websocket", "path": "/ws/chat", "query_string": f"token={token}".encode()}
        scope |= {"headers": [(b"host", b"127.0.0.1")], "client": ("127.0.0.1", 1), "subprotocols": [], "state": {}}
        await tenants.watched(scope, receive, send)

    async def all_at_once() -> None:
        await asyncio.gather(*(talk("adas-token", 100) for _ in range(5)), talk("bos-token", 1))

    loop = tenants.watched.loop
    assert loop is not None
    asyncio.run_coroutine_threadsafe(all_at_once(), loop).result(PATIENCE_S)
    assert len(answered) == 501
    assert answered.index("bos-token") < 10


def test_pieces_of_many_answers_of_a_workspace_go_before_no_message_of_another(tenants: House) -> None:
    passed: list[str] = []

    async def come(workspace: str, pieces: int) -> None:
        threads = tenants.services.threads_of(workspace)
        for _ in range(pieces):
            await threads.give_way()
            passed.append(workspace)

    async def all_at_once() -> None:
        await asyncio.gather(*(come("ada", 10) for _ in range(50)), come("bo", 10))

    loop = tenants.watched.loop
    assert loop is not None
    asyncio.run_coroutine_threadsafe(all_at_once(), loop).result(PATIENCE_S)
    assert len(passed) == 510
    assert passed[:40].count("bo") == 10


def test_rounds_let_through_in_the_order_of_asking() -> None:
    let_through: list[str] = []

    async def ask(rounds: Rounds, workspace: str, number: int) -> None:
        await rounds.wait(workspace)
        let_through.append(f"{workspace} {number}")

    async def all_at_once() -> None:
        rounds = Rounds()
        await asyncio.gather(*(ask(rounds, workspace, number) for workspace in ("a", "b") for number in range(3)))

    asyncio.run(all_at_once())
    assert let_through == ["a 0", "b 0", "a 1", "b 1", "a 2", "b 2"]


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::{}"])
def test_strangers_wait_for_one_request_of_each_address_and_for_none_where_health_is_asked(
    tenants: House, address: str
) -> None:
    let_in: list[tuple[str, str]] = []

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        let_in.append((scope["client"][0], scope["path"]))

    async def nothing(*_: object) -> Any:
        raise AssertionError

    shares = WorkspaceShareMiddleware(app, tenants.services)

    async def ask(address: str, path: str) -> None:
        await shares({"type": "http", "path": path, "headers": [], "client": (address, 1)}, nothing, nothing)

    async def all_at_once() -> None:
        many = [(address.format(number), "/sign-in") for number in range(100)]
        await asyncio.gather(*(ask(*asked) for asked in [*many, ("192.0.2.2", "/sign-in"), ("192.0.2.1", "/healthz")]))

    asyncio.run(all_at_once())
    assert len(let_in) == 102
    assert let_in.index(("192.0.2.2", "/sign-in")) < 5
    assert let_in.index(("192.0.2.1", "/healthz")) < 5


async def test_who_is_refused_waits_as_everybody_does() -> None:
    seen = list[str]()

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append("let in")

    async def nothing() -> Any:
        raise AssertionError

    async def send(message: Any) -> None:
        seen.append(message["type"])

    access = AccessMiddleware(app, Access({"tok": "ada"}), Rounds())

    async def ask(*headers: tuple[bytes, bytes]) -> None:
        asked = [(b"host", b"127.0.0.1"), *headers]
        scope = {"type": "http", "path": "/projects", "query_string": b"", "headers": asked}
        await access(scope | {"client": ("192.0.2.1", 1)}, nothing, send)

    await asyncio.gather(*(ask() for _ in range(100)), ask((b"authorization", b"Bearer tok")))
    assert seen.index("let in") < 5
    assert seen.count("http.response.start") == 100


@pytest.mark.parametrize(("longest_s", "at_once"), [(PATIENCE_S, 2), (0.0, 50)])
async def test_of_strangers_few_are_told_what_the_server_is_and_who_reads_slowly_keeps_no_place(
    tenants: House, monkeypatch: pytest.MonkeyPatch, longest_s: float, at_once: int
) -> None:
    monkeypatch.setattr(workspace_share, "_LONGEST_S", longest_s)
    let_in, read = Counter[tuple[str, str]](), asyncio.Event()

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        let_in[scope["client"][0], scope["path"]] += 1
        await read.wait()

    async def nothing(*_: object) -> Any:
        raise AssertionError

    shares = WorkspaceShareMiddleware(app, tenants.services)
    description = ("192.0.2.1", "/openapi.json")
    others = [("192.0.2.2", "/static-offline-docs/a.js"), ("192.0.2.1", "/healthz"), ("192.0.2.1", "/sign-in")]
    async with asyncio.TaskGroup() as group:
        for address, path in [description] * 50 + others:
            scope = {"type": "http", "path": path, "headers": [], "client": (address, 1)}
            group.create_task(shares(scope, nothing, nothing))
        for _ in range(1000):
            await asyncio.sleep(0)
        assert let_in == Counter(others) | {description: at_once}
        read.set()
    assert let_in[description] == 50


async def test_of_one_workspace_not_any_number_of_requests_is_under_way(
    tenants: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workspace_share, "_MOST_UNDER_WAY", 3)
    monkeypatch.setattr(workspace_share, "_LONGEST_S", PATIENCE_S)
    answered, statuses = asyncio.Event(), Counter[tuple[str, int]]()

    async def app(_scope: Scope, _receive: Receive, _send: Send) -> None:
        await answered.wait()

    async def nothing(*_: object) -> Any:
        raise AssertionError

    shares = WorkspaceShareMiddleware(app, tenants.services)

    async def ask(workspace: str, path: str = "/projects") -> None:
        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                statuses[workspace, message["status"]] += 1

        state = {"workspace": workspace} if workspace else {}
        scope = {"type": "http", "path": path, "headers": [], "client": ("192.0.2.1", 1), "state": state}
        await shares(scope, nothing, send)

    for _ in range(2):  # those that are answered make room
        statuses.clear()
        answered.clear()
        async with asyncio.TaskGroup() as group:
            for workspace in ["ada"] * 5 + ["bo"] * 3:
                group.create_task(ask(workspace))
            for path in ["/openapi.json"] * 7 + ["/", "/sign-in"] * 5 + ["/healthz"]:
                group.create_task(ask("", path))
            for _ in range(100):
                await asyncio.sleep(0)
            answered.set()
        assert statuses == {("ada", 503): 2, ("", 503): 2}, "two of seven are answered, three wait; of the page all"


async def test_who_is_one_of_too_many_is_refused_in_turn(tenants: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workspace_share, "_MOST_UNDER_WAY", 1)
    seen = list[str]()

    async def app(scope: Scope, _receive: Receive, _send: Send) -> None:
        seen.append(scope["state"]["workspace"])
        await asyncio.sleep(0)

    async def nothing(*_: object) -> Any:
        raise AssertionError

    async def send(message: Any) -> None:
        seen.append(message["type"])

    shares = WorkspaceShareMiddleware(app, tenants.services)

    async def ask(workspace: str) -> None:
        scope = {"type": "http", "path": "/projects", "headers": [(b"a", b"b")], "client": ("192.0.2.1", 1)}
        await shares(scope | {"state": {"workspace": workspace}}, nothing, send)

    await asyncio.gather(*(ask("ada") for _ in range(100)), ask("bo"))
    assert seen.index("bo") < 8
    assert seen.count("http.response.start") == 99


def test_who_is_still_to_say_hello_waits_for_no_request(tenants: House) -> None:
    accepted, asked = list[int](), list[int]()

    async def hello() -> None:
        messages = iter([{"type": "websocket.connect"}, {"type": "websocket.disconnect", "code": 1000}])

        async def receive() -> Any:
            return next(messages)

        async def send(_: Any) -> None:
            accepted.append(len(asked))

        scope = {"type": "websocket", "path": "/ws/chat", "query_string": b"", "headers": [(b"host", b"127.0.0.1")]}
        await tenants.watched(scope | {"client": ("127.0.0.1", 1), "subprotocols": [], "state": {}}, receive, send)

    async def ask() -> None:
        await tenants.services.rounds.wait("/", "127.0.0.1")
        asked.append(1)

    async def all_at_once() -> None:
        await asyncio.gather(*(ask() for _ in range(100)), hello())

    loop = tenants.watched.loop
    assert loop is not None
    asyncio.run_coroutine_threadsafe(all_at_once(), loop).result(PATIENCE_S)
    assert accepted[0] < 10


def test_a_workspace_that_has_computed_most_is_last() -> None:
    computed: list[str] = []

    async def all_at_once() -> None:
        threads = SharedThreads("computing", places=1, each=1)
        asked = [threads.run(workspace, lambda w=workspace: computed.append(w)) for workspace in "aaaabbc"]
        await asyncio.gather(*asked)
        threads.end()

    asyncio.run(all_at_once())
    assert computed == list("abcabaa")


async def test_however_long_others_compute_a_workspace_that_has_no_thread_gets_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shares, "_LONG_S", 0.0)  # instead of a second
    threads, may_end = SharedThreads("computing", places=3, each=2), threading.Event()
    try:
        held = [asyncio.create_task(threads.run(w, lambda: may_end.wait(PATIENCE_S))) for w in "aabb"]
        assert await asyncio.wait_for(threads.run("c", lambda: "done"), PATIENCE_S) == "done"
        assert not any(task.done() for task in held)
    finally:
        may_end.set()
        threads.end()


def test_long_answers_are_encoded_beside_the_event_loop(tenants: House, monkeypatch: pytest.MonkeyPatch) -> None:
    render, encoded = JSONResponse.render, dict[str, str]()

    def note(content: dict[str, Any]) -> None:
        encoded[next(iter(content))] = threading.current_thread().name.partition("_")[0]

    def render_here(response: JSONResponse, content: Any) -> bytes:
        note(content)
        return render(response, content)

    def write_here(content: dict[str, Any]) -> str:
        note(content)
        return write_long(content)

    monkeypatch.setattr(JSONResponse, "render", render_here)
    monkeypatch.setattr("server.http.turn_routes.write_long", write_here)
    tenants.put("a.md", "The ferry is called Bittern.", ProjectKey("ada", "1"))
    with tenants.http(Authorization="Bearer adas-token") as ada:
        for path in ("", "/1/documents", "/1/search?q=ferry"):
            ada.get(f"/projects{path}").raise_for_status()
        turn = {"arrow_content": story_text("Lamps " * 20_000), "message": "create a variable gold = 5"}
        ada.post("/projects/1/turns", json=turn).raise_for_status()
        ada.post("/projects/1/corpus", json={"documents": [{"name": "b.md", "text": "A pike."}]}).raise_for_status()
    assert set(encoded.values()) <= {"asking", "computing", "listing"}
    assert {"projects", "documents", "query", "text", "project"} <= encoded.keys()


def test_a_workspace_has_its_documents_counted_in_the_threads_that_list(
    tenants: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    count, threads = Catalog.project_counts, list[str]()

    def count_here(catalog: Catalog, workspace: str) -> list[ProjectCounts]:
        threads.append(threading.current_thread().name.partition("_")[0])
        return count(catalog, workspace)

    monkeypatch.setattr(Catalog, "project_counts", count_here)
    with tenants.http(Authorization="Bearer adas-token") as ada:
        ada.get("/projects").raise_for_status()
    assert threads == ["listing"]
