"""What texts expose and which names are alike, however long they are."""

import re
import tracemalloc
import unicodedata
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrow_project import fold, names, near
from arrow_project.names import exposed, is_safe, safe


@given(texts=st.lists(st.text("{}.|ab", max_size=30), max_size=3), part=st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_looked_through_in_parts_exposes_the_same(
    monkeypatch: pytest.MonkeyPatch, texts: list[str], part: int
) -> None:
    monkeypatch.setattr(names, "_PART", 10**9)
    at_once = exposed(texts)
    monkeypatch.setattr(names, "_PART", part)

    assert exposed(texts) == at_once


def test_no_search_goes_over_megabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = Mock(return_value=[])
    monkeypatch.setattr(names, "_EXPOSURE", Mock(spec=re.Pattern, findall=searched))

    exposed(["{a} {b.c} " * 100_000])

    assert max(len(call.args[0]) for call in searched.call_args_list) < 200_000


def test_a_name_is_told_once_and_in_order() -> None:
    assert exposed(["{b} {a} {b} {c.d}", "{a} {c.e} {b.d}"]) == (["b", "a"], ["c", "b"])


@given(text=st.text(st.sampled_from("aé\u0301\u0327ﬁ각\u1100 _"), max_size=30), part=st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_folded_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch, text: str, part: int) -> None:
    monkeypatch.setattr(names, "_TAKEN_APART", 10**9)
    at_once = fold(text)
    monkeypatch.setattr(names, "_TAKEN_APART", part)

    assert fold(text) == at_once


def test_no_megabytes_are_taken_apart_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the square of the marks in a row, and no other thread runs meanwhile."""
    normalize = Mock(wraps=unicodedata.normalize)
    monkeypatch.setattr(names, "unicodedata", Mock(normalize=normalize, combining=unicodedata.combining))

    assert fold("E" + "\u0301\u0327" * 10_000) == "e"

    assert max(len(call.args[1]) for call in normalize.call_args_list) <= 1_000


@pytest.mark.parametrize(("sign", "count"), [("x", 2_000), ("\N{LATIN SMALL LIGATURE FFI}", 1_999)])
def test_names_that_are_compared_are_short_and_not_very_many(
    monkeypatch: pytest.MonkeyPatch, sign: str, count: int
) -> None:
    """Of a ligature come three letters, so that the one of these names that has forty is too long."""
    compare = Mock(return_value=[])
    monkeypatch.setattr(names, "difflib", Mock(get_close_matches=compare))

    near(sign * 10**6, ["y" * 10**6, sign * 40, *map(str, range(10_000))])

    name, known = compare.call_args.args
    assert max(map(len, (name, *known))) <= 40
    assert len(known) == count


@pytest.mark.parametrize("part", ["ab ", "a|"])
def test_a_name_of_megabytes_takes_little_memory(part: str) -> None:
    name = part * 600_000
    tracemalloc.start()
    try:
        assert not is_safe(name)
        assert is_safe(safe(name))
        assert fold(name) == name.replace("|", " ").strip()
        assert tracemalloc.get_traced_memory()[1] < 10 * len(name)
    finally:
        tracemalloc.stop()
