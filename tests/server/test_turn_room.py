"""The stories that turns work on share a room in memory, whichever way the turns were asked for."""

import json
import socket
import tracemalloc
from contextlib import ExitStack
from typing import Any
from urllib.parse import urlsplit

import pytest

from arrow_project import parse
from server.limits.story_size import size_in_memory, size_once_read
from server.limits.turn_room import NoRoomForTurn, TurnRoom
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story_text
from tests.server.client import Client, texts, types
from tests.server.house import House

_SIZE = size_in_memory(parse(story_text()))
_GOLD: dict[str, Any] = {"function": "create_variable", "function_params": {"name": "gold", "type": "num"}}


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of one workspace there is room for two small stories, and for no third."""
    monkeypatch.setattr("server.services.TurnRoom", lambda: TurnRoom(most=17 * _SIZE))


def begin(client: Client, **fields: Any) -> dict[str, Any]:
    """A turn that waits for its client's Arrow."""
    client.ask("Gold!", arrow_content=story_text(), **_GOLD, **fields)
    return client.call()


def test_the_turns_of_one_workspace_leave_room_to_another() -> None:
    room = TurnRoom(most=12)
    with room.at_work("greedy", 2), room.at_work("quiet", 2), pytest.raises(NoRoomForTurn, match="too much"):
        room.at_work("greedy", 1).__enter__()
    with room.at_work("greedy", 2), room.at_work("quiet", 2), pytest.raises(NoRoomForTurn, match="too much"):
        room.at_work("third", 1).__enter__()
    with room.at_work("greedy", 50), room.at_work("quiet", 2):
        pass


def test_each_workspace_has_a_sixteenth_whatever_others_have() -> None:
    room = TurnRoom(most=48)
    with room.at_work("greedy", 17), room.at_work("another", 8), room.at_work("quiet", 1):
        with pytest.raises(NoRoomForTurn):
            room.at_work("third", 2).__enter__()
        with pytest.raises(NoRoomForTurn):
            room.at_work("quiet", 1).__enter__()


def test_of_a_workspace_so_many_turns_are_at_work_at_once_however_small_their_stories_are() -> None:
    room = TurnRoom(most=1700)
    with ExitStack() as turns:
        for _ in range(85):
            turns.enter_context(room.at_work("greedy", 0))
        with pytest.raises(NoRoomForTurn):
            room.at_work("greedy", 0).__enter__()
        turns.enter_context(room.at_work("another", 0))


def test_a_story_that_grows_during_its_turn_counts_as_it_is() -> None:
    room = TurnRoom(most=12)
    with room.at_work("red", 1) as first, room.at_work("red", 1) as second:
        with pytest.raises(NoRoomForTurn):
            first.weigh(2)
        second.end()
        first.weigh(2)
        second.weigh(9)  # which is over
        with pytest.raises(NoRoomForTurn):
            room.at_work("red", 1).__enter__()
        first.weigh(0)
        with pytest.raises(NoRoomForTurn):
            room.at_work("red", 1).__enter__()
        first.end()
        room.at_work("red", 2).__enter__()


def test_a_story_that_is_read_beside_another_counts() -> None:
    room = TurnRoom(most=12)
    with room.at_work("red", 1) as first, room.at_work("red", 1) as second:
        with pytest.raises(NoRoomForTurn):
            first.weigh_another(1)
        second.end()
        first.weigh_another(1)
        with pytest.raises(NoRoomForTurn):
            room.at_work("red", 1).__enter__()


@pytest.mark.parametrize("value", [{"a": 0}, {"a": "b", "c": 1}, [], [[]], "text", 7, "a 😀 " * 9, "long " * 99])
def test_what_a_story_will_take_is_told_from_its_text(value: object) -> None:
    document = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["crowd"] = [value] * 3000
    for content in (json.dumps(document), json.dumps(document, indent="\t", ensure_ascii=False)):
        size = size_in_memory(parse(content))
        assert 0.9 * size < size_once_read(content) < 2.1 * size


@pytest.mark.parametrize("beside", ["", "é"], ids=["ascii", "with an accent"])
@pytest.mark.parametrize("wide", ["\\ud83d\\ude00", "\\u4e00"], ids=["an emoji", "a Chinese character"])
def test_a_wide_character_that_is_written_as_an_escape_counts_before_it_is_read(
    monkeypatch: pytest.MonkeyPatch, beside: str, wide: str
) -> None:
    monkeypatch.setattr("server.limits.story_size._LONG", 10_000)
    document = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["content"] = "WIDE" + "x" * 100_000
    document["resources"]["nodes"]["2"]["data"]["beside"] = beside
    content = json.dumps(document, ensure_ascii=False).replace("WIDE", wide)
    assert size_once_read(content) > 0.9 * size_in_memory(parse(content))


def test_what_was_found_when_it_was_loaded_counts_in_the_size_of_a_story() -> None:
    document = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["deep"] = {"k" * 900: {"k" * 900: [0.5] * 1_500}}
    project = parse(json.dumps(document))
    assert len(project.data.findings) == 1_500
    assert size_in_memory(project) > 1_500 * 250


@pytest.mark.parametrize("brace", ["{", "\\u007b", "\\u007B"])
def test_what_texts_expose_counts_in_the_size_of_a_story(brace: str) -> None:
    document = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["content"] = "".join(f"BRACEa{number}}}" for number in range(20_000))
    content = json.dumps(document).replace("BRACE", brace)
    tracemalloc.start()
    try:
        project = parse(content)
        assert size_in_memory(project) > 0.7 * tracemalloc.get_traced_memory()[0]
        assert size_once_read(content) > 0.9 * max(size_in_memory(project), tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("scarce")
def test_the_stories_that_turns_work_on_have_a_limit(home: House) -> None:
    with home.client() as first, home.client() as second, home.client() as third:
        begin(first)
        begin(second)
        said = texts(third.turn("Gold!", arrow_content=story_text(), **_GOLD))[0]
        assert said.startswith("TOO_BUSY: The stories that turns work on now")
        assert "send this again" in said
        first.send("stop")
        first.until("end")
        begin(third)


@pytest.mark.usefixtures("scarce")
@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
def test_turns_over_http_count_with_those_of_sockets(home: House, accept: str) -> None:
    home.model.add(["So", Hang()])
    body = json.dumps({"arrow_content": story_text(), "message": "Hm?"}).encode()
    address = urlsplit(home.url)
    with socket.create_connection((address.hostname, address.port)) as caller, home.client() as client:
        head = f"POST /projects/1/turns HTTP/1.1\r\nhost: {address.netloc}\r\naccept: {accept}\r\n"
        caller.sendall(f"{head}content-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
        assert home.model.hanging.wait(PATIENCE_S)
        begin(client)
        with home.http(accept=accept) as http:
            refused = http.post("/projects/1/turns", json={"arrow_content": story_text(), **_GOLD})
            assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TOO_BUSY")
            assert int(refused.headers["Retry-After"]) > 0
            client.send("stop")
            client.until("end")
            again = http.post("/projects/1/turns", json={"arrow_content": story_text(), **_GOLD})
            assert again.status_code == 200


@pytest.mark.usefixtures("scarce")
def test_turns_over_http_give_their_room_back(home: House) -> None:
    with home.client() as client, home.http() as http:
        begin(client)
        for body in (_GOLD, _GOLD | {"function": "none"}, _GOLD):
            answer = http.post("/projects/1/turns", json={"arrow_content": story_text(), **body})
            assert answer.status_code != 503


@pytest.mark.usefixtures("scarce")
def test_a_larger_story_that_a_client_reports_is_refused_without_room(home: House) -> None:
    large = story_text("x" * 10 * _SIZE)
    with home.client() as first, home.client() as second:
        for client in (first, second):
            call = begin(client)
            client.answer(call, arrow_content=large)
            assert "TOO_BUSY" not in json.dumps(client.until("end")), "each was the only one"
        begin(first)
        call = begin(second)
        second.answer(call, arrow_content=large)
        assert "TOO_BUSY" in json.dumps(second.until("end"))


@pytest.mark.usefixtures("scarce")
def test_a_larger_story_that_a_client_sends_during_its_turn_is_refused_without_room(home: House) -> None:
    with home.client() as first, home.client() as second:
        begin(first)
        call = begin(second)
        second.sync(story_text("x" * 10 * _SIZE))
        assert "TOO_BUSY" in json.dumps(second.frame())
        second.answer(call)
        assert "TOO_BUSY" not in json.dumps(second.until("end"))


@pytest.mark.usefixtures("scarce")
@pytest.mark.parametrize("shows", ["file_sync", "function_result"])
def test_a_turn_does_nothing_more_to_a_story_that_it_cannot_look_at(home: House, shows: str) -> None:
    large, words = story_text("x" * 10 * _SIZE), {"content": "Anew."}
    use = Use("create_variable", {"name": "gold", "type": "num"})
    home.model.add([use], [Use("update_node", {"node_id": 3, "data": words})], ["So be it."], ["Hello."])
    with home.client() as first, home.client() as second:
        begin(first)
        second.ask("Gold, and say it anew.", arrow_content=story_text())
        call = second.call()
        if shows == "file_sync":
            second.sync(large)
            second.until("chat_response")
        second.answer(call, arrow_content=large)
        frames = second.until("end")
        first.send("stop")
        first.until("end")
        second.turn("Hello?")
    assert "function_call" not in [frame["type"] for frame in frames]
    assert home.model.requests[2].tool_results[0]["error"]["code"] == "CONFLICT"
    assert 'Project "xxx' in home.model.requests[3].context, "the next turn has it"


@pytest.mark.parametrize(
    "shown",
    [
        json.dumps({"type": "file_sync", "arrow_content": "|" * 500_001}),
        r'{"type": "file_sync", "arrow_content": "\ud800"}',
        '{"type": "file_sync", "arrow_content": "{}", "seen": ' + "[" * 101 + "]" * 101 + "}",
    ],
    ids=["crowded", "half a character", "deep"],
)
def test_a_turn_does_not_go_on_with_a_story_from_before_one_that_was_not_even_read(
    home: House, client: Client, shown: str
) -> None:
    """What the writer has changed in the one that is refused nobody would be asked about."""
    gold = Use("create_variable", {"name": "gold", "type": "num"})
    home.model.add([gold], [Use("create_scene", {"name": "Quay"})], ["So be it."])
    client.sync()
    client.ask("Add gold, and a scene.")
    call = client.call()
    client.send_raw(shown)
    assert "INVALID_" in str(client.frame())
    client.answer(call)
    assert "function_call" not in types(client.until("end"))
    assert home.model.requests[2].tool_results[0]["error"]["code"] == "CONFLICT"


@pytest.mark.usefixtures("scarce")
def test_what_an_undo_goes_back_to_takes_room_before_it_is_read(home: House, client: Client) -> None:
    with home.http() as http:
        changed = http.post("/projects/1/turns", json={"arrow_content": story_text(), "message": "", **_GOLD}).json()
        undo = {"arrow_content": changed["arrow_content"], "message": "undo"}
        waiting = begin(client)
        refused = http.post("/projects/1/turns", json=undo)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "TOO_BUSY")
        client.answer(waiting)
        client.until("end")
        undone = http.post("/projects/1/turns", json=undo).json()
    assert parse(undone["arrow_content"]).to_text() == parse(story_text()).to_text()


@pytest.mark.usefixtures("scarce")
def test_a_story_of_blanks_counts_as_the_text_that_its_editor_keeps(home: House) -> None:
    blanks = story_text() + " " * 30 * _SIZE
    with home.client() as first, home.client() as second:
        begin(first)
        second.ask("Gold!", arrow_content=blanks, **_GOLD)
        assert "TOO_BUSY" in json.dumps(second.until("end"))
        second.ask("Gold!", arrow_content=story_text(), **_GOLD)
        second.answer(second.call(), arrow_content=blanks)
        second.until("end")
        first.send("stop")
        first.until("end")


def test_what_is_said_takes_room_while_a_turn_waits_for_its_documents(
    home: House, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A project that is known only by a document may wait for it for minutes, with a million characters of history."""
    counted = list[int]()
    at_work = TurnRoom.at_work

    def noted(room: TurnRoom, workspace: str, size: int, besides: int = 0) -> Any:
        counted.append(besides)
        return at_work(room, workspace, size, besides)

    monkeypatch.setattr(TurnRoom, "at_work", noted)
    home.model.add(["Hello."])
    client.turn("Hm?", history=[{"message": "x" * 5_000, "output": "y" * 40_000}], arrow_content=story_text())
    assert min(counted) > 45_000
