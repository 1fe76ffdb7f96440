"""A story that has something of everything, operations that take some of it away, and when that is asked about."""

import asyncio
from pathlib import Path
from typing import Any

from agent import InMemoryEditor, TurnContext
from agent.editing.execution import Execution
from arrow_project import ArrowProject, Operation
from tests.agent.story import story
from tests.agent.turn_runner import unheard

LAMP = (Path(__file__).parents[1] / "arrow_project" / "documents" / "lamp.arrow").read_text(encoding="utf-8")
LINE = "The lamp is cold, and nobody has come to light it since the last ship."  # 70 characters
NODES = range(50, 80)


def update(node_id: int, **fields: Any) -> Operation:
    return Operation("update_node", {"node_id": node_id, **fields})


def skip(node_id: int, *, skipped: bool = True) -> Operation:
    return Operation("update_node_map", {"node_id": node_id, "modifications": {"skip": skipped}})


def tags(**given_tags: str) -> Operation:
    return Operation("update_character", {"character_id": 21, "tags": given_tags})


def written() -> ArrowProject:
    """A story with something of everything: thirty short texts, six lines, tags, scenes, a jump."""
    project = story()
    for node_id in NODES:
        project.expect_id(node_id)
        project.apply(Operation("create_insert_node", {"type": "content", "preset": {"content": f"Rain {node_id}."}}))
    project.apply_all(
        [
            update(2, data={"lines": [f"{number}. {LINE}" for number in range(6)]}),
            update(3, notes="Ask Ada."),
            tags(home="pier", mood="low"),
            Operation("create_variable", {"name": "door", "type": "str", "initial_value": "shut"}),
            update(NODES[0], data={"content": "The oil: {oil}. She is {Elena.mood}."}),
        ]
    )
    return project


def asked_after(project: ArrowProject, operations: list[Operation]) -> int | None:
    """How many operations are done unasked before the user is asked; None when all are."""
    of = TurnContext(project, None, (), (), (), ())
    done = Execution(of, InMemoryEditor(project.copy()), "destructive", unheard)

    async def run() -> int | None:
        for number, operation in enumerate(operations):
            finished = await done.execute(operation)
            assert finished.success, finished.failure
            if done.held is not None:
                return number
        return None

    return asyncio.run(run())
