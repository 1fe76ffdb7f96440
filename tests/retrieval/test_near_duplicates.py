"""Which passages stand in two documents: what makes near-duplicates, and what does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from rapidfuzz.distance import Indel

from corpora import Passage
from retrieval import near_duplicates as module
from retrieval.alignment import Alignment
from retrieval.near_duplicates import NearDuplicates
from retrieval.words import split_words, terms

STORY = (
    "Elena is the daughter of the smith in the upper town. She left the valley when the river froze, and she carries "
    "her father's hammer wherever she goes. Nobody in the capital knows her name, and she means to keep it so until "
    "spring. The hammer costs 10 gold to mend, which is more than she has ever had. Her lighthouse is not alight."
)


def document(name: str, *texts: str, paged: bool = False, heading: Sequence[str] = ()) -> list[Passage]:
    return [
        Passage(f"{name}-{n}", name, name, n if paged else None, n if paged else None, tuple(heading), 0, len(t), t)
        for n, t in enumerate(texts, 1)
    ]


def near_duplicates(*documents: list[Passage], previous: NearDuplicates | None = None) -> NearDuplicates:
    passages = [passage for one in documents for passage in one]
    vocabulary: dict[str, int] = {}
    words = [
        np.array([vocabulary.setdefault(term, len(vocabulary)) for term in terms(passage.embedding_text)], np.int32)
        for passage in passages
    ]
    return NearDuplicates(passages, words, previous)


def test_the_same_text_names_both_and_the_one_with_pages_is_shown() -> None:
    found = near_duplicates(document("bible.docx", STORY), document("bible.pdf", STORY, paged=True))
    assert found.also_in("bible.docx-1") == ("bible.pdf",)
    assert found.also_in("bible.pdf-1") == ("bible.docx",)
    assert found.is_repeated("bible.docx-1")
    assert not found.is_repeated("bible.pdf-1")


@pytest.mark.parametrize(
    "extracted",
    [
        STORY.replace(" ", "\n").upper(),
        STORY.replace("lighthouse", "light-house").replace("daughter", "daugh- ter"),
        STORY.replace("daughter", "dauqhter"),
        STORY.replace("until spring", "until The world of Elena, a design document, draft 3, page 1 spring"),
        "The world of Elena\n\n" + STORY + "\n1",
    ],
    ids=["lines", "hyphens", "misread", "header within", "header and page number"],
)
def test_what_extraction_does_makes_no_difference(extracted: str) -> None:
    found = near_duplicates(document("bible.docx", STORY), document("bible.pdf", extracted, paged=True))
    assert found.also_in("bible.pdf-1") == ("bible.docx",)
    assert found.is_repeated("bible.docx-1")
    assert not found.is_version("bible.docx-1")


def test_a_text_that_is_cut_elsewhere_stands_in_several_passages() -> None:
    middle = STORY.index("Nobody")
    found = near_duplicates(
        document("bible.md", STORY), document("bible.pdf", STORY[:middle], STORY[middle:], paged=True)
    )
    assert found.is_repeated("bible.md-1")
    assert found.also_in("bible.pdf-2") == ("bible.md",)


@pytest.mark.parametrize(
    "changed",
    [
        STORY.replace("10 gold", "12 gold"),
        STORY.replace("10 gold", "ten gold"),
        STORY.replace("daughter", "widow"),
        STORY.replace("father's", "mother's"),
        STORY.replace("Elena", "Elina"),
        STORY.replace("10 gold", "10th gold"),
        STORY.replace("Nobody in the", "Nobody or the"),
        STORY.replace("upper town", "river marshes"),
    ],
)
def test_another_word_in_the_same_place_is_another_statement(changed: str) -> None:
    found = near_duplicates(document("v1.docx", STORY), document("v2.pdf", changed, paged=True))
    assert (found.also_in("v1.docx-1"), found.also_in("v2.pdf-1")) == ((), ())
    assert not found.is_repeated("v1.docx-1")
    assert found.is_version("v1.docx-1")
    assert found.is_version("v2.pdf-1")


@pytest.mark.parametrize("changed", [STORY.replace("is not alight", "is alight"), STORY.split(" Her lighthouse")[0]])
def test_what_says_a_word_more_or_less_is_still_shown(changed: str) -> None:
    found = near_duplicates(document("v1.docx", STORY), document("v2.pdf", changed, paged=True))
    assert not found.is_repeated("v1.docx-1")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mira " + STORY, "Tomas " + STORY),
        (STORY + " Her name is Mira Holt.", STORY + " Her name is Una."),
        ("Name: Mira Holt. Trade: fisher. " + STORY, "Name: Una. Trade: guard. " + STORY),
    ],
)
def test_so_it_is_in_the_first_and_the_last_words(one: str, other: str) -> None:
    found = near_duplicates(document("v1.md", one), document("v2.md", other))
    for name in ("v1.md-1", "v2.md-1"):
        assert (found.also_in(name), found.is_repeated(name), found.is_version(name)) == ((), False, True)


@pytest.mark.parametrize("above", ["Status", "1984", "***"])
def test_sheets_that_differ_in_their_headings_alone_are_about_several_people(above: str) -> None:
    found = near_duplicates(
        document("Mira.md", STORY, heading=["Mira", above]), document("Una.md", STORY, heading=["Una", above])
    )
    for name in ("Mira.md-1", "Una.md-1"):
        assert (found.also_in(name), found.is_repeated(name), found.is_version(name)) == ((), False, True)


@pytest.mark.parametrize("heading", [(), ("Elena",), ("3.1 Elena",), ("Chapter 3 Elena",), ("Bible", "Elena")])
def test_another_reader_may_find_other_headings(heading: tuple[str, ...]) -> None:
    found = near_duplicates(document("a.docx", STORY, heading=["Elena"]), document("b.pdf", STORY, heading=heading))
    assert found.also_in("a.docx-1") == ("b.pdf",)


def test_documents_that_have_little_in_common_are_no_twins() -> None:
    other = "The harbour freezes in winter, and the ferries lie on the shingle until the ice is gone. " * 3
    assert near_duplicates(document("a.md", STORY), document("b.md", other)).also_in("a.md-1") == ()
    assert near_duplicates(document("a.md", STORY)).also_in("a.md-1") == ()
    assert near_duplicates().also_in("a.md-1") == ()


def test_of_twins_without_pages_the_longer_one_is_shown_and_three_are_named() -> None:
    more = "The harbour freezes in winter, and the ferries lie on the shingle."
    found = near_duplicates(document("a.md", STORY), document("b.docx", STORY, more), document("c.odt", STORY))
    assert found.also_in("b.docx-1") == ("a.md", "c.odt")
    assert found.also_in("b.docx-2") == ()
    assert [found.is_repeated(name) for name in ("a.md-1", "b.docx-1", "c.odt-1")] == [True, False, True]


def test_documents_that_have_not_changed_are_not_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = document("bible.docx", STORY), document("bible.pdf", STORY, paged=True)
    first = near_duplicates(one, other)
    with monkeypatch.context() as patched:
        patched.delattr("retrieval.near_duplicates.Alignment")
        again = near_duplicates(one, other, document("new.md", "Tomas waits at the gate."), previous=first)
    assert again.is_repeated("bible.docx-1")
    assert again.also_in("bible.pdf-1") == ("bible.docx",)
    assert not near_duplicates(one, previous=first).is_repeated("bible.docx-1")


def test_of_a_large_corpus_only_some_runs_are_compared_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.near_duplicates._COMPARED_WHOLE", 1)
    found = near_duplicates(document("bible.docx", STORY), document("bible.pdf", STORY, paged=True))
    assert found.is_repeated("bible.docx-1")


def test_of_a_very_large_corpus_no_more_runs_are_kept_than_have_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.near_duplicates._MOST_RUNS", 150)
    monkeypatch.setattr("retrieval.near_duplicates._AT_ONCE", 2)
    others = [document(f"{n}.md", " ".join(f"word{n}x{word}" for word in range(150))) for n in range(5)]
    found = near_duplicates(document("bible.docx", STORY), *others, document("bible.pdf", STORY, paged=True))
    assert found.is_repeated("bible.docx-1")


def test_a_run_may_go_over_from_what_is_looked_at_first_to_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.near_duplicates._AT_ONCE", 1)
    words = STORY.split()
    found = near_duplicates(document("scraps.md", *words), document("bible.pdf", STORY, paged=True))
    assert found.also_in("bible.pdf-1") == ("scraps.md",)


def test_what_is_far_longer_is_not_compared_by_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes the product of both lengths, and what stands in between may be most of a document."""
    compare = Mock(wraps=Indel)
    monkeypatch.setattr("retrieval.alignment.Indel", compare)
    first, second = STORY.split(" She left")
    longer = f"{first} {'The ferry is late. ' * 500}{second.replace('the valley', 'this valley', 1)}"
    found = near_duplicates(document("a.md", STORY), document("b.md", longer))
    assert not found.is_repeated("b.md-1")
    assert all(max(map(len, call.args)) < 1_000 for call in compare.normalized_similarity.call_args_list)


def test_of_very_long_documents_as_many_are_compared_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.near_duplicates._MOST_WORDS", 2 * len(split_words(STORY)) + 1)
    other = STORY.replace("Elena", "Odile")
    found = near_duplicates(*(document(name, STORY) for name in ("a.md", "b.md")), document("c.md", other, other))
    assert found.also_in("a.md-1") == ("b.md",)
    assert found.also_in("c.md-1") == ()


def test_what_all_indexes_have_no_memory_for_is_compared_when_the_next_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    length = len(split_words(STORY))
    monkeypatch.setattr(module, "_aligned", memory := module._Memory(3 * length))  # pyright: ignore[reportPrivateUsage]
    documents = [document(name, STORY) for name in ("a.md", "b.md")]
    assert memory.take(2 * length)
    first = near_duplicates(*documents)
    assert first.also_in("a.md-1") == ()
    memory.give_back(2 * length)
    second = near_duplicates(*documents, previous=first)
    assert memory.take(3 * length), "what was aligned is given back"
    third = near_duplicates(*documents, previous=second)
    assert [found.also_in("a.md-1") for found in (second, third)] == [("b.md",)] * 2


def test_words_that_mean_nothing_take_room_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.near_duplicates._MOST_WORDS", 2 * len(split_words(STORY)) + 1)
    text = f"{STORY} {'of the ' * 20}"
    assert near_duplicates(document("a.md", text), document("b.md", text)).also_in("a.md-1") == ()


def test_words_of_headings_take_room_once(monkeypatch: pytest.MonkeyPatch) -> None:
    room = 2 * (len(split_words(STORY)) + 5)
    monkeypatch.setattr("retrieval.near_duplicates._MOST_WORDS", room)
    for words, is_compared in ((5, True), (6, False)):
        heading = " ".join(["of"] * words)
        documents = [document(name, STORY, heading=[heading]) for name in ("a.md", "b.md")]
        assert (near_duplicates(*documents).also_in("a.md-1") == ("b.md",)) is is_compared


class Clock:
    """The time of the thread, of which everything that is `slow` takes so many seconds and nothing else any."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self._monkeypatch = monkeypatch
        monkeypatch.setattr("retrieval.near_duplicates.thread_time", lambda: self.now)

    def slow(self, place: Any, name: str, seconds: float) -> Mock:
        asked = Mock(wraps=getattr(place, name))

        def slowly(*given: Any) -> Any:
            self.now += seconds
            return asked(*given)

        self._monkeypatch.setattr(place, name, slowly)
        return asked


def test_documents_for_whose_words_there_is_no_time_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch).slow(module, "split_words", 1)
    documents = [document(name, STORY) for name in ("a.md", "b.md")]
    later = first = near_duplicates(*documents)
    assert first.also_in("a.md-1") == ()
    for _ in range(2):  # one is counted at a time, and then they are compared
        later = near_duplicates(*documents, previous=later)
    assert later.also_in("a.md-1") == ("b.md",)


def test_what_takes_all_the_time_there_is_is_not_compared_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Clock(monkeypatch).slow(Alignment, "likeness", 2.6)
    texts = STORY, STORY.replace("Elena", "Odile"), STORY.replace("hammer", "lantern")
    documents = [document(name, *texts) for name in ("a.md", "b.md")]
    first = near_duplicates(*documents)
    assert (asked.call_count, first.also_in("a.md-1")) == (2, ())
    for _ in range(2):
        first = near_duplicates(*documents, previous=first)
    assert asked.call_count == 4, "in both directions"


def test_of_very_many_documents_that_say_the_same_some_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.near_duplicates._MOST_NAMED", 2)
    found = near_duplicates(*(document(name, STORY) for name in "abcde"))
    assert found.also_in("e-1") == ("a", "b")


def test_what_a_build_has_no_time_to_compare_the_next_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    Clock(monkeypatch).slow(Alignment, "likeness", 1)
    other = STORY.replace("Elena", "Odile").replace("hammer", "lantern").replace("river", "lake")
    documents = [document(name, text) for name, text in zip("abcd", (STORY, STORY, other, other), strict=True)]
    first = near_duplicates(*documents)
    assert first.also_in("a-1") == ("b",)
    assert first.also_in("c-1") == ()
    later = first
    for _ in range(12):  # pairs, each in both directions
        later = near_duplicates(*documents, previous=later)
    assert [later.also_in(f"{name}-1")[:1] for name in "abcd"] == [("b",), ("a",), ("d",), ("c",)]


def test_passages_that_cannot_stand_in_the_other_are_not_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(wraps=Alignment.likeness)
    monkeypatch.setattr(Alignment, "likeness", lambda *given: asked(*given))
    others = [STORY.replace(" ", f" {number}x ") for number in range(50)]
    found = near_duplicates(document("long.md", *others, STORY), document("short.md", STORY))
    assert found.also_in("long.md-51") == ("short.md",)
    assert asked.call_count == 2


def test_a_document_that_is_compared_with_many_is_known_by_its_passages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Mock(wraps=hash)
    monkeypatch.setattr("retrieval.near_duplicates.hash", asked, raising=False)
    near_duplicates(document("long.md", *[STORY] * 20), *(document(name, STORY) for name in "abcde"))
    assert asked.call_count == 6
