"""Turns in the real Arrow: what is said, done, previewed, answered, stopped and taken back."""

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor
from tests.end_to_end.messages_api import Text, ToolUse
from tests.real_client.house import House

_GOLD = ToolUse("create_variable", {"name": "gold", "type": "num", "initial_value": 10})


def test_a_question_is_answered_and_changes_nothing(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[Text(["Good ", "evening."])]])

    summary = editor.turn("send", "Hello?")

    assert summary["reason"] == "done"
    assert summary["text"] == "Good evening."
    assert not summary["changed"]
    assert editor.file.read_bytes() == before
    assert editor.fletcher("history") == [{"message": "Hello?", "output": "Good evening."}]


def test_a_change_is_done_and_taken_back_byte_for_byte(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[_GOLD], [Text(["There it is."])]])

    summary = editor.turn("send", "Add ten gold.")

    assert summary["changed"]
    assert summary["functions"] == ["create_variable"]
    assert b'"gold"' in editor.file.read_bytes()
    assert editor.text == editor.file.read_text(encoding="utf-8")
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before
