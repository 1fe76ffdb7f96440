"""What texts an update would replace."""

from collections.abc import Iterator
from typing import Any, cast

from arrow_project import ArrowProject, OperationResult, Selection

_UPDATED = {"update_node": "node", "update_variable": "variable", "update_character": "character"}


def replaced_texts(
    project: ArrowProject, checkpoint: int, applied: OperationResult, selection: Selection
) -> tuple[str, ...]:
    """Texts that were there before the operation and are in nothing that it has written.

    Args:
        project: The project with the operation applied; it is taken back for a moment and applied again.
        checkpoint: From before the operation.
        applied: What the operation did.
        selection: With which it was applied.
    """
    if not applied.operation.function.startswith("update_"):
        return ()
    targets = {
        (kind, call.arguments[f"{kind}_id"]) for call in applied.calls if (kind := _UPDATED.get(call.function, ""))
    }
    after = [text for kind, key in targets for text in _texts_of(project, kind, key)]
    project.rollback(checkpoint)
    before = [text for kind, key in targets for text in _texts_of(project, kind, key)]
    project.apply(applied.operation, selection)
    return tuple(text for text in before if not any(text in other for other in after))


def _texts_of(project: ArrowProject, kind: str, resource_id: int) -> Iterator[str]:
    resource = project.document.table(kind)[resource_id]
    yield from _strings(resource.get("data", {}))
    yield from _strings(resource.get("notes", ""))
    yield from _strings(resource.get("init", ""))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for field in cast("dict[Any, Any]", value).values():
            yield from _strings(field)
    elif isinstance(value, list):
        for item in cast("list[Any]", value):
            yield from _strings(item)
