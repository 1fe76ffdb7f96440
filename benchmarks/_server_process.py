"""A server in a process of its own, to be measured."""

import os
import socket
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

_PATIENCE_S = 60.0
_ALL_THREADS = 2  # CPUCLOCK_SCHED, as `clock_getcpuclockid` has it


@dataclass(frozen=True)
class Server:
    """A server in a process of its own."""

    name: str
    url: str
    process: subprocess.Popen[bytes]

    def memory(self) -> int:
        """Resident bytes."""
        pages = Path(f"/proc/{self.process.pid}/statm").read_text(encoding="ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def cpu_s(self) -> float:
        """Seconds of processor time so far, of all its threads; Linux only.

        The clock of another process counts as finely as one's own; `/proc` has hundredths of a second.
        """
        return time.clock_gettime(~self.process.pid << 3 | _ALL_THREADS)


@contextmanager
def running(name: str, command: Sequence[str], ready: str, settings: dict[str, str], folder: Path) -> Generator[Server]:
    """Starts a server that is given its port last, and ends it; `ready` is a path that answers once it is up."""
    port = _free_port()
    kept = {key: value for key, value in os.environ.items() if not key.startswith("FLETCHER_")}
    path = {"PYTHONPATH": str(Path(__file__).parents[1])} if "fletcher" in command else {}
    process = subprocess.Popen(
        [*command, str(port)],
        cwd=folder,
        env=kept | path | settings,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_for(url + ready, process)
        yield Server(name, url, process)
    finally:
        process.terminate()
        process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    with httpx.Client(trust_env=False) as client:
        while process.poll() is None and time.monotonic() < deadline:
            try:
                if client.get(url).is_success:
                    return
            except httpx.TransportError:
                time.sleep(0.2)
    raise TimeoutError(f"{url} does not answer")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
