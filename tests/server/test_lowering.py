"""Operations as each client gets them: executed by a model of that client they give the document that we expect."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrow_project import ArrowProject, Operation, OperationError, OperationResult, parse, renumbered_data
from server.dialects import DIALECTS, Call, Client, Dialect, View, size
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer
from tests.server.dispatcher import Dispatcher, story_of

LAMP = (Path(__file__).parents[1] / "arrow_project" / "documents" / "lamp.arrow").read_text(encoding="utf-8")

calm = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
native_dialects = pytest.mark.parametrize("name", ["envelope", "arrow-ai", "fletcher"])


def tried(project: ArrowProject, writer: Writer) -> OperationResult | None:
    """The next operation of a random writer, applied; None when it was refused."""
    try:
        return project.apply(invented(writer))
    except OperationError:
        return None


@native_dialects
@calm
@given(seed=st.integers(0, 2**32), length=st.integers(1, 12), is_open=st.booleans())
def test_native_calls_give_the_expected_document(name: str, seed: int, length: int, is_open: bool) -> None:
    project, editor, dialect = parse(LAMP), Dispatcher(LAMP), DIALECTS[name](Client())
    writer = Writer(project, random.Random(seed))
    for _ in range(length):
        applied = tried(project, writer)
        if applied is None:
            continue
        calls = dialect.calls(applied, View(project, writer.scene() if is_open else None))
        for call in calls:
            json.dumps(call.arguments)
            editor.execute(call.function, call.arguments)
        assert story_of(editor.content) == story_of(project), (applied.operation, calls)


@calm
@given(seed=st.integers(0, 2**32), length=st.integers(1, 12))
def test_the_specs_own_calls_give_the_expected_document(seed: int, length: int) -> None:
    project, client, dialect = parse(LAMP), parse(LAMP), DIALECTS["spec"](Client())
    writer = Writer(project, random.Random(seed))
    for _ in range(length):
        applied = tried(project, writer)
        if applied is None:
            continue
        calls = dialect.calls(applied, View(project))
        for call in calls:
            client.apply(Operation(call.function, call.arguments))
        assert wiring_of(client) == wiring_of(project), (applied.operation, calls)


def wiring_of(project: ArrowProject) -> object:
    """The document; connections that were pushed in another order are the same."""
    story = story_of(project)
    for scene in story["resources"]["scenes"].values():
        for entry in scene["map"].values():
            entry["io"] = sorted(entry.get("io", []))
    return story


@pytest.mark.parametrize("name", list(DIALECTS))
@calm
@given(seed=st.integers(0, 2**32))
def test_only_functions_that_the_client_knows(name: str, seed: int) -> None:
    project, dialect = parse(LAMP), DIALECTS[name](Client())
    writer = Writer(project, random.Random(seed))
    for _ in range(6):
        applied = tried(project, writer)
        if applied is not None:
            assert {call.function for call in dialect.calls(applied, View(project))} <= KNOWN[name]


_RESOURCES = ("scene", "variable", "character")
_EDITS = {f"{verb}_{kind}" for verb in ("create", "update", "delete") for kind in _RESOURCES}
_DISPATCHER = _EDITS | {
    "create_insert_node", "update_node", "delete_node", "update_node_map", "set_scene_entry", "set_project_entry",
}  # fmt: skip
_MIND = {f"create_new_{kind}" for kind in _RESOURCES} | {f"update_{kind}" for kind in _RESOURCES}
KNOWN = {
    "spec": _DISPATCHER | {"create_connection", "delete_connection"},
    "arrow-ai": _DISPATCHER,
    "fletcher": _DISPATCHER,
    "envelope": _MIND
    | {f"remove_{kind}" for kind in (*_RESOURCES, "node")}
    | {"create_insert_node", "update_node", "update_node_map", "update_scene_entry", "update_project_entry"},
}


def calls_of(
    dialect: str, project: ArrowProject, function: str, client: Client | None = None, /, **arguments: object
) -> Sequence[Call]:
    """The calls of one operation for a client whose open scene is 0."""
    applied = project.apply(Operation(function, arguments))
    return DIALECTS[dialect](client or Client()).calls(applied, View(project, 0))


@pytest.mark.parametrize(
    ("name", "client", "has_offset"),
    [("arrow-ai", Client(), False), ("envelope", Client(), False), ("fletcher", Client(frozenset({"offset"})), True)],
)
def test_positions_are_only_for_clients_that_take_them(name: str, client: Client, has_offset: bool) -> None:
    (call,) = calls_of(name, parse(LAMP), "create_insert_node", client, type="hub", scene_id=0)
    assert ("offset" in call.arguments) == has_offset


@pytest.mark.parametrize(
    ("name", "client", "are_sent_along"),
    [
        ("arrow-ai", Client(), True),
        ("envelope", Client(), True),
        ("fletcher", Client(), True),
        ("fletcher", Client(frozenset({"assistant"})), False),
    ],
)
def test_notes_that_may_have_been_written_since_are_sent_along_only_where_they_would_be_erased(
    name: str, client: Client, *, are_sent_along: bool
) -> None:
    project = parse(LAMP)
    calls_of(name, project, "update_node", client, node_id=2, notes="at night")
    (renamed,) = calls_of(name, project, "update_node", client, node_id=2, name="quay")
    assert ("notes" in renamed.arguments) == are_sent_along
    (noted,) = calls_of(name, project, "update_node", client, node_id=2, notes="by day")
    assert noted.arguments["notes"] == "by day"


def test_where_another_id_is_larger_creating_and_naming_are_two_calls() -> None:
    raw = json.loads(LAMP)
    largest = max(map(int, raw["resources"]["variables"])) + 1_000_000
    raw["resources"]["variables"][str(largest)] = {"name": "of_another_author", "type": "num", "init": 7}
    project, editor = parse(json.dumps(raw)), Dispatcher(json.dumps(raw))
    calls = calls_of("arrow-ai", project, "create_variable", name="gold", type="num", initial_value=3)
    assert [call.function for call in calls] == ["create_variable", "update_variable"]
    for call in calls:
        editor.execute(call.function, call.arguments)
    assert story_of(editor.content) == story_of(project)


@pytest.mark.parametrize("name", list(DIALECTS))
def test_a_node_in_a_scene_that_is_not_open_is_not_drawn_on_the_canvas(name: str) -> None:
    project = parse(LAMP)
    scene_id = project.apply(Operation("create_scene", {"name": "Cellar"})).result["scene_id"]
    (inside,) = calls_of(name, project, "create_insert_node", type="hub", scene_id=0)
    (outside,) = calls_of(name, project, "create_insert_node", type="hub", scene_id=scene_id)
    assert inside.arguments.get("draw", True)
    if name != "spec":
        assert not outside.arguments.get("draw", True)


def batch_of(dialect: Dialect, calls: Sequence[Call]) -> object:
    return dialect.batch("req_1", calls)


def test_a_batch_is_only_for_clients_that_declared_it() -> None:
    line = {"type": "content", "preset": {"content": "Rain."}, "scene_id": 0}
    calls = calls_of("spec", parse(LAMP), "create_insert_node", **line)
    for name, dialect in DIALECTS.items():
        assert batch_of(dialect(Client()), calls) is None, name
    frame = DIALECTS["spec"](Client(frozenset({"batch"}))).batch("req_1", calls)
    assert frame is not None
    assert frame["type"] == "function_call_batch"
    assert [f["function"] for f in frame["data"]["functions"]] == ["create_insert_node"]
    assert size(frame) < 1000


def test_a_variable_that_the_client_gave_another_id_is_that_one_in_what_follows() -> None:
    data = {"variable": 7, "character": 8, "with": [1, 7], "value": 7, "method": 7}
    given = renumbered_data({"node_id": 9, "data": data, "refer": [7]}, {7: 70, 8: 80})
    renamed = {"variable": 70, "character": 80, "with": [1, 70], "value": 7, "method": 7}
    assert given == {"node_id": 9, "data": renamed, "refer": [70]}
    assert renumbered_data({"with": [0, 7]}, {7: 70}) == {"with": [0, 7]}
    operand = {"preset": {"value": {"type": "variable", "value": 7}, "target": {"type": "node", "id": 7}}}
    assert renumbered_data(operand, {7: 70})["preset"]["value"]["value"] == 70
    assert renumbered_data(operand, {7: 70})["preset"]["target"]["id"] == 70
    assert renumbered_data({"type": "num", "value": 7}, {7: 70})["value"] == 7
