"""Invariants 35 to 39: use and ref, names."""

from collections import Counter
from collections.abc import Sequence

from arrow_project.checking.findings import Findings, found, ids_of
from arrow_project.checking.survey import Survey
from arrow_project.document import Document
from arrow_project.names import is_safe

_NONE: tuple[int, ...] = ()
_KINDS = ("node", "scene", "variable", "character")


def bookkeeping(survey: Survey) -> Findings:
    """Lists of users and of what is used, and names."""
    document = survey.document
    lists = _Lists(document)
    for (field, _), place in lists.broken.items():
        yield found(35, place, f"{field} must be a non-empty array of ids without repeats, or absent.")
    yield from _users(document, lists)
    yield from _references(survey, lists)
    yield from _names(document)


class _Lists:
    """The use and ref lists of all resources.

    Attributes:
        use, ref: ids by the id of the resource that has the list; nothing for what is no list of ids.
        broken: places of the lists that are none, by field and id.
    """

    def __init__(self, document: Document) -> None:
        self.broken: dict[tuple[str, int], str] = {}
        self.use: dict[int, set[int]] = {}
        self.ref: dict[int, list[int]] = {}
        for kind in _KINDS:
            for key, resource in document.table(kind).items():
                if "use" in resource:
                    self.use[key] = set(self._ids("use", kind, key, resource["use"]))
                if "ref" in resource:
                    self.ref[key] = self._ids("ref", kind, key, resource["ref"])

    def _ids(self, field: str, kind: str, key: int, value: object) -> list[int]:
        ids = ids_of(value)
        if not ids or len(set(ids)) < len(ids):
            self.broken[field, key] = f"{kind} {key}"
        return ids

    def is_listed(self, user: int, key: int) -> bool:
        """Whether a resource's use names the user (or cannot be read)."""
        return user in self.use.get(key, _NONE) or ("use", key) in self.broken


def _users(document: Document, lists: _Lists) -> Findings:
    """Everyone in a use list must be a node whose ref says the same."""
    for kind in _KINDS:
        for key in document.table(kind):
            for user in lists.use.get(key, _NONE):
                if key in lists.ref.get(user, _NONE):
                    continue
                if user not in document.nodes:
                    yield found(36, f"{kind} {key}", f"use names {user}, which is no node.")
                elif ("ref", user) not in lists.broken:
                    yield found(36, f"{kind} {key}", f"use names node {user}, whose ref does not name it back.")


def _references(survey: Survey, lists: _Lists) -> Findings:
    document = survey.document
    for node_id, seen in survey.nodes.items():
        stored = lists.ref.get(node_id, _NONE)
        wanted = seen.references
        if not stored and not wanted:
            continue
        half = [key for key in stored if node_id not in lists.use.get(key, _NONE) and ("use", key) not in lists.broken]
        if (not half and {*stored} == {*wanted}) or ("ref", node_id) in lists.broken:
            continue
        for key in half:
            state = "which does not exist" if not document.is_used(key) else "whose use does not name it back"
            yield found(36, seen.place, f"ref names {key}, {state}.")
        if not half and (problem := _underived(node_id, stored, wanted, lists)):
            yield found(37, seen.place, problem)


def _underived(node_id: int, stored: Sequence[int], wanted: Sequence[int], lists: _Lists) -> str:
    # what is listed as a user without naming it back was reported with the use list
    lacking = any(key not in stored and not lists.is_listed(node_id, key) for key in wanted)
    if not lacking and set(stored) <= set(wanted):
        return ""
    return f"ref {sorted(stored)} must be what the data uses: {list(wanted)}."


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
