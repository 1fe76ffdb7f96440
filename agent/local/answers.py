"""Questions, answered with the sentences of the documents that answer them best."""

import re
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

from agent.local.context import CitedPassageLike, PlanningContext
from agent.local.names import join
from agent.local.quotes import NEAR, Quote, Source, best_quotes
from agent.local.sentences import terms
from agent.local.steps import Call, Say, Steps

# How much of a question's words, weighed by rarity, must be found for an answer, and for a mention.
_ANSWERED = 0.6
# What share of the question's words may be missing from every passage before "they do not say" is the answer.
_MISSING = 0.4
_EXCERPT = 500


def answer(question: str, context: PlanningContext) -> Steps[bool]:
    """Says what the documents say; ends with whether they seem to answer."""
    if not context.documents and not context.passages:
        yield Say("This project has no design documents yet, so I cannot answer that from them.")
        return False
    sources = [source_of(cited) for cited in context.passages]
    quotes = best_quotes(question, sources)
    if not quotes or quotes[0].coverage < _ANSWERED:
        sources = merge(sources, (yield from search(_keywords(question))))
        quotes = best_quotes(question, sources)
    best = quotes[0].coverage if quotes else 0.0
    if best < NEAR or (best < _ANSWERED and _missing_share(question, sources) >= _MISSING):
        yield Say(_nothing(question, sources))
        return False
    lead = "" if best >= _ANSWERED else "The documents do not seem to answer that directly. The closest they come:\n\n"
    yield Say(lead + "\n\n".join(_shown(question, quote) for quote in quotes))
    return best >= _ANSWERED


def search(query: str, document: str | None = None) -> Steps[list[Source]]:
    """Asks the documents once more, in other words."""
    arguments = {"query": query} | ({"document": document} if document else {})
    found = (yield Call("search_documents", arguments)) or {}
    return [_found_source(passage) for passage in found.get("passages", ()) if isinstance(passage, dict)]


def merge(first: Sequence[Source], second: Sequence[Source]) -> list[Source]:
    """Both, each number once."""
    known = {source.number for source in first}
    return [*first, *(source for source in second if source.number not in known)]


def source_of(cited: CitedPassageLike) -> Source:
    """A passage of the turn's context."""
    passage = cited.passage
    pages = (passage.page_from, passage.page_to)
    return Source(cited.number, passage.document, pages, tuple(passage.heading), passage.text, cited.score)


def _missing_share(question: str, sources: Sequence[Source]) -> float:
    """The share of the question's words that no passage has at all."""
    wanted = terms(question)
    return len(wanted - _known(sources)) / len(wanted) if wanted else 1.0


def _known(sources: Sequence[Source]) -> frozenset[str]:
    return frozenset[str]().union(*(terms(f"{source.text} {' '.join(source.heading)}") for source in sources))


def _shown(question: str, quote: Quote) -> str:
    text = re.sub(r"^(?:[-*+•●○▪◦■□‣]|\d+[.)])\s+", "", quote.text).strip()
    cells = [cell.strip() for cell in text.strip("|").split("|")]
    text = " | ".join(cell for cell in cells if cell) if len(cells) > 1 else text
    above = quote.source.heading[-1] if quote.source.heading else ""
    needed = terms(question) & terms(above) - terms(text)
    return f"{above}: “{text}” [{quote.source.number}]" if needed else f"“{text}” [{quote.source.number}]"


def _nothing(question: str, sources: Sequence[Source]) -> str:
    known = _known(sources)
    missing = [word for word in re.findall(r"[^\W\d_][\w'’-]+", question) if terms(word) and not terms(word) & known]
    what = (
        f" The passages I looked at do not mention {join([f'“{word}”' for word in dict.fromkeys(missing)], 'or')}."
        if missing
        else ""
    )
    return f"The documents do not seem to answer that.{what}{_nearest(question, sources)}"


def _nearest(question: str, sources: Sequence[Source]) -> str:
    """What to read all the same: a question may be asked in other words than the documents use."""
    if not sources or _missing_share(question, sources) == 1.0:
        return ""
    nearest = sorted(sources, key=lambda source: -source.score)[:2]
    excerpts = [f"“{shorten(source.text, _EXCERPT, placeholder=' …')}” [{source.number}]" for source in nearest]
    return "\n\nNearest in meaning:\n\n" + "\n\n".join(excerpts)


def _keywords(question: str) -> str:
    words = [word for word in re.findall(r"[^\W_]+", question) if terms(word)]
    return " ".join(dict.fromkeys(words)) or question


def _found_source(passage: Mapping[str, Any]) -> Source:
    pages = tuple(passage.get("pages") or (None, None))
    heading = tuple(passage.get("heading") or ())
    return Source(passage["number"], passage["document"], (pages[0], pages[-1]), heading, passage["text"], 0.0)
