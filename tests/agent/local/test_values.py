"""Values and comparisons as people write them."""

import pytest

from agent.local.phrase import read_phrase
from agent.local.steps import NotDone
from agent.local.values import COMPARISON, comparison_sign, read_value, shown, value_of_type


@pytest.mark.parametrize(
    ("words", "value"),
    [("10", 10), ("-3", -3), ("4.0", 4), ("yes", True), ("False", False), ('"10"', "10"), ("high tide", "high tide")],
)
def test_a_value_has_the_type_it_looks_like(words: str, value: object) -> None:
    found = read_value(read_phrase(words))

    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize(
    ("words", "sign"),
    [
        ("gold >= 10", ">="),
        ("gold is at least 10", ">="),
        ("gold at most 10", "<="),
        ("gold is more than 10", ">"),
        ("gold is less than 10", "<"),
        ("gold is not 10", "!="),
        ("gold = 10", "=="),
        ("gold is 10", "=="),
        ("gold equals 10", "=="),
        ("island != 10", "!="),
    ],
)
def test_comparisons_in_words_and_signs(words: str, sign: str) -> None:
    found = COMPARISON.fullmatch(words)

    assert found is not None
    assert comparison_sign(found["sign"]) == sign
    assert found["value"] == "10"


def test_a_value_of_another_type_is_refused() -> None:
    with pytest.raises(NotDone, match="whole number"):
        value_of_type("num", read_phrase("much"), "gold")


def test_values_are_shown_as_one_writes_them() -> None:
    assert [shown(value) for value in (True, 3, "x")] == ["true", "3", "“x”"]
