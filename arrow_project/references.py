"""``ref`` and ``use``: who uses what, as Arrow lists it on both sides."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from arrow_project.project_data import ProjectData
from arrow_project.values import Record, is_id, sequence


class _Users:
    """The ``use`` of a resource during an operation, which is written once: thousands of nodes may come and go."""

    def __init__(self, resource: Record) -> None:
        self.resource = resource
        self._stored: list[Any] = sequence(resource.get("use"))
        self._there = Counter(user for user in self._stored if is_id(user))
        self._gone: Counter[int] = Counter()  # of those that are stored
        self._added: dict[int, None] = {}
        self.count = len(self._stored)

    def __contains__(self, node_id: int) -> bool:
        return self._gone[node_id] < self._there[node_id] or node_id in self._added

    def add(self, node_id: int) -> None:
        """List a node that is not listed, as the last."""
        self._added[node_id] = None
        self.count += 1

    def drop(self, node_id: int) -> None:
        """Remove a node that is listed, where it stands first."""
        if self._gone[node_id] < self._there[node_id]:
            self._gone[node_id] += 1
        else:
            del self._added[node_id]
        self.count -= 1

    @property
    def has_lost(self) -> bool:
        """Whether somebody who was listed before is not any more."""
        return self._gone.total() > 0

    @property
    def added(self) -> Iterable[int]:
        """Who is listed now and was not before, in order."""
        return self._added

    def written(self) -> list[Any]:
        """All that is listed, in order."""
        gone, left = self._gone.copy(), list[Any]()
        for user in self._stored:
            if is_id(user) and gone[user]:
                gone[user] -= 1
            else:
                left.append(user)
        return [*left, *self._added]


class References:
    """Keeps the lists in line with data, for one operation.

    Whether a resource has a ``use`` is always true; who is listed there is, once ``write`` is called.
    """

    def __init__(self, project: ProjectData) -> None:
        self._document = project
        self._users: dict[int, _Users] = {}
        self._changed: dict[int, _Users] = {}
        self._named: dict[str, dict[str, int]] = {}

    def forget_names(self) -> None:
        """The name of a variable or a character is another now, or there is another one."""
        self._named.clear()

    def settle(self, node_id: int, node: Record, without: int | None = None) -> Record | None:
        """Derive ``ref`` from data, update ``use`` of the others; the command that says so to Arrow."""
        stored: list[Any] = sequence(node.get("ref"))
        known = {_key(r) for r in stored}
        wanted = dict.fromkeys(r for r in self._document.derived_references(node, self._by_name) if r != without)
        drop: dict[Any, Any] = {}
        for r in stored:
            if _key(r) not in wanted:
                drop.setdefault(_key(r), r)
        refer = [r for r in wanted if r not in known or not self._is_listed(node_id, r)]
        if not drop and not refer:
            return None
        for resource_id in drop.values():
            self.drop_use(node_id, resource_id)
        for resource_id in refer:
            self._add_use(node_id, resource_id)
        ref = [r for r in stored if _key(r) in wanted] + [r for r in refer if r not in known]
        if ref:
            self._document.journal.put(node, "ref", ref)
        elif "ref" in node:
            self._document.journal.drop(node, "ref")
        return {"drop": list(drop.values()), "refer": refer}

    def drop_use(self, node_id: int, resource_id: object) -> None:
        """Take a node out of a resource's users."""
        users = self._users_of(resource_id)
        if users is not None and node_id in users:
            users.drop(node_id)
            self._note(users)

    def write(self) -> None:
        """The operation is over: list who uses what."""
        for users in self._changed.values():
            if users.has_lost and users.count:
                self._document.journal.put(users.resource, "use", users.written())
            elif users.count:  # what is listed stays as it is, and is not kept once more for each operation
                for node_id in users.added:
                    self._document.journal.append(users.resource["use"], node_id)
        self._users.clear()
        self._changed.clear()

    def _is_listed(self, node_id: int, resource_id: int) -> bool:
        users = self._users_of(resource_id)
        return users is not None and node_id in users

    def _add_use(self, node_id: int, resource_id: int) -> None:
        users = self._users_of(resource_id)
        if users is not None and node_id not in users:
            users.add(node_id)
            self._note(users)

    def _note(self, users: _Users) -> None:
        self._changed[id(users)] = users
        if users.count and not isinstance(users.resource.get("use"), list):
            self._document.journal.put(users.resource, "use", [])
        elif not users.count and "use" in users.resource:
            self._document.journal.drop(users.resource, "use")

    def _users_of(self, resource_id: object) -> _Users | None:
        resource = self._document.resource(resource_id)
        if resource is None:
            return None
        if id(resource) not in self._users:
            self._users[id(resource)] = _Users(resource)
        return self._users[id(resource)]

    def _by_name(self, kind: str) -> dict[str, int]:
        if kind not in self._named:
            self._named[kind] = self._document.by_name(kind)
        return self._named[kind]


def _key(listed: Any) -> Any:
    """What an element of a list is told by: other programs may have written arrays and objects there."""
    return (repr(listed),) if isinstance(listed, list | dict) else listed
