"""kill -9 at any moment of an ingest: only whole documents, and the same call does the rest."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import pytest

from ingest import scan
from tests.forked import started
from tests.ingest.ingesting import ENDED

if TYPE_CHECKING:
    from corpora import ProjectKey
    from tests.ingest.conftest import Pipeline

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")]


class Ingests:
    """Each is a process of its own."""

    def __init__(self, told: TextIO, said: TextIO) -> None:
        """Of what is told to the process that forks them, and of what it says."""
        self._told = told
        self._said = said

    def run(
        self, data: Path, folder: Path, *, replace: bool, dies_before: int = 0, dies_at: str = ""
    ) -> tuple[int, int | None]:
        """Ingests a folder: how it ended, and how many changes it made on the disk, if it came to its end.

        It kills itself just before the so-manieth change of anything on the disk, or at a step of its progress.
        """
        request = {"data": str(data), "folder": str(folder), "replace": replace}
        self._told.write(f"{json.dumps(request | {'dies_before': dies_before, 'dies_at': dies_at})}\n")
        self._told.flush()
        changes = None
        for line in self._said:
            word, number = line.split()
            if word == ENDED:
                return int(number), changes
            changes = int(number)
        raise AssertionError("the process that forks the others has ended")


@pytest.fixture(scope="module")
def ingests() -> Iterator[Ingests]:
    command = [sys.executable, "-m", "tests.ingest.ingesting"]
    (its_told, told), (said, its_said) = os.pipe(), os.pipe()
    process = started(command, Path.cwd(), os.environ, its_said, stdin=its_told)
    for its in (its_told, its_said):
        os.close(its)
    with process, os.fdopen(said) as heard, os.fdopen(told, "w") as telling:
        yield Ingests(telling, heard)


def write(folder: Path, documents: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    for name, text in documents.items():
        (folder / name).write_text(text)


def chapter(name: str, ending: str) -> str:
    return "".join(f"# Part {part}\n\nIn part {part} {name} sails on.\n\n" for part in range(5)) + ending


MOMENTS = 4

BEFORE = {f"{name}.md": chapter(name, "The end.") for name in ("anna", "boris", "clara")}
AFTER = {"anna.md": BEFORE["anna.md"], "boris.md": chapter("boris", "Or not."), "dora.md": chapter("dora", "Now.")}


def assert_whole_documents_only(pipeline: Pipeline, key: ProjectKey) -> None:
    for document in pipeline.catalog.documents(key):
        text = pipeline.catalog.text(key, document.id)
        assert text in (BEFORE.get(document.name), AFTER.get(document.name))
        assert pipeline.originals.get(document.sha256).decode() == text
        assert "".join(page.text for page in pipeline.catalog.pages(key, document.id)) == text
        passages = pipeline.catalog.passages(key, document.id)
        assert len(passages) == document.passages > 0
        assert all(text[passage.char_from : passage.char_to] == passage.text for passage in passages)


@pytest.mark.parametrize("step", ["reading 1", "searchable 2", "embedding 0"])
def test_kill_9_at_a_step_of_its_progress(
    ingests: Ingests, open_pipeline: Callable[[Path], Pipeline], key: ProjectKey, tmp_path: Path, step: str
) -> None:
    data, folder = tmp_path / "data", tmp_path / "design"
    write(folder, BEFORE)
    assert ingests.run(data, folder, replace=False, dies_at=step) == (-signal.SIGKILL, None)
    pipeline = open_pipeline(data)
    assert_whole_documents_only(pipeline, key)
    found = {document.name for document in pipeline.catalog.documents(key)}
    assert len(found) >= int(step[-1])
    report = pipeline.ingestor.index(key, scan(folder))
    assert [document.status for document in report.documents] == ["indexed"] * 3
    assert not found & set(pipeline.reader.names), "what was whole is not read again"
    pipeline.assert_consistent(key)


def test_kill_9_before_any_change_on_the_disk(
    ingests: Ingests, open_pipeline: Callable[[Path], Pipeline], key: ProjectKey, tmp_path: Path
) -> None:
    """One document stays, one changes, one goes and one comes, and the process dies at moments spread over it all."""
    prepared, folder = tmp_path / "prepared", tmp_path / "design"
    write(folder, BEFORE)
    assert ingests.run(prepared, folder, replace=True)[0] == 0
    write(folder, AFTER)
    shutil.copytree(prepared, tmp_path / "whole")
    code, changes = ingests.run(tmp_path / "whole", folder, replace=True)
    assert code == 0
    assert changes is not None
    for dies_before in range(1, changes + 1, max(1, changes // MOMENTS)):
        data = tmp_path / str(dies_before)
        shutil.copytree(prepared, data)
        code, _ = ingests.run(data, folder, replace=True, dies_before=dies_before)
        assert code == -signal.SIGKILL, f"it should have died before change {dies_before}"
        pipeline = open_pipeline(data)
        assert_whole_documents_only(pipeline, key)
        pipeline.ingestor.index(key, scan(folder), replace=True)
        pipeline.assert_consistent(key)
        assert {document.name for document in pipeline.catalog.documents(key)} == set(AFTER)
