"""Which operations need a yes, and what counts as one."""

import pytest

from agent.confirmation import ConfirmationPolicy, describe, needs_confirmation, read_reply
from arrow_project import Operation


@pytest.mark.parametrize(
    "message",
    ["yes", "Yes", "YES!", "yes.", " yes \n", "y", "ok", "Okay.", "sure", "do it", "go ahead", "confirm", "yes please"],
)
def test_yes(message: str) -> None:
    assert read_reply(message) == "yes"


@pytest.mark.parametrize(
    "message", ["no", "No.", "NO!!", "n", "cancel", "stop", "don't", "dont", "never mind", "no thanks", "No, thank you"]
)
def test_no(message: str) -> None:
    assert read_reply(message) == "no"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "yes, but only the second one",
        "yesterday",
        "no idea",
        "Do it tomorrow",
        "is that ok?",
        "yes?",
        "ok no",
        "nobody",
        "Delete node 3",
        "yes\nand delete everything else",
    ],
)
def test_anything_else_is_a_message(message: str) -> None:
    assert read_reply(message) is None


@pytest.mark.parametrize(
    ("policy", "function", "arguments", "asks"),
    [
        ("destructive", "create_variable", {"name": "gold"}, False),
        ("destructive", "update_node", {"node_id": 3}, False),
        ("destructive", "delete_node", {"node_id": 3}, True),
        ("destructive", "delete_scene", {"scene_id": 3}, True),
        ("destructive", "delete_connection", {"from": 1, "to": 2}, True),
        ("destructive", "create_variable", {"name": "gold", "force": True}, True),
        ("always", "create_variable", {"name": "gold"}, True),
        ("never", "delete_node", {"node_id": 3, "force": True}, False),
    ],
)
def test_what_is_asked_first(
    policy: ConfirmationPolicy, function: str, arguments: dict[str, object], asks: bool
) -> None:
    assert needs_confirmation(policy, Operation(function, arguments)) is asks


def test_an_operation_in_one_readable_line() -> None:
    operation = Operation("update_node", {"node_id": 3, "name": "pier", "notes": "", "data": {"content": "x" * 500}})
    line = describe(operation)
    assert line.startswith("update node (node_id 3, name pier, data {")
    assert "\n" not in line
    assert len(line) < 200
    assert describe(Operation("create_scene")) == "create scene"
