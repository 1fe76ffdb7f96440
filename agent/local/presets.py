"""The data of a new node, by type, from what was asked."""

import re
from collections.abc import Callable
from typing import Any

from agent.local.node_request import NodeRequest
from agent.local.phrase import Phrase
from agent.local.references import References
from agent.local.steps import NotDone
from agent.local.story import Variable
from agent.local.values import COMPARISON, comparison_sign, value_for

Preset = dict[str, Any]

_SLASHES = re.compile(r"\s+/\s+|\s*\|\s*|\s*/\s*(?=[\ue000-\uf8ff])|\n\s*(?:[-*+•]|\d+[.)])?\s*")
_COMMAS = re.compile(r"\s*,\s*(?:and\s+|or\s+)?|\s+or\s+", re.IGNORECASE)
_AND = re.compile(r"\s*,\s*(?:and\s+)?|\s+and\s+", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*+•]|\d+[.)])\s+")
_COUNT = re.compile(r"(\d+)\s*(?:paths?|ways?|branches|outputs?|exits?|inputs?|slots?|options?)?", re.IGNORECASE)
_DICE = re.compile(r"\d*d\d+(?:\s*[+-]\s*\d+)?", re.IGNORECASE)
_RANGE = re.compile(r"(-?\d+)\s*(?:to|-|–|and|\.\.)\s*(-?\d+)", re.IGNORECASE)
_TAG = re.compile(r"(?P<key>.+?)\s*(?P<sign>!=|=|:|\s+is\s+not\s+|\s+is\s+|\s+to\s+)\s*(?P<value>.+)", re.IGNORECASE)

_UPDATES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE | re.DOTALL), operation)
    for pattern, operation in (
        (r"set\s+(?P<name>.+?)\s*(?:\s+to\s+|:?=)\s*(?P<value>.+)", "set"),
        (r"add\s+(?P<value>.+?)\s+to\s+(?P<name>.+)", "add"),
        (r"(?:increase|raise|increment)\s+(?P<name>.+?)(?:\s+by\s+(?P<value>.+))?", "add"),
        (r"(?:subtract|take|remove)\s+(?P<value>.+?)\s+from\s+(?P<name>.+)", "subtract"),
        (r"(?:decrease|lower|reduce|decrement)\s+(?P<name>.+?)(?:\s+by\s+(?P<value>.+))?", "subtract"),
        (r"multiply\s+(?P<name>.+?)\s+(?:by|with)\s+(?P<value>.+)", "multiply"),
        (r"divide\s+(?P<name>.+?)\s+by\s+(?P<value>.+)", "divide"),
        (r"(?P<name>[^+*/=-]+?)\s*\+=\s*(?P<value>.+)", "add"),
        (r"(?P<name>[^+*/=-]+?)\s*-=\s*(?P<value>.+)", "subtract"),
        (r"(?P<name>[^+*/=-]+?)\s*\*=\s*(?P<value>.+)", "multiply"),
        (r"(?P<name>[^+*/=-]+?)\s*/=\s*(?P<value>.+)", "divide"),
        (r"(?P<name>[^+*/=-]+?)\s*(?::?=)\s*(?P<value>.+)", "set"),
    )
)


def build_preset(request: NodeRequest, references: References) -> Preset:
    """The protocol's data for the node.

    Raises:
        NotDone: Something needed is missing, unknown or ambiguous.
    """
    return _BUILDERS[request.type](request, references)


def read_items(words: Phrase) -> list[str]:
    """`A / B`, one per line, `"A", "B"` or, where nothing else separates, `A, B`."""
    parts = words.part(_BULLET.sub("", words.masked, count=1)).split(_SLASHES)
    if len(parts) == 1:
        parts = words.split(_COMMAS)
    return [text for part in parts if (text := part.text.rstrip(",").strip())]


def read_update(words: Phrase, references: References) -> Preset | None:
    """The data of a variable update such as `add 5 to gold`; None when the words are none."""
    for pattern, operation in _UPDATES:
        if found := words.match(pattern):
            variable = references.variable(found["name"])
            value = _operand(variable, found.get("value") or words.part("1"), references)
            return {"variable": variable.id, "operation": operation, "value": value}
    return None


def read_condition(words: Phrase, references: References) -> Preset:
    """The data of a condition such as `gold >= 10`; a bare name asks whether it is true."""
    plain = words.part(re.sub(r"^\s*(?:if|that|whether|when|where)\s+", "", words.masked, flags=re.IGNORECASE))
    found = plain.match(COMPARISON)
    if found is None:
        return _truth(plain, references)
    variable = references.variable(found["variable"])
    operand = _operand(variable, found["value"], references)
    return {"variable": variable.id, "operator": comparison_sign(found["sign"].masked), "compare_to": operand}


def read_tags(words: Phrase) -> list[tuple[str, str, str]]:
    """Each of `role = mage, has key, faction is not Rebels` as key, sign (`=`, `!=` or `has`) and value."""
    parts = words.split(_AND)
    return [_read_tag(part) for part in parts]


def _read_tag(words: Phrase) -> tuple[str, str, str]:
    plain = words.part(
        re.sub(r"^(?:if\s+)?(?:set|tag|has|key|with)\s+(?:the\s+)?(?:tag\s+)?", "", words.masked, flags=re.IGNORECASE)
    )
    found = plain.match(_TAG)
    if found is None:
        return plain.text, "has", ""
    sign = "!=" if found["sign"].masked.strip().casefold() in ("!=", "is not") else "="
    return found["key"].text, sign, found["value"].text


def _truth(words: Phrase, references: References) -> Preset:
    if words.is_empty:
        raise NotDone("A condition needs what to check, such as “add a condition gold >= 10”.")
    negated = re.match(r"\s*not\s+", words.masked, re.IGNORECASE)
    variable = references.variable(words.part(words.masked[negated.end() :]) if negated else words)
    if variable.type != "bool":
        raise NotDone(f"The condition on “{variable.name}” needs a comparison, such as “{variable.name} >= 10”.")
    return {"variable": variable.id, "operator": "==", "compare_to": {"type": "value", "value": negated is None}}


def _operand(variable: Variable, words: Phrase, references: References) -> Preset:
    """A value, or the variable of the same type that the words name."""
    others = references.story.variables.values()
    named = [
        other for other in others if other.name == words.text and not words.is_quoted and other.type == variable.type
    ]
    bare = re.match(r"\s*(?:the\s+)?variable\s+", words.masked, re.IGNORECASE)
    if named or bare:
        return {"type": "variable", "value": references.variable(words).id}
    return {"type": "value", "value": value_for(variable, words)}


def _need(words: Phrase | None, sentence: str) -> Phrase:
    if words is None or words.is_empty:
        raise NotDone(sentence)
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
        raise NotDone("A content node needs its text, such as “add a content: The door is shut.”")
    preset: Preset = {"content": text.text} if not text.is_empty else {}
    if title is not None:
        preset["title"] = title.text
    return preset


def _dialog(request: NodeRequest, references: References) -> Preset:
    words = _need(request.content, "A dialog needs its words, such as “add a dialog by NAME: Hello there”.")
    lines = [part.text for part in words.split(_SLASHES)]
    return {"character": _speaker(request, references), "lines": lines, "playable": len(lines) > 1}


def _monolog(request: NodeRequest, references: References) -> Preset:
    words = _need(request.content, "A monolog needs its words, such as “add a monolog by NAME: So this is it.”")
    return {"character": _speaker(request, references), "text": words.text}


def _condition(request: NodeRequest, references: References) -> Preset:
    return read_condition(request.content, references)


def _hub(request: NodeRequest, _references: References) -> Preset:
    return {"inputs": _count(request, 2)}


def _interaction(request: NodeRequest, _references: References) -> Preset:
    if request.text is None and "between" in request.modifiers:
        return {"actions": [part.text for part in request.modifiers["between"].split(_AND)]}
    words = _need(request.content, "A choice needs its options, such as “add a choice: Go in / Walk away”.")
    return {"actions": read_items(words)}


def _variable_update(request: NodeRequest, references: References) -> Preset:
    words = request.content
    if (of := request.modifiers.get("of")) and request.text is None and words.is_empty:
        words = of
    preset = read_update(words, references) if not words.is_empty else None
    if preset is None:
        raise NotDone("What should change? Say “set gold to 10” or “add a variable update: add 5 to gold”.")
    return preset


def _jump(request: NodeRequest, references: References) -> Preset:
    words = request.modifiers.get("scene") if request.content.is_empty else request.content
    words = words and words.part(re.sub(r"^\s*(?:to|into)\s+", "", words.masked, flags=re.IGNORECASE))
    target = _need(words, "A jump needs its target, such as “add a jump to node 12” or “… to scene NAME”.")
    if re.match(r"(?:the\s+)?(?:scene|macro)\b", target.masked.strip(), re.IGNORECASE):
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
    for part in words.split(_AND):
        removed = part.match(
            re.compile(r"(?:remove|delete|unset|drop)\s+(?:the\s+)?(?:tag\s+)?(?P<key>.+)", re.IGNORECASE)
        )
        if removed:
            operations.append({"action": "remove", "key": removed["key"].text})
            continue
        key, sign, value = _read_tag(part)
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
