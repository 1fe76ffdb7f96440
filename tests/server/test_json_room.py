"""How much JSON a server reads at once: of one request with documents, of one workspace, and of all."""

import json
import threading
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from agent.continuity import reading
from corpora import ProjectKey
from server import Access, Limits
from server.limits.room import Room, Sender
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.house import House, house

MIB = 2**20
SHORT = 2**16
"""What has a room of its own in a server of these tests, in the place of a MiB: so no more has to be sent."""
JSON = {"Content-Type": "application/json"}
TOKENS = {"one": "1", "two": "2"}


@pytest.fixture(autouse=True)
def less_is_short(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "tmp_path" in request.fixturenames:  # where there is a server
        monkeypatch.setattr("server.limits.room._SHORT", SHORT)


def documents(size: int) -> bytes:
    """A small document in a body of so many bytes."""
    body = {"documents": [{"name": f"{size}.md", "text": f"The lamp burned for {size} nights."}]}
    return json.dumps(body).encode().ljust(size)


def upload(home: House, size: int, token: str = "one", project: str = "1") -> httpx.Response:
    with home.http(Authorization=f"Bearer {token}") as http:
        return http.post(f"/projects/{project}/corpus", content=documents(size), headers=JSON)


def test_documents_as_json_have_a_limit_of_their_own(tmp_path: Path) -> None:
    with house(tmp_path, limits=Limits(json_upload_bytes=10_000)) as home, home.http() as http:
        refused = http.post("/projects/1/corpus", content=documents(20_000), headers=JSON)
        assert refused.status_code == 413
        assert refused.json()["error"]["code"] == "PAYLOAD_TOO_LARGE"
        assert "10000 bytes; send larger documents as multipart `files`" in refused.json()["error"]["message"]
        taken = http.post("/projects/1/corpus", files={"files": ("a.md", "lamp " * 4_000)})
        assert taken.json()["documents"][0]["status"] == "searchable"
    assert Limits().json_upload_bytes == 32 * MIB


@pytest.mark.parametrize("is_escaped", [False, True], ids=["as it is", "escaped"])
@pytest.mark.parametrize(("sign", "most"), [("🏮", 3), ("灯", 6), ("é", 12)])
def test_a_text_that_takes_more_bytes_for_a_character_counts_so(
    tmp_path: Path, sign: str, most: int, *, is_escaped: bool
) -> None:
    def sent(home: House, size: int) -> httpx.Response:
        text = json.dumps(sign)[1:-1] if is_escaped else sign
        body = f'{{"documents": [{{"name": "../lamp.md", "text": "{text}"}}]}}'  # answered without reading
        with home.http(Authorization="Bearer one") as http:
            return http.post("/projects/2/corpus", content=body.encode().ljust(size), headers=JSON)

    limits = Limits(json_bytes_under_way=2 * 16 * SHORT)
    with house(tmp_path, limits=limits, access=Access({"one": "1"})) as home, being_read(home, 4 * SHORT, "one"):
        assert sent(home, most * SHORT + 5).status_code == 503
        assert sent(home, most * SHORT - 6_000).status_code == 200, "its values take some, too"


@contextmanager
def being_read(home: House, size: int, token: str) -> Generator[Future[httpx.Response]]:
    """A request whose document is here, and which is not answered before the end."""
    home.readers.reading.clear()
    home.readers.may_go_on.clear()
    with ThreadPoolExecutor(1) as threads:
        answer = threads.submit(upload, home, size, token)
        try:
            assert home.readers.reading.wait(PATIENCE_S)
            yield answer
        finally:
            home.readers.may_go_on.set()


def test_a_body_of_many_values_counts_as_what_they_take_before_it_is_read(tmp_path: Path) -> None:
    def sent(home: House, values: str) -> httpx.Response:
        with home.http(Authorization="Bearer one") as http:
            return http.post("/projects/2/corpus", content=f'{{"documents": [{values}0]}}', headers=JSON)

    with house(tmp_path, limits=Limits(json_bytes_under_way=16 * SHORT), access=Access({"one": "1"})) as home:
        with being_read(home, 6 * SHORT, "one"):
            assert_too_busy(sent(home, '{"a":0},' * 1_250))
            assert sent(home, '"{},[],",' * 1_250).status_code == 422, "it was read"
        assert sent(home, '{"a":0},' * 1_250).status_code == 422


def assert_too_busy(answer: httpx.Response) -> None:
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "TOO_BUSY")
    assert int(answer.headers["Retry-After"]) > 0


def test_json_under_way_has_a_limit(tmp_path: Path) -> None:
    access = Access(TOKENS)
    with house(tmp_path, limits=Limits(json_bytes_under_way=4 * SHORT), access=access) as home:
        with being_read(home, 3 * SHORT, "one") as first:  # alone it may have more than its share
            assert_too_busy(upload(home, 3 * SHORT, "two", "2"))
            with home.http(Authorization="Bearer two") as http:  # what is small, and what is no JSON
                assert http.post("/projects/1/turns", json={"arrow_content": "x" * 1000}).status_code == 422
                assert http.get("/projects/1/documents").status_code == 404
                form = {"Content-Type": "multipart/form-data; boundary=b"}  # which this route does not read
                assert_too_busy(http.post("/projects/1/turns", content=b" " * 3 * SHORT, headers=form))
        assert first.result().status_code == 200
        assert upload(home, 3 * SHORT, "two", "2").status_code == 200
        assert upload(home, 3 * SHORT + 5, "one").status_code == 200


def test_what_is_sent_besides_a_story_counts_for_as_long_as_its_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end, check_scene = threading.Event(), threading.Event(), reading.check_scene

    def check(*scene: Any) -> Any:
        begun.set()
        assert may_end.wait(PATIENCE_S)
        return check_scene(*scene)

    monkeypatch.setattr(reading, "check_scene", check)
    turn = {"arrow_content": story_text(), "function": "check_continuity", "history": [{"message": "m" * 2 * SHORT}]}
    with ExitStack() as opened:
        limits = Limits(json_bytes_under_way=4 * SHORT)
        home = opened.enter_context(house(tmp_path, limits=limits, access=Access(TOKENS)))
        home.put("people.md", "Elena keeps the lighthouse.", ProjectKey("1", "1"))
        http = opened.enter_context(home.http(Authorization="Bearer one"))
        pool = opened.enter_context(ThreadPoolExecutor(1))
        opened.callback(may_end.set)
        first = pool.submit(http.post, "/projects/1/turns", json=turn)
        assert begun.wait(PATIENCE_S)
        assert_too_busy(upload(home, 2 * SHORT, "one", "2"))
        may_end.set()
        assert first.result().status_code == 200
        assert upload(home, 2 * SHORT, "one", "2").status_code == 200


def test_a_workspace_leaves_room_to_the_others(tmp_path: Path) -> None:
    access = Access(TOKENS)
    with house(tmp_path, limits=Limits(json_bytes_under_way=8 * SHORT), access=access) as home:
        with being_read(home, 3 * SHORT, "one") as first:
            assert_too_busy(upload(home, 2 * SHORT, "one", "2"))
            with home.http(Authorization="Bearer two") as http:
                turn = http.post("/projects/1/turns", json={"arrow_content": "x" * 3 * SHORT})
                assert turn.status_code == 422, "it was read"
        assert first.result().status_code == 200


def test_a_message_after_a_long_one_has_all_its_time() -> None:
    sender = Sender(Room(8 * MIB), "one", lambda: None)
    for size in (6 * MIB, 0, 2 * MIB):
        assert sender.has_room(size)
        assert not sender.is_slow


def test_what_is_short_has_a_room_of_its_own_and_what_is_tiny_needs_none() -> None:
    room = Room(8 * MIB)

    def comes(workspace: str, size: int) -> bool:
        return Sender(room, workspace, lambda: None).has_room(size)

    assert comes("one", 6 * MIB)
    assert not comes("one", 3 * MIB)
    assert sum(comes("one", MIB) for _ in range(200)) == 128
    assert comes("one", 16 * 2**10)
    assert not comes("one", 16 * 2**10 + 1)
    assert sum(comes("two", MIB) for _ in range(200)) == 128
    assert sum(comes("three", MIB) for _ in range(200)) == 16, "the first of each workspace"


def test_each_workspace_has_a_sixteenth_whatever_others_have() -> None:
    room = Room(64 * MIB)

    def comes(workspace: str) -> bool:
        return Sender(room, workspace, lambda: None).has_room(2 * MIB)

    assert [sum(comes(workspace) for _ in range(40)) for workspace in ("one", "two", "three", "four")] == [16, 16, 2, 2]


def test_who_has_no_more_than_a_sixteenth_gives_way_to_no_other_workspace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sender, "is_slow", True)
    room, left = Room(64 * MIB), list[str]()
    assert Sender(room, "quiet", lambda: left.append("quiet")).has_room(4 * MIB)
    assert not Sender(room, "large", lambda: None).has_room(62 * MIB)
    assert not left
    assert Sender(room, "greedy", lambda: left.append("greedy")).has_room(30 * MIB)
    assert Sender(room, "large", lambda: None).has_room(40 * MIB)
    assert left == ["greedy"]


def test_an_answer_has_room_whatever_waits_and_twice_as_much_as_was_sent_in_any_case() -> None:
    room = Room(8 * MIB)
    requests = [Sender(room, "one", lambda: None) for _ in range(200)]
    assert sum(one.has_room(MIB) for one in requests) == 128
    with ExitStack() as answered:

        def is_answered(request: Sender, size: int) -> bool:
            return answered.enter_context(request.room_to_answer(size, lambda: None)) is not None

        quiet = Sender(room, "one", lambda: None)
        assert sum(is_answered(quiet, MIB) for _ in range(200)) == 128
        assert not is_answered(quiet, MIB)
        assert is_answered(requests[0], MIB)
        assert is_answered(quiet, 6 * MIB)
        assert is_answered(requests[0], 2 * MIB)
        assert not is_answered(requests[0], 2 * MIB + 1)
    assert is_answered(quiet, MIB), "what was read is free"
