"""Questions, answered with the sentences of the documents that answer them best."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.local.context import CitedPassageLike, PlanningContext
from agent.local.names import fold, join
from agent.local.sentences import Unit, split_units, terms
from agent.local.steps import Call, Say, Steps

# How much of a question's words, weighed by rarity, must be found for an answer, and for a mention.
_ANSWERED = 0.6
_NEAR = 0.34
# Above it a passage stands out from the others even if it uses other words (retrieval adds two z-scores).
_STANDS_OUT = 2.5
_QUOTES = 3
_LONGEST = 400
_PRONOUN = re.compile(r"[\"“*]*(?:he|she|it|they|this|that|these|those|his|her|their|its)\b", re.IGNORECASE)
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand"
_OTHER_WORDS = {"old": ("age", "born"), "age": ("old",), "when": ("date",), "colour": ("color",), "color": ("colour",)}
# What a sentence is likely to hold that answers such a question.
_HINTS = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(rf"\b(?:{fits})\b", re.IGNORECASE))
    for asked, fits in (
        ("how (?:many|much|old|long|far|often|tall|big)|when|what (?:year|time|date)", rf"\d[\d.,]*|{_NUMBERS}"),
        ("why", "because|since|so that|in order to|therefore"),
        ("where", "in|at|on|under|behind|near|beneath|inside|below|above"),
    )
)
_DEFINITION = re.compile(
    r"\s*(?:who|what)\s+(?:is|are|was|were)\s+(?:the\s+|an?\s+)?(?P<name>[^?]{2,60}?)\s*\??\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class Source:
    """A numbered passage, from the turn's context or from a search of our own."""

    number: int
    document: str
    pages: tuple[int | None, int | None]
    heading: tuple[str, ...]
    text: str
    score: float


@dataclass(frozen=True)
class _Quote:
    source: Source
    text: str
    index: int
    coverage: float
    score: float


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
    stands_out = bool(sources) and max(source.score for source in sources) >= _STANDS_OUT
    if not quotes or (best < _NEAR and not stands_out):
        yield Say(_nothing(question, sources))
        return False
    lead = "" if best >= _ANSWERED else "The documents do not seem to answer that directly. The closest they come:\n\n"
    yield Say(
        lead
        + "\n\n".join(_shown(question, quote) for quote in quotes)
        + f"\n\n{sources_line([quote.source for quote in quotes])}"
    )
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


def sources_line(sources: Sequence[Source]) -> str:
    """Where the numbers point, for readers without a client that shows it."""
    by_number = {source.number: source for source in sources}
    return "Sources: " + "; ".join(f"[{number}] {_place(source)}" for number, source in sorted(by_number.items()))


def best_quotes(question: str, sources: Sequence[Source]) -> list[_Quote]:
    """The units that answer best, best first, none of them much worse than the first."""
    wanted = _wanted(question)
    passages = [(source, split_units(source.text)) for source in sources]
    weights = _weights(wanted, [unit for _, units in passages for unit in units])
    if not weights:
        return []
    found = [
        _rated(question, source, units, index, weights)
        for source, units in passages
        for index in range(len(units))
        if _is_quotable(units[index])
    ]
    found.sort(key=lambda quote: -quote.score)
    kept = [
        quote for quote in found if quote.score >= 0.7 * found[0].score and quote.coverage >= 0.5 * found[0].coverage
    ]
    return _without_repetition(kept)[:_QUOTES]


def _rated(question: str, source: Source, units: Sequence[Unit], index: int, weights: Mapping[str, float]) -> _Quote:
    """A unit rated by its own words, and less by those around it and above it."""
    unit = units[index]
    before = units[index - 1].terms if index and unit.follows else frozenset[str]()
    heading = terms(" ".join((*source.heading, source.document.rsplit(".", 1)[0])))
    total = sum(weights.values())
    coverage = score = 0.0
    for term, weight in weights.items():
        near = {term, *_OTHER_WORDS.get(term, ())}
        share = 1.0 if near & unit.terms else 0.7 if near & heading else 0.4 if near & before else 0.0
        coverage += weight * share / total
        score += weight * (share if share < 1 or term in unit.terms else 0.9) / total
    score += _hint(question, unit) + _defines(question, source, unit, index) + 0.02 * max(min(source.score, 3.0), 0.0)
    return _Quote(
        source, _with_antecedent(units, index), index, coverage, score - (0.1 if len(unit.text) > _LONGEST else 0.0)
    )


def _wanted(question: str) -> frozenset[str]:
    return terms(question)


def _weights(wanted: frozenset[str], units: Sequence[Unit]) -> dict[str, float]:
    """How much each word of the question tells: the rarer, the more."""
    counts = {term: sum(term in unit.terms for unit in units) for term in wanted}
    return {term: math.log(1 + (len(units) + 1) / (count + 0.5)) for term, count in counts.items()}


def _hint(question: str, unit: Unit) -> float:
    return sum(0.15 for asked, fits in _HINTS if asked.search(question) and fits.search(unit.text))


def _defines(question: str, source: Source, unit: Unit, index: int) -> float:
    """Whether the unit says who or what something is."""
    found = _DEFINITION.fullmatch(question)
    if found is None:
        return 0.0
    name, text = fold(found["name"]), fold(unit.text)
    if re.match(rf"(?:the |an? )?{re.escape(name)}(?: \w+)? (?:is|are|was|were)\b", text):
        return 0.4
    under_own_heading = bool(source.heading) and name in fold(source.heading[-1])
    return 0.3 if under_own_heading and index < 3 and len(unit.terms) > 2 else 0.0


def _is_quotable(unit: Unit) -> bool:
    return bool(unit.terms) and not unit.text.startswith("#") and not re.fullmatch(r"[\s|:-]*", unit.text)


def _with_antecedent(units: Sequence[Unit], index: int) -> str:
    """A sentence that begins with a pronoun is quoted with the one before it."""
    unit = units[index]
    if index and unit.follows and _PRONOUN.match(unit.text) and len(units[index - 1].text) < _LONGEST:
        return f"{units[index - 1].text} {unit.text}"
    return unit.text


def _without_repetition(quotes: Sequence[_Quote]) -> list[_Quote]:
    kept: list[_Quote] = []
    for quote in quotes:
        if not any(fold(quote.text) in fold(other.text) or fold(other.text) in fold(quote.text) for other in kept):
            kept.append(quote)
    return kept


def _shown(question: str, quote: _Quote) -> str:
    text = re.sub(r"^(?:[-*+•]|\d+[.)])\s+", "", quote.text).strip()
    cells = [cell.strip() for cell in text.strip("|").split("|")]
    text = " | ".join(cell for cell in cells if cell) if len(cells) > 1 else text
    above = quote.source.heading[-1] if quote.source.heading else ""
    needed = _wanted(question) & terms(above) - terms(text)
    return f"{above}: “{text}” [{quote.source.number}]" if needed else f"“{text}” [{quote.source.number}]"


def _nothing(question: str, sources: Sequence[Source]) -> str:
    known = frozenset[str]().union(*(terms(f"{source.text} {' '.join(source.heading)}") for source in sources))
    missing = [word for word in re.findall(r"[^\W\d_][\w'’-]+", question) if terms(word) and not terms(word) & known]
    what = (
        f" The passages I looked at do not mention {join([f'“{word}”' for word in dict.fromkeys(missing)], 'or')}."
        if missing
        else ""
    )
    return f"The documents do not seem to answer that.{what}"


def _keywords(question: str) -> str:
    words = [word for word in re.findall(r"[^\W_]+", question) if terms(word)]
    return " ".join(dict.fromkeys(words)) or question


def _place(source: Source) -> str:
    first, last = source.pages
    pages = "" if first is None else f", page {first}" if last in (None, first) else f", pages {first}-{last}"
    heading = f" ({' > '.join(source.heading)})" if source.heading else ""
    return f"{source.document}{pages}{heading}"


def _found_source(passage: Mapping[str, Any]) -> Source:
    pages = tuple(passage.get("pages") or (None, None))
    heading = tuple(passage.get("heading") or ())
    return Source(passage["number"], passage["document"], (pages[0], pages[-1]), heading, passage["text"], 0.0)
