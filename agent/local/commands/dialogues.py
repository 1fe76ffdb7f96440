"""Commands that turn a dialogue of the documents, or one written in the message, into a scene."""

import re

from agent.local.casting import cast
from agent.local.desk import Desk
from agent.local.dialogue import Choice, Dialogue, walk
from agent.local.dialogue_search import find_dialogue
from agent.local.names import fold, join
from agent.local.phrase import Phrase
from agent.local.rule import Words, rule
from agent.local.scene import SceneBuilder
from agent.local.script import read_dialogue, read_dialogues
from agent.local.scriptlines import read_lines
from agent.local.steps import NotDone, Say, Steps

_DOCUMENT = re.compile(
    r"(?P<rest>.*?)\s*\b(?:in|from|of)\s+(?:the\s+)?(?:document\s+|file\s+)?(?P<document>[^\s\ue000-\uf8ff]+\.\w{2,5}|[\ue000-\uf8ff])",
    re.IGNORECASE | re.DOTALL,
)
_SUFFIX = re.compile(
    r"\s*\(?\b(?:in|from|of)\s+(?:the|our|my)\s+(?:design\s+)?(?:documents?|docs?|script|files?|corpus|bible)\)?\s*$",
    re.IGNORECASE,
)
_PREFIX = re.compile(
    r"^\s*(?:the\s+)?(?:(?:dialogue|dialog|conversation|exchange|script|scene|talk)\b\s*)?(?:titled|called|named|entitled|about|with\s+the\s+title)?\s*",
    re.IGNORECASE,
)
_KINDS = {"monolog": "speech", "content": "direction", "interaction": "choice", "jump": "jump"}
_PLURALS = {"speech": "speeches"}


def _from_documents(desk: Desk, words: Words) -> Steps[str]:
    desk.story()
    source, document = _source(words["source"])
    found = yield from find_dialogue(source, document, desk.context)
    citation = "".join(f" [{number}]" for number in found.numbers)
    dialogue = found.dialogue
    which = f"dialogue {dialogue.number}" if dialogue.number else f"“{dialogue.title or source}”"
    where = f"{which} in {found.document}{citation}"
    return (yield from _build(desk, dialogue, words.get("name"), where))


def _from_message(desk: Desk, words: Words) -> Steps[str]:
    dialogues = read_dialogues(words["script"].raw)
    dialogue = dialogues[0] if dialogues else read_dialogue(read_lines(words["script"].raw))
    return (yield from _build(desk, dialogue, words.get("name"), "your text"))


def _build(desk: Desk, dialogue: Dialogue, name: Phrase | None, where: str) -> Steps[str]:
    title = name.text if name else dialogue.title
    if not dialogue.items:
        raise NotDone("I found no lines of a dialogue there, such as “NAME: words”.")
    if not title:
        raise NotDone("The dialogue has no title. Say “build a scene named … from …”.")
    taken = [scene for scene in desk.story().scenes.values() if fold(scene.name) == fold(title)]
    if taken:
        raise NotDone(
            f"There is already a scene “{taken[0].name}” ({taken[0].id}). "
            "Rename or delete it, or say “build a scene named … from …”."
        )
    yield Say(f"I will build the scene “{title}” from {where}.")
    actors = yield from cast(desk, dialogue)
    builder = SceneBuilder(desk, actors)
    yield from builder.build(dialogue, title)
    return _report(builder, dialogue, title, where)


def _report(builder: SceneBuilder, dialogue: Dialogue, title: str, where: str) -> str:
    made = [_count(count, _KINDS[kind]) for kind, count in builder.counts.items()]
    branches = sum(len(item.options) for item in walk(dialogue.items) if isinstance(item, Choice))
    if branches:
        made.append(_count(branches, "branch"))
    made.append(_count(builder.connections, "connection"))
    told = [f"Made the scene “{title}” ({builder.scene_id}) from {where}: {join(made)}."]
    known = [speaker for speaker in dialogue.speakers if speaker not in builder.cast.created]
    if builder.cast.created:
        told.append(f"New characters: {join(builder.cast.created)}.")
    if known:
        told.append(f"Already in the project: {join(known)}.")
    if problems := [*builder.problems, *dialogue.remarks]:
        told.append("Could not be placed as written: " + "; ".join(problems) + ".")
    return " ".join(told)


def _source(words: Phrase) -> tuple[str, str | None]:
    """What the dialogue is called, and the document that was named with it."""
    document = None
    found = words.match(_DOCUMENT)
    if found and (not found["document"].is_quoted or "." in found["document"].text):
        words, document = found["rest"], found["document"].text
    plain = words.part(_PREFIX.sub("", _SUFFIX.sub("", words.masked)))
    return plain.text, document


def _count(number: int, word: str) -> str:
    plural = _PLURALS.get(word, f"{word}es" if word.endswith("ch") else f"{word}s")
    return f"{number} {word if number == 1 else plural}"


_MAKE = (
    r"(?:build|make|create|generate|write|add|set up|import|construct|produce|stage|implement|turn|convert|bring|put)"
)
_NAME = r"(?: (?:named|called|titled) (?P<name>.+?))?"
_SCENE = rf"(?:me )?(?:an? |the )?(?:new )?scene{_NAME}"
_TALK = r"(?:dialogue|dialog|conversation|exchange|script)"
_THIS = rf"(?:this|the following|these lines)(?: {_TALK}| text| lines)?"

RULES = (
    rule(rf"{_MAKE} {_SCENE} (?:from|out of|with|of) {_THIS}\s*:\s*(?P<script>.*)", _from_message),
    rule(rf"{_MAKE} {_SCENE} (?:from|out of|for|based on|using|with|of) (?P<source>.+)", _from_documents),
    rule(rf"{_MAKE} (?P<source>(?:the )?{_TALK}\b.+?) (?:(?:in)?to|as) {_SCENE}", _from_documents),
    rule(rf"(?:build|import|implement|stage) (?P<source>(?:the )?{_TALK} .+)", _from_documents),
)
"""The commands that build a scene from a dialogue."""
