"""The real Arrow with Fletcher in it, headless: a process that does what a test says, and tells its signals."""

import json
import os
import resource
import socket
import subprocess
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

_HERE = Path(__file__).parent.resolve()
DRIVER = _HERE / "driver.tscn"
CLIENT = _HERE.parents[2] / "clients" / "arrow"
# Godot's own start, and what a machine under load adds to it.
PATIENCE_S = 300

_GRID = "/root/Main/Editor/Center/Grid"

Signal = tuple[str, list[Any]]


def _id(node_name: str) -> int:
    return int(node_name.rsplit("_", 1)[1])


def document_of(text: str) -> dict[str, Any]:
    """What a text says, without when it was saved."""
    document = json.loads(text, strict=False)
    document["meta"].pop("last_save", None)
    return document


@dataclass(frozen=True)
class Godot:
    """How Arrow is started.

    Attributes:
        program: Runs Godot; it sees the host's files under `prefix`.
        checkout: A work tree of Arrow, imported once.
        prefix: What the program has before a path of this machine.
    """

    program: Path
    checkout: Path
    prefix: str = "/host"

    def seen(self, path: Path) -> str:
        """The path as the program has it."""
        return f"{self.prefix}{path}"


@dataclass
class Editor:
    """A running Arrow; `on` names an object: mind, main, project, preferences, corpus, dispatcher, or a node's path."""

    process: "subprocess.Popen[bytes]"
    line: IO[str]
    heard: IO[str]
    output: Path
    folder: Path
    signals: list[Signal] = field(default_factory=list[Signal])
    _answers: dict[int, Any] = field(default_factory=dict[int, Any])
    _asked: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)
    _is_gone: bool = False

    def ask(self, do: str, **given: Any) -> Any:
        """One command of the driver; its value."""
        with self._changed:
            self._asked += 1
            number = self._asked
        self.line.write(json.dumps({"id": number, "do": do, **given}) + "\n")
        self.line.flush()
        self._until(lambda: number in self._answers, f"{do} {given}")
        return self._answers.pop(number)

    def call(self, on: str, name: str, *args: Any) -> Any:
        """Calls a method."""
        return self.ask("call", on=on, name=name, args=list(args))

    def fletcher(self, name: str, *args: Any) -> Any:
        """Calls a method of `/root/Fletcher`."""
        return self.call("/root/Fletcher", name, *args)

    def get(self, on: str, name: str) -> Any:
        """A property."""
        return self.ask("get", on=on, name=name)

    def put(self, on: str, name: str, value: Any) -> None:
        """Gives a property a value."""
        self.ask("set", on=on, name=name, args=[value])

    def frames(self, count: int = 4) -> None:
        """Lets Arrow do what it has deferred."""
        self.ask("frames", args=[count])

    @property
    def state(self) -> str:
        """Of Fletcher."""
        return self.get("/root/Fletcher", "state")

    @property
    def text(self) -> str:
        """The document in the editor."""
        return self.call("project", "text")

    @property
    def file(self) -> Path:
        """Of the open project, on this machine."""
        return Path(self.call("project", "path").removeprefix("/host"))

    def open(self, text: str, name: str = "story", state: str = "idle") -> int:
        """Opens a project with exactly this content, and waits for Fletcher; its number in Arrow's list."""
        path = self.folder / f"{name}.arrow"
        path.write_bytes(text.encode())
        number = self.ask("open", path=f"/host{path}")
        self.wait_state(state)
        return number

    @property
    def drawn(self) -> tuple[set[int], set[tuple[int, ...]]]:
        """The nodes and connections on the canvas."""
        nodes = self.get(_GRID, "_DRAWN_NODES_BY_ID")
        lines = self.call(_GRID, "get_connection_list")
        return {int(node) for node in nodes}, {
            (_id(c["from_node"]), int(c["from_port"]), _id(c["to_node"]), int(c["to_port"])) for c in lines
        }

    @property
    def drawable(self) -> tuple[set[int], set[tuple[int, ...]]]:
        """The nodes and connections of the open scene."""
        scene = self.document["resources"]["scenes"][str(int(self.call("project", "open_scene")))]["map"]
        return {int(node) for node in scene}, {tuple(c) for entry in scene.values() for c in entry.get("io", [])}

    def inspected(self, node: int) -> str:
        """Opens a node in Arrow's inspector; where the fields of its type are."""
        self.call("mind", "inspect_node", node, -1, True)
        self.frames(6)
        inspector = "/root/Main/FloatingTools/Control/Inspector/Sections/Tabs/Node"
        shown = str(self.get(inspector, "_LAST_OPEN_SUB_INSPECTOR")).partition(":")[0]
        return f"{inspector}/Properties/Parameters/SubInspector/Holder/{shown}"

    @property
    def document(self) -> dict[str, Any]:
        """What is in the editor, without when it was saved."""
        return document_of(self.text)

    def mark(self) -> int:
        """How many signals have come."""
        return len(self.signals)

    def wait(self, name: str, since: int = 0, when: Callable[..., bool] = lambda *_: True) -> list[Any]:
        """The arguments of the first such signal after `since` for which `when` holds."""
        found: list[list[Any]] = []

        def look() -> bool:
            found[:] = [args for signal, args in self.signals[since:] if signal == name and when(*args)]
            return bool(found)

        self._until(look, f"signal {name}")
        return found[0]

    def wait_state(self, *states: str) -> None:
        """Until Fletcher is in one of these states."""
        deadline = threading.Event()
        for _ in range(PATIENCE_S * 10):
            if self.state in states:
                return
            deadline.wait(0.1)
        raise TimeoutError(f"Fletcher is {self.state} and not {states}: {self.signals}")

    def turn(self, method: str, *args: Any) -> dict[str, Any]:
        """Begins a turn by a method of Fletcher; its summary."""
        since = self.mark()
        assert self.fletcher(method, *args), self.signals[since:]
        return self.wait("turn_ended", since)[0]

    @contextmanager
    def full_disk(self) -> Generator[None]:
        """No file of Arrow's can be longer than 100 bytes meanwhile."""
        family, seen = [self.process.pid], 0
        while seen < len(family):
            for task in Path(f"/proc/{family[seen]}/task").iterdir():
                family.extend(map(int, (task / "children").read_text(encoding="ascii").split()))
            seen += 1
        limits = {pid: resource.prlimit(pid, resource.RLIMIT_FSIZE) for pid in family}
        for pid, (_, hard) in limits.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (100, hard))
        try:
            yield
        finally:
            for pid, before in limits.items():
                resource.prlimit(pid, resource.RLIMIT_FSIZE, before)

    def errors(self) -> list[str]:
        """What Godot has reported as script errors, with the place of each."""
        lines = self.output.read_text(encoding="utf-8", errors="replace").splitlines()
        return [f"{a} {b}" for a, b in zip(lines, [*lines[1:], ""], strict=True) if a.startswith("SCRIPT ERROR")]

    def listen(self) -> None:
        """Takes in what the driver says until it is gone."""
        for line in self._lines():
            said = json.loads(line, strict=False)
            with self._changed:
                if "signal" in said:
                    self.signals.append((said["signal"], said["args"]))
                else:
                    self._answers[said["id"]] = said["value"]
                self._changed.notify_all()
        with self._changed:
            self._is_gone = True
            self._changed.notify_all()

    def _lines(self) -> Generator[str]:
        with suppress(ConnectionError):  # Arrow was killed
            yield from self.heard

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: holds() or self._is_gone, PATIENCE_S) or not holds():
                tail = self.output.read_text(encoding="utf-8", errors="replace")[-3000:]
                raise TimeoutError(f"{what}: nothing came.\n{self.signals[-10:]}\n{tail}")


@contextmanager
def running(godot: Godot, folder: Path, url: str, boot: Path = CLIENT / "boot.tscn") -> Generator[Editor]:
    """Arrow with a data folder of its own, connected to the server at `url`, until the end of the block."""
    folder.mkdir(parents=True, exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        environment = os.environ | {
            "XDG_DATA_HOME": godot.seen(folder / "data"),
            "FLETCHER_URL": url,
            "FLETCHER_TEST_BOOT": godot.seen(boot),
            "FLETCHER_TEST_PORT": str(server.getsockname()[1]),
        }
        command = [str(godot.program), "--headless", "--path", godot.seen(godot.checkout)]
        command += [godot.seen(DRIVER), "--config-dir", godot.seen(folder)]
        output = folder / "output.txt"
        with output.open("wb") as told:
            # Signals as Python has them: a write beyond a limit fails then, as on a full disk.
            process = subprocess.Popen(
                command, env=environment, stdout=told, stderr=subprocess.STDOUT, restore_signals=False
            )
        try:
            client, _ = server.accept()
            with (
                client,
                client.makefile("w", encoding="utf-8") as line,
                client.makefile("r", encoding="utf-8") as heard,
            ):
                editor = Editor(process, line, heard, output, folder)
                listening = threading.Thread(target=editor.listen, daemon=True)
                listening.start()
                try:
                    yield editor
                finally:
                    process.kill()
                    listening.join()
        finally:
            process.kill()
            process.wait()
