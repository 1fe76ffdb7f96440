"""A yes with changes: which of the operations that were asked about are still wanted."""

import re
from collections.abc import Sequence

from agent.editing.duplicates import fold
from arrow_project import ArrowProject, Operation, OperationError, Selection, named_ids

_ONLY = re.compile(r"\b(?:only|just)\b", re.IGNORECASE)
# "just keep 12", "only 3, not 12", "keep all except 12": these turn round what the rest of the words would mean.
_KEEP = re.compile(r"\b(?:keep|leave|spare|not|no|don['’]?t|without|except)\b", re.IGNORECASE)
_KEEP_BUT = re.compile(r"\b(?:keep|leave|spare)\b.*\b(?:but|except|without|not)\b", re.IGNORECASE | re.DOTALL)
_KINDS = ("node", "scene", "variable", "character")


def mentioned_ids(project: ArrowProject, words: str) -> set[int]:
    """Ids of what the words name, by number or by name."""
    document = project.document
    numbers = {int(number) for number in re.findall(r"\d{1,18}", words)}
    found = {number for number in numbers if document.is_used(number)}
    text = f" {fold(words)} "
    for kind in _KINDS:
        for key, resource in document.table(kind).items():
            name = fold(str(resource["name"]))
            if len(name) > 1 and not name.isdigit() and f" {name} " in text:
                found.add(key)
    return found


def amended(project: ArrowProject, operations: Sequence[Operation], words: str) -> tuple[Operation, ...] | None:
    """The operations that are left: all but those that touch what is named, or, after "only", just those.

    None where the words name nothing that any of them touches, and where they may be meant either way.
    """
    named = mentioned_ids(project, words)
    touching = [operation for operation in operations if _touched(project, operation) & named]
    only = _ONLY.search(words) is not None
    if not touching or (only and _KEEP.search(words)) or _KEEP_BUT.search(words):
        return None
    if only:
        return _possible(project, touching)
    return _possible(project, [operation for operation in operations if operation not in touching])


def _touched(project: ArrowProject, operation: Operation) -> set[int]:
    ids = named_ids(operation.arguments)
    if operation.function == "delete_scene":
        ids |= {node for scene in ids if scene in project.document.scenes for node in project.document.scene_map(scene)}
    return ids


def _possible(project: ArrowProject, operations: Sequence[Operation]) -> tuple[Operation, ...]:
    """Those that can be done without the others, one after the other."""
    tried, left = project.copy(), list[Operation]()
    for operation in operations:
        try:
            left.append(tried.apply(operation, Selection()).operation)
        except OperationError:
            continue
    return tuple(left)
