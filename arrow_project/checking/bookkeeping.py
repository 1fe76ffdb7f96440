"""Invariants 35 to 39: use and ref, names."""

from collections import Counter

from arrow_project.checking.findings import Findings, found, ids_of, node_place
from arrow_project.document import Document
from arrow_project.names import is_safe
from arrow_project.values import Record

_KINDS = ("node", "scene", "variable", "character")


def bookkeeping(document: Document) -> Findings:
    """Lists of users and of what is used, and names."""
    broken: set[tuple[str, int]] = set()
    for kind in _KINDS:
        for key, resource in document.table(kind).items():
            for field in ("use", "ref"):
                if field in resource and not _is_list(resource[field]):
                    broken.add((field, key))
                    message = f"{field} must be a non-empty array of ids without repeats, or absent."
                    yield found(35, f"{kind} {key}", message)
    yield from _users(document, broken)
    yield from _references(document, broken)
    yield from _names(document)


def _is_list(value: object) -> bool:
    ids = ids_of(value)
    return bool(ids) and len(set(ids)) == len(ids)


def _listed(resource: Record | None, field: str) -> list[int]:
    return (ids_of(resource.get(field)) or []) if resource is not None else []


def _users(document: Document, broken: set[tuple[str, int]]) -> Findings:
    """Everyone in a use list must be a node whose ref says the same."""
    for kind in _KINDS:
        for key, resource in document.table(kind).items():
            for user in _listed(resource, "use"):
                if user not in document.nodes:
                    yield found(36, f"{kind} {key}", f"use names {user}, which is no node.")
                elif key not in _listed(document.nodes[user], "ref") and ("ref", user) not in broken:
                    yield found(36, f"{kind} {key}", f"use names node {user}, whose ref does not name it back.")


def _references(document: Document, broken: set[tuple[str, int]]) -> Findings:
    for node_id, node in document.nodes.items():
        if ("ref", node_id) in broken:
            continue
        stored = _listed(node, "ref")
        half = False
        for key in stored:
            resource = document.resource(key)
            if resource is None:
                yield found(36, node_place(document, node_id), f"ref names {key}, which does not exist.")
                half = True
            elif node_id not in _listed(resource, "use") and ("use", key) not in broken:
                yield found(36, node_place(document, node_id), f"ref names {key}, whose use does not name it back.")
                half = True
        if not half:
            yield from _derived(document, node_id, node, stored)


def _derived(document: Document, node_id: int, node: Record, stored: list[int]) -> Findings:
    wanted = document.derived_references(node)
    lacking = [key for key in wanted if key not in stored and node_id not in _listed(document.resource(key), "use")]
    extra = [key for key in stored if key not in wanted]
    if lacking or extra:
        message = f"ref {stored} must be what the data uses: {wanted}."
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
