"""``ref`` and ``use``: who uses what, as Arrow lists it on both sides."""

from typing import Any

from arrow_project.project_data import ProjectData
from arrow_project.values import Record, sequence


class References:
    """Keeps the lists in line with data."""

    def __init__(self, project: ProjectData) -> None:
        self._document = project

    def settle(self, node_id: int, node: Record, without: int | None = None) -> Record | None:
        """Derive ``ref`` from data, update ``use`` of the others; the command that says so to Arrow."""
        stored: list[Any] = sequence(node.get("ref"))
        wanted = [r for r in self._document.derived_references(node) if r != without]
        drop = [r for n, r in enumerate(stored) if r not in wanted and r not in stored[:n]]
        refer = [r for r in wanted if r not in stored or not self._is_listed(node_id, r)]
        if not drop and not refer:
            return None
        for resource_id in drop:
            self.drop_use(node_id, resource_id)
        for resource_id in refer:
            self._add_use(node_id, resource_id)
        kept = [r for r in stored if r in wanted]
        self._set_list(node, "ref", kept + [r for r in refer if r not in kept])
        return {"drop": drop, "refer": refer}

    def _is_listed(self, node_id: int, resource_id: int) -> bool:
        resource = self._document.resource(resource_id)
        return resource is not None and node_id in sequence(resource.get("use"))

    def drop_use(self, node_id: int, resource_id: object) -> None:
        """Take a node out of a resource's users."""
        resource = self._document.resource(resource_id)
        if resource is not None and node_id in sequence(resource.get("use")):
            users = list(resource["use"])
            users.remove(node_id)
            self._set_list(resource, "use", users)

    def _add_use(self, node_id: int, resource_id: int) -> None:
        resource = self._document.resource(resource_id)
        if resource is not None and node_id not in sequence(resource.get("use")):
            self._set_list(resource, "use", [*sequence(resource.get("use")), node_id])

    def _set_list(self, resource: Record, key: str, ids: list[Any]) -> None:
        if ids:
            self._document.journal.put(resource, key, ids)
        elif key in resource:
            self._document.journal.drop(resource, key)
