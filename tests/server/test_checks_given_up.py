"""A turn whose caller has hung up counts as long as its story is worked on."""

import json
import socket
import threading
from typing import Any

import pytest

from agent.continuity import reading
from arrow_project import parse
from corpora import Shares
from server.limits.story_size import size_in_memory
from server.limits.turn_room import TurnRoom
from tests.agent.story import story_text
from tests.server.house import House
from tests.server_process import PATIENCE_S
from tests.waiting import eventually

_SIZE = size_in_memory(parse(story_text()))
_CHECK: dict[str, Any] = {"arrow_content": story_text(), "function": "check_continuity", "function_params": {}}


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one workspace there is room for two small stories, and for no third."""
    monkeypatch.setattr("server.services.TurnRoom", lambda: TurnRoom(most=17 * _SIZE))


@pytest.mark.usefixtures("scarce")
def test_checks_whose_callers_hung_up_keep_their_room_until_they_have_ended(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.put("people.md", "Elena keeps the lighthouse.")
    begun, stopped, may_end = threading.Semaphore(0), threading.Semaphore(0), threading.Event()

    def check_for_ever(_story: object, _scene: int, documents: Any, _part: int) -> None:
        begun.release()
        try:
            while True:
                documents.go_on()
        finally:
            stopped.release()
            assert may_end.wait(PATIENCE_S)

    monkeypatch.setattr(reading, "check_scene", check_for_ever)
    monkeypatch.setattr("retrieval.computing._comparisons", Shares(3, each=2))
    body = json.dumps(_CHECK).encode()
    head = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    try:
        with home.http() as http:
            address = (http.base_url.host, http.base_url.port or 80)
            for _ in range(2):
                with socket.create_connection(address, PATIENCE_S) as caller:
                    caller.sendall(b"POST /projects/1/turns HTTP/1.1\r\n" + head + body)
                    assert begun.acquire(timeout=PATIENCE_S)
                assert stopped.acquire(timeout=PATIENCE_S), "it goes on with nobody there"
            refused = http.post("/projects/1/turns", json=_CHECK)
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TOO_BUSY")
            may_end.set()
            ask = {**_CHECK, "function": "list_variables"}
            eventually(lambda: http.post("/projects/1/turns", json=ask).status_code == 200)
    finally:
        may_end.set()
