"""What leaves a node in thousands is changed in Arrow: each change of it would hold up everybody."""

import json

import pytest

from arrow_project import ArrowProject, Operation, OperationError, parse
from tests.agent.story import story_text

_MOST = 1_000
_DELETE = Operation("delete_connection", {"from_node_id": 900, "from_slot": 0, "to_node_id": 901, "to_slot": 0})


def _story(connections: int) -> ArrowProject:
    """Its node 900 is a hub, from which that many lead to node 901."""
    document = json.loads(story_text())
    resources = document["resources"]
    for node_id in ("900", "901"):
        resources["nodes"][node_id] = {"type": "hub", "name": node_id, "data": {"slots": connections}}
        resources["scenes"]["0"]["map"][node_id] = {"offset": [0, 0]}
    resources["scenes"]["0"]["map"]["900"]["io"] = [[900, 0, 901, slot] for slot in range(connections)]
    return parse(json.dumps(document))


def test_a_thousand_can_be_changed() -> None:
    project = _story(_MOST)
    project.apply(_DELETE)
    assert len(project.data.outgoing(900, 0)) == _MOST - 1


@pytest.mark.parametrize(
    "operation",
    [
        _DELETE,
        Operation("create_connection", {"from_node_id": 900, "from_slot": 0, "to_node_id": 901, "to_slot": 1}),
        Operation("update_node", {"node_id": 901, "data": {"inputs": 2}}),
        Operation("delete_node", {"node_id": 901}),
    ],
    ids=lambda operation: operation.function,
)
def test_more_are_refused_and_stay(operation: Operation) -> None:
    project = _story(_MOST + 1)
    before = project.to_text()
    with pytest.raises(OperationError, match=r"Node 900 has 1,001 connections.* at most 1,000") as refused:
        project.apply(operation)
    assert refused.value.code == "INVALID_CONNECTION"
    assert project.to_text() == before
