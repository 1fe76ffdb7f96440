"""Running a script of calls in the real Arrow editor, headless."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

_TIMEOUT_S = 900


@dataclass(frozen=True)
class Oracle:
    """The real editor.

    Attributes:
        godot: the program that runs Godot; it sees the host's files under /host.
        script: the Godot script that loads a document and performs calls.
        checkout: a work tree of Arrow, imported once.
    """

    godot: Path
    script: Path
    checkout: Path

    @staticmethod
    def missing(tools: Path, checkout: Path) -> str:
        """Why the editor cannot be run here; empty if it can."""
        for path, what in (
            (tools / "godot", "the program that runs Godot"),
            (tools / "oracle.gd", "the oracle script"),
            (checkout / "project.godot", "a work tree of Arrow"),
        ):
            if not path.exists():
                return f"{what} is not at {path}"
        return ""

    def run(self, calls: list[list[Any]]) -> dict[str, Any]:
        """Perform the calls one after the other; results, and the document's text after each."""
        with tempfile.TemporaryDirectory() as folder:
            script, result = Path(folder) / "in.json", Path(folder) / "out.json"
            script.write_text(json.dumps({"document": None, "calls": calls}), encoding="utf-8")
            self._godot(folder, "--script", f"/host{self.script}", "--", f"/host{script}", f"/host{result}")
            return cast("dict[str, Any]", json.loads(result.read_text(encoding="utf-8"), strict=False))

    def prepare(self) -> None:
        """Let Godot import the checkout if it never did."""
        if not (self.checkout / ".godot").exists():
            with tempfile.TemporaryDirectory() as folder:
                self._godot(folder, "--import")

    def _godot(self, folder: str, *arguments: str) -> None:
        command = [str(self.godot), "--headless", "--path", f"/host{self.checkout}", *arguments]
        # its own data folder, so that several runs do not meet
        environment = os.environ | {"XDG_DATA_HOME": f"/host{folder}"}
        subprocess.run(command, env=environment, check=True, capture_output=True, timeout=_TIMEOUT_S)
