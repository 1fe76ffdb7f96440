"""Which sentences of the passages answer a question best."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from retrieval.asked_for import NUMBER, counted, required
from retrieval.results import CitedPassage
from retrieval.sentences import Unit, content_terms, split_units
from retrieval.words import split_words

_QUOTES = 3
_LONGEST = 400
_READ_OF_QUESTION = 2000  # characters, which are compared with every sentence; whoever asks has asked by then
# What is no sentence of a document: a line of a table of contents, a command or a header of a script.
_NOT_SAID = re.compile(
    r"(?:\.\s?){4,}|^\d+\s.*…|…\s*\d*$|^(?:[^\d.!?]+\s\d{1,4}\s){2,}[^\d.!?]+\s\d{1,4}$"
    r"|^<<.*>>$|^(?:title|tags|position|colorID):|^[=~-]{2,}|^::|^\[\[.*\]\]$"
)
_TITLE_WORD = r"(?:[A-Z0-9À-Þ][\w'’-]*|of|the|and|to|in|at|on|for|a)"
# A title at the beginning of its paragraph, such as "The Tide Clock."
_RUN_IN = re.compile(rf"(?:\*\*|__)?{_TITLE_WORD}(?:\s+{_TITLE_WORD}){{0,6}}\.(?:\*\*|__)?")
_PRONOUN = re.compile(r"[\"“*]*(?:he|she|it|they|this|that|these|those|his|her|their|its)\b", re.IGNORECASE)
_ITEM = re.compile(r"(?:[-*+•●○▪◦■□‣]|\d+[.)])\s+")
_WH = re.compile(r"\s*(?:who|whom|whose|what|when|where|why|which|how)\b", re.IGNORECASE)
_ASKED_AGAIN = re.compile(r"\b(?:who|what|when|where|why|how|which)\s+[\w'’]+(?:\s+[\w'’]+)?")
_FIRST_PERSON = re.compile(r"\b(?:I|my|we|our)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\W*(?:the|an?|every|each|no)\s+[^\W\d]+", re.IGNORECASE)
_ASKS_NAME = re.compile(r"\s*who(?:m|se)?\b", re.IGNORECASE)
_OWNER = re.compile(r"\b([A-ZÀ-Þ][\w-]{1,60})['’]s?(?=\s)")
_NAME = re.compile(r"\b[A-ZÀ-Þ][\w’'-]+")
_HINTS = tuple(
    (re.compile(rf"\b(?:{asked})\b", re.IGNORECASE), re.compile(rf"\b(?:{fits})\b", re.IGNORECASE))
    for asked, fits in (
        ("when|what time", rf"{NUMBER}|when|before|after|until|if"),
        ("(?:what is|what['’]s) the name|called", "called|named?|names"),
        ("why", "because|since|so that|in order to|therefore"),
    )
)
# Stems that say the same.
_OTHER_WORDS = {
    "old": {"age": 1.0, "born": 0.5, "old": 0.6},
    "age": {"old": 0.7},
    "colour": {"color": 1.0},
    "color": {"colour": 1.0},
}
_DEFINITION = re.compile(
    r"\s*(?:who|what)\s+(?:is|are|was|were)\s+(?:the\s+|an?\s+)?(?P<name>[^?]{2,60}?)\s*+\??\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class NumberedPassage:
    """A numbered passage, from the turn's context or from a search of our own."""

    number: int
    document: str
    heading: tuple[str, ...]
    text: str
    score: float

    @staticmethod
    def of(cited: CitedPassage) -> "NumberedPassage":
        """A passage of an answer."""
        passage = cited.passage
        return NumberedPassage(cited.number, passage.document, passage.heading, passage.text, cited.score)


@dataclass(frozen=True)
class Quote:
    """A sentence of a source, rated; `term_share` is how much of the question's words it has, between 0 and 1."""

    source: NumberedPassage
    text: str
    term_share: float
    score: float


class _Question:
    """What a question is compared by: worked out once, and not for every sentence."""

    def __init__(self, text: str) -> None:
        self.terms = content_terms(text)
        self.words = set(split_words(text))
        self.required, self.counted = required(text), counted(text)
        self.owners = [content_terms(owner) for owner in _OWNER.findall(text)]
        self.hints = [fits for asked, fits in _HINTS if asked.search(text)]
        self.is_wh, self.asks_name = _WH.match(text) is not None, _ASKS_NAME.match(text) is not None
        self.definition = _DEFINITION.fullmatch(text)
        again = _ASKED_AGAIN.search(_plain(text))
        self.again = again[0] if again else None


@dataclass(frozen=True)
class _Read:
    """A passage in units, with the words of its heading and of its document's name."""

    source: NumberedPassage
    units: Sequence[Unit]
    heading: frozenset[str]
    name: frozenset[str]

    @staticmethod
    def of(source: NumberedPassage) -> "_Read":
        name = source.document.rsplit(".", 1)[0]
        return _Read(source, split_units(source.text), content_terms(" ".join(source.heading)), content_terms(name))


def best_quotes(question: str, sources: Sequence[NumberedPassage]) -> list[Quote]:
    """The units that answer best, best first, none of them much worse than the first."""
    asked = _Question(question[:_READ_OF_QUESTION])
    passages = [_Read.of(source) for source in sources]
    weights = _weights(asked.terms, [unit for passage in passages for unit in passage.units])
    found = [
        _rated(asked, passage, index, weights)
        for passage in passages
        for index in range(len(passage.units))
        if weights and _is_quotable(passage.units, index) and _holds_what_is_asked(asked, passage, index)
    ]
    found.sort(key=lambda quote: -quote.score)
    kept: dict[str, Quote] = {}
    for quote in found:
        close = quote.score >= 0.75 * found[0].score and quote.term_share >= 0.6 * found[0].term_share
        if kept and not (close and len(kept) < _QUOTES):
            continue
        plain = _plain(quote.text)
        if not any(plain in one or one in plain for one in kept):
            kept[plain] = quote
    return list(kept.values())


def _rated(question: _Question, passage: _Read, index: int, weights: dict[str, float]) -> Quote:
    source, units, unit = passage.source, passage.units, passage.units[index]
    before = units[index - 1].terms if index and unit.follows and _PRONOUN.match(unit.text) else frozenset[str]()
    title = _run_in_title(units, index)
    heading = passage.heading | passage.name | (units[title].terms if title is not None else frozenset())
    own = unit.terms.union(*(one.terms for one in _list_below(units, index)))
    shares = {term: max(_share(term, own), 0.7 * _share(term, heading), 0.4 * _share(term, before)) for term in weights}
    term_share = sum(weights[term] * share for term, share in shares.items()) / sum(weights.values())
    score = term_share + sum(0.15 for fits in question.hints if fits.search(unit.text))
    score += _defines(question, source, unit, index) + 0.03 * min(max(source.score, 0.0), 5.0)
    score -= (0.1 if len(unit.text) > _LONGEST else 0.0) + (0.3 if _asks(question, unit) else 0.0)
    return Quote(source, _shown(units, index, title), term_share, score)


def _share(term: str, found: frozenset[str]) -> float:
    """How far the words found cover one of the question's."""
    others = _OTHER_WORDS.get(term)
    if others is None:
        return float(term in found)
    own = others.get(term, 1.0) if term in found else 0.0
    return max([own, *(share for word, share in others.items() if word in found)])


def _weights(wanted: frozenset[str], units: Sequence[Unit]) -> dict[str, float]:
    """How much each word of the question tells: the rarer, the more."""
    counts = {term: sum(term in unit.terms for unit in units) for term in wanted}
    return {term: math.log(1 + (len(units) + 1) / (count + 0.5)) for term, count in counts.items()}


def _holds_what_is_asked(question: _Question, passage: _Read, index: int) -> bool:
    source, units, unit = passage.source, passage.units, passage.units[index]
    if not all(needed.search(unit.text) for needed in question.required):
        return False
    if question.counted:
        shown = _shown(units, index, _run_in_title(units, index))
        if not question.counted <= passage.heading | content_terms(shown):
            return False
    if question.is_wh and (unit.terms <= question.terms or _asks(question, unit)):
        return False  # it says the question again
    # Jory's wife is not the wife of somebody else: whose it is stands before it or above it; of a person, close by.
    before = units[max(index - 1, 0) if question.asks_name else 0 : index + 1]
    if any(not owner <= passage.heading.union(*(one.terms for one in before)) for owner in question.owners):
        return False
    if not question.asks_name or question.definition:
        return True
    # Who says "I" is not the one that the heading is about.
    above = "" if _FIRST_PERSON.search(unit.text) or not source.heading else source.heading[-1]
    if _SUBJECT.match(unit.text):
        return True
    names = [name for name in _NAME.findall(f"{unit.text} {above}") if content_terms(name)]
    return any(not question.words.issuperset(split_words(name)) for name in names)


def _defines(question: _Question, source: NumberedPassage, unit: Unit, index: int) -> float:
    """Whether the unit says who or what something is."""
    found = question.definition
    if found is None:
        return 0.0
    if re.match(rf"\W*{re.escape(found['name'])}\s*:", unit.text, re.IGNORECASE):
        return -0.4  # what somebody says is not who they are
    name, text = _plain(found["name"]), _plain(unit.text)
    if re.match(rf"(?:the |an? )?{re.escape(name)}(?: \w+)? (?:is|are|was|were)\b", text):
        return 0.7
    under_own_heading = bool(source.heading) and name in _plain(source.heading[-1])
    return 0.6 if under_own_heading and index < 3 and len(unit.terms) > 1 else 0.0


def _is_quotable(units: Sequence[Unit], index: int) -> bool:
    """Whether it says something: no heading, no title of its paragraph, no command of a script."""
    text = units[index].text
    heading = text.startswith("#") or text.isupper() or _NOT_SAID.search(text)
    return bool(units[index].terms) and not heading and not _is_run_in(units, index)


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


def _list_below(units: Sequence[Unit], index: int) -> list[Unit]:
    """The items of the list that the unit leads to."""
    below: list[Unit] = []
    if units[index].text.rstrip("*_ ").endswith(":"):
        for unit in units[index + 1 :]:
            if not (_ITEM.match(unit.text) or (below and unit.follows)):
                break
            below.append(unit)
    return below


def _shown(units: Sequence[Unit], index: int, title: int | None) -> str:
    """With the sentence that a pronoun needs, the title of its paragraph, the lead of its list or the list itself."""
    parts = [units[index].text]
    if index and units[index].follows and _PRONOUN.match(parts[0]) and len(units[index - 1].text) < _LONGEST:
        parts.insert(0, units[index - 1].text)
    if title is not None and units[title].text not in parts:
        parts.insert(0, units[title].text)
    lead = next(
        (one for one in range(index - 1, -1, -1) if not _ITEM.match(units[one].text) and not units[one].follows), None
    )
    if _ITEM.match(units[index].text) and lead is not None and index - lead <= len(_list_below(units, lead)):
        parts.insert(0, units[lead].text)
    return " ".join(parts) + "".join(f"\n{one.text}" for one in _list_below(units, index))


def _asks(question: _Question, unit: Unit) -> bool:
    """Whether the unit is a question itself, or says this one again, such as "she should know who pays for it"."""
    if unit.text.rstrip("\"”’'*_").endswith("?"):
        return True
    return question.again is not None and question.again in _plain(unit.text)


def _plain(text: str) -> str:
    return " ".join(split_words(text))
