"""Every function of the wire and all 19 node types, by the dispatcher, as our engine does them."""

import random
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from arrow_project import ArrowProject, Operation, OperationError, parse
from arrow_project.node_types import NODE_TYPES
from tests.arrow_project.conform.calls import mind_calls
from tests.arrow_project.conform.deviations import unstable
from tests.arrow_project.conform.node_data import data
from tests.arrow_project.conform.starts import text_of
from tests.arrow_project.conform.writer import Writer
from tests.clients.arrow.editor import Editor, document_of
from tests.real_client.conversation import Conversation, Turn, op
from tests.real_client.edits import EDITS
from tests.real_client.house import House

# One of them is about what another client cannot do.
_CONVERSATIONS = [each for each in EDITS if each.name != "what the client cannot do"]


def _by_hand(editor: Editor, native: list[list[Any]]) -> None:
    for name, *arguments in native:
        editor.call("mind", name, *arguments)
    editor.frames()


def _play(editor: Editor, turn: Turn, project: ArrowProject) -> None:
    if turn.opens is not None:
        editor.call("mind", "scene_editorial_open", turn.opens)
        editor.frames()
    for operation in turn.before:
        for native in project.apply(operation).calls:
            _by_hand(editor, mind_calls(native))
    editor.turn("send", turn.message)
    editor.frames()
    project.apply_all(turn.does)


def _unlike(editor: Editor) -> list[str]:
    """Nodes that Arrow's own inspector would change, frames aside, which it cannot read."""
    before, project = editor.document, parse(editor.text).data
    changed: list[str] = []
    for node_id, node in before["resources"]["nodes"].items():
        if unstable(project, int(node_id)):
            continue
        editor.ask("inspect", args=[int(node_id)])
        after = editor.document
        if after != before:
            changed.append(f"{node_id}: {node} became {after['resources']['nodes'][node_id]}")
            before = after
    return changed


@pytest.mark.parametrize("conversation", _CONVERSATIONS, ids=lambda each: each.name)
def test_arrow_has_done_what_our_engine_does(conversation: Conversation, editor: Editor, server: House) -> None:
    editor.open(conversation.start)
    server.model.play(conversation.answers)
    project = parse(conversation.start)

    for turn in conversation.turns:
        _play(editor, turn, project)
        assert editor.document == document_of(project.to_text()), turn.message
        assert editor.text == editor.file.read_text(encoding="utf-8")
        assert editor.drawn == editor.drawable

    assert _unlike(editor) == []


def _accepted(project: ArrowProject, invent: Callable[[], Operation]) -> Operation:
    """An operation that the engine takes; it is applied."""
    while True:
        operation = invent()
        with suppress(OperationError):
            project.apply(operation)
            return operation


def _run(editor: Editor, operation: Operation) -> None:
    summary = editor.turn("run", operation.function, dict(operation.arguments))
    while summary["reason"] == "question":
        summary = editor.turn("answer", "yes")
    assert summary["changed"], summary
    editor.frames()


@pytest.mark.parametrize("type_name", NODE_TYPES)
def test_a_node_of_each_type_is_created_inspected_updated_and_deleted(type_name: str, editor: Editor) -> None:
    start = text_of("lamp")
    editor.open(start)
    project = parse(start)
    writer = Writer(project, random.Random(type_name))
    scene_id = writer.data.owner(project.data.raw["entry"])

    def create() -> Operation:
        return op("create_insert_node", type=type_name, scene_id=scene_id, preset=data(writer, type_name), name="it")

    def update() -> Operation:
        return op("update_node", node_id=node_id, data=data(writer, type_name), notes="why")

    _run(editor, _accepted(project, create))
    node_id = next(n for n, node in project.data.nodes.items() if node["name"] == "it")
    assert editor.document == document_of(project.to_text())
    _run(editor, _accepted(project, update))
    assert editor.document == document_of(project.to_text())
    assert editor.drawn == editor.drawable
    assert _unlike(editor) == []
    _run(editor, _accepted(project, lambda: op("delete_node", node_id=node_id, force=True)))
    assert editor.document == document_of(project.to_text())
    while editor.get("/root/Fletcher", "can_undo"):
        assert editor.fletcher("undo")
        editor.frames()
    assert editor.file.read_bytes() == start.encode()
