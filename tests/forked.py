"""Programs of this Python as processes of their own, forked from one that has imported what Fletcher imports.

To import that takes longer than most of what a test asks of a program. All else is the program's own: environment,
folder, files, signals, exit code. Nothing of the command line is imported before: it looks at its terminal as it is.
"""

import atexit
import multiprocessing
import multiprocessing.connection
import multiprocessing.process
import os
import runpy
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.reduction import DupFd
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

_PATIENCE_S = 600  # ends what hangs, and nothing that only takes long
_TOLD_BY_US = "PYTHONSAFEPATH"
_CAN_FORK = "forkserver" in multiprocessing.get_all_start_methods()
_IMPORTED = (
    *("agent.answering.answerer", "bm25s", "chromadb.api.rust", "httpx", "ingest.readers.markdown", "ingest.watching"),
    *("mcp_server.endpoint", "mcp_server.protocol", "nicegui.ui_run_with", "pydantic_settings", "retrieval"),
    *("rich.progress", "rich.syntax", "server.app", "typer", "uvicorn.loops.uvloop", "workbench.shell", "zstandard"),
)
File = int | IO[Any]


def started(
    command: Sequence[str | Path],
    cwd: Path,
    environment: Mapping[str, str],
    stdout: File | None = None,
    stderr: File | None = None,
    stdin: File | None = None,
) -> "Forked | subprocess.Popen[bytes]":
    """The program, which runs from now on; what Python itself is told by its environment only a new one hears."""
    files = stdin, stdout, stderr
    program, *arguments = map(str, command)
    if _CAN_FORK and program == sys.executable and _told(environment) == _told(os.environ):
        return Forked(arguments, cwd, environment, files)
    return subprocess.Popen([program, *arguments], -1, None, *files, cwd=cwd, env=environment)


def finished(
    command: Sequence[str | Path], cwd: Path, environment: Mapping[str, str]
) -> "subprocess.CompletedProcess[str]":
    """The program once it has ended, with what it has said; ended if it hangs."""
    with TemporaryFile("w+", encoding="utf-8") as out, TemporaryFile("w+", encoding="utf-8") as err:
        with started(command, cwd, environment, out, err) as process:
            try:
                code = process.wait(_PATIENCE_S)
            finally:
                process.kill()
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(command, code, out.read(), err.read())


def _told(environment: Mapping[str, str]) -> dict[str, str]:
    """What Python is told; Fletcher tells it whence to import, where it runs in this process, and in its own."""
    return {name: value for name, value in environment.items() if name.startswith("PYTHON") and name != _TOLD_BY_US}


class Forked:
    """A program that was forked, and runs; used as `subprocess.Popen` is."""

    def __init__(
        self, arguments: Sequence[str], cwd: Path, environment: Mapping[str, str], files: Sequence[File | None]
    ) -> None:
        """The arguments are Python's: `-m`, a module and its own, or `-c`, a program and its own."""
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(list(_IMPORTED))
        inherited = (file if file is None else _Inherited(file) for file in files)
        self._process = context.Process(target=_run, args=(list(arguments), cwd, dict(environment), *inherited))
        self._process.start()
        # Its exit code is read once: by nobody who starts another process at that moment, and by one thread.
        multiprocessing.process._children.discard(self._process)  # pyright: ignore[reportAttributeAccessIssue]
        self._asking = threading.Lock()

    def __enter__(self) -> "Forked":
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, or the signal that has ended it, negative; None while it runs."""
        with self._asking:
            return self._process.exitcode

    def poll(self) -> int | None:
        """`returncode`."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Waits until it has ended; its exit code."""
        multiprocessing.connection.wait([self._process.sentinel], timeout)
        if (code := self.returncode) is None:
            raise subprocess.TimeoutExpired(self._process.name, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        """Sends it a signal, unless it has ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):  # it has just ended, and its exit code is on its way
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Tells it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it."""
        self.send_signal(signal.SIGKILL)


class _Inherited:
    """A file that the other process gets as well."""

    def __init__(self, file: File) -> None:
        self._descriptor = file if isinstance(file, int) else file.fileno()

    def __reduce__(self) -> tuple[Any, ...]:
        return _detached, (DupFd(self._descriptor),)


def _detached(inherited: Any) -> int:
    return inherited.detach()


def _run(arguments: list[str], cwd: Path, environment: dict[str, str], *files: int | None) -> None:
    """The program, in its process."""
    for number, file in enumerate(files):
        if file is not None:
            os.dup2(file, number)
            os.close(file)
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, closefd=False)
    # What it shares with processes of its own it makes as if it were nobody's.
    multiprocessing.set_start_method(None, force=True)
    tracker: Any = resource_tracker._resource_tracker  # pyright: ignore[reportPrivateUsage]
    os.close(tracker._fd)
    tracker._fd = None
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environment)
    (kind, program, *sys.argv[1:]) = arguments
    try:
        if kind == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            sys.argv[0] = kind
            exec(program, {"__name__": "__main__"})
    finally:
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
