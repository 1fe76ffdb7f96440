"""The unmodified Arrow-AI editor, headless, with somebody at its chat panel."""

import json
import os
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.real_client.godot_json import read

_WRITER = Path(__file__).with_name("writer.gd").resolve()
# Godot's own start, and what a machine under load adds to it.
_START_S = 120


@dataclass(frozen=True)
class SeenTurn:
    """What the client saw and did in one turn.

    Attributes:
        ended: `end` has come.
        state: Of the client's own state machine, some frames after the end.
        frames: Type and fields of every message of the server, in order.
        results: How many calls it has answered.
        calls_after_stop: Calls that it has executed after stop had been pressed.
        stop_ms: From pressing stop to `end`; -1 when stop was not pressed or there was no end.
        shown: Every text in the chat, from the top.
    """

    ended: bool
    state: str
    frames: tuple[tuple[str, dict[str, Any]], ...]
    results: int
    calls_after_stop: int
    stop_ms: int
    shown: tuple[str, ...]

    @property
    def streamed(self) -> str:
        """All text that was streamed."""
        return "".join(fields.get("text", "") for kind, fields in self.frames if kind == "text_chunk")

    @property
    def functions(self) -> Counter[str]:
        """The functions that it was asked to execute."""
        return Counter(fields["function"] for kind, fields in self.frames if kind == "function_call")


@dataclass(frozen=True)
class Seen:
    """What came of a conversation.

    Attributes:
        connected: Before the first message.
        connected_after: After the last one.
        turns: One for each message.
        saved: The project's file as Arrow saved it last.
        script_errors: What Godot reported as script errors.
    """

    connected: bool
    connected_after: bool
    turns: tuple[SeenTurn, ...]
    saved: str
    script_errors: tuple[str, ...]


@dataclass(frozen=True)
class Client:
    """The real client.

    Attributes:
        godot: The program that runs Godot; it sees the host's files under /host.
        project: The folder of the Arrow-AI checkout that has `project.godot`, imported once.
    """

    godot: Path
    project: Path

    def converse(self, url: str, document: str, turns: Sequence[dict[str, Any]]) -> Seen:
        """Opens `document`, connects to `url` and takes the turns (the form is in the head of `writer.gd`)."""
        job = {"url": url, "document": document, "turns": turns}
        with tempfile.TemporaryDirectory() as folder:
            given, told = Path(folder) / "job.json", Path(folder) / "seen.json"
            given.write_text(json.dumps(job), encoding="utf-8")
            patience = _START_S + sum(turn["patience_s"] for turn in turns)
            output = self._godot(folder, patience, "--script", f"/host{_WRITER}", "--", f"/host{given}", f"/host{told}")
            if not told.exists():
                raise RuntimeError(f"Godot has not played the conversation to its end:\n{output[-2000:]}")
            seen = read(told.read_text(encoding="utf-8"))
        errors = tuple(line for line in output.splitlines() if line.startswith("SCRIPT ERROR"))
        played = tuple(_turn(turn) for turn in seen["turns"])
        return Seen(seen["connected"], seen["connected_after"], played, seen["saved"], errors)

    def prepare(self) -> None:
        """Lets Godot import the checkout if it never did."""
        if not (self.project / ".godot").exists():
            with tempfile.TemporaryDirectory() as folder:
                self._godot(folder, 900, "--import")

    def _godot(self, folder: str, patience_s: float, *arguments: str) -> str:
        command = [str(self.godot), "--headless", "--path", f"/host{self.project}", *arguments]
        # a data folder of its own: a writer who has never opened a project
        environment = os.environ | {"XDG_DATA_HOME": f"/host{folder}"}
        done = subprocess.run(command, env=environment, check=False, capture_output=True, timeout=patience_s)
        return (done.stdout + done.stderr).decode(errors="replace")


def _turn(seen: dict[str, Any]) -> SeenTurn:
    return SeenTurn(
        ended=seen["ended"],
        state=seen["state"],
        frames=tuple((kind, fields) for kind, fields in seen["frames"]),
        results=int(seen["results"]),
        calls_after_stop=int(seen["calls_after_stop"]),
        stop_ms=int(seen["stop_ms"]),
        shown=tuple(seen["shown"]),
    )
