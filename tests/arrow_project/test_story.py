"""A story as questions about it see it."""

import json

import pytest

from arrow_project import Story, parse
from tests.agent.story import story_text
from tests.arrow_project.conftest import DOCUMENTS


def test_a_connection_to_a_node_that_is_not_there_leads_nowhere() -> None:
    raw = json.loads((DOCUMENTS / "blank.arrow").read_text(encoding="utf-8"))
    (scene,) = raw["resources"]["scenes"].values()
    entry = str(raw["entry"])
    scene["map"][entry].setdefault("io", []).append([int(entry), 0, 999, 0])
    story = Story(parse(json.dumps(raw)))
    assert story.followers(int(entry)) == [link.to_id for link in story.leaving(int(entry))]
    assert 999 not in story.reached_from([int(entry)])
    assert story.unreachable == []


def test_nodes_of_a_thousand_outputs_share_what_says_nothing_of_them() -> None:
    document = json.loads(story_text())
    for key in ("900", "901"):
        document["resources"]["nodes"][key] = {"type": "randomizer", "name": key, "data": {"slots": 1_000}}
        document["resources"]["scenes"]["0"]["map"][key] = {"offset": [0, 0]}
    nodes = Story(parse(json.dumps(document))).nodes
    assert nodes[900].outputs is nodes[901].outputs
    assert len(nodes[900].outputs) == 1_000


@pytest.mark.parametrize("speaker", [[7], {"a": 1}, "21", 2.5, True])
def test_who_speaks_is_nobody_where_no_character_is_named(speaker: object) -> None:
    document = json.loads(story_text())
    document["resources"]["nodes"]["2"]["data"]["character"] = speaker
    read = Story(parse(json.dumps(document)))
    assert read.speaker(read.nodes[2]) == ""
