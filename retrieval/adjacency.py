"""Passages that stand next to each other in a document, joined for the reader: one number, one place to look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, pairwise

from corpora import Passage, PassageKind, joined_id
from retrieval.results import RankedPassage

# A citation is looked up by a person: about a page of text, and as with a passage never on more than two pages.
_LONGEST = 2_000
_PAGES = 2

_WORD = re.compile(r"[^\W_]")


Spans = Callable[[str, Sequence[tuple[int, int]]], Sequence[str]]


def merge_adjacent(ranked: Sequence[RankedPassage], spans_of: Spans) -> list[RankedPassage]:
    """The passages with those that follow each other under one heading made one, best first.

    A joined passage stands where the best of its parts stood, and has that part's score; its id names all of them, so
    what is looked up by it is what was shown. Its text is exactly its span. What the document has between two passages,
    be it left out or not found, keeps them apart.

    Args:
        ranked: Distinct passages, best first.
        spans_of: What stands from character to character of a document, by its id; asked once for each document, as
            whole documents may be very long. Nothing, if the document is gone.
    """
    places = {one.passage.id: place for place, one in enumerate(ranked)}
    in_order = sorted((one.passage for one in ranked), key=lambda passage: (passage.document_id, passage.char_from))
    found: dict[int, RankedPassage] = {}
    for document_id, passages in groupby(in_order, key=lambda passage: passage.document_id):
        for run, text in _runs(list(passages), partial(spans_of, document_id)):
            parts = sorted(places[passage.id] for passage in run)
            found[parts[0]] = _one([ranked[place] for place in parts], run, text)
    return [found[place] for place in sorted(found)]


def _runs(
    passages: Sequence[Passage], spans_of: Callable[[Sequence[tuple[int, int]]], Sequence[str]]
) -> Iterator[tuple[list[Passage], str]]:
    """Passages that follow each other, with what stands from the first one's begin to the last one's end."""
    near = [pair for pair in pairwise(passages) if _may_follow(*pair)]
    texts = spans_of([(before.char_from, max(before.char_to, after.char_to)) for before, after in near]) if near else ()
    together = {
        after.id: text for (before, after), text in zip(near, texts, strict=False) if _follows(before, after, text)
    }
    run, text = [passages[0]], passages[0].text
    for passage in passages[1:]:
        if passage.id in together and not is_too_much(run[0], passage):
            text += together[passage.id][run[0].char_from + len(text) - run[-1].char_from :]
        else:
            yield run, text
            run, text = [], passage.text
        run.append(passage)
    yield run, text


def is_too_much(first: Passage, last: Passage) -> bool:
    """Whether from one to the other is more than what is ever shown as one passage."""
    pages = 1 + (last.page_to or 0) - (first.page_from or 0)
    return last.char_to - first.char_from > _LONGEST or pages > _PAGES


def _may_follow(before: Passage, after: Passage) -> bool:
    return before.heading == after.heading and not is_too_much(before, after)


def _follows(before: Passage, after: Passage, text: str) -> bool:
    """Whether nothing is between them, by the text from one's begin to the other's end."""
    end, begin = before.char_to - before.char_from, after.char_from - before.char_from
    # The document may have been replaced since: then the spans are of a text that is gone.
    both = text[:end] == before.text and text[begin : after.char_to - before.char_from] == after.text
    return both and not _WORD.search(text, end, begin)


def _kind(kinds: set[PassageKind]) -> PassageKind:
    if "dialogue" in kinds:
        return "dialogue"
    return kinds.pop() if len(kinds) == 1 else "prose"


def _one(parts: Sequence[RankedPassage], run: Sequence[Passage], text: str) -> RankedPassage:
    best, first, last = parts[0], run[0], run[-1]
    if len(parts) == 1:
        return best
    passage = replace(
        best.passage,
        id=joined_id(passage.id for passage in run),
        page_from=first.page_from,
        page_to=last.page_to,
        char_from=first.char_from,
        char_to=last.char_to,
        text=text[: last.char_to - first.char_from],
        kind=_kind({part.passage.kind for part in parts}),
    )
    shared = set(best.also_in).intersection(*(part.also_in for part in parts))
    return replace(best, passage=passage, also_in=tuple(sorted(shared)))
