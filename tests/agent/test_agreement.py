"""Which words a model may take for a yes: those that are known to agree, and nothing beside them."""

import re
import unicodedata
from typing import Literal

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from agent.questions.reply import AGREEMENT, may_agree

Form = Literal["NFC", "NFD"]  # macOS writes the second
AGREES = [
    "yes", "OK!", "yes please do it", "ok go ahead", "Yes, go ahead and delete it.", "of course", "ja bitte",
    "Ja, gerne!", "D’ACCORD", "d`accord", "oui, s’il vous plaît", "sí, por favor", "si", "ok, vas-y", "sim, obrigada",
    "ＯＫ", "ΝΑΙ", "да, пожалуйста", "evet lütfen", "نعم، من فضلك", "بله لطفا", "כן בבקשה", "हाँ कृपया", "ตกลงครับ",
    "好的，谢谢。", "はい、お願いします。", "네, 해 주세요", "👍", "👍🏽👍", "ja 👌", "✔️", "當然，謝謝",
]  # fmt: skip
REFUSES_RESTRICTS_OR_ASKS = [
    "", " ", "?", ".", "yes?", "sure? no", "is it ok?", "ok?", "OK？", "بله؟", "ναι;", "yes, but keep node 13",
    "yes, but…", "oui…", "yes except the last", "ok wait", "ok no", "yes and no", "no yes", "yesterday",
    "I would rather not say yes", "not ok", 'he said "ok"', "“yes”", "yes if it is empty", "yes, only 13",
    "yes, delete node 12", "yes 12", "please", "thanks", "merci", "bitte", "hold on", "forget it",
    "hands off node 13", "I refuse", "tell me first what that deletes", "why", "are you sure", "maybe later",
    "rather node 12", "everything apart from node 13", "as long as node 13 stays", "noooo", "nay", "do n't", "don`t",
    "nee, laat staan", "nö", "halt!", "warte", "lass das", "ja, bis auf den letzten", "ja, ohne den letzten",
    "da liegt der Fehler", "arrête", "attends", "oui, excepté le 13", "si c'est bon", "si, ma no", "se va bene",
    "espera", "déjalo", "sí, menos el nodo 3", "claro que no", "fermati", "nao faça isso", "não", "älä", "stopp",
    "ne", "poczekaj", "подожди", "стой", "отмена", "да ладно", "да, только не сейчас", "ні", "όχι", "לא", "नहीं",
    "ไม่", "ไม่ใช่", "ใช่ไหม", "không", "tidak, jangan", "iptal et", "拒绝", "不好", "好，除了第一个", "可以吗",
    "等一下", "いや", "いいです", "はい、ただし13は残す", "はいえ", "싫어", "네?", "بله، به جز آخری", "نه", "👎",
    "👍👎", "👍 but not 13", "✋",
]  # fmt: skip
# Words that no agreement has: on either side of a yes, they make it none.
OTHERS = [
    "no", "not", "don't", "nor", "but", "except", "only", "if", "wait", "stop", "first", "13", "nein", "nicht",
    "aber", "non", "pas", "mais", "pero", "menos", "não", "ma", "niet", "nej", "ei", "nie", "нет", "не", "но",
    "όχι", "hayır", "ama", "لا", "نه", "اما", "לא", "नहीं", "ไม่", "ไหม", "không", "tidak", "不", "别", "吗",
    "いいえ", "ただし", "아니", "말고", "?", "？", "؟", ";", ":", "(", "…?", "👎", "❌", "🤔",
]  # fmt: skip


def tokens(words: str) -> set[str]:
    """Words and marks, in one form each."""
    folded = re.sub("[’‘ʼ`´]", "'", words)
    return set(re.findall(r"[\w']+|[^\w\s]", unicodedata.normalize("NFKC", folded).casefold()))


IN_LIST = tokens(" ".join("|".join(row) for row in AGREEMENT)) - set("(?:)|")
KNOWN = IN_LIST.union(",.!،。、👍👌✅✔☑🆗🏻🏼🏽🏾🏿\ufe0e\ufe0f", ["ok", "okay"])


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_that_agree_and_say_nothing_else(form: Form) -> None:
    assert [words for words in AGREES if not may_agree(unicodedata.normalize(form, words))] == []


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_that_refuse_restrict_or_ask(form: Form) -> None:
    assert [words for words in REFUSES_RESTRICTS_OR_ASKS if may_agree(unicodedata.normalize(form, words))] == []


def test_every_phrase_of_the_list_agrees_as_it_is_written() -> None:
    assert [word for row, _ in AGREEMENT if "(" not in row for word in row.split("|") if not may_agree(word)] == []


def test_what_stands_beside_a_yes_is_none() -> None:
    phrases = [beside for _, row in AGREEMENT if "(" not in row for beside in row.split("|")]
    assert [beside for beside in phrases if may_agree(beside)] == ["gerne", "tak"], "a yes in German, and in Polish"


@settings(deadline=None)
@given(st.lists(st.sampled_from(AGREES)), st.sampled_from(OTHERS) | st.text(), st.lists(st.sampled_from(AGREES)))
def test_other_words_around_a_yes_make_it_none(before: list[str], other: str, after: list[str]) -> None:
    assume(not tokens(other) <= KNOWN)
    assert not may_agree(" ".join([*before, other, *after]))


def test_other_words_are_none_that_the_list_has() -> None:
    assert [other for other in OTHERS if tokens(other) <= KNOWN] == []


def test_a_long_message_is_no_yes() -> None:
    assert may_agree(" ".join(["yes"] * 10))
    assert not may_agree(" ".join(["yes"] * 100_000))


def test_no_phrase_is_made_of_others_of_its_row() -> None:
    """Otherwise there are twice as many ways to read each of them, and all are tried."""
    for row in AGREEMENT:
        phrases = [phrase for side in row if "(" not in side for phrase in side.split("|")]
        assert len({*phrases, "ok", "okay"}) == len(phrases) + 2
        assert not {f"{one} {other}" for one in phrases for other in phrases}.intersection(phrases)
