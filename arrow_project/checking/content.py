"""Invariants 40 to 61: variables, characters, and what nodes hold."""

import re

from arrow_project.checking.findings import Findings, found
from arrow_project.checking.survey import Seen, Survey
from arrow_project.document import Document
from arrow_project.names import is_integer_like, is_safe
from arrow_project.node_types import NodeType
from arrow_project.node_types.comparing import DEFAULTS, is_of_type
from arrow_project.node_types.kinds import UNSET
from arrow_project.phrases import Reading
from arrow_project.values import Record, is_id, record

_COLOR = re.compile(r"[0-9a-fA-F]{6}")


def content(survey: Survey) -> Findings:
    """Everything about single resources."""
    document = survey.document
    for key, variable in document.variables.items():
        yield from _variable(f"variable {key}", variable)
    for key, character in document.characters.items():
        yield from _character(f"character {key}", character)
    scope = Reading(document)
    for seen in survey.nodes.values():
        if seen.node_type is not None:
            yield from _node(document, seen, seen.node_type, scope)


def _variable(place: str, variable: Record) -> Findings:
    type_name = variable["type"]
    if not isinstance(type_name, str) or type_name not in DEFAULTS:
        yield found(40, place, f"The type must be num, str or bool, not {type_name!r}.")
    elif not is_of_type(variable["init"], type_name):
        yield found(40, place, f"The initial value {variable['init']!r} is not of type {type_name}.")


def _character(place: str, character: Record) -> Findings:
    color = character["color"]
    if not isinstance(color, str) or not _COLOR.fullmatch(color):
        yield found(41, place, f"The color must be 6 hex digits without #, not {color!r}.")
    if "tags" in character:
        if not isinstance(character["tags"], dict):
            yield found(42, place, "tags must be an object.")
        for key, value in record(character["tags"]).items():
            yield from _tag(place, key, value)


def _tag(place: str, key: object, value: object) -> Findings:
    if not isinstance(key, str) or not is_safe(key) or is_integer_like(key):
        yield found(42, place, f"The tag key {key!r} must be non-empty, safe and no number.")
    elif not isinstance(value, str):
        yield found(42, place, f"The value of tag {key} must be a text, not {value!r}.")


def _node(document: Document, seen: Seen, node_type: NodeType, scope: Reading) -> Findings:
    for rule, problem in node_type.problems(seen.data, scope):
        yield found(rule, seen.place, f"{node_type.name}: {problem}.")
    for f, kind in node_type.reference_fields:
        value = seen.data.get(f.name)
        if is_id(value) and value >= 0 and value not in document.table(kind.to):
            yield found(f.rule, seen.place, f"{node_type.name}: {f.name} {value} does not exist.")
    special = _SPECIAL.get(node_type.name)
    if special is not None and (broken := special(document, seen)):
        yield found(broken[0], seen.place, f"{node_type.name}: {broken[1]}.")


def _monolog(_document: Document, seen: Seen) -> tuple[int, str] | None:
    if seen.data.get("character") != UNSET:
        return None
    return 53, "without a character it cannot be played by the HTML runtime"


def _macro_use(document: Document, seen: Seen) -> tuple[int, str] | None:
    macro = seen.data.get("macro")
    if macro == UNSET or (is_id(macro) and macro in document.scenes and not document.is_macro(macro)):
        return 56, "it must name a macro to be played by the HTML runtime"
    return None


def _jump(document: Document, seen: Seen) -> tuple[int, str] | None:
    target = seen.data.get("target")
    if not is_id(target) or target not in document.nodes:
        return None
    if target == seen.node_id:
        return 55, "it jumps to itself"
    other = document.nodes[target]
    jumps_back = other["type"] == "jump" and other["data"].get("target") == seen.node_id
    return (55, f"it and jump {target} jump to each other") if jumps_back and seen.node_id < target else None


_SPECIAL = {"monolog": _monolog, "macro_use": _macro_use, "jump": _jump}
