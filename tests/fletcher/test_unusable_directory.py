"""A full disk, a damaged catalog, a folder that cannot be written: a sentence and exit code 1, never a traceback."""

import json
import logging
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import pytest

from corpora import Catalog, DataDirectory, ProjectKey
from fletcher.__main__ import main
from tests.forked import finished

KEY = ProjectKey("local", "1")

COMMANDS = {"documents": ("documents", "--project", "1"), "serve": ("serve", "--port", "0")}
both_commands = pytest.mark.parametrize("command", COMMANDS)


def overwrite(start: int, end: int | None) -> Callable[[bytes], bytes]:
    return lambda data: data[:start] + b"\x5a" * len(data[start:end]) + (data[end:] if end else b"")


DAMAGES = {
    "header": overwrite(0, 100),
    "first page": overwrite(100, 4096),
    "other pages": overwrite(4096, None),
    "half": lambda data: data[:20_000],
    "a hundred bytes": lambda data: data[:100],
}
LARGEST_FILES = (0, 8_192)

# Runs one command after the other, and says how each has ended, and what it said on standard error: a server's log and
# a limit on files would be this process's as well. It keeps no compiled modules: of one that it imports under the limit
# Python would keep a part, and nobody could import that module again.
RUNNING = """
import json, signal, sys, traceback
sys.dont_write_bytecode = True
from contextlib import redirect_stderr
from io import StringIO
from fletcher.__main__ import main
for largest_file, arguments in json.loads(sys.argv[1]):
    if largest_file is not None:
        import resource
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, limits[1]))
    code = 0
    with redirect_stderr(StringIO()) as said:
        try:
            main(arguments)
        except SystemExit as end:
            code = end.code
        except BaseException:
            traceback.print_exc()
    if largest_file is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    print(json.dumps([code, said.getvalue()]))
"""


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a document."""
    directory = DataDirectory(tmp_path_factory.mktemp("filled") / "data")
    catalog = Catalog(directory.catalog_url)
    text = "Elena keeps the lighthouse. " * 1_000
    sha256 = directory.originals.put(text.encode())
    catalog.put_document(KEY, name="a.md", format="md", sha256=sha256, size=1, text=text, pages=[], passages=[])
    catalog.close()
    return directory.path


@pytest.fixture
def data(filled: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled, tmp_path / "data"))


@pytest.fixture(scope="module")
def ended(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str | int], tuple[object, str]]:
    """How the commands that need a process of their own have ended: by their names and what was amiss."""
    folder = tmp_path_factory.mktemp("amiss")
    runs: dict[tuple[str, str | int], tuple[int | None, list[str]]] = {}
    for what in DAMAGES:
        data = folder / what
        damage(Path(shutil.copytree(filled, data)), what)
        runs["serve", what] = None, [*COMMANDS["serve"], "--data-dir", str(data)]
    for size in LARGEST_FILES if sys.platform != "win32" else ():
        for command, arguments in COMMANDS.items():
            runs[command, size] = size, [*arguments, "--data-dir", str(folder / f"{command} {size}")]
    command = [sys.executable, "-c", RUNNING, json.dumps(list(runs.values()))]
    done = finished(command, Path.cwd(), os.environ | {"FLETCHER_MODEL": "local"})
    assert done.returncode == 0, done.stderr
    return dict(zip(runs, map(json.loads, done.stdout.splitlines()), strict=True))


def fails(data: Path, *arguments: str) -> str:
    """What the command says on standard error when it ends with 1; in this process."""
    handlers = logging.root.handlers[:]
    try:
        with pytest.MonkeyPatch.context() as patched, redirect_stderr(StringIO()) as said:
            patched.setenv("FLETCHER_MODEL", "local")
            with pytest.raises(SystemExit) as end:
                main([*arguments, "--data-dir", str(data)])
    finally:
        logging.root.handlers[:] = handlers
    return failed(end.value.code, said.getvalue())


def failed(code: object, said: str) -> str:
    assert code == 1, said
    assert "Traceback" not in said
    assert said.startswith("Error: ")
    return said


def damage(data: Path, how: str) -> None:
    catalog = data / "catalog.sqlite3"
    catalog.write_bytes(DAMAGES[how](catalog.read_bytes()))


@pytest.mark.parametrize("how", DAMAGES)
@both_commands
def test_a_damaged_catalog(
    data: Path, how: str, command: str, ended: dict[tuple[str, str | int], tuple[object, str]]
) -> None:
    if command == "serve":
        said = failed(*ended[command, how])
    else:
        damage(data, how)
        said = fails(data, *COMMANDS[command])
    assert "catalog.sqlite3" in said
    assert "Its file is damaged" in said


def test_a_catalog_that_lacks_a_table(data: Path) -> None:
    import sqlite3

    with sqlite3.connect(data / "catalog.sqlite3") as connection:
        connection.execute("DROP TABLE documents")
    connection.close()
    assert "no such table" in fails(data, "documents", "--project", "1")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on files")
@pytest.mark.parametrize("largest_file", LARGEST_FILES)
@both_commands
def test_a_full_disk(largest_file: int, command: str, ended: dict[tuple[str, str | int], tuple[object, str]]) -> None:
    assert "full" in (said := failed(*ended[command, largest_file])) or "make room" in said


@pytest.mark.parametrize("name", ["owner.json", "lock", "catalog.sqlite3"])
def test_a_folder_where_a_file_should_be(tmp_path: Path, name: str) -> None:
    (tmp_path / "data" / name).mkdir(parents=True)
    assert str(tmp_path / "data") in fails(tmp_path / "data", "documents", "--project", "1")


def test_a_file_where_a_folder_should_be(data: Path, tmp_path: Path) -> None:
    shutil.rmtree(data / "originals", ignore_errors=True)
    (data / "originals").write_text("no folder")
    assert "originals" in fails(data, "documents", "--project", "1")
    (tmp_path / "file").write_text("no folder")
    assert "--data-dir" in fails(tmp_path / "file", "documents", "--project", "1")


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="for root everything can be written")
def test_a_folder_that_cannot_be_written(data: Path) -> None:
    data.chmod(0o500)
    try:
        assert "permission" in fails(data, "documents", "--project", "1")
    finally:
        data.chmod(0o700)
