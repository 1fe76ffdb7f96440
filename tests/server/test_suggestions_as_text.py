"""A suggestion that is sent back as the text that it was shown as does exactly that, in every dialect."""

import json
from typing import Any

import pytest

from tests.agent.scripted_model import Use
from tests.agent.story import story_text
from tests.server.client import Client, flat
from tests.server.house import House

ENDS = {"spec": "end", "envelope": "end", "arrow-ai": "end", "fletcher": "turn_end"}
LOOSE = Use("create_insert_node", {"type": "hub", "preset": {"options": ["Stay", "Go"]}})


def until_the_end(client: Client, dialect: str) -> list[dict[str, Any]]:
    frames = [client.frame()]
    while frames[-1]["type"] != ENDS[dialect]:
        if frames[-1]["type"] == "function_call":
            client.answer(frames[-1])
        frames.append(client.frame())
    return [flat(frame) for frame in frames]


def suggested(frames: list[dict[str, Any]]) -> list[str]:
    items = [item["label"] for frame in frames if frame["type"] == "suggestions" for item in frame["items"]]
    said = "\n".join(str(frame.get("text") or frame.get("message") or "") for frame in frames)
    _, _, listed = said.partition("You could go on with:\n")
    return items or [line.removeprefix("- ") for line in listed.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize("as_shown", ["{}", "- {}", "  {} "])
@pytest.mark.parametrize("dialect", list(ENDS))
def test_the_text_does_exactly_that(home: House, dialect: str, as_shown: str) -> None:
    home.model.add([LOOSE], ["Made."], ["Made."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add a hub.", arrow_content=story_text(), current_scene_id=0)
        labels = suggested(until_the_end(client, dialect))
        assert labels
        asked_before = len(home.model.requests)
        undo = next(label for label in labels if "back" in label.lower() or "undo" in label.lower())
        client.ask(as_shown.format(undo), current_scene_id=0)
        frames = until_the_end(client, dialect)
    assert len(home.model.requests) == asked_before, "no model is asked what it means"
    removed = [frame for frame in frames if frame["type"] == "function_call"]
    assert [frame["function"] for frame in removed] in (["delete_node"], ["remove_node"])


@pytest.mark.parametrize("dialect", list(ENDS))
def test_in_another_story_it_is_a_message_as_any_other(home: House, dialect: str) -> None:
    home.model.add([LOOSE], ["Made."])
    home.model.otherwise = ["That was in the other story."]
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add a hub.", arrow_content=story_text(), current_scene_id=0)
        labels = suggested(until_the_end(client, dialect))
        client.ask(labels[0], arrow_content=story_text(), current_scene_id=0, current_project_id=2)
        frames = until_the_end(client, dialect)
    assert "function_call" not in [frame["type"] for frame in frames]
    assert "in the other story" in json.dumps(frames)


@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai"])
def test_what_was_appended_is_taken_out_of_the_history(home: House, dialect: str) -> None:
    home.model.add([LOOSE], ["Made."], ["It was a hub."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        client.ask("Add a hub.", arrow_content=story_text(), current_scene_id=0)
        frames = until_the_end(client, dialect)
        joint = "\n\n" if dialect == "spec" else ""
        said = joint.join(str(frame.get("text") or frame.get("message") or "") for frame in frames).strip()
        assert "Ran: " in said
        client.ask("What was it?", history=[{"message": "Add a hub.", "output": said}], current_scene_id=0)
        until_the_end(client, dialect)
    seen = json.dumps(home.model.requests[-1].conversation)
    assert "Made." in seen
    assert "Ran: " not in seen
    assert "You could go on with" not in seen
