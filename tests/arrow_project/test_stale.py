"""Documents whose bookkeeping another program forgot: what nodes use follows from their data."""

import json
from pathlib import Path

import pytest

from arrow_project import ArrowProject, check, parse
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
    assert "{fuel} flasks" in stale.document.data(9)["monolog"]
    assert stale.document.variables[3]["use"] == [9, 11, 12, 23]


def test_an_edited_node_is_listed_again(stale: ArrowProject) -> None:
    do(stale, "update_node", node_id=9, data={"text": "{visitor}!"})
    assert stale.document.nodes[9]["ref"] == [4, 6]
    assert stale.document.characters[6]["use"] == [9]
