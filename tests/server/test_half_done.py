"""What a client has done of an operation before it refused the rest: it is said, and it can be taken back."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from arrow_project import Operation, diff, parse
from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.server.client import Client, flat
from tests.server.dispatcher import Dispatcher
from tests.server.house import House

LINE = {"type": "hub", "connect_from": {"node_id": 3, "slot": 0}}
ENDS = {"spec": "end", "envelope": "end", "arrow-ai": "end", "fletcher": "turn_end"}
GOLD = {"name": "gold", "type": "num", "initial_value": 10}


def half(home: House, dialect: str, use: Use, given: Any, node_id: int = NEXT_ID) -> list[dict[str, Any]]:
    """The first call is done, the second refused, and then a node is renamed; the results of both tools."""
    home.model.add([use], [Use("update_node", {"node_id": node_id, "name": "found"})], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add it.", arrow_content=story_text(), current_scene_id=0)
        client.answer(client.call(), given)
        client.refuse(client.call(), "No.")
        frames = [client.frame()]
        while frames[-1]["type"] != ENDS[dialect]:
            if frames[-1]["type"] == "function_call":
                client.answer(frames[-1])
            frames.append(client.frame())
    return [result for request in home.model.requests[1:3] for result in request.tool_results[-1:]]


@pytest.mark.parametrize("dialect", list(ENDS))
def test_a_node_that_was_not_connected_is_known(home: House, dialect: str) -> None:
    broken, renamed = half(home, dialect, Use("create_insert_node", LINE), NEXT_ID)
    assert "Done before that" in broken["error"]["message"]
    assert "sync" not in broken["error"]["message"]
    assert "error" not in renamed, renamed


@pytest.mark.parametrize("dialect", list(ENDS))
def test_an_id_that_was_not_expected_needs_a_sync(home: House, dialect: str) -> None:
    broken, _ = half(home, dialect, Use("create_insert_node", LINE), NEXT_ID + 7)
    assert "the user has to sync the project" in broken["error"]["message"]


def test_a_scene_that_was_not_named_is_known(home: House) -> None:
    scene = Use("create_scene", {"name": "Harbour"})
    ids = {"scene_id": NEXT_ID, "entry_node_id": NEXT_ID + 1}
    broken, renamed = half(home, "envelope", scene, ids, node_id=NEXT_ID + 1)
    assert "sync" not in broken["error"]["message"]
    assert "error" not in renamed, renamed


def test_what_no_operation_says_needs_a_sync(home: House) -> None:
    broken, _ = half(home, "envelope", Use("create_variable", GOLD), NEXT_ID)
    assert "the user has to sync the project" in broken["error"]["message"]


class Literal:
    """An editor that executes the spec's functions literally."""

    def __init__(self) -> None:
        self._project = story()

    @property
    def content(self) -> str:
        return self._project.to_text()

    def execute(self, function: str, arguments: dict[str, Any]) -> Any:
        result = self._project.apply(Operation(function, arguments)).result
        return next(iter(result.values()), True)


def editor_of(dialect: str) -> Literal | Dispatcher:
    return Literal() if dialect == "spec" else Dispatcher(story_text())


def follow(
    client: Client, editor: Literal | Dispatcher, dialect: str, refused: Callable[[int], bool], *, reports: bool
) -> list[dict[str, Any]]:
    """Executes the calls until the turn ends, but for those that are refused."""
    frames, calls = [client.frame()], 0
    while frames[-1]["type"] != ENDS[dialect]:
        if frames[-1]["type"] == "function_call":
            asked = flat(frames[-1])
            if refused(calls):
                client.refuse(frames[-1], "The canvas is gone.")
            else:
                result = editor.execute(asked["function"], asked["arguments"])
                client.answer(frames[-1], result, **({"arrow_content": editor.content} if reports else {}))
            calls += 1
        frames.append(client.frame())
    return frames


def is_undone(content: str) -> bool:
    return diff(parse(content), story()).is_empty


@pytest.mark.parametrize("reports", [True, False], ids=["reports content", "reports none"])
@pytest.mark.parametrize("dialect", list(ENDS))
@pytest.mark.parametrize(
    "use", [Use("create_insert_node", LINE), Use("create_variable", GOLD)], ids=lambda use: use.tool
)
def test_what_was_done_is_said_and_taken_back(home: House, dialect: str, use: Use, *, reports: bool) -> None:
    if use.tool == "create_variable" and dialect != "envelope":
        pytest.skip("one call there")
    home.model.add([use], ["That did not work."])
    editor = editor_of(dialect)
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add it.", arrow_content=story_text(), current_scene_id=0)
        frames = follow(client, editor, dialect, lambda place: place == 1, reports=reports)
        assert not is_undone(editor.content), "the first call was done"
        said = json.dumps(frames)
        if dialect == "fletcher":
            assert frames[-1]["changed"]
            assert frames[-1]["functions"]
        else:
            assert "Ran: create_" in said
            assert "The project was changed." in said
        (broken,) = home.model.requests[1].tool_results
        assert "Done before that" in broken["error"]["message"]
        if use.tool == "create_variable" and not reports:
            client.sync(editor.content)  # nobody but the client knows what it has called it
        client.ask("undo", current_scene_id=0)
        follow(client, editor, dialect, lambda _: False, reports=reports)
        if use.tool == "create_variable":  # what its client has called it may as well be the user's doing
            assert not is_undone(editor.content)
            client.ask("yes", current_scene_id=0)
            follow(client, editor, dialect, lambda _: False, reports=reports)
    assert is_undone(editor.content)


@pytest.mark.parametrize("dialect", list(ENDS))
def test_a_plain_refusal_changes_nothing(home: House, dialect: str) -> None:
    home.model.add([Use("create_insert_node", LINE)], ["That did not work."])
    editor = editor_of(dialect)
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add it.", arrow_content=story_text(), current_scene_id=0)
        frames = follow(client, editor, dialect, lambda _: True, reports=True)
    assert "Ran: " not in json.dumps(frames)
    assert frames[-1].get("changed", False) is False


def test_affected_nodes_and_a_warning_reach_the_model(home: House) -> None:
    home.model.add([Use("update_node", {"node_id": 3, "name": "quay"})], ["Done."])
    with home.client() as client:
        client.ask("Rename it.", arrow_content=story_text(), current_scene_id=0)
        client.answer(client.call(), "done", affected_nodes=[3, 2], error="The canvas was not drawn again.")
        client.until("end")
    (renamed,) = home.model.requests[1].tool_results
    assert renamed["affected_nodes"] == [3, 2]
    assert renamed["warning"] == "The canvas was not drawn again."
    assert "error" not in renamed


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_where_the_first_call_shows_what_cannot_be_read_there_is_no_second(home: House, dialect: str) -> None:
    home.model.add([Use("delete_node", {"node_id": 3})])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Remove the pier.", arrow_content=story_text(), current_scene_id=0)
        follow(client, editor, dialect, lambda _: False, reports=False)
        client.ask("yes", current_scene_id=0)
        call = client.call()
        asked = flat(call)
        client.answer(call, editor.execute(asked["function"], asked["arguments"]), arrow_content="not json")
        frames = follow(client, editor, dialect, lambda _: False, reports=False)
    assert not [frame for frame in frames if frame["type"] == "function_call"]
    assert "CONFLICT" in json.dumps(frames)


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_the_first_call_shows_of_another_story_is_not_taken_for_this_one(home: House, dialect: str) -> None:
    home.model.add([Use("delete_node", {"node_id": 3})])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Remove the pier.", arrow_content=story_text(), current_scene_id=0)
        follow(client, editor, dialect, lambda _: False, reports=False)
        client.ask("yes", current_scene_id=0)
        call = client.call()
        another = story_text("The Warm Lamp").replace("The pier is empty.", "The pier is full.")
        client.sync(another, project_id=2)
        client.answer(call, True, arrow_content=another)
        frames = follow(client, editor, dialect, lambda _: False, reports=False)
        home.model.add(["Of this one."])
        client.ask("Which?", current_scene_id=0, current_project_id=1)
        follow(client, editor, dialect, lambda _: False, reports=False)
    assert not [frame for frame in frames if frame["type"] == "function_call"]
    assert "The Cold Lamp" in home.model.requests[-1].context


@pytest.mark.parametrize("shown", ["file_sync", "result", "nothing new"])
@pytest.mark.parametrize("by_way", [False, True], ids=["at once", "after another"])
@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_has_come_into_a_node_since_the_first_call_is_not_deleted_by_the_second(
    home: House, dialect: str, shown: str, *, by_way: bool
) -> None:
    """Nobody was asked about that, nor later, where the editor does not show its story once more."""
    home.model.add([Use("delete_node", {"node_id": 3})])
    editor = Dispatcher(story_text())
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Remove the pier.", arrow_content=story_text(), current_scene_id=0)
        follow(client, editor, dialect, lambda _: False, reports=False)
        client.ask("yes", current_scene_id=0)
        call = client.call()
        asked = flat(call)
        result = editor.execute(asked["function"], asked["arguments"])
        before = editor.content
        if by_way:
            before = before.replace("The lamp is cold.", "The lamp is out.")
            client.sync(before)
        written = before.replace("The pier is empty.", "The pier is empty, and has been for years. " * 9)
        assert written != before
        if shown == "file_sync":
            client.sync(written)
        told = {} if shown == "file_sync" else {"arrow_content": written if shown == "result" else before}
        client.answer(call, result, **told)
        frames = follow(client, editor, dialect, lambda _: False, reports=False)
        if shown != "nothing new":
            home.model.add([Use("update_node", {"node_id": 3, "data": {"content": "Anew."}})])
            client.ask("Say it anew.", current_scene_id=0)
            frames += follow(client, editor, dialect, lambda _: False, reports=False)
    calls = sum(frame["type"] == "function_call" for frame in frames)
    assert bool(calls) == (shown == "nothing new")
    assert ("changed meanwhile" in json.dumps(frames)) == (shown != "nothing new")
    assert ("What would be lost" in json.dumps(frames)) == (shown != "nothing new")
