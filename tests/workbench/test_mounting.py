"""The page's place in the application, with what stands in for its library."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Request, Response
from fastapi.responses import FileResponse
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Message, Scope

from server import Access
from server.app import create_app
from server.limits.pace import Pace
from tests.server.house import house
from workbench import mount

SCRIPT = "/_nicegui/script.js"


def library(*_services_and_access: Any) -> FastAPI:
    """Answers with a file behind middlewares, as the library does."""

    async def hand_on(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        return await call_next(request)

    shell = FastAPI()
    shell.add_middleware(GZipMiddleware)
    for _ in range(2):
        shell.add_middleware(BaseHTTPMiddleware, dispatch=hand_on)

    @shell.get(SCRIPT)
    def script() -> FileResponse:
        return FileResponse(Path(__file__))

    return shell


@pytest.fixture
def app(tmp_path: Path) -> FastAPI:
    """The application with the page; nothing of it runs in the background."""
    with house(tmp_path) as home:
        app = create_app(home.services, Access(), completes=False)
        mount(app, home.services, Access())
        return app


def _asked_for(path: str) -> Scope:
    return {
        "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1", "scheme": "http",
        "method": "GET", "path": path, "raw_path": path.encode(), "root_path": "", "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8000"), (b"accept-encoding", b"gzip")],
        "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 9),
    }  # fmt: skip


async def test_pages_are_made_at_their_workspaces_pace(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.mounting._load", library)
    made = list[str]()

    async def wait(_: Pace) -> None:
        made.append("a page")

    monkeypatch.setattr(Pace, "wait", wait)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        for path in ("/", SCRIPT, "/"):
            await client.get(path)
    assert made == ["a page"] * 2


async def test_who_hangs_up_waits_for_no_page_any_more(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbench.mounting._load", library)
    waiting, given_up = asyncio.Event(), asyncio.Event()

    async def wait(_: Pace) -> None:
        waiting.set()
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    async def receive() -> Message:
        await waiting.wait()
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        pass

    monkeypatch.setattr(Pace, "wait", wait)
    await app(_asked_for("/"), receive, send)
    assert given_up.is_set()


async def test_who_leaves_before_the_answer_is_no_fault_of_ours(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("workbench.mounting._load", library)

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(_: Message) -> None:
        pass

    with caplog.at_level(logging.ERROR):
        await app(_asked_for(SCRIPT), receive, send)
    assert not caplog.records


async def test_the_icon_needs_nothing_of_the_library(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(*_: Any) -> FastAPI:
        raise AssertionError("the library was loaded")

    monkeypatch.setattr("workbench.mounting._load", loaded)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8000") as http:
        icon, refused = await http.get("/favicon.ico"), await http.post("/favicon.ico")
    assert (icon.status_code, icon.headers["content-type"]) == (200, "image/svg+xml")
    assert icon.content.startswith(b"<svg")
    assert (refused.status_code, refused.headers["allow"]) == (405, "GET, HEAD")


@pytest.mark.parametrize("length", [0, 1_000_000])
async def test_while_a_body_is_taken_apart_others_have_their_turns(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    shell, pieces, turns_before = FastAPI(), list[int](), list[int]()
    turns = 0

    async def have_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    @shell.post("/_nicegui/client/1/story")
    async def take(request: Request) -> None:  # pyright: ignore[reportUnusedFunction]
        other = asyncio.ensure_future(have_turns())
        async for piece in request.stream():
            if piece:
                pieces.append(len(piece))
                turns_before.append(turns)
        other.cancel()

    monkeypatch.setattr("workbench.mounting._load", lambda *_: shell)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8000") as http:
        answer = await http.post("/_nicegui/client/1/story", content=b"&" * length)
    assert answer.status_code == 200
    assert sum(pieces) == length
    assert max(pieces, default=0) <= 65_536
    assert len(set(turns_before)) == len(turns_before)


async def test_of_a_form_to_sign_in_nothing_but_the_token_is_taken_apart(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    decoded = list[str]()
    monkeypatch.setattr("server.access.rules.unquote_plus", lambda value: decoded.append(value) or value)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8000") as http:
        answer = await http.post("/sign-in", content=b"a=%41&" * 1_000 + b"token=" + b"x" * 12_000)
    assert answer.status_code == 303
    assert decoded == ["x" * 10_000]


async def test_forms_to_sign_in_that_are_whole_at_once_have_their_turns(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns_before, begun, all_begun, turns = list[int](), 0, asyncio.Event(), 0

    async def have_turns() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def form() -> AsyncIterator[bytes]:
        nonlocal begun
        begun += 1
        if begun == 20:
            all_begun.set()
        await all_begun.wait()
        yield b"token=x"

    monkeypatch.setattr("server.access.rules.Access.workspace", lambda *_, **__: turns_before.append(turns) or "local")
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8000") as http:
        other = asyncio.ensure_future(have_turns())
        await asyncio.gather(*(http.post("/sign-in", content=form()) for _ in range(20)))
        other.cancel()
    assert len(set(turns_before)) == len(turns_before) == 20


@pytest.mark.parametrize("path", [SCRIPT, "/_nicegui/client/1/download"], ids=["a file", "a story"])
async def test_of_the_librarys_files_a_workspace_is_handed_a_few_at_a_time_and_whole(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    handing, most, ranges = 0, list[int](), list[Any]()

    async def hand_out(scope: Scope, _receive: Any, send: Any) -> None:
        nonlocal handing
        handing += 1
        most.append(handing)
        ranges.append(dict(scope["headers"]).get(b"range"))
        for _ in range(500):  # so that all are asked for
            await asyncio.sleep(0)
        await Response("a file")(scope, _receive, send)
        handing -= 1

    monkeypatch.setattr("workbench.mounting._load", lambda *_: _Files(hand_out))
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        asked = (client.get(path, headers={"Range": "bytes=0-1"}) for _ in range(40))
        assert {answer.text for answer in await asyncio.gather(*asked)} == {"a file"}
    assert max(most) == 8
    assert set(ranges) == {None}


async def test_whoever_reads_a_file_slowly_keeps_nobody_of_the_workspace_waiting(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    are_read, all_slow, asked = asyncio.Event(), asyncio.Event(), 0

    async def hand_out(scope: Scope, receive: Any, send: Any) -> None:
        nonlocal asked
        asked += 1
        if asked == 8:
            all_slow.set()
        if asked <= 8:
            await are_read.wait()
        await Response("a file")(scope, receive, send)

    monkeypatch.setattr("workbench.mounting._load", lambda *_: _Files(hand_out))
    monkeypatch.setattr("workbench.mounting._HANDED_OUT_S", 0.01)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1") as client:
        slow = [asyncio.ensure_future(client.get(SCRIPT)) for _ in range(8)]
        await all_slow.wait()
        for _ in range(2):
            assert (await client.get(SCRIPT)).text == "a file"
        are_read.set()
        await asyncio.gather(*slow)


class _Files(FastAPI):
    """In place of the library."""

    def __init__(self, hand_out: Any) -> None:
        super().__init__()
        self._hand_out = hand_out

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        await self._hand_out(scope, receive, send)
