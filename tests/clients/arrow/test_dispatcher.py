"""What the dispatcher refuses, and that nothing is done then."""

from typing import Any

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor


def _execute(editor: Editor, function: str, **arguments: Any) -> dict[str, Any]:
    return editor.call("dispatcher", "execute", function, arguments)


@pytest.mark.parametrize(
    ("function", "arguments", "words"),
    [
        ("burn", {}, "not known"),
        ("update_node", {"name": "x"}, "needs node_id"),
        ("update_node", {"node_id": 999, "name": "x"}, "no node 999"),
        ("update_node", {"node_id": "2", "name": "x"}, "whole number"),
        ("update_node", {"node_id": 2, "data": []}, "must be a Dictionary"),
        ("create_insert_node", {"type": "bogus", "scene_id": 0, "offset": [0, 0]}, "no node type bogus"),
        ("create_insert_node", {"type": "content", "scene_id": 77, "offset": [0, 0]}, "no scene 77"),
        ("create_insert_node", {"type": "content", "scene_id": 0}, "needs offset"),
        ("delete_node", {"node_id": 1}, "entry"),
        ("delete_variable", {"variable_id": 3}, "is used by"),
        ("delete_character", {"character_id": 6}, "is used by"),
        ("delete_scene", {"scene_id": 0}, "project's entry"),
        ("update_node_map", {"node_id": 2, "modifications": {"io": {"push": [[2, 0, 999, 0]]}}}, "another node"),
        ("update_node_map", {"node_id": 2, "modifications": {"io": {"pop": [[2, 5, 3, 0]]}}}, "not there"),
        ("update_node_map", {"node_id": 2, "modifications": {"io": {"push": [[2, 0]]}}}, "no connection"),
        ("create_variable", {"type": "list"}, "no variable type"),
        ("create_variable", {"type": "num", "initial_value": "ten"}, "does not fit"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_done(
    function: str, arguments: dict[str, Any], words: str, editor: Editor
) -> None:
    editor.open(text_of("lamp"))
    before = editor.text

    outcome = _execute(editor, function, **arguments)

    assert outcome["success"] is False
    assert words in outcome["error"]
    assert ("referenced_by" in outcome) is ("is used by" in words)
    editor.frames()
    assert editor.text == before


def test_a_batch_is_done_as_a_whole_or_not_at_all(editor: Editor) -> None:
    editor.open(text_of("lamp"))
    before = editor.text
    calls = [
        {"function": "create_character", "arguments": {"name": "Ann"}},
        {"function": "delete_node", "arguments": {"node_id": 1}},
    ]

    outcome = editor.call("dispatcher", "execute_batch", calls)

    assert outcome["success"] is False
    assert "Nothing of the batch was done" in outcome["error"]
    editor.frames()
    assert editor.text == before


@pytest.mark.parametrize("offset", [[0, 0], [300, -120]])
def test_a_node_goes_where_it_is_told_to(offset: list[int], editor: Editor) -> None:
    editor.open(text_of("lamp"))
    there = editor.document["resources"]["scenes"]["0"]["map"]

    outcome = _execute(editor, "create_insert_node", type="content", scene_id=0, offset=offset)

    assert outcome["success"]
    editor.frames()
    now = editor.document["resources"]["scenes"]["0"]["map"]
    assert [now[node_id]["offset"] for node_id in now.keys() - there.keys()] == [offset]


@pytest.mark.parametrize("resets", [True, False])
def test_the_inspector_does_not_put_back_what_was_changed(resets: bool, editor: Editor) -> None:
    """It writes its fields when another node is opened; with the switch off it has not read them again."""
    editor.open(text_of("lamp"))
    editor.put("main", "_RESET_ON_REINSPECTION", resets)
    try:
        editor.call("mind", "inspect_node", 2, -1, True)
        editor.frames()
        assert _execute(editor, "update_node", node_id=2, name="quay", data={"title": "Quay"})["success"]
        editor.frames()
        changed = editor.document
        editor.call("mind", "inspect_node", 1, -1, True)
        editor.frames()
        assert editor.document == changed
    finally:
        editor.put("main", "_RESET_ON_REINSPECTION", True)
