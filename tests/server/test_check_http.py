"""What is wrong with a story, over HTTP: no model is asked, and what Arrow would not load is a finding."""

import asyncio
import json
import socket
import threading
from functools import partial
from pathlib import Path

import httpx
import pytest

from agent import Threads, in_thread, in_thread_until_cancelled, working_in
from arrow_project import Finding, GoOn, check_text
from server.http import check_routes
from server.limits.shared_threads import SharedThreads
from tests.arrow_project.conform.starts import NAMES, text_of
from tests.server.house import house
from tests.server_process import PATIENCE_S


@pytest.fixture
def http(tmp_path: Path):
    with house(tmp_path) as home, home.http() as client:
        yield client


@pytest.mark.parametrize("name", NAMES)
def test_the_findings_are_those_of_the_command(name: str, http: httpx.Client) -> None:
    answer = http.post("/projects/1/check", json={"arrow_content": text_of(name)})
    assert answer.json() == {"findings": [vars(finding) for finding in check_text(text_of(name))]}


def test_a_story_that_is_checked_counts_with_those_of_turns(tmp_path: Path) -> None:
    with house(tmp_path) as home, home.http() as client:
        short, long = ({"arrow_content": text_of("lamp") + " " * more} for more in (0, 5_000_000))
        with home.services.turn_room.at_work("local", 80 * 2**20):  # nearly all that a workspace may have
            assert client.post("/projects/1/check", json=short).status_code == 200
            refused = client.post("/projects/1/check", json=long)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TOO_BUSY")
        assert client.post("/projects/1/check", json=long).status_code == 200


def test_broken_rules_are_named_with_their_place(http: httpx.Client) -> None:
    document = json.loads(text_of("lamp"))
    node_id = next(iter(document["resources"]["nodes"]))
    document["resources"]["nodes"][node_id]["type"] = "bogus"
    (first, *_) = http.post("/projects/1/check", json={"arrow_content": json.dumps(document)}).json()["findings"]
    assert first["severity"] == "error"
    assert f"node {node_id}" in first["place"]


def test_what_arrow_would_not_load_is_one_finding(http: httpx.Client) -> None:
    (finding,) = http.post("/projects/1/check", json={"arrow_content": "no story"}).json()["findings"]
    assert finding["severity"] == "error"


@pytest.mark.parametrize("body", [{}, {"arrow_content": 3}, {"arrow_content": "", "message": ""}])
def test_what_is_no_request_is_refused(body: object, http: httpx.Client) -> None:
    answer = http.post("/projects/1/check", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "INVALID_REQUEST")


def test_a_check_ends_when_its_caller_hangs_up(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    began, ended = threading.Event(), threading.Event()

    def check_for_ever(_content: str, go_on: GoOn) -> list[Finding]:
        began.set()
        try:
            while True:
                go_on()
        finally:
            ended.set()

    monkeypatch.setattr(check_routes, "check_text", check_for_ever)
    address, body = http.base_url, json.dumps({"arrow_content": text_of("lamp")}).encode()
    headers = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    with socket.create_connection((address.host, address.port or 80), PATIENCE_S) as caller:
        caller.sendall(b"POST /projects/1/check HTTP/1.1\r\n" + headers.encode() + body)
        assert began.wait(PATIENCE_S)
        assert not ended.is_set()
    assert ended.wait(PATIENCE_S)


def test_a_check_that_waits_for_a_thread_never_begins_once_its_caller_hung_up() -> None:
    begun: list[str] = []

    async def all_at_once() -> None:
        threads, may_end, holds = SharedThreads("computing", places=1, each=1), threading.Event(), asyncio.Event()
        with working_in(Threads(compute=partial(threads.run, "ada"))):
            loop = asyncio.get_running_loop()
            first = asyncio.create_task(
                in_thread(lambda: (loop.call_soon_threadsafe(holds.set), may_end.wait(PATIENCE_S)))
            )
            await holds.wait()
            waiting = asyncio.create_task(in_thread_until_cancelled(lambda _go_on: begun.append("check")))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.sleep(0)
            may_end.set()
            await asyncio.gather(first, waiting, return_exceptions=True)
        threads.end()

    asyncio.run(all_at_once())
    assert not begun
