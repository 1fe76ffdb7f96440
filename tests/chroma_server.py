"""A Chroma server of the test run's own, from the program that chromadb brings."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil
import pytest

from tests.waiting import eventually

_PATIENCE_S = 300
_TRIES = 3


@dataclass(frozen=True)
class ChromaProcess:
    """`chroma run`, which a test can halt; connections to it are still taken then, by the system."""

    url: str
    pid: int

    def hang(self) -> None:
        """Whatever it is asked from now on, it does not answer."""
        os.kill(self.pid, signal.SIGSTOP)
        stands_still = psutil.Process(self.pid)
        eventually(lambda: stands_still.status() == psutil.STATUS_STOPPED)

    def go_on(self) -> None:
        """Answers again, also what it was asked meanwhile."""
        os.kill(self.pid, signal.SIGCONT)


@contextmanager
def running_chroma(keeping: Path | None = None) -> Generator[str]:
    """`chroma run` on a loopback port, which keeps its files in a folder; yields its URL. Skips where there is none."""
    with chroma_process(keeping) as chroma:
        yield chroma.url


@contextmanager
def chroma_that_can_hang() -> Generator[ChromaProcess]:
    """A Chroma server for a test that halts it; skips where processes cannot be halted."""
    if not hasattr(signal, "SIGSTOP"):
        pytest.skip("processes cannot be halted here")
    with chroma_process() as chroma:
        yield chroma


@contextmanager
def chroma_process(keeping: Path | None = None) -> Generator[ChromaProcess]:
    """As `running_chroma`, with the process."""
    program = Path(sys.executable).with_name("chroma")
    if not program.exists():
        pytest.skip("the program `chroma` of chromadb is not beside Python here")
    folder = Path(tempfile.mkdtemp(prefix="fletcher-chroma-"))
    try:
        with _started([program, "run", "--path", keeping or folder, "--host", "127.0.0.1"], folder) as chroma:
            yield chroma
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _started(command: list[str | Path], folder: Path) -> Generator[ChromaProcess]:
    for _ in range(_TRIES):
        port = _free_port()
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen([*command, "--port", str(port)], stdout=log, stderr=log, cwd=folder)
        with server:
            try:
                if _answers(url := f"http://127.0.0.1:{port}", server):
                    yield ChromaProcess(url, server.pid)
                    return
            finally:
                server.kill()
    raise AssertionError(f"chroma run does not stay: {(folder / 'log').read_text('utf-8', 'replace')}")


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def _answers(url: str, server: "subprocess.Popen[bytes]") -> bool:
    """True once it does; False if it has ended, as somebody else has taken its port meanwhile."""
    give_up_at = time.monotonic() + _PATIENCE_S
    while server.poll() is None:
        try:
            httpx.get(f"{url}/api/v2/heartbeat", trust_env=False).raise_for_status()
            return True
        except httpx.HTTPError:
            assert time.monotonic() < give_up_at, "chroma run does not answer"
            time.sleep(0.05)
    return False
