"""What the editor answered, compared with what the shadow expected."""

import logging
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, cast

from agent.editing.editor import Failure, Outcome
from agent.turn.thread import in_thread_if_large
from arrow_project import ArrowProject, OperationResult, ParseError, differences, parse

logger = logging.getLogger(__name__)

_SURPRISES_SHOWN = 10
_UNCERTAIN = "The editor's project does not show which of its new things this is: look for it before you go on."
_MOVED = re.compile(r"^~ node \d+ moved to ")

# What the id is called in the result of an operation that creates something.
CREATED_BY = {
    "create_insert_node": "node_id",
    "create_scene": "scene_id",
    "create_variable": "variable_id",
    "create_character": "character_id",
}


def reported_ids(applied: OperationResult, outcome: Outcome) -> tuple[int, ...]:
    """The ids of what a client says it has created, the first of them first; a scene brings its entry along.

    A client answers a number, a result with the names of ours, or a text without any id.
    """
    kind, result = CREATED_BY.get(applied.operation.function), outcome.result
    if kind is None:
        return ()
    given = cast("dict[str, Any]", result) if isinstance(result, dict) else {kind: result}
    first = _whole(given.get(kind))
    entry = _whole(given.get("entry_node_id")) if "entry_node_id" in applied.result else None
    if entry is not None:
        return (applied.result[kind] if first is None else first, entry)
    return () if first is None else (first,)


def _whole(found: Any) -> int | None:
    if isinstance(found, float) and found.is_integer():
        return int(found)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


async def reported_project(outcome: Outcome) -> ArrowProject | None:
    """The project that the editor reported; None where it reported none that can be read."""
    if outcome.content is None:
        return None
    try:
        return await in_thread_if_large(len(outcome.content), parse, outcome.content)
    except ParseError as error:
        logger.warning("the editor reported content that is not an .arrow project: rule %s", error.rule)
        return None


def refusal(applied: OperationResult, outcome: Outcome, reported: ArrowProject | None) -> Failure | None:
    """Why the operation was not done. An editor may answer success and `false`, or delete nothing and say nothing."""
    if not outcome.success:
        return outcome.failure or Failure("EDITOR_ERROR", "The editor refused and gave no reason.")
    if not applied.operation.function.startswith("delete_") or "removed_id" not in applied.result:
        return None
    kind, resource_id = applied.operation.function.removeprefix("delete_"), applied.result["removed_id"]
    if reported is None:
        return _not_deleted(kind, resource_id, []) if outcome.result is False else None
    if resource_id not in _table(reported, kind):
        return None
    return _not_deleted(kind, resource_id, list(reported.data.usage.users(kind, resource_id)))


def _not_deleted(kind: str, resource_id: int, users: list[int]) -> Failure:
    why = f"still referenced by {', '.join(map(str, users))}" if users else "it gave no reason"
    details = {"referenced_by": users} if users else {}
    return Failure("RESOURCE_IN_USE", f"The editor did not delete {kind} {resource_id}: {why}.", details)


def surprises(expected: ArrowProject, reported: ArrowProject) -> list[str]:
    """What the editor has made differently, a line for each; where it puts nodes is its own business."""
    author = expected.data.active_author
    if author in reported.data.authors:
        reported.data.active_author = author  # the file does not say who is working
    lines = (line for line in differences(expected, reported) if not _MOVED.search(line))
    shown = [*islice(lines, _SURPRISES_SHOWN)]
    if shown:
        logger.info("the editor's project differs from what was expected in %s places or more", len(shown))
    return shown


def as_reported(
    applied: OperationResult, outcome: Outcome, expected: ArrowProject, reported: ArrowProject
) -> OperationResult:
    """The result with the id that the reported project really has for what was created.

    Where it has several things that are new, as what the user has made meanwhile may be, and the editor does not say
    which one it has made, it is the one that is as it was asked for.
    """
    kind = CREATED_BY.get(applied.operation.function)
    if kind is None:
        return applied
    made, asked_for = applied.result[kind], _table(expected, kind)
    table = _table(reported, kind)
    new = table.keys() - (asked_for.keys() - {made})
    if made in new and (len(new) == 1 or reported_ids(applied, outcome)):
        return applied
    if len(new) > 1:
        new = {key for key in new if _says_all_of(kind, table[key], asked_for[made])}
    if len(new) != 1:
        return replace(applied, result=applied.result | {"remark": _UNCERTAIN}, created=())
    created = new.pop()
    if created == made:
        return applied
    nodes = (created,) if kind == "node_id" else ()
    return replace(applied, result={kind: created, **_without(applied.result, kind)}, created=nodes)


def ids_made(applied: OperationResult) -> tuple[int, ...]:
    """The ids of what an operation makes, in the order that it does; none of those that take whatever id comes."""
    kind, result = CREATED_BY.get(applied.operation.function), applied.result
    return () if kind is None else tuple(result[key] for key in (kind, "entry_node_id") if key in result)


def is_there(story: ArrowProject, expected: ArrowProject, applied: OperationResult, outcome: Outcome) -> bool:
    """Whether a story has what an operation creates."""
    kind, (made, *_) = CREATED_BY[applied.operation.function], ids_made(applied)
    there = _table(story, kind).get(made)
    if there is None or reported_ids(applied, outcome):
        return there is not None
    return _says_all_of(kind, there, _table(expected, kind)[made])


def _says_all_of(kind: str, record: dict[str, Any], asked_for: dict[str, Any]) -> bool:
    fields = ("type", "data") if kind == "node_id" else ("name",)
    return all(record.get(field) == asked_for.get(field) for field in fields)


def result_for_model(
    applied: OperationResult, outcome: Outcome, differences: Sequence[str], *, confirmed: bool
) -> dict[str, Any]:
    """What the model reads of an executed operation: the id first, then what the editor itself said."""
    result = dict(applied.result)
    said = outcome.result
    if isinstance(said, dict):
        said = {name: value for name, value in cast("dict[str, Any]", said).items() if result.get(name) != value}
    if said not in (None, "", True, {}) and said != next(iter(result.values()), None):
        result["editor"] = said
    result |= {name: value for name, value in outcome.remarks.items() if name not in result}
    if differences:
        result["not_as_expected"] = list(differences)
    if not confirmed and applied.operation.function in CREATED_BY:
        result["unconfirmed"] = "The editor has not said which id it gave; this one is what Arrow gives."
    return result


def _table(project: ArrowProject, kind: str) -> dict[int, Any]:
    return project.data.table(kind.removesuffix("_id"))


def _without(result: dict[str, Any], kind: str) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name != kind}
