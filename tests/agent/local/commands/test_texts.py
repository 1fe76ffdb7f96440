"""Changing what stands in a node."""

import pytest

from tests.agent.local.turns import Turn


@pytest.mark.parametrize(
    ("message", "node", "texts"),
    [
        ("change the text of 7 to Rain. Only rain", 7, ("Rain. Only rain",)),
        ('change the text of ending to "All come."', 10, ("All come.",)),
        ("replace 8's text with: Late again", 8, None),
        ("set the text of 8: Late again", 8, ("Late again",)),
        ("change the title of 7 to Weather", 7, ("Weather", "Fog lies on the quay.")),
        ("change the choices of 9 to Swim / Row", 9, ("Swim", "Row")),
        ("update node 8: Late again", 8, ("Late again",)),
        ("change choice 2 of 9 to Row", 9, ("Wait", "Row")),
        ('add a choice "Row" to node 9', 9, ("Wait", "Walk home", "Row")),
    ],
)
def test_texts_change(turn: Turn, message: str, node: int, texts: tuple[str, ...] | None) -> None:
    turn.run(message)

    if texts is None:
        assert not turn.calls
    else:
        assert turn.story.nodes[node].texts == texts


def test_a_speaker_changes(turn: Turn) -> None:
    turn.run("change the speaker of 8 to Tomas")

    assert turn.story.nodes[8].data["character"] == 6


def test_a_condition_and_an_update_change(turn: Turn) -> None:
    turn.run("add a condition gold > 3; change the condition of it to gold <= 5")
    turn.run("set gold to 1; change the update of 12 to add 2 to gold")

    assert turn.story.describe(11) == "11 (condition: gold <= 5)"
    assert turn.story.describe(12) == "12 (variable_update: gold += 2)"


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ("change the speaker of 7 to Tomas", "has no speaker"),
        ("change the title of 8 to Foo", "has no title"),
        ("change the text of 11 to Foo", "has 2 lines"),
        ("change choice 5 of 9 to Foo", "no number 5"),
        ('add a choice "Foo" to node 7', "no choices or lines"),
    ],
)
def test_what_a_node_does_not_have_is_said(turn: Turn, message: str, reason: str) -> None:
    turn.run("add a dialog by Elena: Yes / No")
    turn.run(message)

    assert not turn.calls
    assert reason in turn.text
