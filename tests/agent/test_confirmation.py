"""Which operations need a yes, and what counts as one."""

import pytest

from agent import Asked, InMemoryEditor
from agent.questions.confirmation import describe
from agent.questions.reply import Reply, read_reply
from arrow_project import Operation
from tests.agent.desk import Desk
from tests.agent.story import story


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
    assert read_reply(message) == Reply(agrees=True)


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
    ],
)
def test_no(message: str) -> None:
    assert read_reply(message) == Reply(agrees=False)


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
        "nobody",
        "Delete node 3",
        "yes\nand delete everything else",
        "yes, but what is it for?",
    ],
)
def test_anything_else_is_a_message(message: str) -> None:
    assert read_reply(message) is None


@pytest.mark.parametrize(
    ("message", "agrees", "changes"),
    [
        ("yes, but only the second one", True, "but only the second one"),
        ("Yes but keep node 12", True, "but keep node 12"),
        ("ok, except Elena", True, "except Elena"),
        ("no, only node 3", False, "only node 3"),
        ("keep node 12", False, "keep node 12"),
        ("all but 12", False, "all but 12"),
        ("without the pier, please", False, "without the pier, please"),
    ],
)
def test_a_change(message: str, agrees: bool, changes: str) -> None:
    reply = read_reply(message)
    assert reply is not None
    assert (reply.kind, reply.agrees, reply.changes, reply.more) == ("modify", agrees, changes, False)


@pytest.mark.parametrize(
    "message", ["yes, and add a dialog: One", "ok, then rename it", "Sure and also delete node 12"]
)
def test_more_than_was_asked_about(message: str) -> None:
    reply = read_reply(message)
    assert reply is not None
    assert (reply.kind, reply.agrees, reply.more) == ("modify", True, True)


def test_an_operation_in_one_readable_line() -> None:
    operation = Operation("update_node", {"node_id": 3, "name": "pier", "notes": "", "data": {"content": "x" * 500}})
    line = describe(operation)
    assert line.startswith("update node (node_id 3, name pier, data {")
    assert "\n" not in line
    assert len(line) < 200
    assert describe(Operation("create_scene")) == "create scene"


async def test_a_yes_that_adds_something_does_both(desk: Desk) -> None:
    desk.is_local = True
    editor = InMemoryEditor(story())
    (asked,) = [e for e in await desk.events("delete node 2", editor) if isinstance(e, Asked)]
    await desk.events("yes, and create a variable gold = 10", editor, pending_id=asked.pending_id)
    assert 2 not in editor.project.document.nodes
    assert "gold" in editor.project.document.by_name("variable")


@pytest.mark.parametrize("words", ["是的", "好的。", "بله", "تایید"])
def test_a_yes_in_the_other_languages_of_arrow(words: str) -> None:
    assert read_reply(words) == Reply(agrees=True)


@pytest.mark.parametrize("words", ["不", "不要。", "取消", "نه", "خیر"])
def test_a_no_in_the_other_languages_of_arrow(words: str) -> None:
    assert read_reply(words) == Reply(agrees=False)
