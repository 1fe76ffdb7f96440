"""An assistant's turn in the open story: seen, stopped and taken back as the user's own."""

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor, Godot, running
from tests.clients.arrow.relay import Relay, relaying

_GOLD = {"type": "num", "name": "gold", "initial_value": 10}
_INSPECTOR = "/root/Main/FloatingTools/Control/Inspector/Sections/Tabs/Node"
_NAME = f"{_INSPECTOR}/Properties/Header/Name"
_PANEL = "/root/Main/FloatingTools/Control/Inspector"
_TABS = f"{_PANEL}/Sections/Tabs"
_CHAT = "/root/Main/Editor/Center/FletcherPanel/Row/Column/Tabs/Chat"
_MESSAGES = f"{_CHAT}/Scroll/Messages"


@pytest.fixture(scope="module")
def relay() -> Generator[Relay]:
    with relaying() as opened:
        yield opened


@pytest.fixture(scope="module")
def _hosting(godot: Godot, relay: Relay, tmp_path_factory: pytest.TempPathFactory) -> Generator[Editor]:  # pyright: ignore[reportUnusedFunction]
    with running(godot, tmp_path_factory.mktemp("hosting"), relay.url) as arrow:
        yield arrow


@pytest.fixture
def arrow(_hosting: Editor) -> Generator[Editor]:
    _hosting.open(text_of("lamp"))
    yield _hosting
    assert _hosting.state == "idle"
    assert _hosting.errors() == []


def _begin(arrow: Editor, relay: Relay, turn_id: str = "turn_1", name: str = "gold") -> int:
    """An assistant adds a variable; where the signals of its turn begin."""
    since, said = arrow.mark(), len(relay.said)
    relay.say(type="turn_start", turn_id=turn_id, by="Claude", message="adding gold")
    relay.say(type="function_call", request_id="req_1", function="create_variable", arguments=_GOLD | {"name": name})
    result = relay.heard("function_result", said)
    assert result["success"]
    assert f'"{name}"' in result["arrow_content"]
    return since


def test_the_client_says_that_assistants_may_work_in_its_story(arrow: Editor, relay: Relay) -> None:
    assert "assistant" in relay.heard("hello")["capabilities"]
    said = len(relay.said)
    arrow.call("mind", "create_new_character")
    relay.say(type="story_request")
    assert relay.heard("file_sync", said)["arrow_content"] == arrow.text


def test_its_turn_is_shown_and_taken_back(arrow: Editor, relay: Relay) -> None:
    before = arrow.file.read_bytes()
    since = _begin(arrow, relay)
    assert arrow.state == "processing"
    assert not arrow.fletcher("send", "Hello?")
    states = [args[0] for name, args in arrow.signals[since:] if name == "state_changed"]
    assert states[:3] == ["processing", "executing", "processing"]
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    summary = arrow.wait("turn_ended", since)[0]
    assert (summary["by"], summary["changed"], summary["functions"]) == ("Claude", True, ["create_variable"])
    assert b'"gold"' in arrow.file.read_bytes()
    arrow.frames()
    assert "Claude: adding gold" in arrow.call(f"{_MESSAGES}/You/Column/Words", "get_parsed_text")

    assert arrow.fletcher("undo")
    arrow.frames()
    assert arrow.file.read_bytes() == before


def test_its_turn_is_stopped(arrow: Editor, relay: Relay) -> None:
    before = arrow.file.read_bytes()
    since, said = _begin(arrow, relay), len(relay.said)
    arrow.fletcher("stop", True)
    relay.heard("stop", said)
    relay.say(type="function_call", request_id="req_2", function="create_character", arguments={})
    assert not relay.heard("function_result", said)["success"]
    relay.say(type="turn_end", turn_id="turn_1", reason="stopped", usage={})
    assert arrow.wait("turn_ended", since)[0]["reason"] == "stopped"
    arrow.frames()
    assert arrow.file.read_bytes() == before


def test_it_has_its_turn_taken_back(arrow: Editor, relay: Relay) -> None:
    before = arrow.file.read_bytes()
    since = _begin(arrow, relay)
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)
    for expected in (True, False):
        said = len(relay.said)
        relay.say(type="undo_request", request_id="req_9", turn_id="turn_1")
        result = relay.heard("function_result", said)
        assert (result["request_id"], result["success"]) == ("req_9", expected)
    assert "not changed anything" in result["error"]
    arrow.frames()
    assert arrow.file.read_bytes() == before


def test_a_call_changes_nothing_that_was_written_since_the_story_that_it_is_sent_after(
    arrow: Editor, relay: Relay
) -> None:
    """A story that is on its way has not been read, and what another call has shown neither."""
    since = _begin(arrow, relay)
    read = max(frame["story_number"] for frame in relay.said if "story_number" in frame)
    written = {"id": 2, "modification": {"notes": "By hand."}, "field": "nodes"}
    arrow.call("mind", "central_event_dispatcher", "update_resource", written)
    said = len(relay.said)
    relay.say(type="story_request", request_id="req_5")
    relay.heard("file_sync", said)
    change = {"function": "update_node", "arguments": {"node_id": 2, "notes": "Anew."}}
    for number, is_done in ((read, False), (read + 1, True)):
        said = len(relay.said)
        relay.say(type="function_call", request_id="req_6", story_number=number, **change)
        result = relay.heard("function_result", said)
        assert result["success"] is is_done
        assert is_done or "has written meanwhile" in result["error"]
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)


def _writing(arrow: Editor) -> str:
    """Where a line of dialog 15 is being written."""
    line = f"{arrow.inspected(15)}/Line/Edit"
    arrow.put(line, "text", "A line that I am still")
    return line


def _call(relay: Relay, function: str, **arguments: Any) -> dict[str, Any]:
    said = len(relay.said)
    relay.say(type="function_call", request_id="req_8", function=function, arguments=arguments)
    return relay.heard("function_result", said)


def _end(arrow: Editor, relay: Relay, since: int) -> None:
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)


@pytest.mark.parametrize(
    ("node", "field", "typed"),
    [
        (14, "{shown}/Content", "A page that I am still"), (9, "{shown}/Monolog", "A monolog that I am still"),
        (24, "{shown}/Key", "moo"), (20, "{shown}/Destination", "shi"), (22, "{shown}/Reason", "For"),
        (15, "{shown}/Line/Edit", "A line that I am still"), (15, _NAME, "shine"),
    ],
)  # fmt: skip
def test_whoever_writes_goes_on_there_while_it_works(
    node: int, field: str, typed: str, arrow: Editor, relay: Relay
) -> None:
    """Also what is no name of a node yet, or that of another one."""
    field = field.format(shown=arrow.inspected(node))
    is_line = str(arrow.call(field, "get_class")) == "LineEdit"
    arrow.call(field, "edit" if is_line else "grab_focus")
    arrow.put(field, "text", typed)
    arrow.call(field, "set_caret_column", len(typed))
    arrow.frames()
    since = _begin(arrow, relay)
    arrow.frames(8)
    assert (arrow.get(field, "text"), arrow.call(field, "has_focus")) == (typed, True)
    is_changed = field.endswith("/Line/Edit") or _call(relay, "update_node", node_id=node, notes="Noted.")["success"]
    arrow.frames(8)
    arrow.call(field, "insert_text_at_caret", "ne")
    assert (arrow.get(field, "text"), arrow.call(field, "has_focus"), is_changed) == (f"{typed}ne", True, True)
    arrow.put(field, "text", "")
    arrow.call(field, "release_focus")
    _end(arrow, relay, since)


_TITLE = f"{_TABS}/Project/Properties/Title/Value"
_AUTHORS = "/root/Main/Overlays/Control/Authors/Margin/Sections/Management/Parts/Contributors/Tools"
_ABOUT_AUTHOR = f"{_AUTHORS}/Editor/Author/Data/Identity/Information/Input"


@pytest.mark.parametrize("field", [_TITLE, _ABOUT_AUTHOR], ids=["the title", "an author"])
def test_what_is_being_written_of_the_project_itself_is_not_lost_by_its_undo(
    arrow: Editor, relay: Relay, field: str
) -> None:
    _end(arrow, relay, _begin(arrow, relay))
    if field == _TITLE:
        arrow.call(_PANEL, "show_tab_of_title", "Project")
    else:
        arrow.call("main", "toggle_authors")
    arrow.frames(8)
    before = arrow.get(field, "text")
    arrow.put(field, "text", "The long night of the lamp")
    said = len(relay.said)
    relay.say(type="undo_request", request_id="req_9", turn_id="turn_1")
    assert "is being written" in relay.heard("function_result", said)["error"]
    arrow.frames(8)
    assert arrow.get(field, "text") == "The long night of the lamp"
    arrow.put(field, "text", before)
    assert arrow.fletcher("undo")
    if field == _TITLE:
        arrow.call(_PANEL, "show_tab_of_title", "Node")
    else:
        arrow.call("main", "toggle_authors")
    arrow.frames(8)


def test_an_entry_that_is_ticked_is_saved_and_the_next_one_that_is_set_stays(arrow: Editor, relay: Relay) -> None:
    first = arrow.document["resources"]["scenes"]["0"]["entry"]
    made = arrow.call("mind", "create_insert_node", "entry", {"vec": [50, 900]}, -1, True, "", {})
    arrow.call("mind", "save_project")
    shown = arrow.inspected(int(made))
    arrow.call(f"{shown}/ForScene", "set_pressed", True)
    arrow.call(f"{shown}/Plaque", "grab_focus")
    since = arrow.mark()
    relay.say(type="turn_start", turn_id="turn_1", by="Claude", message="adding gold")
    assert "has written meanwhile" in _call(relay, "create_variable", **_GOLD)["error"]
    assert json.loads(arrow.file.read_bytes())["resources"]["scenes"]["0"]["entry"] == int(made)
    assert _call(relay, "set_scene_entry", node_id=first)["success"]
    arrow.frames(8)
    assert _call(relay, "create_character", name="Bram")["success"]
    arrow.call(f"{shown}/Plaque", "release_focus")
    _end(arrow, relay, since)
    arrow.inspected(2)
    assert arrow.document["resources"]["scenes"]["0"]["entry"] == first


def test_a_tag_that_is_added_after_its_call_is_saved_with_the_next(arrow: Editor, relay: Relay) -> None:
    data = {"character": 6, "pass": [0, [["brave", None]]]}
    made = arrow.call("mind", "create_insert_node", "tag_pass", {"vec": [50, 900]}, -1, True, "", {"data": data})
    arrow.frames(6)
    shown = arrow.inspected(int(made))
    fields = f"{shown}/Checkables/Parts/Edit/Params"
    arrow.call(f"{fields}/Key", "edit")
    said = len(relay.said)
    relay.say(type="story_request")
    relay.heard("file_sync", said)
    _end(arrow, relay, _begin(arrow, relay))
    arrow.put(f"{fields}/Key", "text", "mood")
    arrow.put(f"{fields}/Value", "text", "gay")
    arrow.call(shown, "read_and_add_checkable")
    arrow.frames()
    _end(arrow, relay, _begin(arrow, relay, name="silver"))
    assert b'"mood"' in arrow.file.read_bytes()
    arrow.call(f"{fields}/Key", "release_focus")


def test_the_inspector_is_closed_over_nobody_who_writes_there_by_its_undo(arrow: Editor, relay: Relay) -> None:
    _end(arrow, relay, _begin(arrow, relay))
    field = f"{arrow.inspected(14)}/Content"
    arrow.call(field, "grab_focus")
    for is_done in (False, True):
        said = len(relay.said)
        relay.say(type="undo_request", request_id="req_9", turn_id="turn_1")
        assert relay.heard("function_result", said)["success"] is is_done
        assert is_done or arrow.call(field, "has_focus")
        arrow.call(field, "release_focus")


def test_a_number_that_is_being_written_of_a_variable_stays(arrow: Editor, relay: Relay) -> None:
    since = _begin(arrow, relay)
    arrow.call(_PANEL, "show_tab_of_title", "Variables")
    arrow.frames(8)
    arrow.call(f"{_TABS}/Variables/Manager/List", "select", 0)
    arrow.call(f"{_TABS}/Variables", "_on_variables_list_item_selected", 0)
    arrow.frames()
    number = f"{_TABS}/Variables/Manager/Editor/Tools/Initial/Value/Number"
    field = f"{number}/{str(arrow.call(number, 'get_line_edit')).partition(':')[0]}"
    before = arrow.get(field, "text")
    arrow.put(field, "text", "250")  # and not entered yet
    assert "has written meanwhile" in _call(relay, "create_variable", **_GOLD | {"name": "silver"})["error"]
    assert arrow.get(field, "text") == "250"
    arrow.put(field, "text", before)
    assert _call(relay, "create_variable", **_GOLD | {"name": "silver"})["success"]
    arrow.call(_PANEL, "show_tab_of_title", "Node")
    arrow.frames(8)
    _end(arrow, relay, since)


@pytest.mark.parametrize("by_hand", ["named", "connected", "entered", "deleted", "used"])
def test_what_is_done_by_hand_meanwhile_has_no_call_go_by_what_was(arrow: Editor, relay: Relay, by_hand: str) -> None:
    since = _begin(arrow, relay)
    number = max(frame["story_number"] for frame in relay.said if "story_number" in frame)
    silver = {"id": 5, "modification": {"name": "silver"}, "field": "variables"}
    requests: dict[str, tuple[str, Any]] = {
        "named": ("update_resource", silver),
        "connected": ("update_node_map", {"id": 14, "io": {"push": [[14, 0, 24, 0]]}}),
        "entered": ("update_resource", {"id": 0, "modification": {"entry": 27}, "field": "scenes"}),
        "deleted": ("remove_resource", {"id": 24, "field": "nodes"}),
        "used": ("update_resource", {"id": 14, "modification": {"data": {"_use": {"refer": [3]}}}, "field": "nodes"}),
    }
    calls: dict[str, tuple[str, dict[str, Any]]] = {
        "named": ("create_variable", {"type": "num", "name": "silver", "initial_value": 1}),
        "connected": ("update_node_map", {"node_id": 14, "modifications": {"io": {"push": [[14, 0, 2, 0]]}}}),
        "entered": ("set_scene_entry", {"node_id": 2}),
        "deleted": ("update_node", {"node_id": 20, "data": {"target": 24}}),
        "used": ("delete_variable", {"variable_id": 3}),
    }
    arrow.call("mind", "central_event_dispatcher", *requests[by_hand])
    arrow.frames()
    before, (function, arguments) = arrow.text, calls[by_hand]
    for story_number, is_done in ((number, False), (None, True)):
        said = len(relay.said)
        call = {"function": function, "arguments": arguments, "story_number": story_number}
        relay.say(type="function_call", request_id="req_6", **call)
        result = relay.heard("function_result", said)
        assert is_done or "has written meanwhile" in result["error"]
        assert is_done or arrow.text == before
    _end(arrow, relay, since)


def test_what_is_emptied_by_hand_meanwhile_is_not_written_over(arrow: Editor, relay: Relay) -> None:
    written = {"id": 2, "modification": {"notes": "Of the lamp."}, "field": "nodes"}
    arrow.call("mind", "central_event_dispatcher", "update_resource", written)
    since = _begin(arrow, relay)
    number = max(frame["story_number"] for frame in relay.said if "story_number" in frame)
    arrow.call("mind", "central_event_dispatcher", "update_resource", written | {"modification": {"notes": None}})
    assert "notes" not in arrow.document["resources"]["nodes"]["2"]
    assert _call(relay, "create_character", name="Bram")["success"]  # which shows it
    arguments = {"node_id": 2, "notes": "Of the lamp and the pier."}
    for story_number, is_done in ((number, False), (None, True)):
        said = len(relay.said)
        call = {"function": "update_node", "arguments": arguments, "story_number": story_number}
        relay.say(type="function_call", request_id="req_6", **call)
        assert relay.heard("function_result", said)["success"] is is_done
    _end(arrow, relay, since)


def test_a_value_of_false_is_no_value_that_is_gone(arrow: Editor, relay: Relay) -> None:
    since = _begin(arrow, relay)
    assert _call(relay, "create_variable", type="bool", name="cold", initial_value=False)["success"]
    made = next(key for key, each in arrow.document["resources"]["variables"].items() if each["name"] == "cold")
    assert _call(relay, "delete_variable", variable_id=int(made))["success"]
    _end(arrow, relay, since)


def test_a_node_that_is_made_by_hand_meanwhile_has_no_single_call_refused(arrow: Editor, relay: Relay) -> None:
    since = _begin(arrow, relay)
    number = max(frame["story_number"] for frame in relay.said if "story_number" in frame)
    arrow.call("mind", "create_insert_node", "content", {"vec": [50, 900]}, -1, True, "", {})
    arrow.frames()
    said = len(relay.said)
    arguments = {"node_id": 2, "notes": "Noted."}
    relay.say(type="function_call", request_id="r", function="update_node", arguments=arguments, story_number=number)
    assert relay.heard("function_result", said)["success"]
    _end(arrow, relay, since)


def test_no_batch_is_broken_off_as_a_connection_is_gone_that_it_takes_away(arrow: Editor, relay: Relay) -> None:
    """All of the project would be put back, and a line that is being written with it."""
    since = _begin(arrow, relay)
    number = max(frame["story_number"] for frame in relay.said if "story_number" in frame)
    cut = {"id": 10, "io": {"pop": [[10, 1, 15, 0]]}}
    arrow.call("mind", "central_event_dispatcher", "update_node_map", cut)
    arrow.frames()
    line = _writing(arrow)
    made = {"type": "content", "offset": [700, 500], "scene_id": 0}
    ends = {"node_id": 10, "modifications": {"io": {"pop": [[10, 1, 15, 0]]}}}
    batch = [
        {"function": "create_insert_node", "arguments": made}, {"function": "update_node_map", "arguments": ends}
    ]  # fmt: skip
    before, said = arrow.text, len(relay.said)
    relay.say(type="function_call_batch", request_id="req_7", story_number=number, functions=batch)
    assert "has written meanwhile" in relay.heard("function_result", said)["error"]
    assert (arrow.get(line, "text"), arrow.text) == ("A line that I am still", before)
    arrow.put(line, "text", "")
    _end(arrow, relay, since)


def test_what_is_written_in_answer_to_a_question_is_not_lost_as_it_begins(arrow: Editor, relay: Relay) -> None:
    relay.say(type="confirmation_request", kind="confirmation", text="Delete node 2?", pending_id="p1", operations=[])
    arrow.wait("question_asked")
    arrow.frames()
    change = f"{_MESSAGES}/Asked/Column/Question/Change"
    arrow.put(change, "text", "Keep the one on the pier")
    arrow.put(change, "visible", True)
    arrow.call(change, "grab_focus")
    arrow.put(f"{_CHAT}/Composer/Field", "text", "And then")
    _end(arrow, relay, _begin(arrow, relay))
    arrow.frames()
    assert arrow.get(f"{_CHAT}/Composer/Field", "text") == "And then\nKeep the one on the pier"
    assert arrow.call(f"{_CHAT}/Composer/Field", "has_focus"), "whoever types goes on there"
    assert "Left open" in arrow.get(f"{_MESSAGES}/Asked/Column/Question/Settled", "text")
    arrow.put(f"{_CHAT}/Composer/Field", "text", "")


def test_what_it_says_of_another_project_than_is_open_is_not_shown(arrow: Editor, relay: Relay, tmp_path: Path) -> None:
    since = _begin(arrow, relay)
    arrow.open(text_of("lamp"), tmp_path.name, "processing")
    mark = arrow.mark()
    relay.say(type="text_chunk", text="Of the other one.")
    relay.say(type="confirmation_request", kind="confirmation", text="Delete node 2?", pending_id="p1", operations=[])
    relay.say(type="turn_end", turn_id="turn_1", reason="stopped", usage={})
    arrow.wait("turn_ended", since)
    told = [name for name, _ in arrow.signals[mark:]]
    assert "text_chunk" not in told
    assert "question_asked" not in told
    assert not arrow.fletcher("answer", "yes")


@pytest.mark.parametrize("by_hand", ["another author", "moved", "taken back"])
def test_no_batch_is_broken_off_that_cannot_be_done_as_a_whole(arrow: Editor, relay: Relay, by_hand: str) -> None:
    """All of the project would be put back, and a line that is being written with it."""
    foretold = arrow.document["meta"]["authors"]["0"][1]
    arrow.call("mind", "take_snapshot")
    since, said = _begin(arrow, relay), len(relay.said)
    if by_hand == "taken back":  # as Arrow's own undo does, or a snapshot
        arrow.call("mind", "restore_snapshot", len(arrow.get("mind", "_SNAPSHOTS")) - 1)
        arrow.frames()
        assert "gold" not in arrow.text
    elif by_hand == "moved":
        arrow.call("mind", "move_nodes_to_offset", {"vec": [900, 100]}, [2], 0, 16)
    else:
        arrow.call("mind", "update_project_author", 1, "Bea", True)
    line = _writing(arrow)
    made = {"type": "content", "offset": [700, 500], "scene_id": 0}
    ends = {"node_id": 2, "modifications": {"io": {"push": [[2, 0, foretold + 1, 0]]}}}
    calls = [("create_insert_node", made), ("update_node_map", ends)]
    before, said = arrow.text, len(relay.said)
    batch = [{"function": function, "arguments": arguments} for function, arguments in calls]
    relay.say(type="function_call_batch", request_id="req_7", functions=batch)
    assert "has written meanwhile" in relay.heard("function_result", said)["error"]
    assert arrow.text == before
    assert arrow.get(line, "text") == "A line that I am still"
    arrow.put(line, "text", "")
    hellos = len(relay.said)
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)
    if by_hand == "another author":  # while a turn is under way the server takes none
        assert not [frame for frame in relay.said[said:hellos] if frame["type"] == "hello"]
        assert "batch" not in relay.heard("hello", hellos)["capabilities"]


def test_a_hello_that_crosses_an_assistants_turn_is_said_again(arrow: Editor, relay: Relay) -> None:
    """The server takes none while one is under way."""
    said, since = len(relay.said), arrow.mark()
    relay.greets = False
    arrow.call("mind", "update_project_author", 1, "Bea", True)
    assert "batch" not in relay.heard("hello", said)["capabilities"]
    relay.greets = True
    relay.say(type="error", code="BUSY", message="Claude is working in this story just now.")
    assert "batch" not in relay.heard("hello", said, 2)["capabilities"]
    arrow.frames()
    assert [frame["type"] for frame in relay.said[said:]] == ["hello"] * 2
    assert [name for name, _ in arrow.signals[since:] if name == "failed"] == []


@pytest.mark.parametrize("is_gone", [False, True])
def test_what_is_made_by_hand_meanwhile_has_no_batch_broken_off_that_expects_its_number(
    arrow: Editor, relay: Relay, *, is_gone: bool
) -> None:
    """All of the project would be put back, and a line that is being written with it."""
    since = _begin(arrow, relay)
    number = max(frame["story_number"] for frame in relay.said if "story_number" in frame)
    line = _writing(arrow)
    foretold = arrow.document["meta"]["authors"]["0"][1]
    arrow.call("mind", "create_new_character")
    if is_gone:
        gone = {"id": foretold, "field": "characters"}
        arrow.call("mind", "central_event_dispatcher", "remove_resource", gone)
        assert str(foretold) not in arrow.document["resources"]["characters"]
    scene = arrow.call("project", "open_scene")
    made = {"type": "content", "offset": [700, 500], "scene_id": scene}
    ends = {"node_id": 2, "modifications": {"io": {"push": [[2, 0, foretold, 0]]}}}
    calls = [("create_insert_node", made), ("update_node_map", ends)]
    before, said = arrow.text, len(relay.said)
    batch = [{"function": function, "arguments": arguments} for function, arguments in calls]
    relay.say(type="function_call_batch", request_id="req_7", story_number=number, functions=batch)
    assert "has written meanwhile" in relay.heard("function_result", said)["error"]
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)
    assert (arrow.get(line, "text"), arrow.text) == ("A line that I am still", before)
    arrow.put(line, "text", "")


def test_two_calls_that_come_at_once_are_done_one_after_the_other(arrow: Editor, relay: Relay) -> None:
    """The second would else write back what the inspector still shows from before the first."""
    since, said = _begin(arrow, relay), len(relay.said)
    arrow.call("mind", "inspect_node", 2, -1, True)
    arrow.frames()
    for request_id, change in (("req_3", {"name": "tower"}), ("req_4", {"notes": "Anew."})):
        arguments = {"node_id": 2, **change}
        relay.say(type="function_call", request_id=request_id, function="update_node", arguments=arguments)
    assert all(relay.heard("function_result", said, count)["success"] for count in (1, 2))
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    assert not arrow.wait("turn_ended", since)[0]["edited_meanwhile"]
    arrow.frames()
    node = arrow.document["resources"]["nodes"]["2"]
    assert (node["name"], node["notes"]) == ("tower", "Anew.")


def test_once_a_snapshot_is_looked_at_no_more_the_story_is_shown(arrow: Editor, relay: Relay) -> None:
    arrow.call("mind", "take_snapshot")
    arrow.call("mind", "preview_snapshot", 0)
    arrow.wait_state("disabled")
    said = len(relay.said)
    arrow.call("mind", "return_to_master_project")
    arrow.wait_state("idle")
    relay.heard("file_sync", said)


def test_a_stop_that_comes_after_its_turn_does_not_end_the_next(arrow: Editor, relay: Relay) -> None:
    since, said = _begin(arrow, relay), len(relay.said)
    arrow.fletcher("stop", False)
    relay.heard("stop", said)
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)
    since = arrow.mark()
    assert arrow.fletcher("send", "Hello?")
    relay.say(type="turn_end", reason="stopped", usage={})  # answers the stop
    relay.say(type="turn_start", turn_id="turn_2")
    relay.say(type="turn_end", turn_id="turn_2", reason="done", usage={})
    summary = arrow.wait("turn_ended", since)[0]
    assert (summary["message"], summary["reason"]) == ("Hello?", "done")


def test_what_its_user_has_taken_back_at_the_same_time_is_not_taken_back_twice(arrow: Editor, relay: Relay) -> None:
    for turn_id, name in (("turn_1", "gold"), ("turn_2", "silver")):
        since = _begin(arrow, relay, turn_id, name)
        relay.say(type="turn_end", turn_id=turn_id, reason="done", usage={})
        arrow.wait("turn_ended", since)
    assert arrow.fletcher("undo")
    said, text = len(relay.said), arrow.text
    relay.say(type="undo_request", request_id="req_9", turn_id="turn_2")
    assert "has been changed since" in relay.heard("function_result", said)["error"]
    assert arrow.text == text
    assert '"gold"' in text


def test_what_the_user_changed_since_is_not_taken_back_for_it(arrow: Editor, relay: Relay) -> None:
    since = _begin(arrow, relay)
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    arrow.wait("turn_ended", since)
    arrow.call("mind", "create_new_character")
    said, text = len(relay.said), arrow.text
    relay.say(type="undo_request", request_id="req_9", turn_id="turn_1")
    assert "has been changed since" in relay.heard("function_result", said)["error"]
    assert arrow.text == text


def test_a_message_of_the_user_that_comes_at_the_same_time_is_named(arrow: Editor, relay: Relay) -> None:
    since = arrow.mark()
    assert arrow.fletcher("send", "Hello?")
    relay.say(type="turn_start", turn_id="turn_1", by="Claude", message="adding gold")
    refused = arrow.wait("turn_ended", since)[0]
    assert (refused["message"], refused["reason"]) == ("Hello?", "refused")
    assert "Claude" in refused["error"]
    assert arrow.state == "processing"
    relay.say(type="turn_end", turn_id="turn_1", reason="done", usage={})
    assert arrow.wait("turn_ended", since, lambda summary: summary["by"] == "Claude")
    since = arrow.mark()
    for frame in ({"type": "turn_start"}, {"type": "turn_end", "reason": "done", "usage": {}}):  # once it is done
        relay.say(turn_id="turn_2", **frame)
    assert arrow.wait("turn_ended", since)[0]["message"] == "Hello?"


def test_a_call_without_a_turn_is_refused(arrow: Editor, relay: Relay) -> None:
    said, before = len(relay.said), arrow.text
    relay.say(type="function_call", request_id="req_1", function="create_variable", arguments=_GOLD)
    result = relay.heard("function_result", said)
    assert (result["success"], arrow.text) == (False, before)
    assert "No turn" in result["error"]


def test_where_no_project_is_open_nothing_is_done(arrow: Editor, relay: Relay, tmp_path: Path) -> None:
    arrow.call("mind", "open_new_blank_project", True)
    arrow.wait_state("disabled")
    said = len(relay.said)
    relay.say(type="turn_start", turn_id="turn_1", by="Claude", message="adding gold")
    relay.say(type="function_call", request_id="req_1", function="create_variable", arguments=_GOLD)
    assert not relay.heard("function_result", said)["success"]
    relay.say(type="turn_end", turn_id="turn_1", reason="error", usage={})
    assert arrow.state == "disabled"
    arrow.open(text_of("lamp"), tmp_path.name)
