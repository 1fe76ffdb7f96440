"""What holds for any sequence of operations and any text."""

import contextlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arrow_project import (
    OPERATIONS,
    ArrowProject,
    Operation,
    OperationError,
    ParseError,
    Selection,
    check,
    check_text,
    diff,
    lower,
    outline,
    parse,
)
from arrow_project.node_types import NODE_TYPES
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer

DOCUMENTS = Path(__file__).parent / "documents"
LAMP = (DOCUMENTS / "lamp.arrow").read_text(encoding="utf-8")
CODES = {
    "INVALID_NODE_TYPE", "INVALID_NODE_ID", "INVALID_SCENE_ID", "INVALID_VARIABLE_ID", "INVALID_CHARACTER_ID",
    "INVALID_CONNECTION", "RESOURCE_IN_USE", "INVALID_POSITION", "TYPE_MISMATCH", "CIRCULAR_REFERENCE", "PARSE_ERROR",
    "PERMISSION_DENIED",
}  # fmt: skip

calm = settings(deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])

scalars = st.none() | st.booleans() | st.integers(-3, 40) | st.floats() | st.text(max_size=6)
scalars |= st.sampled_from(
    ["last_created", "selected", "current", "Mira", "oil", "visitor", "all", "{oil}", "#abc", "\x0b"]
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
fields = sorted({name for t in NODE_TYPES.values() for name in t.schema()["properties"]})
contents = st.dictionaries(st.sampled_from(fields), values, max_size=4)
arguments = sorted({name for spec in OPERATIONS.values() for name in spec.parameters["properties"]})


@st.composite
def wild_operations(draw: st.DrawFn) -> Operation:
    """An operation with arguments of any shape, under names that mostly exist."""
    name = draw(st.sampled_from(sorted(OPERATIONS)))
    known = sorted(OPERATIONS[name].parameters["properties"])
    given_arguments: dict[str, Any] = draw(st.dictionaries(st.sampled_from(known) | st.sampled_from(arguments), values))
    if "type" in known and draw(st.booleans()):
        given_arguments["type"] = draw(st.sampled_from([*NODE_TYPES, "num", "str", "bool"]))
    if "node_id" in known and draw(st.booleans()):
        given_arguments["node_id"] = draw(st.sampled_from([1, 2, 8, 9, 10, 11, 15, 20, 21, 22, 23, 24, 25]))
    for key in ("preset", "data"):
        if key in known and draw(st.booleans()):
            given_arguments[key] = draw(contents)
    return Operation(name, given_arguments)


def errors(project: ArrowProject) -> list[Any]:
    return [finding for finding in check(project) if finding.severity == "error"]


def stale(project: ArrowProject) -> list[int]:
    """Nodes whose ref is not what their data uses; the check says nothing of those that another rule names."""
    data = project.data
    nodes = data.nodes.items()
    return [key for key, node in nodes if {*node.get("ref", [])} != {*data.derived_references(node, data.by_name)}]


def attempt(project: ArrowProject, operation: Operation) -> bool:
    """Apply an operation; a refused one has one of the documented codes and leaves no trace."""
    before = project.to_text()
    try:
        calls = lower(project, operation)
        assert project.to_text() == before
        result = project.apply(operation)
    except OperationError as error:
        refused = error
    else:
        assert result.calls == calls
        assert json.dumps(result.result)
        return True
    assert refused.code in CODES
    assert refused.message
    assert project.to_text() == before
    return False


@calm
@given(st.lists(wild_operations(), max_size=8))
def test_any_operations_leave_a_sound_document_and_can_be_undone(operations: list[Operation]) -> None:
    project = parse(LAMP)
    token = project.checkpoint()
    for operation in operations:
        attempt(project, operation)
    assert errors(project) == []
    assert stale(project) == []
    assert parse(project.to_text()).to_text() == project.to_text()
    project.rollback(token)
    assert project.to_text() == LAMP
    assert diff(parse(LAMP), project).is_empty


@calm
@given(st.integers(0, 2**32), st.integers(1, 25))
def test_sensible_operations_leave_a_sound_document_and_can_be_undone(seed: int, length: int) -> None:
    project = parse(LAMP)
    writer = Writer(project, random.Random(seed))
    tokens = [(project.checkpoint(), project.to_text())]
    for _ in range(length):
        if attempt(project, invented(writer)):
            tokens.append((project.checkpoint(), project.to_text()))
    assert errors(project) == []
    assert stale(project) == []
    for token, text in reversed(tokens):
        project.rollback(token)
        assert project.to_text() == text


@calm
@given(st.text(max_size=200) | st.binary(max_size=200))
def test_any_text_is_refused(text: str | bytes) -> None:
    findings = check_text(text)
    assert all(1 <= finding.rule <= 65 for finding in findings if isinstance(finding.rule, int))
    with pytest.raises(ParseError):
        parse(text)


@st.composite
def mutilated(draw: st.DrawFn) -> str:
    """A document in which some values were replaced by anything."""
    document = json.loads(LAMP)
    for _ in range(draw(st.integers(1, 4))):
        container, key = document, draw(st.sampled_from(["meta", "resources", "resources", "resources"]))
        while isinstance(container[key], dict | list) and container[key] and draw(st.integers(0, 9)) < 9:
            container = container[key]
            key = draw(st.sampled_from(list(container) if isinstance(container, dict) else list(range(len(container)))))
        container[key] = draw(values)
    return json.dumps(document)


@settings(calm, max_examples=50)
@given(mutilated(), st.lists(wild_operations(), max_size=3), st.integers(0, 2**32))
def test_broken_documents_raise_nothing_but_the_documented_errors(
    text: str, operations: list[Operation], seed: int
) -> None:
    check_text(text)
    try:
        project = parse(text)
    except ParseError:
        return
    assert parse(project.to_text()).data.raw == project.data.raw
    assert len(outline(project, selected=list(project.data.nodes)[:2], max_characters=2000)) <= 2000
    outline(project)
    writer = Writer(project, random.Random(seed))
    sensible = [invented(writer) for _ in range(3)] if _is_inventive(project) else []
    for operation in [*operations, *sensible]:
        attempt(project, operation)
    diff(parse(text), project)


def _is_inventive(project: ArrowProject) -> bool:
    """Whether the document is whole enough for the inventor of operations to look around in it."""
    return not errors(project)


@calm
@given(st.lists(st.integers(-2, 40)), st.integers(-2, 40), st.integers(0, 5000))
def test_an_outline_fits_whatever_is_selected(selected: list[int], scene: int, most: int) -> None:
    project = parse(LAMP)
    assert len(outline(project, scene, selected, most)) <= most


@calm
@given(wild_operations(), st.lists(st.integers(-1, 30), max_size=3), st.integers(-1, 30))
def test_any_selection_will_do(operation: Operation, selected: list[int], scene: int) -> None:
    project = parse(LAMP)
    with contextlib.suppress(OperationError):
        project.apply(operation, Selection(scene, tuple(selected), scene))
    assert errors(project) == []


@calm
@given(st.integers(0, 2**32), st.lists(st.integers(0, 12), max_size=4))
def test_who_uses_what_is_known_after_any_edit_and_undo(seed: int, backwards: list[int]) -> None:
    project = parse(LAMP)
    writer = Writer(project, random.Random(seed))
    tokens = [project.checkpoint()]
    for steps in [0, *backwards]:
        tokens = tokens[: len(tokens) - min(steps, len(tokens) - 1)]
        project.rollback(tokens[-1])
        for _ in range(6):
            if attempt(project, invented(writer)):
                tokens.append(project.checkpoint())
        fresh = parse(project.to_text()).data
        assert project.data.usage.size == fresh.usage.size, "nothing is kept of what is used no more"
        for kind in ("node", "scene", "variable", "character"):
            for key in fresh.table(kind):
                assert project.data.usage.users(kind, key) == fresh.usage.users(kind, key)
