"""A message in the commands that it consists of."""

import pytest

from agent.local.grammar import read_clauses


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("Rename the scene 00. Preface to 00. Before the Storm", "00. Before the Storm"),
        ("Rename the character Mr. Osk to Mr. Oskar", "Mr. Oskar"),
    ],
)
def test_the_full_stop_of_a_name_does_not_end_a_command(message: str, name: str) -> None:
    (clause,) = read_clauses(message)
    assert clause.command is not None
    assert clause.command.words["name"].text == name
