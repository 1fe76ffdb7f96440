"""What a client has said is kept no longer than it is needed, though no garbage is collected."""

import gc
import json
import threading
import tracemalloc
import weakref
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from pydantic import ValidationError

from agent import Exchange, Origin, TurnRequest
from arrow_project import Operation
from server.http.json_route import JsonRequest
from server.http.turn_routes import TurnBody
from server.limits.story_size import size_of_request
from server.limits.turn_room import NoRoomForTurn, TurnRoom
from server.limits.written import MAX_SELECTED, MAX_VALUES
from server.services import CatalogPendings, QuestionTooLong
from server.socket import session as sessions
from server.socket.conversation import Conversation
from server.socket.editors import Situation
from server.socket.messages import ClientMessage, Confirmation, MessageError, UserMessage, decode
from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text
from tests.server.house import House

YES = Confirmation(type="confirmation", request_id="1", decision="yes")


class Counted:
    """Counts what is made, and hears of each that is freed."""

    def __init__(self) -> None:
        self._made = 0
        self._freed = threading.Semaphore(0)

    def add(self, one: object) -> None:
        self._made += 1
        weakref.finalize(one, self._freed.release)

    def assert_all_freed(self) -> None:
        assert self._made
        for number in range(self._made):
            assert self._freed.acquire(timeout=PATIENCE_S), f"{self._made - number} of {self._made} are kept"


class Parameters(dict[str, Any]):
    """Can be watched."""


@pytest.fixture
def no_garbage() -> Iterator[None]:
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, no_garbage: None) -> Counted:
    """Of what is decoded: the parameters of messages, and the errors of what is none."""
    counted = Counted()

    def noted(text: str) -> ClientMessage:
        try:
            message = decode(text)
        except MessageError as error:
            counted.add(error)
            raise
        if isinstance(message, UserMessage) and message.function_params is not None:
            message.function_params = Parameters(message.function_params)
            counted.add(message.function_params)
        return message

    monkeypatch.setattr(sessions, "decode", noted)
    return counted


def test_of_the_last_message_its_parameters_are_not_kept(home: House, counted: Counted) -> None:
    with home.client("/ws/chat?dialect=fletcher") as client:
        client.ask("", function="nope", function_params={"a": [{}]}, arrow_content=story_text())
        client.until("turn_end")
        counted.assert_all_freed()


@pytest.mark.parametrize("length", [10, 200_000], ids=["short", "decoded in a thread"])
def test_of_a_message_that_is_refused_nothing_is_kept(home: House, counted: Counted, length: int) -> None:
    with home.client("/ws/chat?dialect=fletcher") as client:
        for refused in ("x" * length, json.dumps({"type": "user_message", "message": {"x": "x" * length}})):
            client.send_raw(refused)
            client.until("turn_end")
        counted.assert_all_freed()


def test_of_the_conversation_before_a_question_its_end_is_kept(home: House) -> None:
    conversation = Conversation("local", home.services)
    history = [Exchange(f"{number}", "x" * 30_000) for number in range(30)]
    asked = UserMessage.model_construct(type="user_message", history=history, selected_node_ids=[3], confirm="always")
    conversation.begin(asked, ())
    answer = conversation.as_message(YES, None, may_be_early=True)
    assert [past.message for past in answer.history] == ["27", "28", "29"]
    assert (answer.selected_node_ids, answer.confirm) == ([3], "always")
    conversation.close()
    assert conversation.as_message(YES, None, may_be_early=True).history == []


def test_of_what_is_selected_there_is_so_much() -> None:
    def selected(*nodes: int | str) -> UserMessage:
        message = decode(json.dumps({"type": "user_message", "selected_node_ids": nodes}))
        assert isinstance(message, UserMessage)
        return message

    assert selected(3, "3", 10**30, "9" * 30, "9" * 5000).selected_node_ids == [3, 3, None, None, None]
    assert len(selected(*range(MAX_SELECTED)).selected_node_ids) == MAX_SELECTED
    with pytest.raises(MessageError, match=rf"selected_node_ids: .* at most {MAX_SELECTED} items"):
        selected(*range(MAX_SELECTED + 1))


def test_what_is_selected_takes_little_as_long_as_it_is_kept(home: House) -> None:
    sent = json.dumps({"type": "user_message", "selected_node_ids": [2**62 - 1 - node for node in range(MAX_SELECTED)]})
    conversation = Conversation("local", home.services)
    tracemalloc.start()
    try:
        asked = decode(sent)
        assert isinstance(asked, UserMessage)
        conversation.begin(asked, ())
        kept = Situation.of(asked)
        del asked
        gc.collect()  # what the JSON decoder of some Pythons leaves
        takes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(kept.selected_node_ids) == MAX_SELECTED
    assert takes < 20 * MAX_SELECTED


def test_a_conversation_of_nothings_is_short() -> None:
    message = decode(json.dumps({"type": "user_message", "history": [{}] * 20_000 + [{"message": "Last?"}]}))
    assert isinstance(message, UserMessage)
    assert len(message.history) == 5000
    assert message.history[-1].message == "Last?"
    body = TurnBody.model_validate({"arrow_content": "", "history": [{}] * 20_000})
    assert len(body.history) == 5000


def test_parameters_have_so_many_values() -> None:
    for one in ({}, [], 0, {"": {}}):
        decode(json.dumps({"type": "user_message", "function_params": {"a": [one] * (MAX_VALUES // 3 - 10)}}))
        crowded = {"arrow_content": "", "function_params": {"a": [one] * MAX_VALUES}}
        with pytest.raises(MessageError, match=f"{MAX_VALUES} keys and values"):
            decode(json.dumps({"type": "user_message", **crowded}))
        with pytest.raises(ValidationError, match=f"{MAX_VALUES} keys and values"):
            TurnBody.model_validate(crowded)


@pytest.fixture
def requests(monkeypatch: pytest.MonkeyPatch, no_garbage: None) -> Counted:
    """JSON that comes over HTTP."""
    counted, init = Counted(), JsonRequest.__init__

    def noted(request: JsonRequest, *args: Any) -> None:
        init(request, *args)
        counted.add(request)

    monkeypatch.setattr(JsonRequest, "__init__", noted)
    return counted


@pytest.mark.parametrize("accept", ["application/json", "text/event-stream"])
@pytest.mark.parametrize("length", [10, 200_000], ids=["short", "read in a thread"])
def test_of_a_request_that_is_refused_nothing_is_kept(home: House, requests: Counted, accept: str, length: int) -> None:
    content = '{"a": "' + "x" * length + '"}'
    bodies = ("{" + "x" * length, content, json.dumps({"arrow_content": content}))
    with home.http(accept=accept) as http:
        for body in (*bodies, json.dumps({"arrow_content": story_text(), "message": "Yes", "pending_id": "none"})):
            answer = http.post("/projects/1/turns", content=body, headers={"Content-Type": "application/json"})
            assert answer.status_code != 200 or "NOT_PENDING" in answer.text
    requests.assert_all_freed()


def test_what_is_sent_besides_a_story_takes_room_for_as_long_as_the_turn() -> None:
    request = TurnRequest(None, "x" * 1000, None, (Exchange("x" * 1000, "x" * 1000),), function_params={"a": [{}] * 50})
    besides = size_of_request(request)
    assert 6000 < besides < 25_000
    room = TurnRoom(4 * besides)
    with room.at_work("a", 0, besides) as first:
        first.weigh(10)
        with pytest.raises(NoRoomForTurn), room.at_work("a", 0, besides):
            pass
    with room.at_work("a", 0, besides), room.at_work("b", 0, besides):
        pass


def test_of_binary_messages_none_is_kept(home: House) -> None:
    with ExitStack() as clients:
        connected = [clients.enter_context(home.client()) for _ in range(5)]
        tracemalloc.start()
        for client in connected:
            client.send_raw(bytes(2 * 2**20))
            client.until("chat_response")
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert kept < 4 * 2**20


def test_of_the_conversation_before_a_question_the_end_is_kept_with_it(home: House) -> None:
    """It comes back into the turn that goes on with it, whose own words are few."""
    said = tuple(Exchange(f"{number} {'x' * 9_000}", "y" * 9_000) for number in range(50))
    pendings = CatalogPendings(home.catalog, "local", "1")
    kept = pendings.take(pendings.put("confirmation", [], "sha", Origin("Add Bram.", said)))
    assert kept is not None
    assert kept.origin is not None
    assert kept.origin.history == said[-5:]


def test_what_a_question_brings_back_takes_room_or_stays_where_it_is(home: House) -> None:
    """Its operations may have a megabyte, and the answer to it three letters."""
    weighed = list[int]()

    def refuse(size: int) -> None:
        weighed.append(size)
        raise NoRoomForTurn("There is none.")

    operation = Operation("update_node", {"node_id": 3, "data": {"content": "x" * 10_000}})
    pending_id = CatalogPendings(home.catalog, "local", "1").put("confirmation", [operation], "sha")
    with pytest.raises(NoRoomForTurn):
        CatalogPendings(home.catalog, "local", "1", refuse).take(pending_id)
    assert 40_000 < weighed[0] < 50_000
    kept = CatalogPendings(home.catalog, "local", "1").take(pending_id)
    assert kept is not None
    assert kept.operations == (operation,)


def test_a_question_that_says_too_much_is_not_kept(home: House) -> None:
    pendings = CatalogPendings(home.catalog, "local", "1")
    operations = [Operation("create_character", {"name": "Ann", "tags": {"k": "x" * 99_000}})] * 21
    with pytest.raises(QuestionTooLong):
        pendings.put("confirmation", operations, "sha")
    assert pendings.take(pendings.put("confirmation", operations[:20], "sha")) is not None
