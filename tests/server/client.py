"""A client of the socket, as a test writes one: it sends, it reads frame by frame, it executes nothing by itself."""

import json
import re
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.agent.scripted_model import PATIENCE_S
from tests.agent.story import story_text

MAX_FRAME_BYTES = 60_000

_LAST_WORDS = re.compile(r"\n*(Ran: |You could go on with:\n).*\Z", re.DOTALL)

Frame = dict[str, Any]


class Client:
    """One connection. Every frame that arrives is checked against what holds for all frames."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket

    def send(self, type_: str, /, **fields: Any) -> None:
        """Sends one message, flat."""
        self.send_raw(json.dumps({"type": type_, **fields}))

    def send_raw(self, frame: str | bytes) -> None:
        """Sends a frame as it is."""
        self.socket.send(frame)

    def sync(self, content: str | None = None, project_id: Any = 1) -> None:
        """Sends the story."""
        self.send("file_sync", project_id=project_id, arrow_content=content or story_text(), timestamp=1698765432)

    def ask(self, message: str, **fields: Any) -> None:
        """Sends a user message for project 1."""
        self.send("user_message", **({"message": message, "history": [], "current_project_id": 1} | fields))

    def frame(self) -> Frame:
        """The next frame."""
        raw = self.socket.recv(timeout=PATIENCE_S)
        assert isinstance(raw, str), "the server sends text frames only"
        assert raw.isascii(), "one seed's client decodes ASCII"
        assert len(raw) <= MAX_FRAME_BYTES, "a longer frame would break Godot's connection"
        frame = json.loads(raw, parse_constant=_not_json)
        assert isinstance(frame, dict)
        return frame

    def until(self, type_: str) -> list[Frame]:
        """The frames up to the first of that type, which is the last of them."""
        frames = [self.frame()]
        while frames[-1]["type"] != type_:
            assert frames[-1]["type"] != "end", frames
            frames.append(self.frame())
        return frames

    def turn(self, message: str, **fields: Any) -> list[Frame]:
        """Sends a message that needs no function call, and returns all that came until its end."""
        self.ask(message, **fields)
        return self.until("end")

    def call(self) -> Frame:
        """The next function call; what is said before it is passed over."""
        return self.until("function_call")[-1]

    def answer(self, call: Frame, result: Any = "done", **fields: Any) -> None:
        """Tells the server that `call` was executed."""
        given = {"request_id": flat(call)["request_id"], "success": True, "result": result, "error": ""}
        self.send("function_result", **(given | fields))

    def refuse(self, call: Frame, error: str) -> None:
        """Tells the server that `call` could not be executed."""
        self.send("function_result", request_id=flat(call)["request_id"], success=False, result="", error=error)

    def assert_quiet(self) -> None:
        """Nothing is under way: the very next frame is the answer to a message that is only asked for this."""
        self.send("is anything still coming?")
        frame = self.frame()
        assert "is anything still coming?" in json.dumps(frame), frame


@contextmanager
def connected(url: str, **options: Any) -> Generator[Client]:
    """A client while the block runs."""
    with connect(url, proxy=None, open_timeout=PATIENCE_S, **options) as socket:
        yield Client(socket)


def texts(frames: list[Frame]) -> list[str]:
    """What the chat shows of these frames; a streamed text is one. What every turn ends with is left out."""
    shown: list[str] = []
    streamed = False
    for frame in map(flat, frames):
        if frame["type"] == "text_chunk" and streamed:
            shown[-1] += frame["text"]
        elif frame["type"] == "text_chunk":
            shown.append(frame["text"])
        elif frame["type"] == "chat_response":
            shown.append(frame["message"])
        streamed = frame["type"] == "text_chunk"
    said = [_LAST_WORDS.sub("", text) for text in shown]
    return [text for text in said if text]


def flat(frame: Frame) -> Frame:
    """A message's fields, flat, whether they are inside `data` or not."""
    inner = frame.get("data")
    return {**frame, **inner} if isinstance(inner, dict) else frame


def types(frames: list[Frame]) -> list[str]:
    """The frames' types, in order."""
    return [frame["type"] for frame in frames]


def _not_json(constant: str) -> None:
    raise AssertionError(f"{constant} is not JSON")
