"""One process owns a data directory; the others find it and talk to it."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from corpora.samples import SAMPLE
from tests.end_to_end.conftest import Run, fletcher
from tests.forked import started
from tests.server_process import CLEAN_ENVIRONMENT, PATIENCE_S, running_server
from tests.waiting import eventually

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def served(ingested: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A server on a copy of the ingested sample, and its data directory."""
    data_dir = tmp_path_factory.mktemp("served") / "data"
    shutil.copytree(ingested, data_dir)
    with running_server(data_dir) as url:
        yield url, data_dir


def test_commands_talk_to_the_running_server(
    run: Run, served: tuple[str, Path], data_dir: Path, tmp_path: Path, story: Path
) -> None:
    _, served_dir = served
    data_dir.symlink_to(served_dir, target_is_directory=True)
    found = run("search", SAMPLE.question, "--project", "1", "-k", "2", "--json")
    assert found.code == 0, found.err
    assert len(found.json["passages"]) == 2

    note = tmp_path / "late.md"
    note.write_text("The night ferry is called Bittern.\n", "utf-8")
    done = run("ingest", note, "--project", "2", "--json")
    assert [document["status"] for document in done.json["documents"]] == ["indexed"]
    again = run("ingest", note, "--project", "2", "--json")
    assert [document["status"] for document in again.json["documents"]] == ["unchanged"]
    assert run("remove", "late.md", "--project", "2").code == 0
    assert run("search", "ferry", "--project", "99").code == 1

    assert run("chat", story, "-m", "create a variable lanterns = 3").code == 0
    assert "lanterns" in story.read_text("utf-8")
    assert run("chat", story, "-m", '/delete_variable {"by_name": "lanterns"}', "--yes").code == 0
    assert "lanterns" not in story.read_text("utf-8")


def test_a_second_server_is_told_who_owns_the_directory(served: tuple[str, Path], tmp_path: Path) -> None:
    url, served_dir = served
    second = fletcher("serve", "--port", "0", data_dir=served_dir, cwd=tmp_path)
    assert second.code == 1
    assert url in second.err


def test_a_long_ingest_answers_other_commands(run: Run, data_dir: Path, tmp_path: Path) -> None:
    """The documents are searchable by text while their vectors are still being made."""
    folder = tmp_path / "long"
    folder.mkdir()
    for number in range(120):
        (folder / f"day-{number}.txt").write_text(
            f"On day {number} the pilot Aurelie logged {number * 7} herons.\n", "utf-8"
        )
    command = [sys.executable, "-m", "fletcher", "ingest", str(folder), "--project", "1", "--data-dir", str(data_dir)]
    with (tmp_path / "said").open("w") as said, started(command, tmp_path, CLEAN_ENVIRONMENT, said, said) as ingest:
        while True:  # each command waits for the owner, so this is not a busy loop
            found = run("search", "herons logged on day 12", "--project", "1", "-k", "3", "--json")
            if found.code == 0 and found.json["passages"]:
                break
            assert ingest.poll() in (None, 0)
        assert ingest.wait(timeout=PATIENCE_S) == 0
    assert len(run("documents", "--project", "1", "--json").json["documents"]) == 120


def test_a_killed_ingest_leaves_whole_documents_and_is_completed(run: Run, data_dir: Path, tmp_path: Path) -> None:
    folder = tmp_path / "long"
    folder.mkdir()
    for number in range(60):
        (folder / f"day-{number}.txt").write_text(
            f"On day {number} the pilot Aurelie logged {number * 7} herons.\n", "utf-8"
        )
    command = [sys.executable, "-m", "fletcher", "ingest", str(folder), "--project", "1", "--data-dir", str(data_dir)]
    with (tmp_path / "said").open("w") as said, started(command, tmp_path, CLEAN_ENVIRONMENT, said, said) as ingest:
        catalog = data_dir / "catalog.sqlite3"
        eventually(lambda: catalog.exists() or ingest.poll() is not None)
        assert ingest.poll() is None  # it has begun; wherever it is now is as good a moment as any
        ingest.kill()
    listed = run("documents", "--project", "1", "--json")
    whole = listed.json["documents"] if listed.code == 0 else []
    assert all(document["passages"] > 0 for document in whole)
    completed = run("ingest", folder, "--project", "1", "--json")
    assert completed.code == 0, completed.err
    assert len(completed.json["documents"]) == 60
    assert all(document["embedded"] == document["passages"] == 1 for document in completed.json["documents"])
