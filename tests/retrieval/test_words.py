import unicodedata
from unittest.mock import Mock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retrieval import words
from retrieval.words import fold, kept_stem, split_words, terms


def test_case_and_diacritics_do_not_count() -> None:
    assert fold("Élan ŻÓŁĆ Straße") == "elan zolc strasse"
    assert terms("Élan vital") == terms("elan VITAL")


def test_ligatures_of_a_pdf_are_letters() -> None:
    assert split_words("the ﬁnal oﬃce") == ["the", "final", "office"]


@pytest.mark.parametrize("sign", ["\u3316", "\ufdfa"])
def test_signs_that_stand_for_words_make_a_text_no_longer_than_others(sign: str) -> None:
    assert len(fold(sign * 10_000)) <= 40_000
    assert len("".join(split_words(sign * 10_000))) <= 12_600
    assert len(split_words(f"{sign} and {sign}")) >= 3


@pytest.mark.parametrize("text", ["Tiếng Việt " * 1_000, "가나다라 " * 1_000, "Fuß " * 1_000])
def test_letters_with_marks_and_syllables_are_all_there(text: str) -> None:
    assert len(fold(text)) >= len(text) * 0.95
    assert len(split_words(text)) == len(text.split())


def test_words_are_stemmed_and_stop_words_left_out() -> None:
    assert terms("The wolves were howling") == terms("wolves howl")
    assert terms("what is the") == []


def test_an_apostrophe_does_not_hide_a_name() -> None:
    assert terms("Elena's sword") == terms("Elena’s swords") == ["elena", "sword"]


def test_numbers_and_single_letters_that_mean_something_stay() -> None:
    assert terms("level 7, plan B") == ["level", "7", "plan", "b"]


def test_ideographs_are_words_of_their_own() -> None:
    assert split_words("勇者はElenaの剣") == ["勇", "者", "は", "elena", "の", "剣"]


@given(st.text())
def test_any_text_has_words(text: str) -> None:
    assert all(word for word in terms(text))


def test_words_that_never_come_again_are_forgotten() -> None:
    limit = kept_stem.cache_info().maxsize
    assert limit is not None
    for start in range(0, limit + 5000, 1000):
        terms(" ".join(f"word{number}" for number in range(start, start + 1000)))
    assert kept_stem.cache_info().currsize == limit
    assert terms("The wolves were howling") == ["wolv", "howl"]


def test_long_words_are_stemmed_and_not_kept() -> None:
    kept_stem.cache_clear()
    assert terms("ba" * 19 + "ing " + "ba" * 18 + "ing") == ["ba" * 19, "ba" * 18]
    assert kept_stem.cache_info().currsize == 1


@given(text=st.text(st.sampled_from("aé\u0301\u0327ﬁ각\u1100İŉ "), max_size=30), part=st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_folded_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch, text: str, part: int) -> None:
    monkeypatch.setattr(words, "_TAKEN_APART", 10**9)
    at_once = fold(text)
    monkeypatch.setattr(words, "_TAKEN_APART", part)

    assert fold(text) == at_once


def test_no_megabytes_are_taken_apart_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the square of the marks in a row, and no other thread runs meanwhile."""
    normalize = Mock(wraps=unicodedata.normalize)
    monkeypatch.setattr(words, "unicodedata", Mock(normalize=normalize, combining=unicodedata.combining))

    assert fold("É" + "\u0301\u0327" * 10_000) == "e"

    marks = [sum(map(bool, map(unicodedata.combining, call.args[1]))) for call in normalize.call_args_list]
    assert max(marks) <= 1_000
