"""A turn over HTTP: the story comes with the request and goes back changed."""

import json
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock
from urllib.parse import urlsplit

import httpx
import pytest
from pydantic_ai.exceptions import ModelOverloadedError

import server.http.turn_routes
from arrow_project import ArrowProject, diff, parse
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import NEXT_ID, story_text
from tests.event_loop import is_beside_the_event_loop
from tests.server.house import House, house
from tests.server.test_corpus_http import error

GOLD = {"name": "gold", "type": "num", "initial_value": 10}
DELETE = {"node_id": 3}


@pytest.fixture
def http(home: House) -> Iterator[httpx.Client]:
    with home.http() as opened:
        yield opened


def turn(http: httpx.Client, **fields: Any) -> dict[str, Any]:
    answer = http.post("/projects/1/turns", json={"arrow_content": story_text()} | fields)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_a_function_without_a_model(home: House, http: httpx.Client) -> None:
    answer = turn(http, function="create_variable", function_params=GOLD)
    assert set(answer) == {
        "text", "citations", "operations", "question", "suggestions", "changed", "diff", "arrow_content", "usage",
        "not_done",
    }  # fmt: skip
    (operation,) = answer["operations"]
    assert operation["function"] == "create_variable"
    assert operation["arguments"] == GOLD
    assert operation["success"] is True
    assert next(iter(operation["result"])) == "variable_id"
    assert operation["result"]["variable_id"] == NEXT_ID
    assert operation["error"] is None
    assert answer["changed"] is True
    assert "gold" in answer["diff"]
    assert parse(answer["arrow_content"]).data.variables[NEXT_ID]["name"] == "gold"
    assert answer["question"] is None
    assert not home.model.requests


def test_no_other_client_waits_while_a_large_story_is_copied_compared_and_written(
    http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    beside: list[tuple[str, bool]] = []

    def noting(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def noted(*args: Any) -> Any:
            beside.append((name, is_beside_the_event_loop()))
            return work(*args)

        return noted

    monkeypatch.setattr(ArrowProject, "copy", noting("copy", ArrowProject.copy))
    monkeypatch.setattr(ArrowProject, "to_text", noting("to_text", ArrowProject.to_text))
    monkeypatch.setattr(server.http.turn_routes, "parse", noting("parse", parse))
    monkeypatch.setattr(server.http.turn_routes, "diff", noting("diff", diff))
    content = story_text() + " " * 100_000
    answer = turn(http, arrow_content=content, function="create_variable", function_params=GOLD)
    assert answer["changed"] is True
    assert set(beside) == {(name, True) for name in ("parse", "copy", "diff", "to_text")}


@pytest.mark.parametrize(
    ("function", "params", "code"),
    [
        ("update_node", {"node_id": 99, "name": "x"}, "INVALID_NODE_ID"),
        ("create_insert_node", {"type": "poem"}, "INVALID_NODE_TYPE"),
        ("create_variable", {"name": "gold", "type": "colour"}, "TYPE_MISMATCH"),
        ("paint_node", {}, "PERMISSION_DENIED"),
        ("delete_node", {"node_id": 99}, "INVALID_NODE_ID"),
    ],
)
def test_a_refused_operation_is_an_entry(http: httpx.Client, function: str, params: dict[str, Any], code: str) -> None:
    answer = turn(http, function=function, function_params=params)
    (operation,) = answer["operations"]
    assert operation["success"] is False
    assert operation["error"]["code"] == code
    assert operation["error"]["message"]
    assert answer["changed"] is False
    assert answer["diff"] == ""
    assert answer["arrow_content"] == story_text()


def test_a_message(home: House, http: httpx.Client) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    home.model.add(["I will add gold."])
    answer = turn(http, message="Add gold.", history=[{"message": "Hello?", "output": "Hello."}])
    assert answer["text"] == "I will add gold."
    assert answer["operations"] == []
    assert answer["changed"] is False
    request = home.model.requests[0]
    assert "Elena keeps the lighthouse." in request.context
    assert request.conversation == [("user", ["Hello?"]), ("assistant", ["Hello."]), ("user", ["Add gold."])]


def test_a_message_that_edits_and_cites(home: House, http: httpx.Client) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    line = {"type": "dialog", "preset": {"character": 21, "lines": ["Hi."]}, "connect_from": {"node_id": 3, "slot": 0}}
    home.model.add(
        ["Elena greets [1].", Use("create_variable", GOLD), Use("create_insert_node", line)],
        [Use("update_node", {"node_id": 99, "name": "x"})],
        ["Done [1]."],
    )
    answer = turn(http, message="Let Elena greet.", selected_node_ids=[3], current_scene_id=0)
    assert answer["text"] == "Elena greets [1].\n\nDone [1]."
    assert answer["citations"] == [{"number": 1, "document": "bible.md", "page_from": None, "page_to": None}]
    assert [(o["function"], o["success"]) for o in answer["operations"]] == [
        ("create_variable", True),
        ("create_insert_node", True),
        ("update_node", False),
    ]
    after = parse(answer["arrow_content"]).data
    assert {"gold"} <= {variable["name"] for variable in after.variables.values()}
    assert [c[2] for c in after.outgoing(3, 0)] == [NEXT_ID + 1]
    assert answer["usage"]["requests"] == 3
    assert answer["usage"]["input_tokens"] > 0


def test_a_question_and_its_answers(home: House, http: httpx.Client) -> None:
    bram = Use("create_character", {"name": "Bram"})
    home.model.add([Use("create_variable", GOLD), Use("delete_node", DELETE), bram], [bram], ["All is done."])
    asked = turn(http, message="Add gold, remove the pier, add Bram.")
    assert asked["question"]["kind"] == "confirmation"
    assert asked["question"]["pending_id"]
    assert "delete node" in asked["question"]["text"]
    assert [operation["function"] for operation in asked["operations"]] == ["create_variable"]
    assert asked["changed"] is True
    reply = {"pending_id": asked["question"]["pending_id"], "arrow_content": asked["arrow_content"]}
    done = turn(http, message="yes", **reply)
    assert [operation["function"] for operation in done["operations"]] == ["delete_node", "create_character"]
    assert done["text"].endswith("All is done.")
    assert set(parse(done["arrow_content"]).data.nodes) == {1, 2}
    again = http.post("/projects/1/turns", json={"message": "yes", **reply})
    error(again, 404, "NOT_PENDING")


def test_no_changes_nothing(home: House, http: httpx.Client) -> None:
    asked = turn(http, function="delete_node", function_params=DELETE)
    assert asked["operations"] == []
    assert asked["changed"] is False
    answer = turn(http, message="no", pending_id=asked["question"]["pending_id"])
    assert answer["operations"] == []
    assert answer["changed"] is False


def test_another_story_is_a_conflict(http: httpx.Client) -> None:
    asked = turn(http, function="delete_node", function_params=DELETE)
    changed = story_text().replace("The pier is empty.", "The pier is full.")
    body = {"message": "yes", "pending_id": asked["question"]["pending_id"], "arrow_content": changed}
    error(http.post("/projects/1/turns", json=body), 409, "CONFLICT")


def test_a_question_of_another_project(http: httpx.Client) -> None:
    asked = turn(http, function="delete_node", function_params=DELETE)
    body = {"message": "yes", "pending_id": asked["question"]["pending_id"], "arrow_content": story_text()}
    error(http.post("/projects/2/turns", json=body), 404, "NOT_PENDING")


def test_an_unclear_answer_cancels_the_question(home: House, http: httpx.Client) -> None:
    asked = turn(http, function="delete_node", function_params=DELETE)
    home.model.add(["The pier is where boats land."])
    pending_id = asked["question"]["pending_id"]
    text = turn(http, message="What is it for?", pending_id=pending_id)["text"]
    assert text.startswith("The pier is where boats land.")
    assert "(The open question is dropped" in text
    body = {"message": "yes", "pending_id": pending_id, "arrow_content": story_text()}
    error(http.post("/projects/1/turns", json=body), 404, "NOT_PENDING")


def test_a_caller_who_names_the_function_need_not_be_asked(http: httpx.Client) -> None:
    answer = turn(http, function="delete_node", function_params=DELETE, confirm="never")
    assert answer["question"] is None
    assert answer["operations"][0]["success"] is True


def test_a_message_may_tighten_and_not_loosen(home: House, http: httpx.Client) -> None:
    home.model.add([Use("delete_node", DELETE)], [Use("create_variable", GOLD)])
    assert turn(http, message="Remove the pier.", confirm="never")["question"] is not None
    assert turn(http, message="Add gold.", confirm="always")["question"] is not None


def test_an_operator_who_always_wants_to_be_asked(tmp_path: Path) -> None:
    with house(tmp_path, confirm="always") as home, home.http() as http:
        assert turn(http, function="create_variable", function_params=GOLD)["question"] is not None
        home.model.add([Use("create_variable", GOLD)])
        assert turn(http, message="Add gold.", confirm="destructive")["question"] is not None


def test_a_plan_changes_nothing_until_it_is_agreed_to(home: House, http: httpx.Client) -> None:
    home.model.add([Use("create_variable", GOLD), Use("delete_node", DELETE)], ["That is my plan."])
    planned = turn(http, message="Add gold, remove the pier.", mode="plan")
    assert planned["question"]["kind"] == "plan"
    assert "gold" in planned["question"]["text"]
    assert planned["changed"] is False
    assert planned["arrow_content"] == story_text()
    done = turn(http, message="yes", pending_id=planned["question"]["pending_id"])
    assert [operation["function"] for operation in done["operations"]] == ["create_variable", "delete_node"]
    assert done["changed"] is True


def test_a_plan_of_nothing_asks_nothing(home: House, http: httpx.Client) -> None:
    home.model.add(["There is nothing to do."])
    assert turn(http, message="Hello?", mode="plan")["question"] is None


@pytest.mark.parametrize("content", ["", "not json", "{}", "[]", story_text()[:-50]])
def test_a_story_that_cannot_be_read(http: httpx.Client, content: str) -> None:
    answer = http.post("/projects/1/turns", json={"message": "Hello?", "arrow_content": content})
    assert "arrow_content" in error(answer, 422, "PARSE_ERROR")


def test_a_story_that_would_be_far_longer_in_the_answer(http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arrow_project.text_form.MOST_CHARACTERS", 3 * 2**20)
    crowd = ", ".join(f'"{number}": "' + "\x01" * 99_000 + '"' for number in range(5))
    content = story_text().replace("{", f"{{{crowd}, ", 1)
    answer = http.post(
        "/projects/1/turns", json={"arrow_content": content} | {"function": "create_variable", "function_params": GOLD}
    )
    assert "divide the story" in error(answer, 422, "PARSE_ERROR")


@pytest.mark.parametrize(
    "fields",
    [
        {"arrow_content": None},
        {"message": 3},
        {"mode": "dream"},
        {"confirm": "perhaps"},
        {"selected_node_ids": ["two"]},
        {"history": "none"},
        {"function_params": []},
        {"mesage": "typo"},
    ],
)
def test_a_request_that_is_none(http: httpx.Client, fields: dict[str, Any]) -> None:
    answer = http.post("/projects/1/turns", json={"arrow_content": story_text()} | fields)
    assert next(iter(fields)) in error(answer, 422, "INVALID_REQUEST")


def test_ids_of_nothing(home: House, http: httpx.Client) -> None:
    home.model.add(["Hello."], ["Hello."])
    answer = turn(http, message="Hello?", selected_node_ids=[-1, 10**20], current_scene_id=-1)
    assert answer["text"] == "Hello."
    created = turn(http, function="create_insert_node", function_params={"type": "hub"}, current_scene_id=-1)
    assert created["operations"][0]["success"] is True, created
    assert created["operations"][0]["result"]["scene_id"] == 0


def test_a_model_that_fails_before_anything_was_done(home: House, http: httpx.Client) -> None:
    home.model.add(ModelOverloadedError("scripted", "x"))
    answer = http.post("/projects/1/turns", json={"message": "Hello?", "arrow_content": story_text()})
    error(answer, 502, "MODEL_OVERLOADED")


def test_a_model_that_fails_after_something_was_done(home: House, http: httpx.Client) -> None:
    home.model.add([Use("create_variable", GOLD)], ModelOverloadedError("scripted", "x"))
    answer = turn(http, message="Add gold.")
    assert "MODEL_OVERLOADED: " in answer["text"]
    assert answer["changed"] is True


def test_an_unexpected_failure(home: House, http: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent.turn.turn.Turn._react", AsyncMock(side_effect=ZeroDivisionError("the secret of line 7")))
    answer = http.post("/projects/1/turns", json={"message": "Hello?", "arrow_content": story_text()})
    assert "secret" not in error(answer, 500, "INTERNAL")


def test_turns_at_once_do_not_meet(home: House, http: httpx.Client) -> None:
    home.model.otherwise = lambda request: [request.conversation[-1][1][0]]
    with ThreadPoolExecutor(8) as pool:
        answers = pool.map(lambda number: turn(http, message=f"Message {number}")["text"], range(16))
    assert list(answers) == [f"Message {number}" for number in range(16)]


def test_a_caller_that_hangs_up_stops_the_turn(home: House) -> None:
    home.model.add(["Let me think", Hang()])
    body = json.dumps({"message": "Add gold.", "arrow_content": story_text()}).encode()
    headers = f"Host: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    address = urlsplit(home.url)
    with socket.create_connection((address.hostname, address.port), PATIENCE_S) as caller:
        caller.sendall(b"POST /projects/1/turns HTTP/1.1\r\n" + headers.encode() + body)
        assert home.model.hanging.wait(PATIENCE_S)
        assert not home.model.cancelled.is_set()
    assert home.model.cancelled.wait(PATIENCE_S)
    home.model.add(["Here."])
    with home.http() as http:
        assert turn(http, message="Are you there?")["text"] == "Here."


def test_what_is_missing_is_asked_for(http: httpx.Client) -> None:
    asked = turn(http, function="create_variable", function_params={"name": "gold"})
    assert asked["question"]["kind"] == "parameters"
    assert "num, str, bool" in asked["question"]["text"]
    done = turn(http, message="num", pending_id=asked["question"]["pending_id"])
    assert "gold" in done["diff"]


def test_a_plan_comes_with_its_diff_and_its_operations(home: House, http: httpx.Client) -> None:
    home.model.add([Use("create_variable", GOLD), Use("delete_node", DELETE)], ["That is my plan."])
    planned = turn(http, message="Add gold, remove the pier.", mode="plan")
    assert (planned["question"]["kind"], planned["text"], planned["changed"]) == ("plan", "That is my plan.", False)
    assert [operation["function"] for operation in planned["operations"]] == ["create_variable", "delete_node"]
    assert "gold" in planned["diff"]
    assert planned["arrow_content"] == story_text()
    done = turn(http, message="yes", pending_id=planned["question"]["pending_id"])
    assert done["changed"]
    assert done["diff"] == planned["diff"]


def test_a_turn_is_taken_back(home: House, http: httpx.Client) -> None:
    nothing = {"message": "undo", "arrow_content": story_text()}
    error(http.post("/projects/1/turns", json=nothing), 409, "NOTHING_TO_UNDO")
    home.model.add([Use("create_variable", GOLD)], ["Done."])
    done = turn(http, message="Add gold.")
    (undo, *_) = done["suggestions"]
    call = {"function": undo["function"], "function_params": undo["params"]}
    back = turn(http, arrow_content=done["arrow_content"], **call)
    assert back["arrow_content"] == story_text()
    assert [operation["function"] for operation in back["operations"]] == ["undo"]
    body = {"arrow_content": back["arrow_content"], **call}
    error(http.post("/projects/1/turns", json=body), 409, "NOTHING_TO_UNDO")
    # The server does not know whether the client has heard of it.
    assert turn(http, arrow_content=done["arrow_content"], **call)["arrow_content"] == story_text()
    body = {"arrow_content": done["arrow_content"].replace("oil", "fish"), **call}
    error(http.post("/projects/1/turns", json=body), 409, "CONFLICT")


_ADD: dict[str, Any] = {"function": "create_variable", "function_params": GOLD}
_RENAME, _BACK = (
    {"function": "update_character", "function_params": {"character_id": 21, "name": name}}
    for name in ("Helena", "Elena")
)


def made(http: httpx.Client, now: str, *calls: dict[str, Any]) -> list[str]:
    """The story before each of the calls, and after all."""
    return [now, *(now := turn(http, arrow_content=now, **call)["arrow_content"] for call in calls)]


def taken_back(http: httpx.Client, now: str) -> str:
    """What an undo comes to, whose first answer nobody got."""
    first, again = (turn(http, arrow_content=now, function="undo")["arrow_content"] for _ in range(2))
    assert first == again
    return first


def nothing_is_left(http: httpx.Client, now: str) -> None:
    error(http.post("/projects/1/turns", json={"arrow_content": now, "function": "undo"}), 409, "NOTHING_TO_UNDO")


def test_an_undo_leaves_a_layout_made_by_hand_since(http: httpx.Client) -> None:
    move = {"node_id": 2, "modifications": {"offset": [500, 40]}}
    moved = turn(http, function="update_node_map", function_params=move)["arrow_content"]
    added = turn(http, arrow_content=moved, function="create_variable", function_params=GOLD)["arrow_content"]
    project = parse(added)
    project.data.scenes[0]["map"][3]["offset"] = [900, 900]
    back = turn(http, arrow_content=project.to_text(), function="undo")
    assert "moved" not in back["text"]
    places = parse(turn(http, arrow_content=back["arrow_content"], function="undo")["arrow_content"]).data.scenes[0]
    assert [place["offset"] for place in places["map"].values()] == [[100, 100], [280, 100], [900, 900]]


def test_turns_that_lead_to_and_fro_are_taken_back_one_after_the_other(http: httpx.Client) -> None:
    *before, now = made(http, story_text(), _ADD, _RENAME, _BACK, _RENAME)
    for expected in reversed(before):
        now = taken_back(http, now)
        assert now == expected
    nothing_is_left(http, now)


def test_a_turn_that_is_made_once_more_after_an_undo_is_taken_back_as_others_are(http: httpx.Client) -> None:
    (first, renamed, back) = made(http, story_text(), _RENAME, _BACK)
    assert taken_back(http, back) == renamed
    (_, again) = made(http, renamed, _BACK)
    assert taken_back(http, again) == renamed
    assert taken_back(http, renamed) == first
    nothing_is_left(http, first)


def test_a_story_that_was_kept_elsewhere_is_taken_back_from_there_once_more(http: httpx.Client) -> None:
    (first, between, last) = made(http, story_text(), _ADD, _RENAME)
    for _ in range(2):
        assert taken_back(http, last) == between
        assert taken_back(http, between) == first


def test_turns_that_were_taken_back_are_not_done_again_by_undos_after_later_ones(http: httpx.Client) -> None:
    (first, renamed, back, again) = made(http, story_text(), _RENAME, _BACK, _RENAME)
    assert taken_back(http, again) == back
    assert taken_back(http, back) == renamed
    (_, later) = made(http, renamed, _ADD)
    assert taken_back(http, later) == renamed
    assert taken_back(http, renamed) == first


def test_turns_that_were_taken_back_are_not_among_the_last_twenty(http: httpx.Client) -> None:
    (first, now) = made(http, story_text(), _ADD)
    for _ in range(20):
        (_, tried) = made(http, now, _RENAME)
        assert turn(http, arrow_content=tried, function="undo")["arrow_content"] == now
    assert taken_back(http, now) == first


def test_a_yes_to_an_undo_takes_back_the_turn_that_was_asked_about_and_no_other(http: httpx.Client) -> None:
    (*_, now) = made(http, story_text(), _ADD)
    asked = turn(http, arrow_content=now, function="undo", confirm="always")["question"]
    made(http, now, _RENAME, _BACK)
    body = {"arrow_content": now, "message": "yes", "pending_id": asked["pending_id"]}
    error(http.post("/projects/1/turns", json=body), 409, "CONFLICT")
    asked = turn(http, arrow_content=now, function="undo", confirm="always")["question"]
    done = turn(http, arrow_content=now, message="yes", pending_id=asked["pending_id"])
    assert "Helena" in done["arrow_content"]


def test_undos_of_one_story_that_come_at_once_are_all_answered(http: httpx.Client) -> None:
    done = turn(http, function="create_variable", function_params=GOLD)["arrow_content"]
    with ThreadPoolExecutor(8) as threads:
        asked = [threads.submit(turn, http, arrow_content=done, function="undo") for _ in range(8)]
    assert {one.result()["arrow_content"] for one in asked} == {story_text()}


def test_only_an_operator_who_wants_everything_asked_is_asked_in_spite_of_never(tmp_path: Path) -> None:
    call = {"function": "delete_node", "function_params": DELETE, "confirm": "never"}
    with house(tmp_path / "a") as home, home.http() as http:
        assert turn(http, **call)["question"] is None
    with house(tmp_path / "b", confirm="always") as home, home.http() as http:
        assert turn(http, **call)["question"]["kind"] == "confirmation"
        assert turn(http, message="/delete_node 3")["question"]["kind"] == "confirmation"


def test_half_a_character_is_refused(http: httpx.Client) -> None:
    body = {"arrow_content": story_text(), "function": "create_variable", "function_params": {**GOLD, "name": "\ud800"}}
    answer = http.post("/projects/1/turns", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == 422
    assert "half a character" in answer.json()["error"]["message"]


def _events(http: httpx.Client, **fields: Any) -> list[tuple[str, Any]]:
    body = {"arrow_content": story_text()} | fields
    answer = http.post("/projects/1/turns", json=body, headers={"Accept": "text/event-stream"})
    assert answer.headers["content-type"].startswith("text/event-stream"), answer.text
    events = [event.splitlines() for event in answer.text.split("\n\n") if event]
    return [(name.removeprefix("event: "), json.loads(data.removeprefix("data: "))) for name, data in events]


def test_a_turn_is_told_while_it_happens(home: House, http: httpx.Client) -> None:
    home.model.add(["I add ", "gold.", Use("create_variable", GOLD)], ["Done."])
    events = _events(http, message="Add gold.")
    assert [name for name, _ in events] == ["text", "text", "text_end", "operation", "text", "text_end", "answer"]
    assert "".join(data["text"] for _, data in events[:2]) == events[2][1]["text"] == "I add gold."
    assert events[3][1]["function"] == "create_variable"
    answer = events[-1][1]
    assert answer["text"] == "I add gold.\n\nDone."
    assert answer["changed"]
    assert answer["operations"] == [events[3][1]]


def test_an_event_is_one_line_also_for_readers_that_know_other_ends_of_lines(home: House, http: httpx.Client) -> None:
    said = "Gold\u2028is\u2029há\x85rd to find.\r\nIt is \N{GEM STONE}."
    home.model.add([said])
    assert [data["text"] for _, data in _events(http, message="Where is gold?")] == [said] * 3


def test_what_is_refused_at_once_is_no_stream(http: httpx.Client) -> None:
    accept = {"Accept": "text/event-stream"}
    refused = http.post("/projects/1/turns", json={"arrow_content": "{"}, headers=accept)
    error(refused, 422, "PARSE_ERROR")


def test_whoever_hangs_up_on_a_stream_stops_the_turn(home: House, http: httpx.Client) -> None:
    home.model.add(["I add ", Hang()])
    body = {"arrow_content": story_text(), "message": "Add gold."}
    with http.stream("POST", "/projects/1/turns", json=body, headers={"Accept": "text/event-stream"}) as answer:
        assert next(answer.iter_lines()) == "event: text"
    assert home.model.cancelled.wait(PATIENCE_S)


@pytest.mark.parametrize(
    "typed", ['{"name": "gold", "type": "num", "initial_value": NaN}', "name=gold type=num initial_value=1e999"]
)
def test_what_is_typed_and_is_no_number_ends_no_answer(http: httpx.Client, typed: str) -> None:
    answer = turn(http, message=f"/create_variable {typed}")
    assert "gold" not in answer["arrow_content"]


def test_half_a_character_that_is_typed_is_answered(http: httpx.Client) -> None:
    typed = r'{"name": "gold", "type": "str", "initial_value": "\ud800"}'
    assert turn(http, message=f"/create_variable {typed}")["operations"]
