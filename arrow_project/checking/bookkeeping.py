"""Invariants 35 to 39: use and ref, names."""

from collections import Counter

from arrow_project.checking.findings import Findings, found, ids_of, node_place
from arrow_project.document import Document
from arrow_project.names import is_safe

_KINDS = ("node", "scene", "variable", "character")


def bookkeeping(document: Document) -> Findings:
    """Lists of users and of what is used, and names."""
    lists = _Lists(document)
    for (field, _), place in lists.broken.items():
        yield found(35, place, f"{field} must be a non-empty array of ids without repeats, or absent.")
    yield from _users(document, lists)
    yield from _references(document, lists)
    yield from _names(document)


class _Lists:
    """The use and ref lists of all resources, as sets.

    Attributes:
        use, ref: ids by the id of the resource that has the list; nothing for a broken list.
        broken: places of the lists that are none, by field and id.
    """

    def __init__(self, document: Document) -> None:
        self.broken: dict[tuple[str, int], str] = {}
        self.use: dict[int, set[int]] = {}
        self.ref: dict[int, set[int]] = {}
        for kind in _KINDS:
            for key, resource in document.table(kind).items():
                for field, lists in (("use", self.use), ("ref", self.ref)):
                    if field in resource:
                        self._take(field, key, resource[field], lists, f"{kind} {key}")

    def _take(self, field: str, key: int, value: object, lists: dict[int, set[int]], place: str) -> None:
        ids = ids_of(value)
        unique = set(ids or ())
        if not ids or len(unique) < len(ids):
            self.broken[field, key] = place
        lists[key] = unique

    def names_back(self, user: int, key: int) -> bool:
        """Whether a user's ref names the resource (or cannot be read)."""
        return key in self.ref.get(user, ()) or ("ref", user) in self.broken

    def is_listed(self, user: int, key: int) -> bool:
        """Whether a resource's use names the user (or cannot be read)."""
        return user in self.use.get(key, ()) or ("use", key) in self.broken


def _users(document: Document, lists: _Lists) -> Findings:
    """Everyone in a use list must be a node whose ref says the same."""
    for kind in _KINDS:
        for key in document.table(kind):
            for user in lists.use.get(key, ()):
                if user not in document.nodes:
                    yield found(36, f"{kind} {key}", f"use names {user}, which is no node.")
                elif not lists.names_back(user, key):
                    yield found(36, f"{kind} {key}", f"use names node {user}, whose ref does not name it back.")


def _references(document: Document, lists: _Lists) -> Findings:
    names = document.exposable()
    for node_id, node in document.nodes.items():
        if ("ref", node_id) in lists.broken:
            continue
        stored = lists.ref.get(node_id, set[int]())
        half = [key for key in stored if not lists.is_listed(node_id, key)]
        for key in half:
            state = "which does not exist" if not document.is_used(key) else "whose use does not name it back"
            yield found(36, node_place(document, node_id), f"ref names {key}, {state}.")
        if not half:
            wanted = document.derived_references(node, names)
            lacking = [key for key in wanted if key not in stored and not lists.is_listed(node_id, key)]
            if lacking or not stored <= set(wanted):
                message = f"ref {sorted(stored)} must be what the data uses: {wanted}."
                yield found(37, node_place(document, node_id), message)


def _names(document: Document) -> Findings:
    for kind in _KINDS:
        table = document.table(kind)
        counts = Counter(str(resource["name"]) for resource in table.values())
        for key, resource in table.items():
            name = resource["name"]
            if kind in ("variable", "character") and not (isinstance(name, str) and is_safe(name)):
                yield found(39, f"{kind} {key}", f"The name {name!r} must be non-empty and safe to stand in braces.")
            elif not isinstance(name, str):
                yield found(38, f"{kind} {key}", f"The name {name!r} must be a text.")
            elif counts[name] > 1:
                counts[name] = 0
                yield found(38, f"{kind} {key}", f"The name {name!r} is used more than once among {kind}s.")
