"""Invariants 40 to 61: variables, characters, and what nodes hold."""

import re

from arrow_project.checking.findings import Findings, found, node_place
from arrow_project.document import Document
from arrow_project.names import is_integer_like, is_safe
from arrow_project.node_types import NodeType
from arrow_project.node_types.comparing import DEFAULTS, is_of_type
from arrow_project.node_types.kinds import UNSET, Reference
from arrow_project.phrases import Reading
from arrow_project.values import Record, is_id, record

_COLOR = re.compile(r"[0-9a-fA-F]{6}")


def content(document: Document) -> Findings:
    """Everything about single resources."""
    for key, variable in document.variables.items():
        yield from _variable(f"variable {key}", variable)
    for key, character in document.characters.items():
        yield from _character(f"character {key}", character)
    scope = Reading(document)
    for node_id in document.nodes:
        node_type = document.node_type(node_id)
        if node_type is not None:
            yield from _node(document, node_id, node_type, scope)


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


def _node(document: Document, node_id: int, node_type: NodeType, scope: Reading) -> Findings:
    data = document.data(node_id)
    problems = [*node_type.problems(data, scope), *_missing(document, node_type, data)]
    problems += _per_type(document, node_id, node_type.name, data)
    for rule, problem in problems:
        yield found(rule, node_place(document, node_id), f"{node_type.name}: {problem}.")


def _missing(document: Document, node_type: NodeType, data: Record) -> "list[tuple[int, str]]":
    """References to what does not exist."""
    problems: list[tuple[int, str]] = []
    for f in node_type.native_fields:
        value = data.get(f.name)
        if isinstance(f.kind, Reference) and is_id(value) and value >= 0 and value not in document.table(f.kind.to):
            problems.append((f.rule, f"{f.name} {value} does not exist"))
    return problems


def _per_type(document: Document, node_id: int, type_name: str, data: Record) -> "list[tuple[int, str]]":
    if type_name == "monolog" and data.get("character") == UNSET:
        return [(53, "without a character it cannot be played by the HTML runtime")]
    if type_name == "macro_use":
        macro = data.get("macro")
        if macro == UNSET or (is_id(macro) and macro in document.scenes and not document.is_macro(macro)):
            return [(56, "it must name a macro to be played by the HTML runtime")]
    if type_name == "jump" and is_id(data.get("target")) and data["target"] >= 0:
        return _jump(document, node_id, data["target"])
    return []


def _jump(document: Document, node_id: int, target: int) -> "list[tuple[int, str]]":
    other = document.nodes.get(target, {})
    if target == node_id:
        return [(55, "it jumps to itself")]
    if other.get("type") == "jump" and record(other["data"]).get("target") == node_id and node_id < target:
        return [(55, f"it and jump {target} jump to each other")]
    return []
