"""A dialogue of the documents, or of the message itself, as a scene: the whole of it, or nothing with the reason."""

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from agent.local.answers import search
from agent.local.draft import Draft
from agent.local.parsing import Words, child, children, token
from agent.local.resolver import called, counted, join, listed, matching
from agent.local.scene import SceneBuilder
from agent.local.steps import NotDone, Say, Steps, ToolCall
from agent.turn.request import TurnContext
from arrow_project import fold
from arrow_project.scripts import Dialogue, Speech, read_dialogues, walk
from retrieval import NumberedPassage, content_terms

_READ = 4
_LONGEST = 500_000  # characters of all that is read
_LISTED = 12
_LONGEST_NAME = 1_000  # characters that are taken apart
# How many of a dialogue's speeches, the longest, tell which passages hold it.
_TELLING = 12
_LIKELY = re.compile(r"dialog|script|scene|conversation|talk|\.(?:yarn|ink|twee|tw|fountain)$", re.IGNORECASE)
_KINDS = {
    "monolog": "speech", "content": "direction", "interaction": "choice", "jump": "jump", "condition": "condition",
    "variable_update": "variable update",
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """A dialogue of a document, and how well it fits what was asked for; 3 and more: it is meant.

    Its items are left out: each line of a document is forty times as large as an object, and many turns may wait for
    the next document, or for a search.
    """

    document: str
    place: int  # among the dialogues of the document
    number: str
    title: str
    fit: float
    telling: Sequence[str]


def from_documents(draft: Draft, words: Words, context: TurnContext) -> Steps[None]:
    """Finds the dialogue and drafts its scene.

    Raises:
        NotDone: None fits, or several do, or it cannot be done whole.
    """
    asked = child(words, "dialogue") or words
    number, wanted = token(asked, "NUMBER"), token(asked, "QUOTED", "NAME")
    sources = [NumberedPassage.of(cited) for cited in context.passages]
    sources += yield from search(wanted or f"dialogue {number}", token(asked, "DOCUMENT") or None)
    found: list[Found] = []
    texts, name, room = dict[str, str](), "", _LONGEST
    for name in _candidates(sources, token(asked, "DOCUMENT"), context):
        texts[name] = yield from _read(name, room)
        room -= len(texts[name])
        for place, one in enumerate(_dialogues(texts[name], is_all=room > 0)):
            fit = _fit(number, wanted, one)
            found.append(Found(name, place, one.number, one.title, fit, _telling(one) if fit >= 1.0 else ()))
        if room <= 0 or any(one.fit >= 3 for one in found):
            break
    best = _choose(f"dialogue {number}" if number else f"“{wanted}”", found, is_all=room > 0)
    if not (numbers := _numbers(best, sources)):
        numbers = _numbers(best, (yield from search(best.telling[0][:300], best.document)))
    cited = "".join(f" [{one}]" for one in numbers)
    which = f"dialogue {best.number}" if best.number else f"“{best.title or wanted}”"
    others = _dialogues(texts[best.document], is_all=room > 0 or best.document != name)
    title = _name(words) or best.title
    _build(draft, others[best.place], others, _name(words), f"{which} in {best.document}{cited}")
    yield Say(f"I will build the scene “{title}” from {which} in {best.document}{cited}.")


def _dialogues(text: str, *, is_all: bool) -> list[Dialogue]:
    """Those of a document; of one that was cut the last is half."""
    return read_dialogues(text)[: None if is_all else -1]


def _telling(dialogue: Dialogue) -> list[str]:
    """What is said in it, the longest first."""
    speeches = [item.words for item in walk(dialogue.items) if isinstance(item, Speech)]
    return sorted(speeches, key=len, reverse=True)[:_TELLING] or [dialogue.title]


def from_message(draft: Draft, words: Words) -> Steps[None]:
    """Drafts the scene of the lines that the message brings along."""
    dialogues = read_dialogues(token(words, "SCRIPT"))
    if not dialogues:
        raise NotDone("I found no lines of a dialogue there, such as “NAME: words”.")
    _build(draft, dialogues[0], dialogues, _name(words), "your text")
    yield Say(f"I will build the scene “{_name(words) or dialogues[0].title}” from your text.")


def _name(words: Words) -> str:
    return next((token(one, "QUOTED", "NAME") for one in children(words, "named")), "")


def _build(draft: Draft, first: Dialogue, others: Sequence[Dialogue], name: str, where: str) -> None:
    wanted = _with_those_it_leads_to(draft, first, others)
    if problem := next((one.problem for one in wanted if one.problem), ""):
        raise NotDone(problem)
    names = {one.title: one.title for one in wanted} | {first.title: name or first.title}
    speakers = list(dict.fromkeys(speaker for one in wanted for speaker in one.speakers))
    known = {speaker: _character(draft, speaker) for speaker in speakers}
    created = [speaker for speaker, key in known.items() if key is None]
    cast = {one: key or draft.create("create_character", name=one) for one, key in known.items()}
    scenes = {fold(one.name): one.id for one in draft.story.scenes.values()}
    made = {one.title: _new_scene(draft, names[one.title], one) for one in wanted}
    scenes |= {fold(title): key for title, key in made.items()}
    counts = Counter[str]()
    for one in wanted:
        builder = SceneBuilder(draft, cast, scenes, one.declared)
        builder.build(one, made[one.title])
        counts += builder.counts
    told = join([counted(count, _KINDS[kind]) for kind, count in counts.items()])
    titles = join([f"“{names[title]}” ({key})" for title, key in made.items()])
    draft.told.append(f"Made the scene{'s' if len(made) > 1 else ''} {titles} from {where}: {told}.")
    already = join([speaker for speaker in speakers if speaker not in created])
    remarks = {"New characters": join(created), "Already in the project": already}
    remarks["Please check"] = "; ".join(first.remarks)
    draft.told += [f"{title}: {said}." for title, said in remarks.items() if said]


def _with_those_it_leads_to(draft: Draft, first: Dialogue, others: Sequence[Dialogue]) -> list[Dialogue]:
    """The dialogue and all of its document that it leads to, unless the story has a scene of that name."""
    there = {fold(one.name) for one in draft.story.scenes.values()}
    by_title = {fold(one.title): one for one in others}
    wanted, waiting = {id(first): first}, deque(first.targets)
    while waiting:
        target = fold(waiting.popleft())
        one = by_title.get(target)
        if one is not None and id(one) not in wanted and target not in there:
            wanted[id(one)] = one
            waiting += one.targets
    return [*wanted.values()]


def _new_scene(draft: Draft, name: str, dialogue: Dialogue) -> int:
    if not name:
        raise NotDone("The dialogue has no title. Say “build a scene named … from …”.")
    taken = [scene for scene in draft.story.scenes.values() if fold(scene.name) == fold(name)]
    if taken:
        another = "say “build a scene named … from …”"
        raise NotDone(f"There is already a scene {called(taken[0])}. Rename or delete it, or {another}.")
    notes = {"notes": "\n".join(dialogue.facts)} if dialogue.facts else {}
    return draft.create("create_scene", name=name, is_macro=False, **notes)


def _character(draft: Draft, speaker: str) -> int | None:
    """By whole name, or by the part of it that a script uses, such as the first name; None where there is none."""
    draft.go_on()  # each is compared with every character
    characters, words = list(draft.story.characters.values()), frozenset(fold(speaker).split())
    found = matching(speaker, characters)
    found = found or [one for one in characters if words < frozenset(fold(one.name[:_LONGEST_NAME]).split())]
    # "Elena Marsh" in the script is the project's "Elena", but "Old Tomas" may well be another Tomas.
    found = found or [one for one in characters if fold(one.name) == fold(speaker).split(" ")[0]]
    if len(found) > 1:
        raise NotDone(f"The script's “{speaker}” may be {listed(found, 'or')}. Write the whole name, or rename one.")
    return found[0].id if found else None


def _read(document: str, most: int) -> Steps[str]:
    """The text of a document, part by part: all of it, or so many characters."""
    text, last, part, parts = "", None, 1, 1
    while part <= parts and len(text) < most:
        answer = (yield ToolCall("read_document", {"document": document, "part": part})) or {}
        for page in answer.get("pages", ()):
            # Where a part ends within a page, the next one goes on in the middle of a line.
            goes_on = part > 1 and page.get("page") == last
            text += ("" if goes_on or not text else "\n") + str(page.get("text", ""))
            last = page.get("page")
        parts = answer.get("of_parts", 1)
        part += 1
    return text[:most]


def _candidates(sources: Sequence[NumberedPassage], document: str, context: TurnContext) -> list[str]:
    """The documents to read: the one that was named; else those found, the likely names first."""
    names = [one.name for one in context.documents]
    if document:
        named = [name for name in names if fold(document) in fold(name)]
        if not named:
            raise NotDone(f"There is no document “{document}”; there are {join(names) or 'none yet'}.")
        return named[:_READ]
    found = dict.fromkeys([source.document for source in sources] + [name for name in names if _LIKELY.search(name)])
    return sorted(found, key=lambda name: not _LIKELY.search(name))[:_READ]


def _fit(number: str, wanted: str, dialogue: Dialogue) -> float:
    """3 and more: this one is meant; 1 to 3: it may be; below: hardly."""
    if number:
        return 3.0 if number == dialogue.number else 0.0
    title, asked = fold(dialogue.title), fold(wanted)
    if title == asked:
        return 4.0
    if title and asked and (asked in title or title in asked):
        return 2.0
    words = content_terms(asked)
    return 1.9 * len(words & content_terms(title)) / len(words) if words else 1.0


def _choose(wanted: str, found: list[Found], *, is_all: bool) -> Found:
    read = "" if is_all else f" I have read the first {_LONGEST:,} characters: name the document that has it."
    if not found:
        raise NotDone(
            f"I found no dialogue in the documents for {wanted}: nothing with lines like “NAME: words”.{read}"
        )
    best = max(one.fit for one in found)
    fitting = [one for one in found if one.fit == best]
    if best >= 1.0 and len(fitting) == 1:
        return fitting[0]
    if best >= 1.0:
        raise NotDone(f"{wanted} may mean several dialogues: {_titles(fitting)}. Say which.")
    raise NotDone(f"I found no dialogue {wanted}. The documents have: {_titles(found)}.{read}")


def _titles(found: list[Found]) -> str:
    titles = [f"{one.number} “{one.title or 'untitled'}” in {one.document}".strip() for one in found]
    return join(titles, most=_LISTED)


def _numbers(found: Found, sources: Sequence[NumberedPassage]) -> list[int]:
    """The numbers of the passages in which the dialogue's lines stand; short ones stand in others, too."""
    telling = [fold(words) for words in found.telling]
    here = [source for source in sources if source.document == found.document]
    return sorted({one.number for one in here if any(words in fold(one.text) for words in telling)})
