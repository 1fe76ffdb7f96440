"""What Arrow does between reading a file and showing it: validate, migrate."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any, cast

from arrow_project.colliding import refuse_colliding
from arrow_project.errors import ParseError
from arrow_project.operation import Finding
from arrow_project.text_form import decode, fractions
from arrow_project.values import Record, is_id, is_within, place_of, record, shown

SETS = ("scenes", "nodes", "variables", "characters")
MANDATORY = {
    "scenes": ("name", "entry", "map"),
    "nodes": ("type", "name", "data"),
    "variables": ("name", "type", "init"),
    "characters": ("name", "color"),
}
_REQUIRED = {name: frozenset(keys) for name, keys in MANDATORY.items()}
MAX_ID = 2**53 - 1
MAX_CHAPTER = 1023
MOST_FINDINGS = 2_000
"""Of a kind that are named, at most: a small story can break rules two million times, and nobody reads all of that."""

_NAMES = ("name", "type")
# Characters, as many more than a new name has as may have come to it since: it is told with every change.
_LONGEST_NAME = 10_000
_TOP_LEVEL = ("title", "entry", "meta", "resources")
_ANONYMOUS = "Anonymous Contributor"


@dataclass
class Loaded:
    """A document as Arrow has it after loading, and what loading silently changed."""

    document: Record
    findings: list[Finding] = field(default_factory=list[Finding])


def load(text: str | bytes) -> Loaded:
    """Read, validate and migrate a document as Arrow does.

    Raises:
        ParseError: Arrow would refuse to load it; carries the rule and the place.
        TypeError: it is neither str nor bytes.
    """
    value, dropped = decode(text)
    if not isinstance(value, dict):
        raise ParseError("The text is JSON but not an object; an .arrow file is one JSON object.", 1)
    document = cast("Record", value)
    _validate(document)
    refuse_colliding(_ids(document))
    findings = [_fraction(place) for place in islice(fractions(text), MOST_FINDINGS + 1)] if dropped else []
    return Loaded(document, findings + _migrate(document))


def _ids(document: Record) -> list[int]:
    """The keys of all its tables, as they follow each other."""
    tables = [document["resources"][name] for name in SETS]
    tables += [scene["map"] for scene in tables[0].values()]
    return list(chain.from_iterable(tables))


def _fraction(place: str) -> Finding:
    return Finding(63, "error", place, "Arrow drops the fraction when it loads; write a whole number.")


def _validate(document: Record) -> None:
    for key in _TOP_LEVEL:
        if key not in document:
            raise ParseError(f'The document has no "{key}"; Arrow needs {", ".join(_TOP_LEVEL)}.', 3)
    _validate_resources(document)
    _validate_meta(document)
    nodes = document["resources"]["nodes"]
    if not is_id(document["entry"]) or document["entry"] not in nodes:
        message = f"The project's entry {shown(document['entry'])} is no node; it must be the id of one."
        raise ParseError(message, 17, "entry")


def _validate_resources(document: Record) -> None:
    resources = document["resources"]
    if not isinstance(resources, dict) or any(not isinstance(resources.get(name), dict) for name in SETS):
        raise ParseError(f"resources must hold the objects {', '.join(SETS)}.", 4, "resources")
    for name, table in cast("dict[Any, Any]", resources).items():
        if name not in MANDATORY:
            if table:
                message = f"Arrow knows no set of resources called {shown(name)}."
                raise ParseError(message, 4, place_of(("resources", name)))
            continue
        for key, resource in table.items():
            _validate_resource(name, key, resource)


def _validate_resource(name: str, key: object, resource: object) -> None:
    if _is_sound(name, key, resource):
        return
    place = place_of(("resources", name, key))
    if not is_id(key):
        raise ParseError(f"{shown(key)} is no id; ids are whole numbers without leading zeros.", 5, place)
    missing = [k for k in MANDATORY[name] if not isinstance(resource, dict) or k not in resource]
    if missing:
        raise ParseError(f"{place} lacks {', '.join(missing)}.", 9, place)
    content = record(resource)
    for field_name in _NAMES:
        if not _may_be_name(content.get(field_name)):
            message = f"The {field_name} of {place} has more than {_LONGEST_NAME:,} characters; choose a shorter one."
            raise ParseError(message, 1, f"{place}.{field_name}")
    if name == "nodes" and not isinstance(content["data"], dict):
        raise ParseError(f"The data of node {key} is not an object.", 11, f"{place}.data")
    if name == "scenes":
        _validate_map(content["map"], f"{place}.map")


def _is_sound(name: str, key: object, resource: object) -> bool:
    """Whether nothing needs a closer look, which is nearly always so."""
    if not is_id(key) or not isinstance(resource, dict) or name == "scenes":
        return False
    content = cast("Record", resource)
    if not content.keys() >= _REQUIRED[name] or not all(_may_be_name(content.get(each)) for each in _NAMES):
        return False
    return name != "nodes" or isinstance(content["data"], dict)


def _may_be_name(value: object) -> bool:
    return len(value) <= _LONGEST_NAME if isinstance(value, str) else is_within(value, _LONGEST_NAME)


def _validate_map(scene_map: object, place: str) -> None:
    if not isinstance(scene_map, dict):
        raise ParseError("A scene's map must be an object of node ids.", 10, place)
    for key, entry in cast("dict[Any, Any]", scene_map).items():
        if not is_id(key):
            raise ParseError(f"{shown(key)} is no id; ids are whole numbers without leading zeros.", 5, place)
        offset = record(entry).get("offset")
        if not isinstance(offset, list) or len(cast("list[Any]", offset)) != 2:
            raise ParseError(f"Node {key} needs an offset [x, y] in the map.", 10, f"{place}.{key}")


def _validate_meta(document: Record) -> None:
    meta = document["meta"]
    if not isinstance(meta, dict):
        raise ParseError("meta must be an object.", 3, "meta")
    seed = document.get("next_resource_seed")
    if is_id(seed) and seed >= 0:
        return
    _validate_authors(cast("Record", meta).get("authors"))
    epoch, chapter = cast("Record", meta).get("epoch"), cast("Record", meta).get("chapter")
    if not (is_id(epoch) and epoch > 0) and not (is_id(chapter) and 0 <= chapter <= MAX_CHAPTER):
        raise ParseError(f"meta.chapter must be a whole number from 0 to {MAX_CHAPTER}.", 13, "meta.chapter")


def _validate_authors(authors: object) -> None:
    if not isinstance(authors, dict):
        raise ParseError("meta.authors must be an object: author id to [info, seed].", 12, "meta.authors")
    for key, value in cast("dict[Any, Any]", authors).items():
        if not is_id(key) or not (isinstance(value, str) or _is_author(value)):
            message = f"Author {shown(key)} must be a whole number with [info, seed]."
            raise ParseError(message, 12, place_of(("meta", "authors", key)))


def _is_author(value: object) -> bool:
    match value:
        case [str(), seed, *_]:
            return is_id(seed)
        case _:
            return False


def _migrate(document: Record) -> list[Finding]:
    meta: Record = document["meta"]
    fresh_seed = -1 if integer_epoch(meta) else 0
    findings = list(_move_global_seed(document))
    authors: dict[int, Any] = meta["authors"]
    for key, value in authors.items():
        if isinstance(value, str):
            authors[key] = [value, fresh_seed]
    if not authors:
        authors[0] = [_ANONYMOUS, fresh_seed]
        findings.append(Finding(14, "error", "meta.authors", "There is no author; Arrow adds an anonymous one."))
    return findings


def integer_epoch(meta: Record) -> int:
    """The epoch of a document with time-based ids, otherwise 0."""
    epoch = meta.get("epoch")
    return epoch if is_id(epoch) and epoch > 0 else 0


def _move_global_seed(document: Record) -> Iterator[Finding]:
    if "next_resource_seed" not in document:
        if not isinstance(document["meta"].get("authors"), dict):
            document["meta"]["authors"] = {}
        return
    seed = document.pop("next_resource_seed")
    if not is_id(seed):
        raise ParseError("next_resource_seed must be a whole number.", 16, "next_resource_seed")
    document["meta"]["chapter"] = 0
    document["meta"]["authors"] = {0: [_ANONYMOUS, seed]}
    message = "A document of Arrow 1; loading replaced its authors by an anonymous one with this seed."
    yield Finding(16, "error", "next_resource_seed", message)
