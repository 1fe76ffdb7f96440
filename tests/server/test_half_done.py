"""What a client has done of an operation before it refused the rest, when it reports no content."""

from typing import Any

import pytest

from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story_text
from tests.server.house import House

LINE = {"type": "hub", "connect_from": {"node_id": 3, "slot": 0}}
ENDS = {"spec": "end", "envelope": "end", "arrow-ai": "end", "fletcher": "turn_end"}
GOLD = {"name": "gold", "type": "num", "initial_value": 10}


def half(home: House, dialect: str, use: Use, given: Any, node_id: int = NEXT_ID) -> list[dict[str, Any]]:
    """The first call is done, the second refused, and then a node is renamed; the results of both tools."""
    home.model.add([use], [Use("update_node", {"node_id": node_id, "name": "found"})], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add it.", arrow_content=story_text(), current_scene_id=0)
        client.answer(client.call(), given)
        client.refuse(client.call(), "No.")
        frames = [client.frame()]
        while frames[-1]["type"] != ENDS[dialect]:
            if frames[-1]["type"] == "function_call":
                client.answer(frames[-1])
            frames.append(client.frame())
    return [result for request in home.model.requests[1:3] for result in request.tool_results[-1:]]


@pytest.mark.parametrize("dialect", list(ENDS))
def test_a_node_that_was_not_connected_is_known(home: House, dialect: str) -> None:
    broken, renamed = half(home, dialect, Use("create_insert_node", LINE), NEXT_ID)
    assert "Done before that" in broken["error"]["message"]
    assert "sync" not in broken["error"]["message"]
    assert "error" not in renamed, renamed


@pytest.mark.parametrize("dialect", list(ENDS))
def test_an_id_that_was_not_expected_needs_a_sync(home: House, dialect: str) -> None:
    broken, _ = half(home, dialect, Use("create_insert_node", LINE), NEXT_ID + 7)
    assert "the user has to sync the project" in broken["error"]["message"]


def test_a_scene_that_was_not_named_is_known(home: House) -> None:
    scene = Use("create_scene", {"name": "Harbour"})
    ids = {"scene_id": NEXT_ID, "entry_node_id": NEXT_ID + 1}
    broken, renamed = half(home, "envelope", scene, ids, node_id=NEXT_ID + 1)
    assert "sync" not in broken["error"]["message"]
    assert "error" not in renamed, renamed


def test_what_no_operation_says_needs_a_sync(home: House) -> None:
    broken, _ = half(home, "envelope", Use("create_variable", GOLD), NEXT_ID)
    assert "the user has to sync the project" in broken["error"]["message"]
