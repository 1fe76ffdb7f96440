"""`/root/Fletcher` as a program of somebody else's drives it: in the wrong state, twice, with what cannot be."""

from typing import Any

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor
from tests.end_to_end.messages_api import Hang, Text, ToolUse
from tests.real_client.house import House

_GOLD = ToolUse("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
_GRID = "/root/Main/Editor/Center/Grid"


def _refusal(editor: Editor, method: str, *args: Any) -> str:
    """The code by which a call is refused; nothing else happens."""
    editor.frames()
    since, before, state = editor.mark(), editor.text, editor.state
    assert editor.fletcher(method, *args) is False
    code = editor.wait("failed", since)[0]
    said = {name for name, _ in editor.signals[since:]} - {"corpus_changed"}  # the list that connecting has asked for
    assert said == {"failed"}
    assert (editor.text, editor.state) == (before, state)
    return code


def _asked(editor: Editor, server: House) -> None:
    """Fletcher asks before it adds a variable."""
    editor.open(text_of("lamp"))
    editor.put("preferences", "confirm", "always")
    server.model.play([[_GOLD], [Text(["There."])], [Text(["Well."])]])
    assert editor.turn("send", "Gold.")["reason"] == "question"
    editor.put("preferences", "confirm", "")


def test_without_a_project_nothing_can_begin(editor: Editor) -> None:
    editor.call("mind", "open_new_blank_project", True)
    editor.wait_state("disabled")
    for method, *args in (("send", "Hello?"), ("preview", "Gold."), ("undo",), ("undo", True)):
        assert _refusal(editor, method, *args) == "DISABLED"
    for method, *args in (("answer", "yes"), ("apply",), ("discard",)):
        assert _refusal(editor, method, *args) == "NOT_PENDING"
    editor.fletcher("stop")
    assert editor.state == "disabled"


@pytest.mark.parametrize(
    ("method", "args", "code"),
    [
        ("send", [""], "EMPTY"),
        ("send", [" \n"], "EMPTY"),
        ("preview", [""], "EMPTY"),
        ("answer", ["yes"], "NOT_PENDING"),
        ("apply", [], "NOT_PENDING"),
        ("discard", [], "NOT_PENDING"),
        ("undo", [], "NOTHING_TO_UNDO"),
        ("undo", [True], "NOTHING_TO_UNDO"),
        ("open_citation", [99], "NO_CITATION"),
        ("open_citation", [-1], "NO_CITATION"),
    ],
)
def test_what_there_is_nothing_for_is_refused(method: str, args: list[Any], code: str, editor: Editor) -> None:
    editor.open(text_of("lamp"))
    assert _refusal(editor, method, *args) == code
    editor.fletcher("stop")
    editor.fletcher("stop")
    assert editor.state == "idle"


def test_while_a_turn_runs_no_other_begins_and_it_is_stopped_once(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Gold.")
    api.hanging.wait()
    for method, *args in (("send", "More."), ("preview", "More."), ("undo",), ("undo", True)):
        assert _refusal(editor, method, *args) == "BUSY"
    for _ in range(3):
        editor.fletcher("stop")
    editor.wait("turn_ended", since)
    editor.frames()
    assert sum(name == "turn_ended" for name, _ in editor.signals[since:]) == 1
    assert editor.state == "idle"


@pytest.mark.parametrize(
    ("method", "args", "code"),
    [
        ("answer", ["maybe"], "INVALID_DECISION"),
        ("answer", ["YES"], "INVALID_DECISION"),
        ("answer", ["modify"], "EMPTY"),
        ("apply", [], "NOT_PENDING"),
        ("discard", [], "NOT_PENDING"),
    ],
)
def test_an_answer_that_is_none_leaves_the_question_open(
    method: str, args: list[Any], code: str, editor: Editor, server: House
) -> None:
    _asked(editor, server)
    assert _refusal(editor, method, *args) == code
    assert editor.turn("answer", "yes")["changed"]
    assert _refusal(editor, "answer", "yes") == "NOT_PENDING"


def test_a_no_changes_nothing(editor: Editor, server: House) -> None:
    _asked(editor, server)
    before = editor.file.read_bytes()
    assert not editor.turn("answer", "no", "because")["changed"]
    assert editor.file.read_bytes() == before


def test_after_another_message_a_preview_cannot_be_applied(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[_GOLD], [Text(["So."])], [Text(["Something else."])]])
    assert editor.turn("preview", "Gold.")["question"]["kind"] == "plan"
    editor.turn("send", "Something else?")
    assert _refusal(editor, "apply") == "NOT_PENDING"


def test_a_preview_of_nothing_cannot_be_applied(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[Text(["Nothing to do."])]])
    assert editor.turn("preview", "Hello?")["reason"] == "done"
    assert _refusal(editor, "apply") == "NOT_PENDING"


def test_an_applied_preview_is_taken_back_to_what_was_shown_before_it(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    shown = editor.call("mind", "get_current_view_state")
    server.model.play([[ToolUse("create_scene", {"name": "Quay"})], [Text(["So."])], [Text(["Done."])]])
    editor.turn("preview", "A quay.")
    editor.put(_GRID, "zoom", 0.6)  # as the ghosts do that are drawn far away
    editor.frames()
    assert editor.turn("apply")["changed"]
    editor.frames()
    assert editor.fletcher("undo")
    editor.frames(8)
    assert editor.call("mind", "get_current_view_state") == shown


def test_what_the_user_does_by_hand_meanwhile_is_not_taken_back_unasked(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Gold.")
    api.hanging.wait()
    editor.call("mind", "create_new_character")
    by_hand = editor.document["resources"]["characters"]
    editor.fletcher("stop", True)  # with taking back
    summary = editor.wait("turn_ended", since)[0]
    assert summary["edited_meanwhile"]
    assert editor.wait("failed", since)[0] == "CONFLICT"
    assert editor.document["resources"]["characters"] == by_hand
    assert _refusal(editor, "undo") == "CONFLICT"
    assert editor.fletcher("undo", True)


def test_what_the_user_does_by_hand_between_two_calls_is_noticed(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))

    def by_hand(_: object) -> list[Text | ToolUse]:
        editor.call("mind", "create_new_character")
        return [_GOLD]

    server.model.play([[ToolUse("create_scene", {"name": "Quay"})], by_hand, [Text(["Done."])]])
    assert editor.turn("send", "A quay, and gold.")["edited_meanwhile"]
    assert _refusal(editor, "undo") == "CONFLICT"


def test_a_turn_that_the_user_only_watched_is_taken_back_unasked(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    node = ToolUse("create_insert_node", {"type": "content", "scene_id": 0, "preset": {"title": "Quay"}})
    server.model.play([[_GOLD, node], [ToolUse("create_scene", {"name": "Quay"})], [Text(["Done."])]])
    assert not editor.turn("send", "All of it.")["edited_meanwhile"]
    editor.frames(8)
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before
