"""Which sentences of the passages answer a question best."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent.local.names import fold
from agent.local.sentences import Unit, split_units, terms

NEAR = 0.34
"""How much of a question's words, weighed by rarity, a sentence must have to be worth quoting."""
_QUOTES = 3
_LONGEST = 400
# A line of a table of contents.
_CONTENTS = re.compile(r"(?:\.\s?){4,}|^\d+\s.*…|…\s*\d*$")
# A title at the beginning of its paragraph, such as "The Tide Clock."
_RUN_IN = re.compile(
    r"(?:\*\*|__)?(?:[A-Z0-9À-Þ][\w'’-]*|of|the|and|to|in|at|on|for|a)(?:\s+(?:[A-Z0-9À-Þ][\w'’-]*|of|the|and|to|in|at|on|for|a)){0,6}\.(?:\*\*|__)?"
)
_PRONOUN = re.compile(r"[\"“*]*(?:he|she|it|they|this|that|these|those|his|her|their|its)\b", re.IGNORECASE)
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|hundred|thousand"
# Stems that say the same; "how old" asks for an age, not for what is old.
_OTHER_WORDS = {
    "old": {"age": 1.0, "born": 0.5, "old": 0.6},
    "age": {"old": 0.7},
    "colour": {"color": 1.0},
    "color": {"colour": 1.0},
}
# What a sentence is likely to hold that answers such a question.
_HINTS = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(rf"\b(?:{fits})\b", re.IGNORECASE))
    for asked, fits in (
        ("how (?:many|much|old|long|far|often|tall|big)|when|what (?:year|time|date)", rf"\d[\d.,]*|{_NUMBERS}"),
        ("(?:what is|what['’]s) the name|called", "called|named?|names"),
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
class Quote:
    """A sentence of a source, rated.

    Attributes:
        source: Where it stands.
        text: As it is quoted.
        coverage: How much of the question's words it has, between 0 and 1.
        score: How well it answers.
        asks: Whether it only asks the question, too.
    """

    source: Source
    text: str
    coverage: float
    score: float
    asks: bool


def best_quotes(question: str, sources: Sequence[Source]) -> list[Quote]:
    """The units that answer best, best first, none of them much worse than the first."""
    wanted = terms(question)
    passages = [(source, split_units(source.text)) for source in sources]
    weights = _weights(wanted, [unit for _, units in passages for unit in units])
    if not weights:
        return []
    found = [
        _rated(question, source, units, index, weights)
        for source, units in passages
        for index in range(len(units))
        if _is_quotable(units[index]) and not _is_run_in(units, index)
    ]
    if not found:
        return []
    found.sort(key=lambda quote: -quote.score)
    telling = [quote for quote in found if not quote.asks and quote.coverage >= NEAR] or found
    best = telling[0]
    kept = [quote for quote in telling if quote.score >= 0.75 * best.score and quote.coverage >= 0.6 * best.coverage]
    return _without_repetition(kept)[:_QUOTES]


def _rated(question: str, source: Source, units: Sequence[Unit], index: int, weights: Mapping[str, float]) -> Quote:
    """A unit rated by its own words, and less by those around it and above it."""
    unit = units[index]
    before = units[index - 1].terms if index and unit.follows else frozenset[str]()
    title = _run_in_title(units, index)
    above = units[title].text if title is not None else ""
    heading = terms(" ".join((*source.heading, above, source.document.rsplit(".", 1)[0])))
    total = sum(weights.values())
    shares = {
        term: max(_share(term, unit.terms), 0.7 * _share(term, heading), 0.4 * _share(term, before)) for term in weights
    }
    coverage = sum(weights[term] * share for term, share in shares.items()) / total
    score = coverage + _hint(question, unit) + _defines(question, source, unit, index)
    score += 0.03 * min(max(source.score, 0.0), 5.0)
    score -= 0.1 if len(unit.text) > _LONGEST else 0.0
    return Quote(source, _with_antecedent(units, index, title), coverage, score, _asks(question, unit))


def _share(term: str, found: frozenset[str]) -> float:
    """How far the words found cover one of the question's."""
    others = _OTHER_WORDS.get(term, {})
    return max(
        others.get(term, 1.0) if term in found else 0.0,
        *(share for word, share in others.items() if word in found),
        0.0,
    )


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
    """Whether it says something: no heading, and no table's ruling."""
    heading = unit.text.startswith("#") or unit.text.isupper() or _CONTENTS.search(unit.text)
    return bool(unit.terms) and not heading


def _is_run_in(units: Sequence[Unit], index: int) -> bool:
    """Whether the unit is the title of its paragraph, which goes on after it."""
    goes_on = index + 1 < len(units) and units[index + 1].follows
    return goes_on and not units[index].follows and bool(_RUN_IN.fullmatch(units[index].text))


def _run_in_title(units: Sequence[Unit], index: int) -> int | None:
    """The title of the unit's paragraph, if it has one."""
    start = index
    while start and units[start].follows:
        start -= 1
    return start if start < index and _is_run_in(units, start) else None


def _with_antecedent(units: Sequence[Unit], index: int, title: int | None) -> str:
    """A sentence that begins with a pronoun is quoted with the one before it, and any with its paragraph's title."""
    first = index
    if index and units[index].follows and _PRONOUN.match(units[index].text) and len(units[index - 1].text) < _LONGEST:
        first = index - 1
    shown = list(range(first, index + 1))
    if title is not None and title not in shown:
        shown.insert(0, title)
    return " ".join(units[one].text for one in shown)


def _without_repetition(quotes: Sequence[Quote]) -> list[Quote]:
    kept: list[Quote] = []
    for quote in quotes:
        if not any(fold(quote.text) in fold(other.text) or fold(other.text) in fold(quote.text) for other in kept):
            kept.append(quote)
    return kept


def _asks(question: str, unit: Unit) -> bool:
    """Whether the unit is a question itself, or says this one again, such as "she should know who pays for it"."""
    asked = re.search(r"\b(?:who|what|when|where|why|how|which)\s+[\w'’]+(?:\s+[\w'’]+)?", fold(question))
    return unit.text.rstrip("\"”’'*_").endswith("?") or (asked is not None and asked[0] in fold(unit.text))
