"""Who uses what, derived from data alone: an index that follows every edit."""

from dataclasses import dataclass, field
from functools import partial

from arrow_project.journal import Journal
from arrow_project.names import exposed
from arrow_project.node_types import NODE_TYPES
from arrow_project.values import Record, Table, distinct, record, text

_BYTES_OF_KEY, _BYTES_OF_USER = 350, 60  # of what is used, and of each node that uses it

_Key = int | tuple[str, str]


@dataclass(frozen=True)
class _Index:
    """Nodes by what they use, and how many nodes have a name."""

    users: dict[_Key, dict[int, None]] = field(default_factory=dict["_Key", dict[int, None]])
    names: dict[str, int] = field(default_factory=dict[str, int])


class UsageIndex:
    """Nodes by what their data names: an id in a field, or a name exposed in a text.

    Stored ``use`` lists are not believed: other programs write documents whose lists are stale. What undoes an edit
    knows only the index, so that a project which nobody needs any more is freed at once, and not by the garbage
    collector, which would halt everything else for longer the more documents there are.
    """

    def __init__(self, nodes: Table, variables: Table, characters: Table, journal: Journal) -> None:
        self._nodes = nodes
        self._named = {"variable": variables, "character": characters}
        self._journal = journal
        self._index: list[_Index] = []  # one, or none that is valid

    def users(self, kind: str, resource_id: int) -> list[int]:
        """Existing nodes whose data uses the resource, by id or by exposing its name."""
        index = self._built().users
        users, exposing = index.get(resource_id, {}), dict[int, None]()
        if kind in self._named:
            name = text(self._named[kind].get(resource_id, {}).get("name"))
            exposing = index.get((kind, name), exposing)
        return sorted(distinct([*users, *exposing]) if exposing else users)

    def exposing(self, kind: str, name: str) -> list[int]:
        """Nodes whose texts expose the name as a variable or as a character."""
        return sorted(self._built().users.get((kind, name), {}))

    def has_name(self, name: str) -> bool:
        """Whether a node has the name."""
        return self._built().names.get(name, 0) > 0

    def added(self, node_id: int, node: Record) -> None:
        """A node has come."""
        for index in self._index:
            for key in _keys(node):
                self._add(index, key, node_id)
            self._count(index, text(node["name"]), 1)

    def removed(self, node_id: int, node: Record) -> None:
        """A node goes."""
        for index in self._index:
            for key in _keys(node):
                self._discard(index, key, node_id)
            self._count(index, text(node["name"]), -1)

    def changed(self, node_id: int, old: Record, new: Record) -> None:
        """A node's data or name is another now; only what differs is noted, as a text may expose a million names."""
        for index in self._index:
            was, now = dict.fromkeys(_keys(old)), dict.fromkeys(_keys(new))
            for key in was:
                if key not in now:
                    self._discard(index, key, node_id)
            for key in now:
                if key not in was:
                    self._add(index, key, node_id)
            if (name := text(old["name"])) != text(new["name"]):
                self._count(index, name, -1)
                self._count(index, text(new["name"]), 1)

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        return sum(_BYTES_OF_KEY + _BYTES_OF_USER * len(users) for one in self._index for users in one.users.values())

    def prepare(self) -> None:
        """Build the index now, if it is not there."""
        self._built()

    def _built(self) -> _Index:
        if not self._index:
            index = _Index()
            for node_id, node in self._nodes.items():
                name = text(node["name"])
                index.names[name] = index.names.get(name, 0) + 1
                for key in _keys(node):
                    if key in index.users:
                        index.users[key][node_id] = None
                    else:
                        index.users[key] = {node_id: None}
            self._index.append(index)
            if self._journal.position:
                # whoever rolls back to before this moment meets an older project: build again then
                self._journal.note(self._index.clear)
        return self._index[0]

    def _count(self, index: _Index, name: str, more: int) -> None:
        _add_to(index.names, name, more)
        self._journal.note(partial(_add_to, index.names, name, -more))

    def _add(self, index: _Index, key: _Key, node_id: int) -> None:
        if node_id not in index.users.get(key, ()):
            _put(index.users, key, node_id)
            self._journal.note(partial(_take, index.users, key, node_id))

    def _discard(self, index: _Index, key: _Key, node_id: int) -> None:
        if node_id in index.users.get(key, ()):
            _take(index.users, key, node_id)
            self._journal.note(partial(_put, index.users, key, node_id))


def _put(users: dict[_Key, dict[int, None]], key: _Key, node_id: int) -> None:
    users.setdefault(key, {})[node_id] = None


def _take(users: dict[_Key, dict[int, None]], key: _Key, node_id: int) -> None:
    del users[key][node_id]
    if not users[key]:  # else a story would keep whatever it has ever exposed
        del users[key]


def _add_to(counts: dict[str, int], name: str, more: int) -> None:
    counts[name] = counts.get(name, 0) + more
    if not counts[name]:
        del counts[name]


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
