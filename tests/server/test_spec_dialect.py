"""The dialect `spec` on its own: long texts, and how an operation is called."""

import json

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent import Citation, Cited
from arrow_project import ArrowProject, Operation
from server.dialects import MAX_FRAME_BYTES, View
from server.dialects.spec import SpecDialect
from server.dialects.wording import split
from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story
from tests.server.client import Client, texts
from tests.server.house import House


@settings(deadline=None)
@given(
    text=st.text() | st.lists(st.sampled_from(["a", "é", "\N{FOX FACE}", "\n", '"', "\\", "\ud83d"])).map("".join),
    repeat=st.integers(1, 300),
    max_bytes=st.integers(14, 500),
)
@example(text="", repeat=1, max_bytes=14)
@example(text="\N{FOX FACE}", repeat=300, max_bytes=14)
def test_pieces_join_to_the_text_and_are_short_enough(text: str, repeat: int, max_bytes: int) -> None:
    pieces = list(split(text * repeat, max_bytes))
    assert "".join(pieces) == text * repeat
    assert all(len(json.dumps(piece)) <= max_bytes for piece in pieces)
    assert all(pieces) or pieces == [""]


@settings(deadline=None)
@given(text=st.text(min_size=1), repeat=st.integers(1, 20_000))
def test_a_frame_is_never_too_long(text: str, repeat: int) -> None:
    frames = list(SpecDialect().say(text * repeat))
    assert "".join(frame["message"] for frame in frames) == text * repeat
    assert all(len(json.dumps(frame)) <= MAX_FRAME_BYTES for frame in frames)


def test_a_long_answer_arrives_whole(home: House, client: Client) -> None:
    answer = 'A fox \N{FOX FACE} and a quote " and a line\n' * 5000
    home.model.add([answer])
    frames = client.turn("Tell me everything.")
    assert len(texts(frames)) > 3
    assert "".join(texts(frames)) == answer


def test_a_call_that_is_too_long_goes_back_to_the_model(home: House, client: Client) -> None:
    home.model.add(
        [Use("create_insert_node", {"type": "content", "preset": {"content": "\N{FOX FACE}" * 6000}})], ["Too long."]
    )
    assert texts(client.turn("Write a book.")) == ["Too long."]
    (error,) = home.model.requests[1].tool_results
    assert error["error"]["code"] == "TOO_LARGE"
    assert "60000" in error["error"]["message"]


def calls(project: ArrowProject, function: str, **arguments: object) -> list[tuple[str, dict[str, object]]]:
    applied = project.apply(Operation(function, arguments))
    return [(call.function, call.arguments) for call in SpecDialect().calls(applied, View(project))]


def test_the_entry_that_the_client_gave_a_new_scene_is_the_one_that_is_known(home: House, client: Client) -> None:
    line = {"type": "content", "scene_id": 70, "connect_from": {"node_id": 69, "slot": 0}}
    home.model.add([Use("create_scene", {"name": "cellar"})], [Use("create_insert_node", line)], ["Built."])
    client.ask("A cellar with a line.")
    client.answer(client.call(), {"scene_id": 70, "entry_node_id": 69})
    create = client.call()
    assert create["arguments"]["scene_id"] == 70
    client.answer(create, {"node_id": 71})
    connect = client.call()
    assert (connect["arguments"]["from_node_id"], connect["arguments"]["to_node_id"]) == (69, 71)
    client.answer(connect)
    client.until("end")
    (scene,) = home.model.requests[1].tool_results
    assert list(scene.items())[1:3] == [("scene_id", 70), ("entry_node_id", 69)]


def test_words_for_nodes_go_out_as_ids() -> None:
    assert calls(story(), "update_node", node_id="project_entry", name="door")[0][1]["node_id"] == 1


def test_arguments_that_were_not_given_are_left_out() -> None:
    (call,) = calls(story(), "create_variable", name="gold", type="num", initial_value=0, notes=None)
    assert call == ("create_variable", {"name": "gold", "type": "num", "initial_value": 0})


def test_a_node_is_created_in_a_scene_that_is_named() -> None:
    project = story()
    cellar = project.apply(Operation("create_scene", {"name": "cellar"})).result
    entry = next(iter(project.data.scene_map(cellar["scene_id"])))
    create, connect = calls(project, "create_insert_node", type="hub", connect_from=entry)
    assert create[1]["scene_id"] == cellar["scene_id"], "the scene of the node it is connected from"
    assert connect[1]["from_node_id"] == entry
    (alone,) = calls(story(), "create_insert_node", type="hub")
    assert alone == ("create_insert_node", {"type": "hub", "scene_id": 0})


@pytest.mark.parametrize("source", [3, {"node_id": 3}, {"node_id": 3, "slot": 0}, {"node_id": 3, "from_slot": 0}])
def test_every_way_to_say_where_a_new_node_is_connected_from(source: object) -> None:
    _, connect = calls(story(), "create_insert_node", type="hub", connect_from=source)
    assert connect == (
        "create_connection",
        {"from_node_id": 3, "from_slot": 0, "to_node_id": NEXT_ID, "to_slot": 0},
    )


def test_without_a_slot_the_first_free_one_is_connected() -> None:
    project = story()
    project.apply(Operation("create_insert_node", {"type": "interaction", "preset": {"actions": ["Stay.", "Go."]}}))
    slots = [
        calls(project, "create_insert_node", type="hub", connect_from={"node_id": NEXT_ID})[1][1]["from_slot"]
        for _ in range(2)
    ]
    assert slots == [0, 1]


def test_each_place_is_named_once_among_the_sources() -> None:
    def cited(number: int, document: str, page: int | None) -> Citation:
        return Citation(number, document, "id", page, page, f"p{number}", "text")

    event = Cited((cited(1, "bible.pdf", 4), cited(2, "quests.md", None), cited(3, "bible.pdf", 4)))
    (frame,) = SpecDialect().event(event)
    assert frame["message"] == "Sources: [1] [3] bible.pdf, page 4; [2] quests.md"


@pytest.mark.parametrize(
    ("type_name", "given", "sent"),
    [
        ("dialog", {"character_id": 21, "lines": ["Hm."]}, {"character": 21, "lines": ["Hm."]}),
        ("condition", {"variable_id": 20, "operator": ">"}, {"variable": 20, "operator": ">"}),
        ("interaction", {"options": ["Leave"]}, {"actions": ["Leave"]}),
        ("content", {"text": "Fog."}, {"content": "Fog."}),
        ("monolog", {"text": "Fog."}, {"text": "Fog."}),
        ("content", None, None),
    ],
)
def test_names_of_fields_that_the_spec_does_not_have_are_understood_and_never_sent(
    type_name: str, given: object, sent: object
) -> None:
    project, dialect = story(), SpecDialect()
    for function, arguments in (
        ("create_node", {"type": type_name, "data": given, "position": "auto"}),
        ("update_node", {"node_id": NEXT_ID, "data": given, "name": "fog"}),
    ):
        (call,) = dialect.calls(project.apply(Operation(function, arguments)), View(project))
        assert call.arguments.get("preset", call.arguments.get("data")) == sent
