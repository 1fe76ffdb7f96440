"""Whatever is sent, the connection lives, `end` comes when asked for, and nothing unexpected is logged."""

import base64
import json
import logging
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.agent.scripted_model import Use
from tests.agent.story import story_text
from tests.server.client import Client, texts, types
from tests.server.house import House

TYPES = ["file_sync", "design_doc_sync", "user_message", "function_result", "stop", "hello", "confirmation", "end"]
FIELDS = [
    "data", "project_id", "current_project_id", "arrow_content", "file_content", "file_name", "message", "history",
    "selected_node_ids", "current_scene_id", "request_id", "success", "result", "error", "function", "function_params",
    "confirm", "pending_id", "mode", "timestamp", "output", "type",
]  # fmt: skip
LIKELY = [
    1, "1", -1, 1.0, None, "", "apply", "plan", "yes", "never", "create_variable", "bible.txt", story_text(),
    base64.b64encode(b"Elena keeps the lighthouse.").decode(), {"name": "gold", "type": "num"},
]  # fmt: skip

numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(2**63), 2**64, 1e308])
any_text = st.text(st.characters(), max_size=20)  # halves of characters too
scalars = st.none() | st.booleans() | numbers | any_text | st.sampled_from(LIKELY)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | any_text, inner, max_size=4),
    max_leaves=12,
)
messages = st.builds(
    lambda type_, fields: {**fields, "type": type_},
    st.sampled_from(TYPES) | values,
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=8),
)
frames = messages.map(json.dumps) | values.map(json.dumps) | any_text | st.binary(max_size=40)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=frames)
def test_the_connection_lives(
    home: House, client: Client, caplog: pytest.LogCaptureFixture, frame: str | bytes
) -> None:
    home.model.otherwise = ["Hello."]
    if isinstance(frame, str):
        frame = frame.encode("utf-8", "replace").decode()  # a text frame is UTF-8, or no frame at all
    client.send_raw(frame)
    client.send("stop")
    answers = until_asked(client)
    assert "end" in types(answers)
    assert not [text for text in texts(answers) if "INTERNAL" in text]
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(frame=frames)
def test_a_turn_that_waits_for_its_result_goes_on(
    home: House, client: Client, caplog: pytest.LogCaptureFixture, frame: str | bytes
) -> None:
    if '"stop"' in str(frame):
        return
    home.model.add([Use("update_node", {"node_id": 3, "name": "dock"})], ["Done."])
    client.sync()
    client.ask("Rename the pier.")
    call = client.call()
    client.send_raw(frame.encode("utf-8", "replace").decode() if isinstance(frame, str) else frame)
    client.answer(call)
    assert "Done." in texts(client.until("end"))
    until_asked(client)
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]


def until_asked(client: Client) -> list[dict[str, Any]]:
    client.send("is that all?")
    answers = [client.frame()]
    while "is that all?" not in answers[-1].get("message", ""):
        answers.append(client.frame())
    return answers
