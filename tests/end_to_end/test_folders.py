"""Folders that are kept in step: by a running server, and by `fletcher ingest --watch`."""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import httpx
import psutil
import pytest

from tests.end_to_end.conftest import Run
from tests.forked import Forked, started
from tests.full_pipe import full_pipe
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, running_server
from tests.waiting import eventually

pytestmark = pytest.mark.long


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "design"
    folder.mkdir()
    (folder / "bible.md").write_text("# Elena\n\nShe keeps the lighthouse of Pell.\n")
    (folder / "ferry.md").write_text("The ferry is called Bittern.\n")
    return folder


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server, and its data directory."""
    data_dir = tmp_path_factory.mktemp("served") / "data"
    with running_server(data_dir) as url:
        yield url, data_dir


@contextmanager
def watching(folder: Path, data_dir: Path, log: IO[str]) -> Generator[tuple[Forked | subprocess.Popen[bytes], IO[str]]]:
    """The command that ingests a folder, and stays: its process, which is killed in the end, and what it reports."""
    command = [sys.executable, "-m", "fletcher", "ingest", folder, "--project", "1", "--watch", "--json"]
    ours, its = os.pipe()
    with (
        os.fdopen(ours, encoding="utf-8") as reports,
        started([*command, "--data-dir", data_dir], folder.parent, CLEAN_ENVIRONMENT, its, log) as process,
    ):
        os.close(its)
        try:
            yield process, reports
        finally:
            process.kill()


def names(http: httpx.Client) -> list[str]:
    return [document["name"] for document in http.get("/projects/1/documents").json()["documents"]]


def test_a_linked_folder(run: Run, folder: Path, data_dir: Path, serve: Callable[..., str]) -> None:
    """Linked while no server runs, followed by the next one, looked at and unlinked through it."""
    done = run("link", folder, "--project", "1", "--json")
    assert done.code == 0, done.err
    assert (done.json["path"], done.json["problem"]) == (str(folder), None)
    assert [document["status"] for document in done.json["documents"]] == ["indexed", "indexed"]

    (folder / "ferry.md").rename(folder / "boats.md")
    url = serve(data_dir)
    with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as http:
        eventually(lambda: names(http) == ["bible.md", "boats.md"])
    shown = run("link", "--project", "1", "--json").json
    assert [document["name"] for document in shown["documents"]] == ["bible.md", "boats.md"]

    refused = run("remove", "boats.md", "--project", "1")
    assert (refused.code, "--unlink" in refused.err) == (1, True)
    assert run("link", folder, "--project", "1", "--unlink").code == 2
    assert "Unlinked" in run("link", "--project", "1", "--unlink").out
    assert run("link", "--project", "1").code == 1


def test_through_a_server_only_its_owner_links(
    run: Run, folder: Path, data_dir: Path, served: tuple[str, Path]
) -> None:
    url, served_dir = served
    data_dir.symlink_to(served_dir, target_is_directory=True)
    with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as anybody:
        refused = anybody.put("/projects/1/folder", json={"path": str(folder)})
    assert (refused.status_code, refused.json()["error"]["code"]) == (403, "FOLDER_NOT_ALLOWED")
    assert run("link", folder, "--project", "1").code == 0


def test_a_server_that_asks_for_the_key_of_its_owners_file(
    run: Run, folder: Path, data_dir: Path, serve: Callable[..., str]
) -> None:
    url = serve(data_dir, FLETCHER_REQUIRE_KEY="true")
    assert run("ingest", folder, "--project", "1").code == 0
    key = json.loads((data_dir / "owner.json").read_text())["key"]
    with httpx.Client(base_url=url, trust_env=False, timeout=PATIENCE_S) as http:
        assert http.get("/projects/1/documents").status_code == 401
        allowed = http.get("/projects/1/documents", headers={"Authorization": f"Bearer {key}"})
    assert len(allowed.json()["documents"]) == 2


def test_only_below_the_operators_folders(run: Run, folder: Path, tmp_path: Path) -> None:
    allowed = tmp_path / "allowed"
    allowed.mkdir()
    refused = run("link", folder, "--project", "1", FLETCHER_FOLDERS=f"local={allowed}")
    assert (refused.code, "FLETCHER_FOLDERS" in refused.err) == (1, True)
    (tmp_path / "alias").symlink_to(folder.parent, target_is_directory=True)
    named = tmp_path / "alias" / folder.name
    assert run("link", named, "--project", "1", FLETCHER_FOLDERS=f"local={folder.parent}").code == 0


def test_ingest_stays_and_ends_with_ctrl_c(run: Run, folder: Path, data_dir: Path) -> None:
    assert run("ingest", folder.parent / "nowhere", "--project", "1", "--watch").code == 1
    said = folder.with_name("said")
    with said.open("w") as log, watching(folder, data_dir, log) as (process, reports):
        deadline = threading.Timer(PATIENCE_S, process.kill)
        deadline.start()

        def reported() -> dict[str, str]:
            return {document["name"]: document["status"] for document in json.loads(reports.readline())["documents"]}

        assert reported() == {"bible.md": "indexed", "ferry.md": "indexed"}
        (folder / "bible.md").write_text("# Elena\n\nShe left Pell.\n")
        assert reported() == {"bible.md": "updated"}
        found = run("search", "Where is Elena?", "--project", "1", "-k", "1", "--json")
        assert "left" in found.json["passages"][0]["text"], "another command is answered meanwhile"
        owner = json.loads((data_dir / "owner.json").read_text())
        stranger = httpx.get(f"{owner['url']}/projects/1/documents", trust_env=False, timeout=PATIENCE_S)
        assert stranger.status_code == 401, "its port is for this user's commands"
        (folder / "ferry.md").rename(folder / "boats.md")
        assert reported() == {"boats.md": "indexed", "ferry.md": "removed"}
        command = psutil.Process(process.pid)
        for one in (*command.children(recursive=True), command):
            one.send_signal(signal.SIGINT)  # as a terminal does it, the readers included
        assert process.wait(PATIENCE_S) == 0, said.read_text()
        deadline.cancel()
    assert "Traceback" not in said.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="fills a pipe as POSIX does")
def test_who_does_not_read_what_it_logs_holds_up_nobody_else(run: Run, folder: Path, data_dir: Path) -> None:
    with full_pipe() as full, watching(folder, data_dir, full) as (_, reports):
        reports.readline()
        url = json.loads((data_dir / "owner.json").read_text())["url"]
        with httpx.Client(headers={"Authorization": "Bearer wrong"}, timeout=PATIENCE_S, trust_env=False) as wrong:
            assert wrong.get(f"{url}/projects").status_code == 401, "which is logged"
        assert run("documents", "--project", "1", "--json").json["documents"]


def test_names_that_are_no_text_are_named_and_all_others_go_on(
    run: Run, folder: Path, data_dir: Path, served: tuple[str, Path]
) -> None:
    """By itself, as a table, and through a server."""
    try:
        with open(os.fsencode(folder) + b"/caf\xe9.md", "w") as file:  # noqa: PTH123
            file.write("Text.")
    except OSError:
        pytest.skip("this system has no such file names")
    for through_a_server in (False, True):
        if through_a_server:
            data_dir.rename(data_dir.with_name("its own"))
            data_dir.symlink_to(served[1], target_is_directory=True)
        done = run("ingest", folder, "--project", "2", "--sync", "--json")
        assert done.code == 1, done.err
        statuses = {document["name"]: document["status"] for document in done.json["documents"]}
        assert statuses == {"bible.md": "indexed", "ferry.md": "indexed", r"caf\xe9.md": "failed"}
        again = run("ingest", folder, "--project", "2").out
        assert (r"caf\xe9.md" in again, "2 unchanged" in again) == (True, True)
        named = run("ingest", os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md"), "--project", "2")
        assert (named.code, "INVALID_NAME" in named.err, "bytes that are not" in named.out) == (1, False, True)
