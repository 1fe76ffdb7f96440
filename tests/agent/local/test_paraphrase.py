"""Natural ways to say a command do the same as the plain one; what is not understood changes nothing."""

import pytest

from arrow_project import ArrowProject, diff, parse
from corpora.samples import SAMPLE
from tests.agent.local.turns import Turn

SAME = {
    'Have Mina ask "Who pays?" after node 30': 'make Mina say "Who pays?" after 30',
    'I want Mina to say "Thank you." after node 30': 'make Mina say "Thank you." after 30',
    'Jory should answer "Mind the heron." after 30': 'make Jory say "Mind the heron." after 30',
    'Give Odile another line after 30: "Drink up."': "add a dialog by Odile after 30: Drink up.",
    "After node 30, add a content: The stove ticks.": "add a content after node 30: The stove ticks.",
    "Add some text at the end of the scene: The stove ticks.": "add a content after node 30: The stove ticks.",
    "Give the player the options Stay, Leave and Sleep after 30": "add a choice after 30: Stay / Leave / Sleep",
    "Check if trust is greater than 3 after node 30": "add a condition trust > 3 after 30",
    "Branch on tasted_well after 30": "add a condition tasted_well is true after 30",
    "Increase trust by two after 30": "add a variable update after 30: add 2 to trust",
    "Go back to node 22 after 30": "add a jump to 22 after 30",
    "Cut the link from 27 to 29": "disconnect 27 from 29",
    "Get rid of node 29": "delete node 29",
    "Change the name of scene 20 to Kitchen": "rename scene 20 to Kitchen",
    "We need a character called Osk": "create a character Osk",
    "Add Osk as a character": "create a character Osk",
    "Create a bool called has_button": "create a boolean variable has_button",
    "oil should start at 36": "set the initial value of oil to 36",
    "Leave a comment on node 29: offscreen": "add a note to node 29: offscreen",
    'Replace "Meh." with "Meh!" in node 29': "change the text of 29 to: Meh!",
    "In node 29, replace Meh by Baa": "change the text of 29 to: Baa.",
    'Node 29 should say "Meh!"': "change the text of 29 to: Meh!",
    "Correct node 29: Meh!": "change the text of 29 to: Meh!",
    "Add a generator for night between 1 and 3 after 30": "add a generator for night after 30: 1 to 3",
}

NOTHING = (
    "Don't delete node 29",
    "Do not connect 30 to 22",
    "Never mind",
    "Should I delete node 29?",
    "What would happen if I delete node 29?",
    "Delete everything",
    "Delete all nodes in this scene",
    "Create a scene about grief",
    "Create the character of the postmistress",
    "Create a variable for the money",
    "I want the scene on the Flats, where the mule refuses to go on",
    "Rewrite node 28 so that it sounds sadder",
    "Swap the order of 28 and 29",
    "Duplicate node 29",
    "Skip node 29",
    'Replace "e" with "a" in node 22',
    "Thanks!",
)


def changes(message: str) -> str:
    project: ArrowProject = parse(SAMPLE.arrow_file.read_bytes())
    before = project.copy()
    turn = Turn(project, scene_id=20)
    turn.run(message)
    assert turn.said
    return str(diff(before, project))


@pytest.mark.parametrize("message", SAME)
def test_it_does_the_same_as_the_plain_command(message: str) -> None:
    plain = changes(SAME[message])

    assert plain
    assert changes(message).replace(" dialog ", " monolog ") == plain.replace(" dialog ", " monolog ")


@pytest.mark.parametrize("message", NOTHING)
def test_what_is_not_asked_for_or_not_understood_changes_nothing(message: str) -> None:
    assert changes(message) == ""


def test_a_name_with_a_full_stop_is_one_name() -> None:
    assert 'name: "1 Dusk: The Kitchen" -> "2. The Tea"' in changes("Rename scene 20 to 2. The Tea")


def test_a_list_that_is_announced_is_done() -> None:
    done = changes("Please do the following:\n1. create a variable coins = 7\n2. rename node 30 to last_words")

    assert '+ variable 31 "coins"' in done
    assert "last_words" in done
