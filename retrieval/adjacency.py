"""Passages that stand next to each other in a document, joined for the reader: one number, one place to look at."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from corpora import Passage, PassageKind, joined_id
from retrieval.results import RankedPassage

# A citation is looked up by a person: about a page of text, and as with a passage never on more than two pages.
_LONGEST = 2_000
_PAGES = 2

_WORD = re.compile(r"[^\W_]")


def merge_adjacent(ranked: Sequence[RankedPassage], text_of: Callable[[str], str]) -> list[RankedPassage]:
    """The passages with those that follow each other under one heading made one, best first.

    A joined passage stands where the best of its parts stood, and has that part's score; its id names all of them, so
    what is looked up by it is what was shown. Its text is exactly its span. What the document has between two passages,
    be it left out or not found, keeps them apart.

    Args:
        ranked: Distinct passages, best first.
        text_of: The extracted text of a document, by its id.
    """
    places = {one.passage.id: place for place, one in enumerate(ranked)}
    in_order = sorted((one.passage for one in ranked), key=lambda passage: (passage.document_id, passage.char_from))
    found: dict[int, RankedPassage] = {}
    for _, passages in groupby(in_order, key=lambda passage: (passage.document_id, passage.heading)):
        for run in _runs(list(passages), text_of):
            parts = sorted(places[passage.id] for passage in run)
            found[parts[0]] = _one([ranked[place] for place in parts], run, text_of)
    return [found[place] for place in sorted(found)]


def _runs(passages: Sequence[Passage], text_of: Callable[[str], str]) -> Iterator[list[Passage]]:
    run = [passages[0]]
    for passage in passages[1:]:
        if _is_too_much(run[0], passage) or not _follows(run[-1], passage, text_of):
            yield run
            run = []
        run.append(passage)
    yield run


def _is_too_much(first: Passage, last: Passage) -> bool:
    pages = 1 + (last.page_to or 0) - (first.page_from or 0)
    return last.char_to - first.char_from > _LONGEST or pages > _PAGES


def _follows(before: Passage, after: Passage, text_of: Callable[[str], str]) -> bool:
    text = text_of(before.document_id)
    # The document may have been replaced since: then the spans are of a text that is gone.
    both = (
        text[before.char_from : before.char_to] == before.text and text[after.char_from : after.char_to] == after.text
    )
    return both and not _WORD.search(text, before.char_to, after.char_from)


def _kind(kinds: set[PassageKind]) -> PassageKind:
    if "dialogue" in kinds:
        return "dialogue"
    return kinds.pop() if len(kinds) == 1 else "prose"


def _one(parts: Sequence[RankedPassage], run: Sequence[Passage], text_of: Callable[[str], str]) -> RankedPassage:
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
        text=text_of(first.document_id)[first.char_from : last.char_to],
        kind=_kind({part.passage.kind for part in parts}),
    )
    shared = set(best.also_in).intersection(*(part.also_in for part in parts))
    return replace(best, passage=passage, also_in=tuple(sorted(shared)))
