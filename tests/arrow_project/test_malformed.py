"""Stories that Arrow would load with values of the wrong kind in them: what opens can be read and edited."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arrow_project import ArrowProject, Operation, OperationError, ParseError, Story, outline, parse
from tests.arrow_project.conftest import DOCUMENTS

LAMP = json.loads((DOCUMENTS / "lamp.arrow").read_text(encoding="utf-8"))
WRONG = (None, True, -1, 10**30, 1.5, "x", [], {}, [[]], {"a": {}}, [None, None], [[1]])


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where something stands in a value, by the keys that lead there."""
    children: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    for key, child in children:
        yield (*path, key)
        yield from places(child, (*path, key))


PLACES = list(places(LAMP))


def lamp_with(place: tuple[Any, ...], value: object) -> str:
    document = copy.deepcopy(LAMP)
    inner = document
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = copy.deepcopy(value)
    return json.dumps(document)


def use(project: ArrowProject) -> None:
    """Reads all of it, and tries on it what touches every resource."""
    story = Story(project)
    for node in story.nodes.values():
        assert isinstance(story.describe(node.id) + story.speaker(node), str)
        assert node.direction in (-1, 0, 1)
        story.leading_to(node.id)
    for character in story.characters.values():
        assert all(isinstance(key, str) for key in character.tags)
    for nodes in (story.unreachable, story.loose, story.dead_ends):
        assert all(node.id in story.nodes for node in nodes)
    assert outline(project, 12_000)
    names = [("variable", key) for key in story.variables] + [("character", key) for key in story.characters]
    renames = [Operation(f"update_{kind}", {f"{kind}_id": key, "name": "other"}) for kind, key in names]
    tags = [Operation("update_character", {"character_id": key, "tags": {"a": "b"}}) for key in story.characters]
    removals = [Operation("delete_node", {"node_id": key}) for key in story.nodes]
    before = project.to_text()
    for operation in (*renames, *tags, *removals):
        checkpoint = project.checkpoint()
        try:
            project.apply(operation)
        except OperationError:
            pass
        finally:
            project.rollback(checkpoint)
    assert project.to_text() == before


@settings(deadline=None)
@given(st.sampled_from(PLACES), st.sampled_from(WRONG))
def test_what_opens_with_a_value_of_the_wrong_kind_can_be_read_and_edited(
    place: tuple[Any, ...], value: object
) -> None:
    try:
        project = parse(lamp_with(place, value))
    except ParseError:
        return
    use(project)


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("nodes", "11", "data", "with"), {"a": {}}),
        (("nodes", "20", "data", "target"), [[]]),
        (("nodes", "21", "data", "macro"), []),
        (("characters", "6", "tags"), [[]]),
        (("variables", "5", "use"), 1),
    ],
)
def test_those_that_could_not(place: tuple[str, ...], value: object) -> None:
    use(parse(lamp_with(("resources", *place), value)))
