"""A small story of our own to edit, and a turn on it."""

import pytest

from arrow_project import ArrowProject, Operation, parse
from tests.agent.local.turns import Turn

_EMPTY = """{"title": "Low Water", "entry": 1, "meta": {"authors": {"0": ["Writer", 1]}, "chapter": 0},
"resources": {"scenes": {"0": {"name": "Quay", "entry": 1, "map": {"1": {"offset": [100, 100]}}}},
"nodes": {"1": {"type": "entry", "name": "1", "data": {"plaque": ""}}}, "variables": {}, "characters": {}}}"""

# ids follow from the order: 2 gold, 3 name, 4 met, 5 Elena, 6 Tomas, 7 and so on the nodes.
_STORY = (
    ("create_variable", {"name": "gold", "type": "num", "initial_value": 3}),
    ("create_variable", {"name": "player", "type": "str", "initial_value": "Stranger"}),
    ("create_variable", {"name": "met", "type": "bool", "initial_value": False}),
    ("create_character", {"name": "Elena Marsh", "color": "#4a90e2", "tags": {"trust": "high"}}),
    ("create_character", {"name": "Tomas", "color": "#ff8300"}),
    ("create_insert_node", {"type": "content", "preset": {"content": "Fog lies on the quay."}}),
    ("create_insert_node", {"type": "monolog", "preset": {"character": 5, "text": "The ferry is late."}}),
    ("create_insert_node", {"type": "interaction", "preset": {"actions": ["Wait", "Walk home"]}}),
    ("create_insert_node", {"type": "content", "name": "ending", "preset": {"content": "Nobody comes."}}),
    ("create_connection", {"from_node_id": 1, "to_node_id": 7}),
    ("create_connection", {"from_node_id": 7, "to_node_id": 8}),
    ("create_connection", {"from_node_id": 8, "to_node_id": 9}),
)


@pytest.fixture
def project() -> ArrowProject:
    """Entry 1, content 7, monolog 8 by Elena, interaction 9 (Wait, Walk home), content 10 named `ending`, alone."""
    story = parse(_EMPTY)
    for function, arguments in _STORY:
        story.apply(Operation(function, arguments))
    return story


@pytest.fixture
def turn(project: ArrowProject) -> Turn:
    return Turn(project, scene_id=0)
