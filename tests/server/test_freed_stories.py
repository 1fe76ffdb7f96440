"""A story that nobody needs any more takes no memory, though no garbage is collected: a large one is 400 MB."""

import gc
import json
import socket
import threading
import weakref
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from arrow_project import ArrowProject
from arrow_project.project_data import ProjectData
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story_text
from tests.server.client import Client
from tests.server.house import House

RENAME: dict[str, Any] = {"function": "update_variable", "function_params": {"by_name": "oil", "name": "fish"}}
GOLD = {"name": "gold", "type": "num", "initial_value": 10}
CALL: dict[str, Any] = {"function": "create_variable", "function_params": GOLD}


class Freed:
    """Counts the stories that are made, and hears of each that is freed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made = 0
        self._freed = threading.Semaphore(0)
        init = ArrowProject.__init__

        def noted(project: ArrowProject, data: ProjectData) -> None:
            init(project, data)
            self.made += 1
            weakref.finalize(data, self._freed.release)

        monkeypatch.setattr(ArrowProject, "__init__", noted)

    def assert_all(self) -> None:
        assert self.made
        for number in range(self.made):
            assert self._freed.acquire(timeout=PATIENCE_S), f"{self.made - number} of {self.made} stories are kept"


@pytest.fixture
def freed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Freed]:
    gc.disable()
    try:
        yield Freed(monkeypatch)
    finally:
        gc.enable()


def leave(home: House, client: Client) -> None:
    client.socket.close()
    assert home.watched.sockets_done.acquire(timeout=PATIENCE_S)


@pytest.mark.parametrize("dialect", ["fletcher", "arrow-ai"])
@pytest.mark.parametrize("end", ["leaves", "stops", "answers"])
def test_after_a_turn_that_calls(home: House, freed: Freed, dialect: str, end: str) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Gold!", arrow_content=story_text(), **CALL)
        call = client.call()
        if end == "stops":
            client.send("stop")
            client.until("turn_end" if dialect == "fletcher" else "end")
        if end == "answers":
            client.answer(call)
            client.until("turn_end" if dialect == "fletcher" else "end")
        leave(home, client)
    freed.assert_all()


def test_after_a_story_is_shown(home: House, freed: Freed) -> None:
    with home.client() as client:
        client.sync()
        client.assert_quiet()
        leave(home, client)
    freed.assert_all()


@pytest.mark.parametrize("hangs", [True, False], ids=["leaves", "answered"])
def test_after_a_message(home: House, freed: Freed, hangs: bool) -> None:
    home.model.add([Hang()] if hangs else ["Here."])
    with home.client() as client:
        client.ask("Well?", arrow_content=story_text())
        if hangs:
            assert home.model.hanging.wait(PATIENCE_S)
        else:
            client.until("end")
        leave(home, client)
    freed.assert_all()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize(
    "body",
    [
        CALL,
        RENAME,
        CALL | {"mode": "plan"},
        {"function": "delete_node", "function_params": {"node_id": 3}},
        {"message": "Hm?"},
    ],
    ids=["call", "rename", "plan", "question", "message"],
)
def test_after_a_turn_over_http(home: House, freed: Freed, body: dict[str, Any], accept: str) -> None:
    home.model.add([Use("create_variable", GOLD)], ["Here."])
    with home.http(accept=accept) as http:
        answer = http.post("/projects/1/turns", json={"arrow_content": story_text()} | body)
    assert answer.status_code == 200
    freed.assert_all()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_after_a_caller_has_hung_up(home: House, freed: Freed, accept: str) -> None:
    home.model.add(["So", Hang()])
    body = json.dumps({"arrow_content": story_text(), "message": "Hm?"}).encode()
    address = urlsplit(home.url)
    with socket.create_connection((address.hostname, address.port)) as caller:
        head = f"POST /projects/1/turns HTTP/1.1\r\nhost: {address.netloc}\r\naccept: {accept}\r\n"
        caller.sendall(f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        assert home.model.hanging.wait(PATIENCE_S)
    freed.assert_all()


def test_after_a_story_is_checked(home: House, freed: Freed) -> None:
    with home.http() as http:
        assert http.post("/projects/1/check", json={"arrow_content": story_text()}).status_code == 200
    freed.assert_all()


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_after_a_turn_has_failed(home: House, freed: Freed, accept: str) -> None:
    with home.http(accept=accept) as http:
        body = {"arrow_content": story_text(), "message": "yes", "pending_id": "none"}
        assert "NOT_PENDING" in http.post("/projects/1/turns", json=body).text
    freed.assert_all()
