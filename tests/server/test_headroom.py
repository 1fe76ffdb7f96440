"""A client whose messages come close to the longest that it can send is warned while they still arrive."""

import json

from tests.agent.story import story_text
from tests.server.client import Client, texts
from tests.server.house import House

LONGEST = 65_535


def ask(client: Client, frame_bytes: int) -> str:
    """What is said in a turn whose message has so many bytes."""
    story = json.loads(story_text())
    message = {"type": "user_message", "message": "What is there?", "history": [], "current_project_id": 1}

    def frame(filling: int) -> bytes:
        story["resources"]["nodes"]["3"]["data"]["content"] = "ü" * (filling // 2) + "x" * (filling % 2)
        content = json.dumps(story, ensure_ascii=False)
        return json.dumps(message | {"arrow_content": content}, ensure_ascii=False).encode()

    sent = frame(frame_bytes - len(frame(0)))
    assert len(sent) == frame_bytes
    client.send_raw(sent.decode())
    said = "".join(texts(client.until("end")))
    assert "There is a story." in said
    return said


def test_the_arrow_ai_client_is_warned_once_before_its_frames_are_too_long(home: House) -> None:
    home.model.add(*(["There is a story."] for _ in range(4)))
    with home.client("/ws/chat") as client:
        assert "Error 6" not in ask(client, 50_000)
        assert "57,000 of 65,535 bytes" in ask(client, 57_000)
        assert "Error 6" not in ask(client, 58_000)
    with home.client("/ws/chat") as client:
        assert "Error 6" in ask(client, LONGEST)


def test_who_sends_more_than_that_has_no_such_limit(home: House) -> None:
    home.model.add(*(["There is a story."] for _ in range(2)))
    with home.client("/ws/chat") as client:
        assert "Error 6" not in ask(client, LONGEST + 1)
    with home.client("/ws/chat?dialect=envelope") as client:
        assert "Error 6" not in ask(client, 57_000)
