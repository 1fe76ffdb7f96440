"""No second Elena: a name that only its spelling tells from an existing one."""

from agent.editing.editor import Failure
from arrow_project import ArrowProject, ErrorCode, Operation, fold

_KINDS = {
    "create_character": "character",
    "update_character": "character",
    "create_variable": "variable",
    "update_variable": "variable",
}

_LONGEST = 1000  # characters of what anybody would take for a name; to fold megabytes would halt everybody


def find_duplicate(project: ArrowProject, operation: Operation) -> Failure | None:
    """Why the operation would make a second one of the same name in another spelling; None when it would not."""
    kind, name = _KINDS.get(operation.function), operation.arguments.get("name")
    if kind is None or not isinstance(name, str) or len(name) > _LONGEST or not (folded := fold(name)):
        return None
    own = {operation.arguments.get(f"{kind}_id"), operation.arguments.get("by_name")}
    for known_id, resource in project.data.table(kind).items():
        known = str(resource["name"])
        if len(known) > _LONGEST or known == name or fold(known) != folded:
            continue
        if not own & {known_id, str(known_id), known}:
            return Failure(
                ErrorCode.PERMISSION_DENIED,
                f"There is a {kind} {known} already, id {known_id}; {name} is the same name in another spelling. "
                f"Use {known_id}, or choose a name that is really another one.",
                {"existing_id": known_id},
            )
    return None
