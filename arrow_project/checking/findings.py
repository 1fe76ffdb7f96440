"""How a check names what it found and where."""

from collections.abc import Callable, Iterator
from typing import Any, cast

from arrow_project.operation import Finding
from arrow_project.project_data import ProjectData

WARNINGS = frozenset({53, 56, 64, 65})
_LONGEST = 3_000  # characters
Findings = Iterator[Finding]
GoOn = Callable[[], None]
"""What long work calls now and then, a check at each node; it raises once nobody wants the result any more."""


def found(rule: int | str, place: str, message: str) -> Finding:
    """A finding; lints and the rules that hold only for a player or an export are warnings."""
    warning = isinstance(rule, str) or rule in WARNINGS
    said = message if len(message) <= _LONGEST else f"{message[:_LONGEST]}…"  # it may name every id of a story
    return Finding(rule, "warning" if warning else "error", place, said)


def node_place(project: ProjectData, node_id: int) -> str:
    """A node and its scene."""
    owner = project.owner(node_id)
    return f"node {node_id}" if owner is None else f"scene {owner}, node {node_id}"


def ids_of(value: object) -> list[int]:
    """The value if it is an array of ids, otherwise nothing."""
    if not isinstance(value, list) or {*map(type, cast("list[Any]", value))} - {int}:
        return []
    return cast("list[int]", value)
