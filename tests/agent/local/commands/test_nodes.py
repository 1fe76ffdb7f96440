"""Adding, annotating, renaming and deleting nodes."""

from typing import Any

import pytest

from tests.agent.local.turns import Turn


def value(number: object) -> dict[str, object]:
    return {"type": "value", "value": number}


PRESETS: list[tuple[str, str, dict[str, Any]]] = [
    ("add a dialog by Elena: Hello there", "dialog", {"character": 5, "lines": ["Hello there"], "playable": False}),
    (
        'add a dialog by elena: "Stay" / "Go"',
        "dialog",
        {"character": 5, "lines": ["Stay", "Go"], "playable": True},
    ),
    ("Add a dialogue Tomas: Aye.", "dialog", {"character": 6, "lines": ["Aye."], "playable": False}),
    ('insert a monolog by Tomas "So this is it."', "monolog", {"character": 6, "text": "So this is it."}),
    ("write a monologue by Tomas saying So this is it", "monolog", {"character": 6, "text": "So this is it"}),
    (
        'add a dialog node where Elena says: "Come in!"',
        "dialog",
        {"character": 5, "lines": ["Come in!"], "playable": False},
    ),
    ('make Tomas say "Come in!"', "monolog", {"character": 6, "text": "Come in!"}),
    ("Elena says: Come in!", "monolog", {"character": 5, "text": "Come in!"}),
    ("add a line by Tomas: Aye", "monolog", {"character": 6, "text": "Aye"}),
    ("add a node of type content with the text Hello", "content", {"content": "Hello"}),
    ("add two choices: “Yes” and “No”", "interaction", {"actions": ["Yes", "No"]}),
    ("add an interaction with the options Stay, Go", "interaction", {"actions": ["Stay", "Go"]}),
    (
        "add a condition that checks if gold is over 5",
        "condition",
        {"variable": 2, "operator": ">", "compare_to": value(5)},
    ),
    ("add a content: The door is shut. Nobody knocks.", "content", {"content": "The door is shut. Nobody knocks."}),
    ('add a content titled "The Door" saying: It is shut', "content", {"title": "The Door", "content": "It is shut"}),
    ('create a content node "The Door": It is shut', "content", {"title": "The Door", "content": "It is shut"}),
    ("add a choice: Go in / Walk away / Wait", "interaction", {"actions": ["Go in", "Walk away", "Wait"]}),
    ("add a choice:\n- Go in\n- Walk away", "interaction", {"actions": ["Go in", "Walk away"]}),
    ('add a choice "Go in", "Walk away"', "interaction", {"actions": ["Go in", "Walk away"]}),
    ("add choices: Go in, Walk away or Wait", "interaction", {"actions": ["Go in", "Walk away", "Wait"]}),
    ("add a choice between Go in and Walk away", "interaction", {"actions": ["Go in", "Walk away"]}),
    ("add a condition gold >= 10", "condition", {"variable": 2, "operator": ">=", "compare_to": value(10)}),
    ("add a condition: gold is at least 10", "condition", {"variable": 2, "operator": ">=", "compare_to": value(10)}),
    ('add an if player is "Ada"', "condition", {"variable": 3, "operator": "==", "compare_to": value("Ada")}),
    ("add a condition gold is not 10", "condition", {"variable": 2, "operator": "!=", "compare_to": value(10)}),
    ("add a condition met", "condition", {"variable": 4, "operator": "==", "compare_to": value(True)}),
    ("add a condition not met", "condition", {"variable": 4, "operator": "==", "compare_to": value(False)}),
    ("set gold to 10", "variable_update", {"variable": 2, "operation": "set", "value": value(10)}),
    ("add 5 to gold", "variable_update", {"variable": 2, "operation": "add", "value": value(5)}),
    ("subtract 5 from gold", "variable_update", {"variable": 2, "operation": "subtract", "value": value(5)}),
    ("increase gold by 2", "variable_update", {"variable": 2, "operation": "add", "value": value(2)}),
    ("multiply gold by 2", "variable_update", {"variable": 2, "operation": "multiply", "value": value(2)}),
    (
        "add a variable update: gold -= 2",
        "variable_update",
        {"variable": 2, "operation": "subtract", "value": value(2)},
    ),
    ("set met to yes", "variable_update", {"variable": 4, "operation": "set", "value": value(True)}),
    ("add a jump to node 7", "jump", {"target": {"type": "node", "id": 7}}),
    ("add a jump to scene Quay", "jump", {"target": {"type": "scene", "id": 0}}),
    ("add a jump to ending", "jump", {"target": {"type": "node", "id": 10}}),
    ("add a marker: checkpoint", "marker", {"label": "checkpoint"}),
    ("add a marker named checkpoint", "marker", {"label": "checkpoint"}),
    ("add a hub with 3 inputs", "hub", {"inputs": 3}),
    ("add a randomizer with 3 paths", "randomizer", {"paths": 3}),
    ("add a randomizer with weights 1, 2, 1", "randomizer", {"paths": 3, "weights": [1, 2, 1]}),
    ("add a sequencer with 4 paths", "sequencer", {"paths": 4}),
    (
        "add a generator for gold: 1 to 6",
        "generator",
        {"variable": 2, "generator_type": "random_int", "min": 1, "max": 6},
    ),
    ("add a generator for gold: 2d6+3", "generator", {"variable": 2, "generator_type": "dice", "dice": "2d6+3"}),
    ("add a generator for met", "generator", {"variable": 4, "generator_type": "random_bool"}),
    (
        "add a tag edit for Elena: trust = low, remove mood",
        "tag_edit",
        {
            "character": 5,
            "operations": [{"action": "set", "key": "trust", "value": "low"}, {"action": "remove", "key": "mood"}],
        },
    ),
    (
        "add a tag match for Elena: trust = high",
        "tag_match",
        {"character": 5, "match": {"type": "equals", "key": "trust", "value": "high"}},
    ),
    (
        "add a tag match for Elena: has trust",
        "tag_match",
        {"character": 5, "match": {"type": "has_key", "key": "trust"}},
    ),
    (
        "add a tag pass for Elena: any of trust = high, mood",
        "tag_pass",
        {"character": 5, "method": "any", "conditions": [{"key": "trust", "value": "high"}, {"key": "mood"}]},
    ),
    (
        "add a user input for player: What is your name?",
        "user_input",
        {"prompt": "What is your name?", "variable": 3, "input_type": "text"},
    ),
    ("add an entry labelled Start", "entry", {"label": "Start"}),
    ("add a frame titled Act II color #ff5733", "frame", {"title": "Act II", "color": "#ff5733"}),
]


@pytest.mark.parametrize(("message", "kind", "preset"), PRESETS, ids=[message for message, _, _ in PRESETS])
def test_each_node_type_takes_its_parameters(turn: Turn, message: str, kind: str, preset: dict[str, Any]) -> None:
    turn.run(message)

    assert [call.tool for call in turn.calls] == ["create_insert_node"], turn.text
    assert turn.calls[0].arguments == {"type": kind, "preset": preset, "scene_id": 0}
    assert turn.text.startswith("Created ")


def test_a_macro_is_used_by_its_name(turn: Turn) -> None:
    turn.run("create a macro named Rest; add a macro use: Rest after ending")

    macro = next(key for key in turn.story.scenes if key != 0)
    assert turn.calls[1].arguments["preset"] == {"macro": macro}
    assert turn.edits == ["create_scene", "create_insert_node", "create_connection"]


@pytest.mark.parametrize(
    ("message", "connection"),
    [
        ("add a content: Later. Much later, after node 10", (10, 0, 11, 0)),
        ("add a content after 10: Later", (10, 0, 11, 0)),
        ("add a content connected from ending: Later", (10, 0, 11, 0)),
        ('add a content "Later" after the content "Nobody comes"', (10, 0, 11, 0)),
        ("add a content after node 9 slot 1: Later", (9, 1, 11, 0)),
        ("add a content after 9 on choice Walk home: Later", (9, 1, 11, 0)),
        ('add a content after the choice on "Wait": Later', (9, 0, 11, 0)),
        ("add a content before 10: Sooner", (11, 0, 10, 0)),
        ("add a content: Sooner and connect it to 10", (11, 0, 10, 0)),
        ("add a content after selected: Later", (10, 0, 11, 0)),
        ("could you add a content saying “Later” after node 10?", (10, 0, 11, 0)),
        ("make Elena say “Later” after 10", (10, 0, 11, 0)),
        ("add a jump from 10 to node 7", (10, 0, 11, 0)),
        ("add a choice: Stay -> 10 / Go", (11, 0, 10, 0)),
        ("add a choice:\n- Stay\n- Go -> ending", (11, 1, 10, 0)),
    ],
)
def test_a_node_goes_where_it_was_told(turn: Turn, message: str, connection: tuple[int, ...]) -> None:
    turn.selected_node_ids = (10,)
    turn.run(message)

    assert connection in turn.connections, turn.text


def test_a_node_comes_between_two_others(turn: Turn) -> None:
    turn.run("insert a content between 7 and 8: A bell rings.")

    assert {(7, 0, 11, 0), (11, 0, 8, 0)} <= turn.connections
    assert (7, 0, 8, 0) not in turn.connections


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("add a content: Later, after node 8", "already leads to 9"),
        ("add a content after 9: Later", "several free outputs"),
        ("add a content after node 77: Later", "no node 77"),
        ("add a dialog by Elana: Hello", "Did you mean Elena_Marsh (5)?"),
        ("add a condition silver > 3", "no variable “silver”"),
        ("add a condition gold > many", "whole number"),
        ("add a condition gold", "needs a comparison"),
        ("add an entry after 10", "no input"),
        ("add a user input for met: Really?", "true or false"),
        ("add a generator for gold", "Which values?"),
        ("add a macro use: Quay", "not a macro"),
        ("add a choice: Go -> 77 / Stay", "no node 77"),
        ("add a content somewhere nice: Hello", "do not know what “somewhere nice” means"),
    ],
)
def test_what_is_missing_or_wrong_is_said_and_nothing_is_done(turn: Turn, message: str, reason: str) -> None:
    turn.run(message)

    assert not turn.calls, turn.calls
    assert reason in turn.text
    assert turn.text.startswith("Not done")


def test_what_became_several_nodes_is_left_by_the_last(turn: Turn) -> None:
    turn.run("add a tag edit for Elena: trust = low, mood = calm; connect it to 10; connect 10 to it")

    assert {(11, 0, 12, 0), (12, 0, 10, 0), (10, 0, 11, 0)} <= turn.connections
    assert "became as many nodes in a row" in turn.text


def test_two_nodes_that_fit_are_both_named(turn: Turn) -> None:
    turn.run("add a content: Fog on the water")
    turn.run("delete node Fog")

    assert not turn.calls
    assert "7 (content" in turn.text
    assert "11 (content" in turn.text


def test_notes_are_added_to_those_there_are(turn: Turn) -> None:
    turn.run("add a note to 7: check the weather. Add a note to 7: and the tide")

    assert turn.story.nodes[7].notes == "check the weather.\nand the tide"


def test_several_nodes_are_deleted(turn: Turn) -> None:
    turn.run("delete nodes 9 and 10")

    assert turn.edits == ["delete_node", "delete_node"]
    assert not {9, 10} & turn.story.nodes.keys()


def test_a_node_is_renamed(turn: Turn) -> None:
    turn.run("rename node 7 to Opening; rename ending to The End")

    assert (turn.story.nodes[7].name, turn.story.nodes[10].name) == ("Opening", "The End")


def test_a_refusal_is_told_and_the_rest_goes_on(turn: Turn) -> None:
    turn.run("delete node 1; delete node 10")

    assert "PERMISSION_DENIED" in turn.said[0]
    assert 10 not in turn.story.nodes
