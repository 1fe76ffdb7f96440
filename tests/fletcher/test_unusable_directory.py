"""A full disk, a damaged catalog, a folder that cannot be written: a sentence and exit code 1, never a traceback."""

import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from functools import partial
from io import StringIO
from pathlib import Path

import pytest

from corpora import Catalog, DataDirectory, ProjectKey
from fletcher.__main__ import main

KEY = ProjectKey("local", "1")

both_commands = pytest.mark.parametrize(
    "command", [("documents", "--project", "1"), ("serve", "--port", "0")], ids=["documents", "serve"]
)


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


def fails(data: Path, *arguments: str, largest_file: int | None = None) -> str:
    """What the command says on standard error when it ends with 1; no file can grow beyond `largest_file` bytes.

    In a process of its own; in this one where it costs this one nothing.
    """
    run = _in_this_process if largest_file is None and arguments[0] != "serve" else partial(_in_a_process, largest_file)
    code, said = run(*arguments, "--data-dir", str(data))
    assert code == 1, said
    assert "Traceback" not in said
    assert said.startswith("Error: ")
    return said


def _in_this_process(*arguments: str) -> tuple[object, str]:
    handlers = logging.root.handlers[:]
    try:
        with pytest.MonkeyPatch.context() as patched, redirect_stderr(StringIO()) as said:
            patched.setenv("FLETCHER_MODEL", "local")
            with pytest.raises(SystemExit) as end:
                main([*arguments])
    finally:
        logging.root.handlers[:] = handlers
    return end.value.code, said.getvalue()


def _in_a_process(largest_file: int | None, *arguments: str) -> tuple[object, str]:
    limit = ""
    if largest_file is not None:
        limit = (
            "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
            f"resource.setrlimit(resource.RLIMIT_FSIZE, ({largest_file}, {largest_file})); "
        )
    program = f"{limit}from fletcher.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True, text=True, check=False, env=os.environ | {"FLETCHER_MODEL": "local"},
    )  # fmt: skip
    return done.returncode, done.stderr


def overwrite(start: int, end: int | None) -> Callable[[bytes], bytes]:
    return lambda data: data[:start] + b"\x5a" * len(data[start:end]) + (data[end:] if end else b"")


@both_commands
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(overwrite(0, 100), id="header"),
        pytest.param(overwrite(100, 4096), id="first page"),
        pytest.param(overwrite(4096, None), id="other pages"),
        pytest.param(lambda data: data[:20_000], id="half"),
        pytest.param(lambda data: data[:100], id="a hundred bytes"),
    ],
)
def test_a_damaged_catalog(data: Path, damage: Callable[[bytes], bytes], command: tuple[str, ...]) -> None:
    catalog = data / "catalog.sqlite3"
    catalog.write_bytes(damage(catalog.read_bytes()))
    said = fails(data, *command)
    assert "catalog.sqlite3" in said
    assert "Its file is damaged" in said


def test_a_catalog_that_lacks_a_table(data: Path) -> None:
    import sqlite3

    with sqlite3.connect(data / "catalog.sqlite3") as connection:
        connection.execute("DROP TABLE documents")
    connection.close()
    assert "no such table" in fails(data, "documents", "--project", "1")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on files")
@pytest.mark.parametrize("largest_file", [0, 8_192])
@both_commands
def test_a_full_disk(tmp_path: Path, largest_file: int, command: tuple[str, ...]) -> None:
    assert "full" in (said := fails(tmp_path / "data", *command, largest_file=largest_file)) or "make room" in said


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
