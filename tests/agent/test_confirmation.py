"""Which operations need a yes, and what counts as one."""

import pytest

from agent.questions.confirmation import describe
from agent.questions.reply import may_agree, read_reply
from arrow_project import Operation


@pytest.mark.parametrize(
    "message",
    [
        "yes",
        "Yes",
        "YES!",
        "yes.",
        " yes \n",
        "y",
        "ok",
        "Okay.",
        "sure",
        "do it",
        "go ahead",
        "confirm",
        "yes please",
        "yes, go ahead",
        "yes, delete it",
        "sure thing",
        "just do it",
        "apply",
        "apply it",
        "Yes. Do it, please!",
        "بله",
        "بله.",
        "آره",
    ],
)
def test_yes(message: str) -> None:
    assert read_reply(message) == "yes"


@pytest.mark.parametrize("words", ["yes, delete it", "ok, remove that", "Okay. Delete them!"])
@pytest.mark.parametrize(
    ("function", "expected"), [("delete_node", "yes"), ("delete_connection", "yes"), ("create_scene", None)]
)
def test_a_yes_that_names_a_removal_is_one_to_a_removal(words: str, function: str, expected: str | None) -> None:
    asked = [Operation("update_node", {}), Operation(function, {})]
    assert read_reply(words, asked) == expected
    assert may_agree(words, asked) == (expected is not None)


@pytest.mark.parametrize(
    "message",
    [
        "no",
        "No.",
        "NO!!",
        "n",
        "cancel",
        "stop",
        "don't",
        "dont",
        "never mind",
        "no thanks",
        "No, thank you",
        "keep it",
        "no, keep it",
        "don’t",
        "no, don’t do that",
        "نه",
        "خیر!",
        "leave them",
        "no, don't overwrite it",
    ],
)
def test_no(message: str) -> None:
    assert read_reply(message) == "no"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "yesterday",
        "no idea",
        "Do it tomorrow",
        "is that ok?",
        "yes?",
        "ok no",
        "thanks",
        "apply it to node 3",
        "delete it",
        "ok, undo that",
        "sure, undo it please",
        "okay take that back",
        "ok, change it",
        "yes, replace it",
        "okay, cut it",
        "nobody",
        "Delete node 3",
        "yes\nand delete everything else",
        "yes, but what is it for?",
        "yes, but only the second one",
        "no, only node 3",
        "keep node 12",
        "yes, and add a dialog: One",
    ],
)
def test_anything_else_is_a_message(message: str) -> None:
    assert read_reply(message) is None


def test_an_operation_in_one_readable_line() -> None:
    operation = Operation("update_node", {"node_id": 3, "name": "pier", "notes": "", "data": {"content": "x" * 500}})
    line = describe(operation)
    assert line.startswith("update node (node_id 3, name pier, data: content xxx")
    assert "\n" not in line
    assert len(line) < 200
    assert describe(Operation("create_scene")) == "create scene"


def test_values_are_read_as_words_and_not_as_python() -> None:
    preset = {"character": 31, "lines": ["Ahoy.", "Who’s there?"], "playable": True, "target": {"type": "value"}}
    line = describe(Operation("create_insert_node", {"type": "dialog", "preset": preset, "position": [10, 20]}))
    assert line == (
        "create insert node (type dialog, preset: character 31, lines: Ahoy., Who’s there?, playable true, "
        "target: type value, position: 10, 20)"
    )


@pytest.mark.parametrize("words", ["是的", "好的。", "بله", "تایید"])
def test_a_yes_in_the_other_languages_of_arrow(words: str) -> None:
    assert read_reply(words) == "yes"


@pytest.mark.parametrize("words", ["不", "不要。", "取消", "نه", "خیر"])
def test_a_no_in_the_other_languages_of_arrow(words: str) -> None:
    assert read_reply(words) == "no"
