"""The real command line, the real server, the real embedding model; only the language model is scripted."""

import functools
import json
import logging
import os
import shutil
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from corpora.samples import SAMPLE
from fletcher.__main__ import main
from retrieval import Embedder
from tests.forked import finished
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, running_server


@dataclass(frozen=True)
class Finished:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value on standard output."""
        return json.loads(self.out)


Run = Callable[..., Finished]


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def fletcher(*arguments: str | Path, data_dir: Path, cwd: Path | None = None, **environment: str) -> Finished:
    """Runs one command line to its end."""
    command = [sys.executable, "-m", "fletcher", *map(str, arguments), "--data-dir", str(data_dir)]
    done = finished(command, cwd or Path.cwd(), CLEAN_ENVIRONMENT | environment)
    return Finished(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def run_program(data_dir: Path, tmp_path: Path) -> Run:
    """`run_program("serve", ...)`: as `run`, in a process of its own."""

    def run_program(*arguments: str | Path, **environment: str) -> Finished:
        return fletcher(*arguments, data_dir=data_dir, cwd=tmp_path, **environment)

    return run_program


# Loaded once for all commands of this process.
_embedder = functools.cache(Embedder)


@pytest.fixture
def run(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Generator[Run]:
    """`run("search", ...)`: the command line on a data directory of the test's own, away from any `.env`.

    In this process: to start one takes longer than most commands do.
    """

    def run(*arguments: str | Path, **environment: str) -> Finished:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            main([*map(str, arguments), "--data-dir", str(data_dir)])
        for name in environment:
            monkeypatch.delenv(name)
        said = capsys.readouterr()
        return Finished(int(end.value.code or 0), said.out, said.err)

    for name in os.environ.keys() - CLEAN_ENVIRONMENT.keys():
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fletcher.wiring.Embedder", _embedder)
    handlers = logging.root.handlers[:]
    yield run
    logging.root.handlers[:] = handlers  # a command logs to the standard error of its own time


@pytest.fixture
def sample_data_dir(ingested: Path, data_dir: Path) -> Path:
    """The test's own copy of the ingested sample."""
    shutil.copytree(ingested, data_dir)
    return data_dir


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """The test's own copy of the sample's story."""
    return Path(shutil.copyfile(SAMPLE.arrow_file, tmp_path / "story.arrow"))


@pytest.fixture
def serve() -> Generator[Callable[..., str]]:
    """`serve(data_dir, **environment)`: a server process until the end of the test."""
    with ExitStack() as servers:
        yield lambda data_dir, **environment: servers.enter_context(running_server(data_dir, **environment))


class SocketClient:
    """A client that answers nothing by itself; the test says every message."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    def send(self, **message: Any) -> None:
        self._connection.send(json.dumps(message))

    def receive(self) -> dict[str, Any]:
        return json.loads(self._connection.recv(timeout=PATIENCE_S))

    def until(self, message_type: str) -> list[dict[str, Any]]:
        """Everything up to and including the next message of that type."""
        frames = [self.receive()]
        while frames[-1]["type"] != message_type:
            frames.append(self.receive())
        return frames


@pytest.fixture
def connected() -> Generator[Callable[[str], SocketClient]]:
    """`connected(url)`: a socket to a server, until the end of the test."""
    with ExitStack() as connections:

        def open_socket(url: str) -> SocketClient:
            address = url.replace("http", "ws", 1) + "/ws/chat"
            return SocketClient(connections.enter_context(connect(address, proxy=None, open_timeout=PATIENCE_S)))

        yield open_socket
