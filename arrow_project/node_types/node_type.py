"""What a node type is: an entry of the table."""

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from propcache import cached_property

from arrow_project.names import near
from arrow_project.node_types.kinds import Kind, Rect, Reference, Schema, Scope, mismatch
from arrow_project.values import Record, is_id, shortened

Slots = Callable[[Record], int]


@dataclass(frozen=True)
class Field:
    """One field of a type's native data that is converted by itself.

    Attributes:
        name: the native key.
        kind: how its value is converted and checked.
        default: what Arrow writes into a fresh node.
        said: the key in the simplified form.
        also: other keys that are understood.
        optional: absent means the default, and the default is not written.
        exposes: the texts may name variables and characters.
        rule: the invariant that a wrong value breaks.
        description: for the tool's schema.
    """

    name: str
    kind: Kind
    default: Any
    said: str
    rule: int
    also: tuple[str, ...] = ()
    optional: bool = False
    exposes: bool = False
    description: str = ""


@dataclass(frozen=True)
class Part:
    """A node to be made: its native type and complete native data."""

    type: str
    data: Record


@dataclass(frozen=True)
class Blueprint:
    """What simplified data becomes: mostly one node, sometimes several.

    Attributes:
        parts: the nodes, the first of which is entered.
        links: inner connections: part, native slot, part.
        exits: where each path leaves (part, slot as the tools count); empty: by the last part's own slots.
    """

    parts: tuple[Part, ...]
    links: tuple[tuple[int, int, int], ...] = ()
    exits: tuple[tuple[int, int], ...] = ()


def chain(*parts: Part) -> Blueprint:
    """Parts in a row, each continuing at the next."""
    return Blueprint(parts, tuple((i, 0, i + 1) for i in range(len(parts) - 1)))


Lower = Callable[[Record, Scope], Blueprint]
Lift = Callable[[Record, Scope], Record]
Detach = Callable[[Record, int, Scope], Record]
Outdated = Callable[[Record, Record, Scope], Iterable[str]]
Problems = Callable[[Record, Scope], "Iterator[DataProblem]"]


class DataProblem(NamedTuple):
    """What is wrong with native data: the broken rule, a sentence, and the fields that are to blame."""

    rule: int
    sentence: str
    fields: tuple[str, ...]


def one(_data: Record) -> int:
    """One slot."""
    return 1


def none(_data: Record) -> int:
    """No slot."""
    return 0


@dataclass(frozen=True)
class NodeType:
    """A node type of Arrow.

    Attributes:
        name: as in documents.
        summary: for the tools: what it does and what its slots mean there.
        fields: the fields converted one by one.
        inputs, outputs: slots as functions of the data.
        reversed: Arrow counts the two exits the other way round than the tools.
        said: schema of further simplified keys that ``lower`` understands.
        rewrite: conversion where fields alone do not do; ``lift`` is its way back.
        outdated: of a change, the keys of the present simplified data that the named ones put out of force.
        own_fields: the native fields that ``rewrite`` makes.
        own_references: resources named inside of such fields, beside a reference field.
        own_problems: what is wrong with such fields, alone and together.
        detach: the change of data that makes it forget a resource, beyond unsetting reference fields.
        expects: the reference a node is useless without.
        decides: the field that those of ``rewrite`` must fit.
        exposures_first: Arrow lists what the texts expose before the character.
        complete: the invariant that a missing field breaks, if it is another than a wrong one breaks.
        counted: the field that decides how many slots there are, if one does.
    """

    name: str
    summary: str
    fields: tuple[Field, ...] = ()
    inputs: Slots = one
    outputs: Slots = one
    reversed: bool = False
    said: Schema = field(default_factory=dict[str, Any])
    rewrite: Lower | None = None
    rewrite_lift: Lift | None = None
    outdated: Outdated | None = None
    own_fields: tuple[Field, ...] = ()
    own_references: Callable[[Record], list[object]] | None = None
    own_problems: Problems | None = None
    detach: Detach | None = None
    expects: str = ""
    decides: str = ""
    exposures_first: bool = False
    complete: int = 0
    counted: str = ""

    @cached_property
    def native_fields(self) -> tuple[Field, ...]:
        """All fields of the native data, in Arrow's order."""
        return self.fields + self.own_fields

    @cached_property
    def reference_fields(self) -> tuple[tuple[Field, Reference], ...]:
        """Those that hold the id of a resource."""
        return tuple((f, f.kind) for f in self.native_fields if isinstance(f.kind, Reference))

    @cached_property
    def referring(self) -> frozenset[str]:
        """The fields that a node's references follow from."""
        own = {f.name for f in self.own_fields} if self.own_references is not None else set[str]()
        return frozenset({f.name for f, _ in self.reference_fields} | {*self._exposing} | own)

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(f.name for f in self.native_fields if not f.optional)

    @cached_property
    def _exposing(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.native_fields if f.exposes)

    def fresh(self) -> Record:
        """The data Arrow gives a new node of this type, colours aside."""
        return {f.name: _copied(f.default) for f in self.native_fields}

    def lower(self, given: Record, scope: Scope) -> Blueprint:
        """The native form of simplified data, complete; optional fields at their default are None.

        Raises:
            OperationError: an unknown field, a wrong value, a missing resource.
        """
        return self._lower(self.canonical(given), scope)

    def lower_update(self, data: Record, given: Record, scope: Scope) -> Blueprint:
        """As ``lower``, for a partial change of existing native data: what is not named stays as it is, right or wrong.

        Raises:
            OperationError: as ``lower``.
        """
        named = self.canonical(given)
        if self.rewrite is None or named.keys().isdisjoint(self._deciding):
            return self._boxed(Blueprint((Part(self.name, self._changed_fields(data, named, scope)),)), named, scope)
        said = self.lift(data, scope)
        for key in self.outdated(said, named, scope) if self.outdated is not None else ():
            said.pop(key, None)
        return self._lower(said | named, scope)

    @cached_property
    def _deciding(self) -> frozenset[str]:
        """The simplified keys that the fields of ``rewrite`` follow from."""
        return frozenset(self.said) | {self.decides}

    def _changed_fields(self, data: Record, named: Record, scope: Scope) -> Record:
        simple = {f.name for f in self.fields}
        changed: Record = {}
        for f in self.native_fields:
            if f.name in simple and f.said in named:
                value = f.kind.lower(f.said, named[f.said], scope)
            else:
                value = copy.deepcopy(data.get(f.name, f.default))
            changed[f.name] = None if f.optional and value == f.default else value
        return changed

    def _lower(self, given: Record, scope: Scope) -> Blueprint:
        if self.rewrite is not None:
            blueprint = self.rewrite(given, scope)
        else:
            blueprint = Blueprint((Part(self.name, self.lower_fields(given, scope)),))
        return self._boxed(blueprint, given, scope)

    def _boxed(self, blueprint: Blueprint, given: Record, scope: Scope) -> Blueprint:
        """With the size of the box, where that is no field of the type."""
        if "rect" in given and "rect" not in {f.said for f in self.fields}:
            blueprint.parts[0].data["rect"] = Rect().lower("rect", given["rect"], scope)
        return blueprint

    def lower_fields(self, given: Record, scope: Scope) -> Record:
        """The fields converted one by one."""
        data: Record = {}
        for f in self.fields:
            value = f.kind.lower(f.said, given[f.said], scope) if f.said in given else _copied(f.default)
            data[f.name] = None if f.optional and value == f.default else value
        return data

    def lift(self, data: Record, scope: Scope) -> Record:
        """The simplified form of native data."""
        said = self.lift_fields(data)
        if self.rewrite_lift is not None:
            said |= self.rewrite_lift(data, scope)
        if "rect" in data:
            said["rect"] = data["rect"]
        return said

    def lift_fields(self, data: Record) -> Record:
        """The fields shown one by one; optional ones only where they differ from the default."""
        return {
            f.said: f.kind.lift(data[f.name])
            for f in self.fields
            if f.name in data and not (f.optional and data[f.name] == f.default)
        }

    def references(self, data: Record) -> list[int]:
        """Ids of the resources named by fields, in Arrow's order, without repeats."""
        ids: list[int] = []
        for f, _ in self.reference_fields:
            value = data.get(f.name)
            if is_id(value) and value >= 0:
                ids.append(value)
        if self.own_references is not None:
            ids += [r for r in self.own_references(data) if is_id(r) and r >= 0]
        return ids if len(ids) < _SEVERAL else list(dict.fromkeys(ids))

    def exposing(self, data: Record) -> list[str]:
        """The texts that do expose something, as far as a brace tells."""
        found: list[str] = []
        for name in self._exposing:
            value = data.get(name)
            if isinstance(value, str):
                if "{" in value:
                    found.append(value)
            elif isinstance(value, list):
                found += [said for said in cast("list[object]", value) if isinstance(said, str) and "{" in said]
        return found

    def problems(self, data: Record, scope: Scope) -> Iterator[DataProblem]:
        """What is wrong with native data, one problem per mistake."""
        complete = self._required <= data.keys()
        if not complete:
            yield from self._missing(data)
        for f in self.native_fields:
            if f.name in data and (problem := f.kind.problem(data[f.name])):
                yield DataProblem(f.rule, f"{f.name} {problem}", (f.name,))
        if complete and self.own_problems is not None:
            yield from self.own_problems(data, scope)

    def _missing(self, data: Record) -> Iterator[DataProblem]:
        """Fields that are not there; those of one rule are one mistake."""
        by_rule: dict[int, list[str]] = {}
        for f in self.native_fields:
            if f.name in self._required and f.name not in data:
                by_rule.setdefault(self.complete or f.rule, []).append(f.name)
        for rule, names in by_rule.items():
            verb = "is" if len(names) == 1 else "are"
            yield DataProblem(rule, f"{', '.join(names)} {verb} missing", tuple(names))

    def schema(self) -> Schema:
        """JSON schema of the simplified data."""
        properties: Schema = {}
        for f in self.fields:
            described = {"description": f.description} if f.description else {}
            properties[f.said] = f.kind.schema | described
        return {"type": "object", "properties": properties | self.said}

    def canonical(self, given: Record) -> Record:
        """Simplified data under the keys of the schema.

        Raises:
            OperationError: a key that this type does not have.
        """
        names = {name: f.said for f in self.fields for name in (f.said, f.name, *f.also)}
        names |= {name: name for name in (*self.said, "rect")}
        for name in given:
            if name not in names:
                raise mismatch(_unknown(self.name, name, set(names.values()) - {"rect"}))
        return {names[name]: value for name, value in given.items()}


_SEVERAL = 2


def _unknown(type_name: str, name: str, known: set[str]) -> str:
    guess = near(name, known)
    hint = f'; did you mean "{guess[0]}"?' if guess else "."
    return f'A {type_name} has no "{shortened(name)}"{hint} Its data: {", ".join(sorted(known)) or "nothing"}.'


def _copied(value: Any) -> Any:
    return [_copied(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
