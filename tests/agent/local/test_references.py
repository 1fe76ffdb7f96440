"""What words mean in a story."""

import pytest

from agent.local.phrase import read_phrase
from agent.local.references import References
from agent.local.steps import NotDone
from tests.agent.local.turns import Turn


@pytest.fixture
def references(turn: Turn) -> References:
    return References(turn.story, 0, (7, 8), 9, {})


@pytest.mark.parametrize(
    ("words", "node"),
    [
        ("8", 8),
        ("node 8", 8),
        ("#8", 8),
        ("ending", 10),
        ("the Ending", 10),
        ("node named ending", 10),
        ('"Fog lies"', 7),
        ("the content Fog lies", 7),
        ("the choice", 9),
        ("the monolog by Elena", 8),
        ("last", 9),
        ("it", 9),
        ("the last node", 9),
        ("last_created", 9),
        ("first selected", 7),
        ("last_selected", 8),
        ("the scene's entry", 1),
        ("current_entry", 1),
        ("project entry", 1),
        ("the entry", 1),
    ],
)
def test_a_node_is_meant(references: References, words: str, node: int) -> None:
    assert references.node(read_phrase(words)).id == node


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("77", "no node 77"),
        ("the selected node", "Several nodes are selected: 7"),
        ("the content", "may mean several nodes"),
        ("the condition", "no the condition|There is no"),
        ("endin", "Did you mean 10"),
        ("zebra crossing", "name it by its id"),
    ],
)
def test_what_is_not_one_node_is_explained(references: References, words: str, reason: str) -> None:
    with pytest.raises(NotDone, match=reason):
        references.node(read_phrase(words))


def test_characters_are_found_by_first_name_and_without_case(references: References) -> None:
    assert references.character(read_phrase("elena")).id == 5
    assert references.character(read_phrase("ELENA MARSH")).id == 5
    assert references.character(read_phrase("the character 6")).id == 6
    assert references.scene(read_phrase("this scene")).id == 0
    assert references.scene(read_phrase('scene "quay"')).id == 0
    assert references.variable(read_phrase("the variable Gold")).id == 2
