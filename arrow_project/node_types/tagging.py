"""Node types about a character's tags: tag_edit, tag_match, tag_pass."""

from collections.abc import Iterator
from typing import Any, cast

from arrow_project.names import is_integer_like, is_safe, safe
from arrow_project.node_types.kinds import UNSET, Flag, Made, Schema, Scope, Texts, clean, mismatch, only
from arrow_project.node_types.node_type import Blueprint, DataProblem, Field, NodeType, Part, chain
from arrow_project.node_types.patterns import FOREIGN_HINT
from arrow_project.node_types.telling import character_field
from arrow_project.values import LONGEST_KEY, Record, is_id, sequence, shortened, shown, text

ANY, ALL = 0, 1
EDITS = ("inset", "reset", "overset", "outset", "unset")
_ACTIONS = {"inset": 0, "reset": 1, "set": 2, "outset": 3, "remove": 4, "overset": 2, "unset": 4}
_VALUELESS = 4
_MOST_EDITS = 50  # of one tag_edit, each of which becomes a node
_SAID_ACTIONS = ("inset", "reset", "set", "outset", "remove")

_CONDITION: Schema = {
    "type": "object",
    "properties": {
        "key": {"type": "string"},
        "value": {"type": "string", "description": "leave out to ask only whether the tag is there"},
    },
    "required": ["key"],
}
_MATCH: Schema = {
    "type": "object",
    "description": "type has_key, equals or not_equals",
    "properties": {
        "type": {"type": "string", "enum": ["has_key", "equals", "not_equals"]},
        "key": {"type": "string"},
        "value": {"type": "string"},
    },
}


def tag_key(value: object) -> str:
    """A safe key of a tag.

    Raises:
        OperationError: it is empty or too long, or Arrow would take it for a number.
    """
    key = safe(clean(value)) if isinstance(value, str) else ""
    if not key or is_integer_like(key):
        raise mismatch(f"A tag's key must be a non-empty text that is no number, not {shown(value)}.")
    if len(key) > LONGEST_KEY:
        raise mismatch(f"A tag's key has at most {LONGEST_KEY:,} characters; {shown(key)} has {len(key):,}.")
    return key


def tag_value(value: object) -> str:
    """The text of a tag's value.

    Raises:
        OperationError: it is neither text, number nor yes or no.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if not isinstance(value, str):
        raise mismatch(f"A tag's value must be a text, not {shown(value)}.")
    return clean(value)


def _character(given: Record, needs: tuple[str, ...], type_name: str, scope: Scope) -> int:
    character = given.get("character", UNSET)
    if character not in (UNSET, None):
        return scope.find("character", character)
    if "character" not in given and any(given.get(name) for name in needs):
        raise mismatch(f'A {type_name} needs "character": the id or name of the character whose tags are meant.')
    return UNSET


def _records(name: str, value: object) -> list[Record]:
    items = [value] if isinstance(value, dict) else sequence(value)
    if not items or not all(isinstance(item, dict) for item in items):
        raise mismatch(f'"{name}" must be an array of one or more objects.')
    return cast("list[Record]", items)


def _lower_edit(given: Record, scope: Scope) -> Blueprint:
    character = _character(given, ("operations",), "tag_edit", scope)
    if character == UNSET and not given.get("operations"):
        return Blueprint((Part("tag_edit", TAG_EDIT.fresh() | {"character": character}),))
    operations = _records("operations", given.get("operations"))
    if len(operations) > _MOST_EDITS:
        raise mismatch(
            f"A tag_edit takes at most {_MOST_EDITS} operations, each of which becomes a node, not "
            f"{len(operations):,}; give the others to further nodes."
        )
    edits = [_edit(item) for item in operations]
    if len(edits) > 1:
        scope.remark(f"Arrow edits one tag per node: the {len(edits)} operations became as many nodes in a row.")
    return chain(*(Part("tag_edit", {"character": character, "edit": edit}) for edit in edits))


def _edit(given: Record) -> list[Any]:
    only('One of "operations"', given, ("action", "key", "value"))
    action = given.get("action", "set")
    method = _ACTIONS.get(text(action))
    if method is None:
        raise mismatch(f"No action {shown(action)}; possible: {', '.join(_SAID_ACTIONS)}.")
    value = given.get("value", "" if method == _VALUELESS else None)
    return [method, tag_key(given.get("key")), "" if method == _VALUELESS else tag_value(value)]


def _lift_edit(data: Record, _scope: Scope) -> Record:
    method, key, value = [*sequence(data.get("edit")), None, None, None][:3]
    if not key or not is_id(method) or not 0 <= method < len(_SAID_ACTIONS):
        return {}
    operation = {"action": _SAID_ACTIONS[method], "key": key}
    return {"operations": [operation if method == _VALUELESS else operation | {"value": value}]}


def _edit_problems(data: Record, _scope: Scope) -> Iterator[DataProblem]:
    match data["edit"]:
        case [method, str() as key, str()] if is_id(method) and 0 <= method < len(EDITS):
            # a node without a character is not made yet; Arrow's fresh one has an empty key
            if not is_safe(key) and not (key == "" and data["character"] == UNSET):
                yield DataProblem(57, "the key must be non-empty and safe", ("edit",))
        case _:
            yield DataProblem(57, "edit must be [0 to 4, key, value]", ("edit",))


TAG_EDIT = NodeType(
    "tag_edit",
    "Changes tags of a character; several operations become several nodes in a row. Slot 0 = continue.",
    fields=(character_field(),),
    said={
        "operations": {
            "type": "array",
            "description": f"at most {_MOST_EDITS}",
            "items": {
                "type": "object",
                "properties": {
                    "action": {
                        "type": "string",
                        "enum": list(_SAID_ACTIONS),
                        "description": "inset: only if missing; reset: only if there; outset: remove if equal",
                    },
                    "key": {"type": "string"},
                    "value": {"type": "string"},
                },
            },
        }
    },
    rewrite=_lower_edit,
    rewrite_lift=_lift_edit,
    own_fields=(Field("edit", Made(), [1, "", ""], "operations", 57),),
    own_problems=_edit_problems,
    expects="character",
    decides="character",
)


def _alone(given: Record, others: tuple[str, ...]) -> None:
    both = [name for name in others if given.get(name) is not None]
    if both:
        raise mismatch(f'"match" says all there is to ask; leave out "{both[0]}".')


def _lower_match(given: Record, scope: Scope) -> Blueprint:
    if "match" in given:
        _alone(given, ("key", "patterns", "regex"))
        return _lower_pass(given, scope)
    character = _character(given, ("patterns", "key"), "tag_match", scope)
    data: Record = {
        "character": character,
        "tag_key": tag_key(given["key"]) if given.get("key") else "",
        "patterns": Texts(blanks=True).lower("patterns", given.get("patterns", [""]), scope),
        "regex": Flag().lower("regex", given.get("regex", False), scope) or None,
    }
    if data["regex"] and not all(scope.compiles(pattern) for pattern in data["patterns"]):
        raise mismatch(f'With "regex" every pattern must be a regular expression that compiles; {FOREIGN_HINT}.')
    if character != UNSET and "key" not in given:
        raise mismatch('A tag_match with "patterns" needs "key": the tag whose value they are compared with.')
    return Blueprint((Part("tag_match", data),))


def _match_problems(data: Record, scope: Scope) -> Iterator[DataProblem]:
    if not isinstance(data["tag_key"], str):
        yield DataProblem(51, "tag_key must be a text", ("tag_key",))
    patterns = [p for p in sequence(data["patterns"]) if isinstance(p, str)]
    if data.get("regex") is True and not all(scope.compiles(p) for p in patterns):
        yield DataProblem(51, "a pattern does not compile", ())


TAG_MATCH = NodeType(
    "tag_match",
    "With match {type, key, value}: slot 0 = match, slot 1 = no match (stored as Arrow's tag_pass). With key and "
    "patterns (Arrow's own): slot i = the value equals pattern i; no pattern fits: the line ends.",
    fields=(character_field(),),
    said={
        "match": _MATCH,
        "key": {"type": "string", "description": "with patterns: the tag"},
        "patterns": {"type": "array", "items": {"type": "string"}},
        "regex": {"type": "boolean", "description": "the patterns are regular expressions"},
    },
    outputs=lambda data: sum(isinstance(item, str) for item in sequence(data.get("patterns"))),
    counted="patterns",
    rewrite=_lower_match,
    outdated=lambda _said, named, _scope: ("key", "patterns", "regex") if "match" in named else (),
    rewrite_lift=lambda data, _scope: (
        {"key": data.get("tag_key", ""), "patterns": data.get("patterns", [])}
        | ({"regex": True} if data.get("regex") else {})
    ),
    own_fields=(
        Field("tag_key", Made(), "", "key", 51),
        Field("patterns", Texts(blanks=True), [""], "patterns", 51),
        Field("regex", Flag(), False, "regex", 61, optional=True),
    ),
    own_problems=_match_problems,
    expects="character",
)


def _lower_pass(given: Record, scope: Scope) -> Blueprint:
    character = _character(given, ("conditions", "match"), "tag_pass", scope)
    if "match" in given:
        _alone(given, ("method", "conditions"))
        check = _match(given["match"], scope)
        return Blueprint((Part("tag_pass", {"character": character, "pass": [ALL, [check]]}),))
    method = given.get("method", "all")
    if method not in ("any", "all"):
        raise mismatch(f'The method of a tag_pass is "any" or "all", not {shown(method)}.')
    if not given.get("conditions") and character == UNSET:
        fresh = TAG_PASS.fresh()
        fresh["pass"][0] = ANY if method == "any" else ALL
        return Blueprint((Part("tag_pass", fresh),))
    checks = [_check(item) for item in _records("conditions", given.get("conditions"))]
    if method == "all" and len({check[0] for check in checks}) < len(checks):
        raise mismatch("With method all each key may be asked for once; use any, or two nodes.")
    return Blueprint((Part("tag_pass", {"character": character, "pass": [ANY if method == "any" else ALL, checks]}),))


def _check(given: Record) -> list[Any]:
    value = only('One of "conditions"', given, ("key", "value")).get("value")
    return [tag_key(given.get("key")), None if value is None else tag_value(value)]


def _match(given: object, scope: Scope) -> list[Any]:
    matches = _records("match", given)
    if len(matches) > 1:
        raise mismatch('"match" is one object; for several use "conditions" of a tag_pass.')
    match = only('"match"', matches[0], ("type", "key", "value"))
    kind = match.get("type", "equals" if match.get("value") is not None else "has_key")
    if kind not in ("has_key", "equals", "not_equals"):
        raise mismatch(f"The type of a match is has_key, equals or not_equals, not {shown(kind)}.")
    key = tag_key(match.get("key"))
    if kind == "has_key":
        return [key, None]
    value = tag_value(match.get("value"))
    if kind == "not_equals":
        scope.remark(
            f"Stored as a tag_pass that asks whether {shortened(key)} EQUALS {shown(value)}: slot 0 = equal, "
            "slot 1 = not equal (your match leaves by slot 1)."
        )
    else:
        scope.remark("Stored as a tag_pass: slot 0 = match, slot 1 = no match.")
    return [key, value]


def _lift_pass(data: Record, _scope: Scope) -> Record:
    method, checks = [*sequence(data.get("pass")), None, None][:2]
    conditions: list[Record] = []
    for check in sequence(checks):
        key, value = [*sequence(check), None, None][:2]
        if key:
            conditions.append({"key": text(key)} | ({} if value is None else {"value": value}))
    return {"method": "any" if method == ANY else "all", "conditions": conditions}


def _pass_problems(data: Record, _scope: Scope) -> Iterator[DataProblem]:
    match data["pass"]:
        case [method, [*checks]] if is_id(method) and method in (ANY, ALL) and all(map(_is_check, checks)):
            keys = [check[0] for check in checks]
            if method == ALL and len(set(keys)) < len(keys):
                yield DataProblem(58, "with ALL each key may be asked for once", ("pass",))
        case _:
            yield DataProblem(58, "pass must be [0 or 1, list of [key, value or null]]", ("pass",))


def _is_check(value: object) -> bool:
    match value:
        case [str(), str() | None]:
            return True
        case _:
            return False


TAG_PASS = NodeType(
    "tag_pass",
    "Asks for tags of a character. Slot 0 = passes, slot 1 = fails.",
    fields=(character_field(),),
    said={
        "method": {"type": "string", "enum": ["any", "all"]},
        "conditions": {"type": "array", "items": _CONDITION},
        "match": _MATCH | {"description": "instead of conditions, as of tag_match"},
    },
    outputs=lambda _data: 2,
    reversed=True,
    rewrite=_lower_pass,
    outdated=lambda _said, named, _scope: ("method", "conditions") if "match" in named else (),
    rewrite_lift=_lift_pass,
    own_fields=(Field("pass", Made(), [ALL, [["", None]]], "conditions", 58),),
    own_problems=_pass_problems,
    expects="character",
)
