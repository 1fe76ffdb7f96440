"""One process owns a data directory; its death, even by kill -9, gives it back."""

import json
import os
import signal
import stat
import subprocess
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from corpora import DataDirectory, DirectoryBusy, Owner, StorageError

OWNING = """
import sys
from corpora import DataDirectory
ownership = DataDirectory(sys.argv[1]).own(*sys.argv[2:])
print("owned", flush=True)
sys.stdin.read()
"""


@contextmanager
def other_process(folder: Path, *arguments: str) -> Generator[subprocess.Popen[str]]:
    """Another process that owns the folder for as long as its stdin is open."""
    command = [sys.executable, "-c", OWNING, str(folder), *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "owned\n"
        yield process


def test_an_owner_is_known_until_it_gives_the_directory_back(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path / "data")
    assert directory.owner() is None
    with directory.own("http://127.0.0.1:1234") as ownership:
        owner = directory.owner()
        assert owner == ownership.owner
        assert owner is not None
        assert (owner.pid, owner.url) == (os.getpid(), "http://127.0.0.1:1234")
        assert owner.key is not None
        assert len(owner.key) >= 32
    assert directory.owner() is None
    assert not (directory.path / "owner.json").exists()
    ownership.release()


def test_nobody_else_can_read_the_key(tmp_path: Path) -> None:
    with DataDirectory(tmp_path).own("http://127.0.0.1:1"):
        assert stat.S_IMODE((tmp_path / "owner.json").stat().st_mode) == 0o600


def test_each_owner_has_another_key(tmp_path: Path) -> None:
    keys: list[str | None] = []
    for _ in range(2):
        with DataDirectory(tmp_path).own("http://127.0.0.1:1") as ownership:
            keys.append(ownership.owner.key)
    assert None not in keys
    assert keys[0] != keys[1]


def test_a_new_directory_is_for_its_user_alone(tmp_path: Path) -> None:
    assert stat.S_IMODE(DataDirectory(tmp_path / "new").path.stat().st_mode) == 0o700


def test_an_owner_may_say_later_where_it_answers(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    with directory.own() as ownership:
        assert directory.owner() == Owner(os.getpid())
        announced = ownership.announce("http://127.0.0.1:4321", "secret")
        assert directory.owner() == announced == Owner(os.getpid(), "http://127.0.0.1:4321", "secret")


def test_a_server_is_not_waited_for(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    with other_process(tmp_path, "http://127.0.0.1:1234", "key") as process:
        assert directory.owner() == Owner(process.pid, "http://127.0.0.1:1234", "key")
        with pytest.raises(DirectoryBusy, match=rf"process {process.pid}.*http://127\.0\.0\.1:1234") as refused:
            directory.own()
        assert refused.value.owner == directory.owner()


def test_a_short_command_is_waited_for(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    owned = threading.Event()

    def wait() -> None:
        with directory.own():
            owned.set()

    with other_process(tmp_path) as process:
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert directory.owner() == Owner(process.pid)
        assert not owned.is_set()
        process.communicate()
    waiting.join()
    assert owned.is_set()


def test_a_short_command_that_takes_too_long_is_named(tmp_path: Path) -> None:
    with (
        other_process(tmp_path) as process,
        pytest.raises(DirectoryBusy, match=rf"process {process.pid}.*Wait"),
    ):
        DataDirectory(tmp_path).own(wait_s=0)


def test_kill_9_gives_the_directory_back(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    with other_process(tmp_path, "http://127.0.0.1:1234", "key") as process:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert json.loads((tmp_path / "owner.json").read_text())["url"] == "http://127.0.0.1:1234"
    assert directory.owner() is None, "what a killed process left behind does not count"
    with directory.own() as ownership:
        assert ownership.owner == Owner(os.getpid())


def test_the_parts_lie_below_the_directory(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path / "with ? and # in it")
    assert directory.chroma_path == directory.path / "chroma"
    assert directory.catalog_url.database == str(directory.path / "catalog.sqlite3")
    sha256 = directory.originals.put(b"x")
    assert directory.originals.path(sha256).is_relative_to(directory.path)


def test_what_cannot_be_one_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(StorageError, match="--data-dir") as refused:
        DataDirectory(tmp_path / "file")
    assert str(tmp_path / "file") in refused.value.message
    (tmp_path / "lock").mkdir()
    with pytest.raises(StorageError):
        DataDirectory(tmp_path).own()


def test_who_waits_learns_when_the_owner_begins_to_answer(tmp_path: Path) -> None:
    directory = DataDirectory(tmp_path)
    refusals: list[DirectoryBusy] = []

    def wait() -> None:
        try:
            directory.own().release()
        except DirectoryBusy as busy:
            refusals.append(busy)

    with directory.own() as ownership:
        waiting = threading.Thread(target=wait)
        waiting.start()
        owner = ownership.announce("http://127.0.0.1:4321")
        waiting.join()
    assert [busy.owner for busy in refusals] == [owner]


@pytest.mark.skipif(os.name != "posix", reason="files have no user id")
def test_what_another_user_says_is_not_believed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents and questions would go to the address."""
    with other_process(tmp_path, "http://127.0.0.1:1234", "key"):
        monkeypatch.setattr("corpora.ownership.os.geteuid", lambda: os.getuid() + 1)
        with pytest.raises(DirectoryBusy, match=r"not believed.*another user.*--data-dir") as refused:
            DataDirectory(tmp_path).own()
    assert refused.value.owner is None
    assert "1234" not in refused.value.message


@pytest.mark.skipif(os.name != "posix", reason="links need a right of their own there")
def test_an_owners_file_is_no_link(tmp_path: Path) -> None:
    """It could lead to one that is ours, such as a file of a cloned project."""
    with other_process(tmp_path / "data", "http://127.0.0.1:1234", "key"):
        (tmp_path / "data" / "owner.json").rename(tmp_path / "theirs.json")
        (tmp_path / "data" / "owner.json").symlink_to(tmp_path / "theirs.json")
        with pytest.raises(StorageError, match="--data-dir"):
            DataDirectory(tmp_path / "data").own()


@pytest.mark.parametrize(
    "url",
    [
        "http://203.0.113.7:8000",
        "http://evil.example:8000",
        "http://127.0.0.1:8000@evil.example",
        "https://127.0.0.1:8000",
        "http://127.0.0.1:8000/path",
        "http://[2001:db8::7]:8000",
    ],
)
def test_an_owner_on_another_machine_is_not_believed(tmp_path: Path, url: str) -> None:
    with (
        other_process(tmp_path, url, "key"),
        pytest.raises(DirectoryBusy, match=r"not believed.*this machine") as refused,
    ):
        DataDirectory(tmp_path).own()
    assert refused.value.owner is None


@pytest.mark.parametrize("url", ["http://127.0.0.1:8000", "http://localhost:8000", None])
def test_an_owner_on_this_machine_is_believed(tmp_path: Path, url: str | None) -> None:
    with DataDirectory(tmp_path).own(url):
        owner = DataDirectory(tmp_path).owner()
    assert owner is not None
    assert owner.url == url
