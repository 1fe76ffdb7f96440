"""`fletcher serve`, and whatever else serves, as a process of its own: waited for until it says where, and ended."""

import os
import subprocess
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from tests.forked import Forked, started

# Tests must not depend on the keys and settings of whoever runs them.
CLEAN_ENVIRONMENT = {
    name: value for name, value in os.environ.items() if not name.startswith(("FLETCHER_", "ANTHROPIC_", "OPENAI_"))
}
PATIENCE_S = 300  # ends what hangs, and nothing that only takes long
_SAYS_WHERE = "Fletcher serves "


@dataclass
class ServerProcess:
    """A process that serves.

    Attributes:
        process: It may be killed, halted or told to end at any moment.
        url: Where it is, `http://…`.
        log: The lines that it has written to standard error so far. They are read all the time: a server whose log
            nobody reads would stand still once the pipe is full.
    """

    process: "subprocess.Popen[bytes] | Forked"
    stderr: IO[str]
    url: str = ""
    log: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._has_said_where = threading.Event()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def wait_until_it_says_where(self) -> None:
        """Returns once `url` is known; fails if it ends without having said so."""
        self._has_said_where.wait(PATIENCE_S)
        assert self.url, "the server did not start: " + "".join(self.log)

    def end(self) -> str:
        """Tells it to end, and waits until it has; all that it has logged."""
        self.process.terminate()
        return self.wait()

    def wait(self) -> str:
        """Waits until it has ended; all that it has logged."""
        try:
            self.process.wait(PATIENCE_S)
        finally:
            self.process.kill()
            self._reading.join(PATIENCE_S)
        return "".join(self.log)

    def _read(self) -> None:
        for line in self.stderr:
            self.log.append(line)
            if not self.url and _SAYS_WHERE in line:
                self.url = line.split(_SAYS_WHERE)[1].split()[0]
                self._has_said_where.set()
        self._has_said_where.set()


running: dict[str, ServerProcess] = {}
"""Those that serve now, by their URLs."""


@contextmanager
def server_process(
    command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str], stdout: IO[str] | None = None
) -> Generator[ServerProcess]:
    """Runs the command while the block does, which begins once the server has said where it is."""
    ours, its = os.pipe()
    with os.fdopen(ours, encoding="utf-8", errors="replace") as stderr:
        process = started(command, cwd, environment, stdout, its)
        os.close(its)
        server = ServerProcess(process, stderr)
        try:
            server.wait_until_it_says_where()
            running[server.url] = server
            yield server
        finally:
            running.pop(server.url, None)
            server.end()


@contextmanager
def running_server(data_dir: Path, port: int = 0, **environment: str) -> Generator[str]:
    """`fletcher serve` on a data directory, at a free port where none is given; yields its URL."""
    command = [sys.executable, "-m", "fletcher", "serve", "--port", str(port), "--data-dir", data_dir]
    with server_process(command, data_dir.parent, CLEAN_ENVIRONMENT | environment) as server:
        yield server.url
