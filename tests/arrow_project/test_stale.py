"""Documents whose bookkeeping another program forgot: what nodes use follows from their data."""

import json
from pathlib import Path

import pytest

from arrow_project import ArrowProject, check, node_details, node_lines, parse
from tests.arrow_project.applying import do, refusal

LAMP = (Path(__file__).parent / "documents" / "lamp.arrow").read_text(encoding="utf-8")


@pytest.fixture
def stale() -> ArrowProject:
    """The lamp story without any ref and use."""
    document = json.loads(LAMP)
    for table in document["resources"].values():
        for resource in table.values():
            resource.pop("ref", None)
            resource.pop("use", None)
    return parse(json.dumps(document))


def test_the_check_says_so(stale: ArrowProject) -> None:
    assert {finding.rule for finding in check(stale) if finding.severity == "error"} == {37}


def test_what_is_used_is_not_removed(stale: ArrowProject) -> None:
    assert refusal(stale, "delete_variable", by_name="oil").details["used_by"] == [9, 11, 12, 23]
    assert refusal(stale, "delete_node", node_id=10).details["referenced_by"] == [22]


def test_renaming_finds_every_text(stale: ArrowProject) -> None:
    do(stale, "update_variable", by_name="oil", name="fuel")
    assert "{fuel} flasks" in stale.data.data(9)["monolog"]
    assert stale.data.variables[3]["use"] == [9, 11, 12, 23]


def test_an_edited_node_is_listed_again(stale: ArrowProject) -> None:
    do(stale, "update_node", node_id=9, data={"text": "{visitor}!"})
    assert stale.data.nodes[9]["ref"] == [4, 6]
    assert stale.data.characters[6]["use"] == [9]


@pytest.mark.parametrize("broken", [{}, None, "none", 5])
def test_connections_that_are_no_array_are_replaced(broken: object) -> None:
    document = json.loads(LAMP)
    document["resources"]["scenes"]["0"]["map"]["14"]["io"] = broken
    project = parse(json.dumps(document))
    before, text = project.checkpoint(), project.to_text()
    do(project, "create_connection", from_node_id=14, to_node_id=24)
    assert project.data.outgoing(14, 0) == [[14, 0, 24, 0]]
    assert [finding for finding in check(project) if finding.severity == "error"] == []
    project.rollback(before)
    assert project.to_text() == text


def test_nodes_are_shown_whatever_connections_and_slots_say() -> None:
    document = json.loads(LAMP)
    scene = document["resources"]["scenes"]["0"]["map"]
    scene["99"] = {"offset": [0, 0], "io": [[99, 0, 10, 0]]}
    scene["10"]["io"] = [[10, -7, 11, 0]]
    document["resources"]["nodes"]["24"] = {"type": "randomizer", "name": "o", "data": {"slots": 10**15}}
    project = parse(json.dumps(document))
    assert {"node_id": 99, "slot": 0} in node_details(project, 10)["comes_from"]
    assert node_details(project, 10)["goes_to"][0] == {"slot": -7, "means": "continue", "node_id": 11}
    assert len(node_details(project, 24)["goes_to"]) == 1000
    assert any(line.startswith("24 randomizer") for line in node_lines(project, 0))
