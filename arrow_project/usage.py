"""Who uses what, derived from data alone: an index that follows every edit."""

from functools import partial
from typing import TYPE_CHECKING

from arrow_project.names import exposed
from arrow_project.node_types import NODE_TYPES
from arrow_project.values import Record, record, text

if TYPE_CHECKING:
    from arrow_project.document import Document

_Key = int | tuple[str, str]
_Index = dict[_Key, dict[int, None]]


class Usage:
    """Nodes by what their data names: an id in a field, or a name exposed in a text.

    Stored ``use`` lists are not believed: other programs write documents whose lists are stale.
    """

    def __init__(self, document: "Document") -> None:
        self._document = document
        self._index: _Index | None = None
        self._names: dict[str, int] = {}

    def users(self, kind: str, resource_id: int) -> list[int]:
        """Existing nodes whose data uses the resource, by id or by exposing its name."""
        users = dict(self._built().get(resource_id, {}))
        if kind in ("variable", "character"):
            users |= self._built().get((kind, self._document.name(kind, resource_id)), {})
        return sorted(users)

    def exposing(self, kind: str, name: str) -> list[int]:
        """Nodes whose texts expose the name as a variable or as a character."""
        return sorted(self._built().get((kind, name), {}))

    def has_name(self, name: str) -> bool:
        """Whether a node has the name."""
        self._built()
        return self._names.get(name, 0) > 0

    def added(self, node_id: int, node: Record) -> None:
        """A node has come, or its data or name is new."""
        if self._index is not None:
            for key in _keys(node):
                self._add(self._index, key, node_id)
            self._count(text(node["name"]), 1)

    def removed(self, node_id: int, node: Record) -> None:
        """A node goes, or its data or name is about to change."""
        if self._index is not None:
            for key in _keys(node):
                self._discard(self._index, key, node_id)
            self._count(text(node["name"]), -1)

    def prepare(self) -> None:
        """Build the index now, if it is not there."""
        self._built()

    def _built(self) -> _Index:
        if self._index is None:
            self._index, self._names = {}, {}
            for node_id, node in self._document.nodes.items():
                name = text(node["name"])
                self._names[name] = self._names.get(name, 0) + 1
                for key in _keys(node):
                    if key in self._index:
                        self._index[key][node_id] = None
                    else:
                        self._index[key] = {node_id: None}
            if self._document.journal.position:
                # whoever rolls back to before this moment meets an older document: build again then
                self._document.journal.note(self._forget)
        return self._index

    def _forget(self) -> None:
        self._index = None

    def _count(self, name: str, more: int) -> None:
        self._names[name] = self._names.get(name, 0) + more
        self._document.journal.note(partial(self._uncount, name, more))

    def _uncount(self, name: str, more: int) -> None:
        self._names[name] = self._names.get(name, 0) - more

    def _add(self, index: _Index, key: _Key, node_id: int) -> None:
        users = index.setdefault(key, {})
        if node_id not in users:
            users[node_id] = None
            self._document.journal.note(partial(users.pop, node_id, None))

    def _discard(self, index: _Index, key: _Key, node_id: int) -> None:
        users = index.get(key, {})
        if node_id in users:
            del users[node_id]
            self._document.journal.note(partial(users.setdefault, node_id, None))


def _keys(node: Record) -> list[_Key]:
    node_type = NODE_TYPES.get(text(node["type"]))
    if node_type is None:
        return []
    data = record(node["data"])
    keys: list[_Key] = [*node_type.references(data)]
    if texts := node_type.exposing(data):
        variables, characters = exposed(texts)
        keys += [("variable", name) for name in variables]
        keys += [("character", name) for name in characters]
    return keys
