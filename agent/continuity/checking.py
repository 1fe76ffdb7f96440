"""The check of one scene."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice, takewhile

from agent.continuity.naming import capitalised, is_ordinary
from agent.continuity.places import LONGEST_SENTENCE, DocumentTexts
from agent.continuity.report import LONGEST_NODE, Discrepancy, Report
from agent.reading.sources import NotThere
from arrow_project import Node, Story, shorten
from arrow_project.scripts import as_speech
from retrieval import CitedPassage, Figure, Unit, content_terms, read_figures, split_units

# What is looked at in one go, beside the characters of a long node; a scene with more has several parts.
_MOST_NODES = 500
_MOST_FINDINGS = 200
_SHOWN = 300  # characters of what a finding is about, and of what it says
# Of several values that documents give for the same thing, one that is this often the same is what they say.
_AGREED = 0.75
# How many words beside the number a sentence must share with a single place that has another number.
_SHARED = 2
# The passages that a model is given to judge for itself: per node, and in all.
_PER_NODE = 2
_MOST_PASSAGES = 12
_SHORTEST_TEXT = 25
_LONGEST_NAME = 1_000

# No longer: every capital of "A-A-A-" begins a name, and each is read as far as it may go.
_NAME = r"[A-Z][\w’'-]{1,60}"
_IS = r"(?:['’]s|\s+(?:is|was|has\s+been))"
_IDENTITY = re.compile(
    rf"\b(?P<name>{_NAME}?){_IS}\s+(?:also\s+|only\s+|just\s+|really\s+)?"
    r"(?:an?|the|my|his|her|our|their|your|[A-Z][\w-]+['’]s)\s+(?P<what>[a-z][\w-]*(?:\s+[a-z][\w-]*){0,2})"
)
_PLACE = re.compile(
    rf"\b(?P<name>{_NAME})\s+(?:was\s+born|lives?|lived|comes?|came|works?|worked|grew\s+up)\s+"
    r"(?:in|at|on|from)\s+(?:the\s+)?(?P<place>[A-Z][\w’'-]+)"
)
# A comma within a number divides nothing.
_CLAUSES = re.compile(r",\s|[();:]")
# The last word of "a keeper of the light" is not what somebody is.
_ENDS = frozenset({"of", "in", "on", "at", "for", "with", "by", "from", "to", "who", "that", "and", "or", "but", "as"})
# A sentence's first word may only look like a name.
_NO_NAMES = frozenset({"it", "he", "she", "that", "this", "there", "here", "what", "who", "where", "everybody"})


def check_scene(story: Story, scene_id: int, documents: DocumentTexts, part: int = 1) -> Report:
    """Compares a scene with the documents, or a part of one that has many nodes or long ones.

    Raises:
        KeyError: There is no such scene.
        NotThere: It has no such part.
    """
    scene = story.scenes[scene_id]
    too_long, parts = _parts(story.nodes_of(scene_id))
    if part > len(parts):
        raise NotThere("PART_NOT_FOUND", f"There is no part {part}: this scene has {len(parts)}.")
    nodes = parts[part - 1]
    findings = list(islice(_findings(story, nodes, documents), _MOST_FINDINGS + 1))
    places = {node.id: place for place, node in enumerate(nodes)}
    findings.sort(key=lambda finding: places[finding.node_id])
    # A sentence without an end may be as long as its node, and every word of it a finding.
    findings = [replace(one, text=_cut(one.text), problem=_cut(one.problem)) for one in findings]
    return Report(
        scene_id,
        _cut(scene.name),
        len(nodes),
        tuple(findings[:_MOST_FINDINGS]),
        _near(nodes, documents),
        part=part,
        of_parts=len(parts),
        too_long=tuple(too_long),
        has_more=len(findings) > _MOST_FINDINGS,
    )


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else shorten(text, _SHOWN)


def _parts(nodes: Iterable[Node]) -> tuple[list[int], list[list[Node]]]:
    """The nodes that are too long to be looked at, by id, and the others that have texts, in parts."""
    too_long: list[int] = []
    parts: list[list[Node]] = [[]]
    room = LONGEST_NODE
    for node in nodes:
        length = sum(map(len, node.texts))
        if length > LONGEST_NODE:
            too_long.append(node.id)
        elif length:
            if length > room or len(parts[-1]) == _MOST_NODES:
                parts.append([])
                room = LONGEST_NODE
            parts[-1].append(node)
            room -= length
    return too_long, parts


def _findings(story: Story, nodes: Iterable[Node], documents: DocumentTexts) -> Iterator[Discrepancy]:
    if documents.vocabulary.is_empty:
        return
    yield from _speakers(story, nodes, documents)
    names = frozenset(part.casefold() for one in story.characters.values() for part in _words(one.name).split())
    for node in nodes:
        yield from _names(names, node, documents)
        yield from _facts(story, node, documents)


# --- names ---------------------------------------------------------------------------------------------------------


def _speakers(story: Story, nodes: Iterable[Node], documents: DocumentTexts) -> Iterator[Discrepancy]:
    known = frozenset(_words(one.name).casefold() for one in story.characters.values())
    first: dict[str, Node] = {}  # where each speaks first
    for node in nodes:
        documents.go_on()
        lines = [as_speech(line.strip()) for text in node.texts for line in text.splitlines()]
        new = [one.name.title() for one in lines if one is not None and one.words and _is_new(one.name, known)]
        for speaker in filter(None, [story.speaker(node), *new]):
            first.setdefault(_words(speaker), node)
    for name, node in first.items():
        yield from _speaker(name, node, documents)


def _words(name: str) -> str:
    """A character's name as it is written in a text, where none is of megabytes."""
    return name[:_LONGEST_NAME].replace("_", " ")


def _is_new(name: str, known: frozenset[str]) -> bool:
    """Whether a name in capitals is that of nobody in the story, and no word such as NOTE."""
    return name.isupper() and len(name) > 2 and name.casefold() not in known and not is_ordinary(name.split()[0])


def _speaker(name: str, node: Node, documents: DocumentTexts) -> Iterator[Discrepancy]:
    parts = [part for part in name.split() if len(part) > 2] or [name]
    if any(documents.vocabulary.knows(part) for part in parts):
        return
    meant = next((near for part in parts if (near := documents.vocabulary.nearest_name(part))), None)
    if meant is not None:
        yield _misspelled(name, meant, node, documents)
        return
    passages = documents.near(f"{name} {node.texts[0]}", 1)
    problem = f"{name} speaks here; no document mentions {name}. Nearest:"
    yield Discrepancy("speaker", node.id, node.texts[0], problem, tuple(passages))


def _names(own: frozenset[str], node: Node, documents: DocumentTexts) -> Iterator[Discrepancy]:
    """`own`: the names of the story's characters, word by word."""
    told: set[str] = set()
    for text in node.texts:
        for found in capitalised(text):
            word = found.word
            if word in told or word.casefold() in own or documents.vocabulary.knows(word):
                continue
            told.add(word)
            documents.go_on()
            if found.opens and is_ordinary(word):
                continue
            meant = documents.vocabulary.nearest_name(word)
            if meant is not None and not _is_ordinary_pair(found.opens, word, meant):
                yield _misspelled(word, meant, node, documents)


def _is_ordinary_pair(opens: bool, word: str, meant: str) -> bool:
    """In the middle of a sentence a capital makes a name; but a title such as "Lord" is a word all the same."""
    return not opens and is_ordinary(word) and word[0] != meant[0]


def _misspelled(word: str, meant: str, node: Node, documents: DocumentTexts) -> Discrepancy:
    text = next((unit.text for text in node.texts for unit in split_units(text) if word in unit.text), node.texts[0])
    passages = documents.naming(meant, text)
    return Discrepancy("name", node.id, text, f"{word} is spelled {meant} in the documents.", tuple(passages))


# --- facts ---------------------------------------------------------------------------------------------------------


def _facts(story: Story, node: Node, documents: DocumentTexts) -> Iterator[Discrepancy]:
    documents.go_on()
    scene, speaker = (name[:_LONGEST_NAME] for name in (story.scenes[node.scene_id].name, story.speaker(node)))
    around = content_terms(" ".join((scene, speaker, *node.texts)))
    for text in node.texts:
        for unit in split_units(text):
            if unit.text.endswith("?") or len(unit.text) > LONGEST_SENTENCE:
                continue
            for figure in read_figures(unit.text):
                yield from _figure(figure, unit, around, node, documents)
            yield from _identity(unit, node, documents)


def _figure(
    figure: Figure, unit: Unit, around: frozenset[str], node: Node, documents: DocumentTexts
) -> Iterator[Discrepancy]:
    documents.go_on()
    same = documents.figures.get((figure.kind, figure.noun), [])
    values = [other.value for _, other in same]
    if not values or (figure.kind != "year" and figure.value in values):
        return
    against = _against(figure, same, unit, around)
    if against is not None:
        sentence, other = against
        problem = f"“{figure.words}”: the documents have “{other.words}”."
        yield Discrepancy("fact", node.id, unit.text, problem, tuple(documents.holding(sentence)))


def _against(
    figure: Figure, same: list[tuple[Unit, Figure]], unit: Unit, around: frozenset[str]
) -> tuple[Unit, Figure] | None:
    """The place in the documents that speaks of the same thing with another number."""
    values = [other.value for _, other in same]
    own = unit.terms - content_terms(figure.words)

    def closeness(place: tuple[Unit, Figure]) -> tuple[int, int, int]:
        sentence, other = place
        rest = sentence.terms - content_terms(other.words)
        return len(own & rest), len(own & content_terms(_clause(sentence.text, other))), len(around & rest)

    best = max(same, key=closeness)
    if figure.kind == "year":
        # The same year stands in many places; the one that speaks of the same thing counts.
        # What happened in it stands beside the year: a sum that is paid "since 1903" is not of that year.
        event = _event(unit.text)
        others = [
            place
            for place in same
            if place[1].value != figure.value
            and len(event & content_terms(_clause(place[0].text, place[1]))) >= _SHARED
        ]
        borne_out = max((closeness(place)[0] for place in same if place[1].value == figure.value), default=0)
        best = max(others, key=closeness, default=None)
        return best if best and closeness(best)[0] >= max(_SHARED, borne_out + 1) else None
    if closeness(best)[0] >= _SHARED:
        return best
    if figure.kind == "label":
        return max(same, key=closeness)
    # As text: numbers can be chosen such that a table of them is slow.
    ((usual, count),) = Counter(map(str, values)).most_common(1)
    agreed = len(values) >= 3 and count >= _AGREED * len(values)
    return max((place for place in same if str(place[1].value) == usual), key=closeness) if agreed else None


@lru_cache(maxsize=1)  # of each year in a sentence it is the same
def _event(text: str) -> frozenset[str]:
    """What a sentence tells beside its numbers."""
    return content_terms(text).difference(*(content_terms(one.words) for one in read_figures(text)))


def _clause(text: str, figure: Figure) -> str:
    """The part of a sentence between commas and brackets that has the figure."""
    return next((part for part in _CLAUSES.split(text) if figure.words in " ".join(part.split())), text)


def _identity(unit: Unit, node: Node, documents: DocumentTexts) -> Iterator[Discrepancy]:
    """`Osk is the postmaster`, `Jory was born in Cadder`: does any sentence around the name say so?"""
    for found in (*_IDENTITY.finditer(unit.text), *_PLACE.finditer(unit.text)):
        documents.go_on()
        groups = found.groupdict()
        name, said = found["name"], groups.get("place") or _head(groups.get("what") or "")
        wanted = content_terms(said)
        passages = documents.about(name) if wanted else []
        if not passages or not documents.vocabulary.knows(name) or name.casefold() in _NO_NAMES:
            continue
        if any(wanted & content_terms(" ".join((*one.passage.heading, one.passage.text))) for one in passages):
            continue
        problem = f"What the documents say of {name} does not have “{said}”."
        yield Discrepancy("fact", node.id, unit.text, problem, tuple(passages[:2]))


def _head(what: str) -> str:
    """The noun of "old keeper of the": the last word before what belongs to it."""
    return next(reversed(list(takewhile(lambda word: word not in _ENDS, what.split()))), "")


# --- reading on ----------------------------------------------------------------------------------------------------


def _near(nodes: Iterable[Node], documents: DocumentTexts) -> tuple[CitedPassage, ...]:
    found: dict[int, CitedPassage] = {}
    for node in nodes:
        text = " ".join(node.texts)
        if len(found) >= _MOST_PASSAGES:
            break
        if len(text) >= _SHORTEST_TEXT:
            found |= {one.number: one for one in documents.near(text[:400], _PER_NODE)}
    return tuple(found.values())
