"""What the editor answered, compared with what the shadow expected."""

import logging
from dataclasses import replace
from typing import Any, cast

from agent.editor import Outcome
from arrow_project import ArrowProject, OperationResult, ParseError, parse

logger = logging.getLogger(__name__)

# What the id is called in the result of an operation that creates something.
CREATED_BY = {
    "create_insert_node": "node_id",
    "create_scene": "scene_id",
    "create_variable": "variable_id",
    "create_character": "character_id",
}


def reported_id(applied: OperationResult, outcome: Outcome) -> int | None:
    """The new id in whatever a client answers: a number, a result with its name, or a text without one."""
    kind = CREATED_BY.get(applied.operation.function)
    if kind is None:
        return None
    result = outcome.result
    found = cast("dict[str, Any]", result).get(kind) if isinstance(result, dict) else result
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def reported_project(outcome: Outcome) -> ArrowProject | None:
    """The project that the editor reported; None where it reported none that can be read."""
    if outcome.content is None:
        return None
    try:
        return parse(outcome.content)
    except ParseError as error:
        logger.warning("the editor reported content that is not an .arrow project: %s", error)
        return None


def as_reported(applied: OperationResult, expected: ArrowProject, reported: ArrowProject) -> OperationResult:
    """The result with the id that the reported project really has for what was created."""
    kind = CREATED_BY.get(applied.operation.function)
    if kind is None or applied.result[kind] in _table(reported, kind):
        return applied
    new = _table(reported, kind).keys() - _table(expected, kind).keys()
    if len(new) != 1:
        return replace(applied, result=applied.result | {"remark": "The editor's project does not have it."})
    created = new.pop()
    nodes = (created,) if kind == "node_id" else ()
    return replace(applied, result={kind: created, **_without(applied.result, kind)}, created=nodes)


def told(applied: OperationResult, outcome: Outcome, *, confirmed: bool) -> dict[str, Any]:
    """What the model reads of an executed operation: the id first, then what the editor itself said."""
    result = dict(applied.result)
    said = outcome.result
    if isinstance(said, dict):
        said = {name: value for name, value in cast("dict[str, Any]", said).items() if result.get(name) != value}
    if said not in (None, "", True, {}) and said != next(iter(result.values()), None):
        result["editor"] = said
    if not confirmed and applied.operation.function in CREATED_BY:
        result["unconfirmed"] = "The editor has not said which id it gave; this one is what Arrow gives."
    return result


def _table(project: ArrowProject, kind: str) -> dict[int, Any]:
    return project.document.table(kind.removesuffix("_id"))


def _without(result: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != kind}
