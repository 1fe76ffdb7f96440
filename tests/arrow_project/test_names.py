"""What texts expose, however long they are."""

import re
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrow_project import names
from arrow_project.names import exposed


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
