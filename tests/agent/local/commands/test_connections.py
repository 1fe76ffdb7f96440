"""Connecting, disconnecting, and where scenes and projects begin."""

import pytest

from tests.agent.local.turns import Turn


@pytest.mark.parametrize(
    ("message", "connection"),
    [
        ("connect 9 to 10 from slot 1", (9, 1, 10, 0)),
        ("connect 9 slot 1 to 10", (9, 1, 10, 0)),
        ("connect 9 to 10 on choice 'Walk home'", (9, 1, 10, 0)),
        ('connect "Walk home" of 9 to ending', (9, 1, 10, 0)),
        ("connect the choice on choice 2 to 10", (9, 1, 10, 0)),
        ("link node 10 -> 7", (10, 0, 7, 0)),
        ("connect it to 10 from slot 0", (9, 0, 10, 0)),
        ("connect 7 from ending", (10, 0, 7, 0)),
    ],
)
def test_two_nodes_are_connected(turn: Turn, message: str, connection: tuple[int, ...]) -> None:
    turn.selected_node_ids = (9,)
    turn.run(message)

    assert turn.edits == ["create_connection"], turn.text
    assert connection in turn.connections


def test_true_is_slot_0_of_the_tool_and_slot_1_in_arrow(turn: Turn) -> None:
    turn.run("add a condition gold > 3; connect it to 10 on true; connect it to 7 on false")

    assert [call.arguments.get("from_slot") for call in turn.calls[1:]] == [0, 1]
    assert turn.project
    native = turn.project.document.scenes[0]["map"][11]["io"]
    assert native == [[11, 1, 10, 0], [11, 0, 7, 0]]


def test_a_chain_is_connected(turn: Turn) -> None:
    turn.run("add a marker: a; add a marker: b; connect 10 -> 11 -> 12")

    assert {(10, 0, 11, 0), (11, 0, 12, 0)} <= turn.connections


@pytest.mark.parametrize(
    "message",
    [
        "disconnect 7 from 8",
        "disconnect 8 and 7",
        "remove the connection from 7 to 8",
        "disconnect 7",
        "delete connection 7 -> 8",
    ],
)
def test_two_nodes_are_disconnected(turn: Turn, message: str) -> None:
    turn.run(message)

    assert turn.edits == ["delete_connection"], turn.text
    assert (7, 0, 8, 0) not in turn.connections


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("connect 7 to 10", "already leads to 8"),
        ("connect 9 to 10", "several free outputs"),
        ("connect 9 slot 5 to 10", "slots 0 to 1"),
        ("connect 10 to 10", "cannot lead to itself"),
        ("connect 10 to 1", "no input"),
        ("connect 9 to 10 on true", "not one of the outputs"),
        ("disconnect 7 from 10", "leads to 8"),
    ],
)
def test_what_cannot_be_connected_is_said(turn: Turn, message: str, reason: str) -> None:
    turn.run(message)

    assert not turn.calls
    assert reason in turn.text


def test_entries_are_set(turn: Turn) -> None:
    turn.run("make node 7 the scene entry. Set the project entry to 8")

    turn.run("use 7 as the entry of the scene; start the story at 8")
    assert turn.story.scenes[0].entry == 7
    assert turn.story.entry == 8
