"""The data of a new node, by type, from what was asked."""

import re
from collections.abc import Callable

from agent.local.expressions import AND, Preset, read_condition, read_tag, read_tags, read_update
from agent.local.names import matching
from agent.local.node_request import NodeRequest
from agent.local.phrase import QUOTED, Phrase, read_phrase
from agent.local.references import References
from agent.local.steps import NotDone, WordsMissing
from agent.local.story import Variable

_SLASHES = re.compile(r"\s+/\s+|\s*\|\s*|\s*/\s*(?=[\ue000-\uf8ff])|\n\s*(?:[-*+•]|\d+[.)])?\s*")
_COMMAS = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+or\s+", re.IGNORECASE)
_LAST = re.compile(r",\s*(?:and|or)\s|\s+or\s", re.IGNORECASE)
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)
_QUOTED_ITEMS = re.compile(rf"{QUOTED}(?:[\s,/|]|\band\b|\bor\b|{QUOTED})+", re.IGNORECASE)
_ARROW = re.compile(r"\s*(?:->|→|=>)\s*")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+")
_COUNT = re.compile(r"(\d+)\s*(?:paths?|ways?|branches|outputs?|exits?|inputs?|slots?|options?)?", re.IGNORECASE)
_DICE = re.compile(r"\d*d\d+(?:\s*[+-]\s*\d+)?", re.IGNORECASE)
_RANGE = re.compile(r"(-?\d+)\s*(?:to|-|–|and|\.\.)\s*(-?\d+)", re.IGNORECASE)


def build_preset(request: NodeRequest, references: References) -> Preset:
    """The protocol's data for the node.

    Raises:
        NotDone: Something needed is missing, unknown or ambiguous.
    """
    return _BUILDERS[request.type](request, references)


def read_items(words: Phrase) -> list[str]:
    """`A / B`, one per line, `"A", "B"` or, where nothing else separates, `A, B`."""
    if _QUOTED_ITEMS.fullmatch(words.masked.strip()):
        return [part.text for part in words.quoted_parts()]
    parts = words.part(_BULLET.sub("", words.masked, count=1)).split(_SLASHES)
    if len(parts) == 1:
        parts = words.split(_COMMAS)
        # "Stay, leave and sleep" are three.
        if len(parts) > 1 and not _LAST.search(words.masked) and len(last := parts[-1].split(_AND)) == 2:
            parts = [*parts[:-1], *last]
    return [text for part in parts if (text := part.text.rstrip(",").strip())]


def read_branches(request: NodeRequest, references: References) -> list[tuple[int, int]]:
    """Where the options of a choice lead that name a node behind an arrow, `Go in -> 12`: slot and node."""
    items = read_items(request.content) if request.type == "interaction" else []
    parts = [_ARROW.split(item) for item in items]
    return [(slot, references.node(read_phrase(part[1])).id) for slot, part in enumerate(parts) if len(part) == 2]


def _need(words: Phrase | None, sentence: str) -> Phrase:
    if words is None or words.is_empty:
        raise NotDone(sentence)
    return words


def _words(words: Phrase, question: str) -> Phrase:
    if words.is_empty:
        raise WordsMissing(question)
    return words


def _speaker(request: NodeRequest, references: References) -> int:
    words = request.modifiers.get("who") or request.modifiers.get("of")
    if words is None or words.is_empty:
        return -1
    return references.character(words).id


def _owner(request: NodeRequest, references: References) -> int:
    words = request.modifiers.get("of") or request.modifiers.get("who")
    kind = request.type.replace("_", " ")
    return references.character(_need(words, f"Whose tag? Say “add a {kind} for NAME: key = value”.")).id


def _target_variable(request: NodeRequest, references: References) -> Variable:
    words = request.modifiers.get("of")
    kind = request.type.replace("_", " ")
    return references.variable(_need(words, f"Which variable? Say “add a {kind} for NAME: …”."))


def _content(request: NodeRequest, _references: References) -> Preset:
    title = request.modifiers.get("title")
    text = request.content
    if title is None and text.is_empty:
        raise WordsMissing("What does the content node say?")
    preset: Preset = {"content": text.text} if not text.is_empty else {}
    if title is not None:
        preset["title"] = title.text
    return preset


def _dialog(request: NodeRequest, references: References) -> Preset:
    words = _words(request.content, "What is said in the dialog?")
    lines = [part.text for part in words.split(_SLASHES)]
    return {"character": _speaker(request, references), "lines": lines, "playable": len(lines) > 1}


def _monolog(request: NodeRequest, references: References) -> Preset:
    words = _words(request.content, "What is said in the monolog?")
    return {"character": _speaker(request, references), "text": words.text}


def _condition(request: NodeRequest, references: References) -> Preset:
    return read_condition(request.content, references)


def _hub(request: NodeRequest, _references: References) -> Preset:
    return {"inputs": _count(request, 2)}


def _interaction(request: NodeRequest, _references: References) -> Preset:
    if request.text is None and "between" in request.modifiers:
        return {"actions": [part.text for part in request.modifiers["between"].split(AND)]}
    words = _words(request.content, "Which options does the choice have? Part them with a slash: Go in / Walk away.")
    return {"actions": [_ARROW.split(item)[0].strip() for item in read_items(words)]}


def _variable_update(request: NodeRequest, references: References) -> Preset:
    words = request.content
    if (of := request.modifiers.get("of")) and request.text is None and words.is_empty:
        words = of
    preset = read_update(words, references) if not words.is_empty else None
    if preset is None:
        raise NotDone("What should change? Say “set gold to 10” or “add a variable update: add 5 to gold”.")
    return preset


def _jump(request: NodeRequest, references: References) -> Preset:
    place = request.modifiers.get("scene") if request.content.is_empty else request.content
    words = request.modifiers.get("to") or place
    target = _need(words, "A jump needs its target, such as “add a jump to node 12” or “… to scene NAME”.")
    named = matching(target.text, references.story.scenes.values())
    if named or re.match(r"(?:the\s+)?(?:scene|macro)\b", target.masked.strip(), re.IGNORECASE):
        return {"target": {"type": "scene", "id": references.scene(target).id}}
    node = references.node(target)
    return {"target": {"type": "marker" if node.type == "marker" else "node", "id": node.id}}


def _marker(request: NodeRequest, _references: References) -> Preset:
    words = request.modifiers.get("title") or request.modifiers.get("name") or request.content
    return {"label": _need(words, "A marker needs a label, such as “add a marker: checkpoint”.").text}


def _paths(request: NodeRequest, _references: References) -> Preset:
    preset: Preset = {"paths": _count(request, 2)}
    if weights := re.search(r"weights?\s*:?\s*([\d\s,/]+)", f"{request.body.raw} {request.content.raw}", re.IGNORECASE):
        preset["weights"] = [int(number) for number in re.findall(r"\d{1,9}", weights[1])]
        preset["paths"] = len(preset["weights"])
    return preset


def _generator(request: NodeRequest, references: References) -> Preset:
    variable = _target_variable(request, references)
    words = f"{request.body.raw} {request.content.raw} {request.modifiers['of'].raw}"
    if dice := _DICE.search(words):
        return {"variable": variable.id, "generator_type": "dice", "dice": dice[0].replace(" ", "")}
    if variable.type == "bool":
        return {"variable": variable.id, "generator_type": "random_bool"}
    if span := _RANGE.search(request.content.raw):
        return {"variable": variable.id, "generator_type": "random_int", "min": int(span[1]), "max": int(span[2])}
    raise NotDone(f"Which values? Say “add a generator for {variable.name}: 1 to 6” or “… : 2d6+3”.")


def _tag_edit(request: NodeRequest, references: References) -> Preset:
    words = _need(request.content, "Which tag? Say “add a tag edit for NAME: role = mage, remove faction”.")
    operations: list[Preset] = []
    for part in words.split(AND):
        removed = part.match(
            re.compile(r"(?:remove|delete|unset|drop)\s+(?:the\s+)?(?:tag\s+)?(?P<key>.+)", re.IGNORECASE)
        )
        if removed:
            operations.append({"action": "remove", "key": removed["key"].text})
            continue
        key, sign, value = read_tag(part)
        if sign != "=":
            raise NotDone(f"“{part.text}” is no change of a tag. Say “{key} = value” or “remove {key}”.")
        operations.append({"action": "set", "key": key, "value": value})
    return {"character": _owner(request, references), "operations": operations}


def _tag_match(request: NodeRequest, references: References) -> Preset:
    words = _need(request.content, "Which tag? Say “add a tag match for NAME: faction = Academy”.")
    key, sign, value = read_tags(words)[0]
    kind = {"=": "equals", "!=": "not_equals", "has": "has_key"}[sign]
    match = {"type": kind, "key": key} | ({"value": value} if sign != "has" else {})
    return {"character": _owner(request, references), "match": match}


def _tag_pass(request: NodeRequest, references: References) -> Preset:
    words = _need(request.content, "Which tags? Say “add a tag pass for NAME: any of role = mage, trust”.")
    plain = words.part(re.sub(r"^\s*(?:any|all)(?:\s+of)?\b\s*:?", "", words.masked, flags=re.IGNORECASE))
    method = "any" if re.search(r"\bany\b", f"{request.body.masked} {words.masked[:8]}", re.IGNORECASE) else "all"
    conditions = [{"key": key} | ({"value": value} if sign == "=" else {}) for key, sign, value in read_tags(plain)]
    return {"character": _owner(request, references), "method": method, "conditions": conditions}


def _user_input(request: NodeRequest, references: References) -> Preset:
    variable = _target_variable(request, references)
    if variable.type == "bool":
        raise NotDone(f"“{variable.name}” is true or false; a player can type only a text or a number.")
    prompt = _need(request.text, f"What is the player asked? Say “add a user input for {variable.name}: Your name?”")
    return {
        "prompt": prompt.text,
        "variable": variable.id,
        "input_type": "number" if variable.type == "num" else "text",
    }


def _macro_use(request: NodeRequest, references: References) -> Preset:
    words = request.modifiers.get("of") or request.modifiers.get("name") or request.content
    scene = references.scene(_need(words, "Which macro? Say “add a macro use: NAME”."))
    if not scene.is_macro:
        raise NotDone(f"“{scene.name}” ({scene.id}) is a scene, not a macro. To go there, add a jump to it.")
    return {"macro": scene.id}


def _entry(request: NodeRequest, _references: References) -> Preset:
    words = request.modifiers.get("title") or request.content
    return {"label": words.text}


def _frame(request: NodeRequest, _references: References) -> Preset:
    words = request.modifiers.get("title") or request.content
    color = request.modifiers.get("color")
    return {"title": words.text} | ({"color": color.text} if color else {})


def _count(request: NodeRequest, default: int) -> int:
    found = _COUNT.search(re.sub(r"weights?.*", "", f"{request.body.raw} {request.content.raw}", flags=re.IGNORECASE))
    return int(found[1][:6]) if found else default


_BUILDERS: dict[str, Callable[[NodeRequest, References], Preset]] = {
    "content": _content, "dialog": _dialog, "monolog": _monolog, "condition": _condition, "hub": _hub,
    "interaction": _interaction, "variable_update": _variable_update, "jump": _jump, "marker": _marker,
    "randomizer": _paths, "sequencer": _paths, "generator": _generator, "tag_edit": _tag_edit,
    "tag_match": _tag_match, "tag_pass": _tag_pass, "user_input": _user_input, "macro_use": _macro_use,
    "entry": _entry, "frame": _frame,
}  # fmt: skip
