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

_PATIENCE_S = 60


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
    port = _free_port()
    command = [program, "run", "--path", keeping or folder, "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log, cwd=folder) as server:
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for(url, server)
            yield ChromaProcess(url, server.pid)
        finally:
            server.kill()
            server.wait()
            shutil.rmtree(folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def _wait_for(url: str, server: "subprocess.Popen[bytes]") -> None:
    give_up_at = time.monotonic() + _PATIENCE_S
    while True:
        try:
            httpx.get(f"{url}/api/v2/heartbeat", trust_env=False).raise_for_status()
            return
        except httpx.HTTPError:
            assert server.poll() is None, "chroma run has ended"
            assert time.monotonic() < give_up_at, "chroma run does not answer"
            time.sleep(0.05)
