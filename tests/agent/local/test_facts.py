"""Questions about the project."""

import pytest

from tests.agent.local.turns import Turn


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which scenes are there?", "- Quay (0): 5 nodes, begins at node 1"),
        ("list the macros", "No macros."),
        ("who are the characters?", "- Elena_Marsh (5): trust = high"),
        ("list all variables in the project", "- player (3), str, starts at “Stranger”"),
        ("how many variables are there", "3 variables."),
        ("How many nodes are in this scene?", "5 nodes in “Quay”."),
        ("where is node 8 connected?", "It is reached from 7 (content"),
        ("what follows 9?", "It is reached from 8 (monolog by Elena_Marsh"),
        ("what does node 8 say?", "“The ferry is late.”"),
        ("show me node ending", "“Nobody comes.”"),
        ("list nodes", '- 9 (interaction: "Wait")'),
        ("which nodes use Elena?", "is used by 8 (monolog"),
        ("what is the value of gold?", "“gold” (2), num, starts at 3."),
        ("which nodes are not connected?", '- 10 (content: "Nobody comes.")'),
        ("where does the story begin?", "The project begins at 1 (entry)."),
        ("which node says ferry?", "- 8 (monolog"),
        ("What does Elena say?", "- 8 in “Quay”: The ferry is late."),
        ('which node says "late"?', "- 8 (monolog"),
        ("describe the project", "“Low Water” has 1 scene, 5 nodes, 3 variables and 2 characters"),
        ("is node 8 connected to anything?", "It is reached from 7 (content"),
        ("what happens after the choice?", "It is reached from 8"),
        ("what is selected?", "Selected: 7 (content"),
        ("where is node 99?", "There is no node 99."),
    ],
)
def test_the_project_answers_itself(turn: Turn, question: str, answer: str) -> None:
    turn.selected_node_ids = (7,)
    turn.run(question)

    assert answer in turn.text
    assert not turn.calls


def test_whom_the_documents_do_not_know_the_project_may(turn: Turn) -> None:
    assert "“Elena_Marsh” (5, trust = high) is a character with 1 node." in turn.run("Who is Elena?").text
    assert "“gold” (2) is a variable that starts at 3." in turn.run("what is gold?").text


def test_a_question_between_commands_is_answered_in_its_place(turn: Turn) -> None:
    turn.run("delete node 10; how many nodes are there?")

    assert turn.said == ['Deleted 10 (content: "Nobody comes.").', "4 nodes in all scenes."]
