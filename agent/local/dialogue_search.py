"""Finding a dialogue in the design documents."""

import re
from dataclasses import dataclass

from agent.local.answers import merge, search, source_of
from agent.local.context import PlanningContext
from agent.local.dialogue import Dialogue, Speech, walk
from agent.local.names import fold, join
from agent.local.quotes import Source
from agent.local.script import read_dialogues
from agent.local.sentences import terms
from agent.local.steps import Call, NotDone, Steps

_READ = 4
_LISTED = 12
# How many of a dialogue's speeches, the longest, tell which passages hold it.
_TELLING = 12
_LIKELY = re.compile(r"dialog|script|scene|conversation|talk", re.IGNORECASE)
_NUMBER = re.compile(
    r"(?:dialogue|dialog|conversation|scene|script|number|no\.?|#)?\s*(?P<number>\d+[a-z]?)", re.IGNORECASE
)


@dataclass(frozen=True)
class Found:
    """A dialogue, and where it stands.

    Attributes:
        dialogue: What was read.
        document: The document's name.
        numbers: The passages that hold it, by their citation numbers.
        fit: How well it fits what was asked for.
    """

    dialogue: Dialogue
    document: str
    numbers: tuple[int, ...]
    fit: float


def find_dialogue(wanted: str, document: str | None, context: PlanningContext) -> Steps[Found]:
    """Looks for the dialogue with that title or number; ends with it.

    Raises:
        NotDone: None fits, or several do; the message names those there are.
    """
    sources = [source_of(cited) for cited in context.passages]
    sources = merge(sources, (yield from search(wanted or "dialogue", document)))
    found: list[Found] = []
    for name in _candidates(sources, document, context):
        text = yield from read_text(name)
        found += [Found(one, name, (), _fit(wanted, one)) for one in read_dialogues(text)]
        if any(one.fit >= 3 for one in found):
            break
    best = _choose(wanted, found)
    numbers = _numbers(best, sources)
    if not numbers:
        query = f"{best.dialogue.title} {' '.join(_speeches(best.dialogue)[:2])}"
        numbers = _numbers(best, (yield from search(query[:300], best.document)))
    return Found(best.dialogue, best.document, numbers, best.fit)


def read_text(document: str) -> Steps[str]:
    """The whole text of a document, part by part."""
    text, last, part, parts = "", None, 1, 1
    while part <= parts:
        answer = (yield Call("read_document", {"document": document, "part": part})) or {}
        for page in answer.get("pages", ()):
            if isinstance(page, dict):
                # Where a part ends within a page, the next one goes on in the middle of a line.
                goes_on = part > 1 and page.get("page") == last
                text += ("" if goes_on or not text else "\n") + str(page.get("text", ""))
                last = page.get("page")
        parts = answer.get("of_parts", 1)
        part += 1
    return text


def _candidates(sources: list[Source], document: str | None, context: PlanningContext) -> list[str]:
    """The documents to read: the one that was named; else those found, the likely names first."""
    names = [one.name for one in context.documents]
    if document is not None:
        named = [name for name in names if fold(document) in fold(name)]
        if not named:
            raise NotDone(
                f"There is no document “{document}”; there are {join(names)}."
                if names
                else "There are no documents yet."
            )
        return named[:_READ]
    found = list(
        dict.fromkeys([source.document for source in sources] + [name for name in names if _LIKELY.search(name)])
    )
    return sorted(found, key=lambda name: not _LIKELY.search(name))[:_READ]


def _fit(wanted: str, dialogue: Dialogue) -> float:
    """3 and more: this one is meant; 1 to 3: it may be; below: hardly."""
    number = _NUMBER.fullmatch(wanted.strip())
    if number is not None:
        return 3.0 if number["number"].casefold() == dialogue.number.casefold() else 0.0
    title, asked = fold(dialogue.title), fold(re.sub(r"^\s*(?:dialogue\s+)?\d+\s*[:.–-]\s*", "", wanted))
    if not asked:
        return 1.0
    if title == asked:
        return 4.0
    if title and (asked in title or title in asked):
        return 2.0
    return _overlap(asked, dialogue)


def _overlap(asked: str, dialogue: Dialogue) -> float:
    """By the share of the words asked for: in the title, else among speakers and facts."""
    words = terms(asked) - terms("dialogue scene conversation between talk")
    if not words:
        return 1.0
    titled = len(words & terms(dialogue.title)) / len(words)
    around = len(words & terms(" ".join((dialogue.title, *dialogue.speakers, *dialogue.facts)))) / len(words)
    return max(1.9 * titled if titled >= 0.5 else 0.0, 1.5 * around if around >= 0.6 else 0.0)


def _choose(wanted: str, found: list[Found]) -> Found:
    if not found:
        raise NotDone(
            "I found no dialogue in the documents: nothing with lines like “NAME: words”"
            + (f" for “{wanted}”." if wanted else ".")
        )
    best = max(one.fit for one in found)
    fitting = [one for one in found if one.fit == best]
    if best >= 1.0 and len(fitting) == 1:
        return fitting[0]
    if best >= 1.0:
        raise NotDone(f"“{wanted}” may mean several dialogues: {_titles(fitting)}. Say which.")
    raise NotDone(f"I found no dialogue “{wanted}”. The documents have: {_titles(found)}.")


def _titles(found: list[Found]) -> str:
    titles = [
        " ".join(
            part
            for part in (one.dialogue.number, f"“{one.dialogue.title or 'untitled'}”", f"in {one.document}")
            if part
        )
        for one in found
    ]
    return join([*titles[:_LISTED], f"{len(titles) - _LISTED} more"] if len(titles) > _LISTED else titles)


def _numbers(found: Found, sources: list[Source]) -> tuple[int, ...]:
    """The numbers of the passages in which the dialogue's lines stand; short ones stand in others, too."""
    speeches = [fold(words) for words in sorted(_speeches(found.dialogue), key=len, reverse=True)[:_TELLING]]
    return tuple(
        sorted(
            source.number
            for source in sources
            if source.document == found.document and any(words in fold(source.text) for words in speeches)
        )
    )


def _speeches(dialogue: Dialogue) -> list[str]:
    return [item.words for item in walk(dialogue.items) if isinstance(item, Speech)]
