"""Taking a resource out of the nodes that use it, so that it can be removed without leaving dead ids."""

from collections.abc import Iterable

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.node_types.kinds import UNSET
from arrow_project.operations.editing import Editing, listed
from arrow_project.values import Record, shortened


def release(editing: Editing, kind: str, resource_id: int, *, force: bool, users: Iterable[int]) -> None:
    """Make the users forget the resource, if force says so.

    Raises:
        OperationError: RESOURCE_IN_USE, something uses it and force is not set.
    """
    ids = list(users)
    if not ids:
        return
    if not force:
        raise in_use(editing, kind, resource_id, ids)
    for node_id in ids:
        _detach(editing, node_id, kind, resource_id)
    editing.mind.settle_references(ids, without=resource_id)


def in_use(editing: Editing, kind: str, resource_id: int, users: list[int]) -> OperationError:
    """The error that names the users and the two ways out."""
    name = editing.project.name(kind, resource_id)
    return OperationError(
        ErrorCode.RESOURCE_IN_USE,
        f"The {kind} {resource_id} ({shortened(name)}) is used by nodes {listed(users)}. Change those first, "
        "or set force to true: then they lose the reference.",
        {"referenced_by": users, "used_by": users},
    )


def _detach(editing: Editing, node_id: int, kind: str, resource_id: int) -> None:
    project = editing.project
    node_type, data = project.node_type(node_id), project.data(node_id)
    if node_type is None:
        return
    change: Record = {f.name: UNSET for f, _ in node_type.reference_fields if data.get(f.name) == resource_id}
    if node_type.detach is not None:
        change |= node_type.detach(data, resource_id, editing)
    if change:
        editing.mind.update_node(node_id, data=change)
        editing.remark(f"Node {node_id} lost its {'target' if kind == 'node' else kind}.")
    elif kind in ("variable", "character"):
        name = project.name(kind, resource_id)
        editing.remark(f"The text of node {node_id} still says {{{shortened(name)}…}}.")
