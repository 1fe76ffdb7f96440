"""Whether a pattern is one, told without what makes telling it slow."""

import re

import pytest

from arrow_project.node_types.patterns import compiles


@pytest.mark.parametrize(
    ("pattern", "is_one"),
    [
        ("[é-ü]{2}", True), ("[ü-é]", False), (r"[\u0430-\u044f]+", True), (r"[\w-é]", False), ("[é-a]", False),
        ("[^я]", True),
    ],
)  # fmt: skip
def test_sets_of_any_characters_are_judged_without_their_tables(
    pattern: str, is_one: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[str] = []
    compile_it = re.compile

    def noted(one: str) -> re.Pattern[str]:
        tried.append(one)
        return compile_it(one)

    monkeypatch.setattr(re, "compile", noted)
    assert compiles(pattern) == is_one
    assert tried
    assert all(one.isascii() for one in tried), "Python makes a table of 65,536 places for each wide set"
