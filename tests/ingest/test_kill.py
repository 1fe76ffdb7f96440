"""kill -9 at any moment of an ingest: only whole documents, and the same call does the rest."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ingest import scan

if TYPE_CHECKING:
    from corpora import ProjectKey
    from tests.ingest.conftest import Pipeline

# Ingests a folder with the real catalog, readers and Chroma, and a model that costs nothing. It says each step, and
# with a number it kills itself just before its so-manieth change of anything on the disk.
INGESTING = """
import os, signal, sys
from pathlib import Path
import numpy as np
from sqlalchemy import Engine, event
from corpora import Catalog, DataDirectory, ProjectKey
from ingest import Ingestor, scan
from ingest import readers
from retrieval import Retriever, VectorStore

data, folder, left = sys.argv[1], sys.argv[2], int(sys.argv[3])
replace = sys.argv[4] == "replace"

class Reader:
    def read(self, name, data, progress=None, *, workspace=""):
        return readers.read(name, data, progress)

class Model:
    name, dimension = "hash", 8
    def embed_passages(self, texts, progress=None):
        return np.eye(8, dtype=np.float32)[[len(text) % 8 for text in texts]]

def change(*_, **__):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

def counted(method):
    def before_and_after(*arguments, **options):
        change()
        result = method(*arguments, **options)
        change()
        return result
    return before_and_after

directory = DataDirectory(data)
catalog = Catalog(directory.catalog_url)
@event.listens_for(Engine, "before_cursor_execute")
def statement(connection, cursor, sql, *_):
    if not sql.lstrip().startswith(("SELECT", "PRAGMA")):
        change()
event.listen(Engine, "commit", change)
for name in ("put", "delete"):
    setattr(VectorStore, name, counted(getattr(VectorStore, name)))
Path.replace, Path.unlink = counted(Path.replace), counted(Path.unlink)

retriever = Retriever(catalog, Model(), VectorStore(directory.chroma_path), directory.originals)
ingestor = Ingestor(catalog, directory.originals, retriever, Reader())
report = ingestor.index(
    ProjectKey("local", "1"), scan(folder), replace=replace,
    progress=lambda step: print(step.phase, step.done, step.document, flush=True),
)
print("changes", -left, flush=True)
"""


def ingesting(data: Path, folder: Path, left: int, replace: bool) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", INGESTING, str(data), str(folder), str(left), "replace" if replace else "add"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


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
    open_pipeline: Callable[[Path], Pipeline], key: ProjectKey, tmp_path: Path, step: str
) -> None:
    data, folder = tmp_path / "data", tmp_path / "design"
    write(folder, BEFORE)
    with ingesting(data, folder, 0, replace=False) as process:
        assert process.stdout is not None
        assert any(line.startswith(step) for line in process.stdout)
        process.send_signal(signal.SIGKILL)
    pipeline = open_pipeline(data)
    assert_whole_documents_only(pipeline, key)
    found = {document.name for document in pipeline.catalog.documents(key)}
    assert len(found) >= int(step[-1])
    report = pipeline.ingestor.index(key, scan(folder))
    assert [document.status for document in report.documents] == ["indexed"] * 3
    assert not found & set(pipeline.reader.names), "what was whole is not read again"
    pipeline.assert_consistent(key)


def test_kill_9_before_any_change_on_the_disk(
    open_pipeline: Callable[[Path], Pipeline], key: ProjectKey, tmp_path: Path
) -> None:
    """One document stays, one changes, one goes and one comes, and the process dies at moments spread over it all."""
    prepared, folder = tmp_path / "prepared", tmp_path / "design"
    write(folder, BEFORE)
    finished(ingesting(prepared, folder, 0, replace=True))
    write(folder, AFTER)
    shutil.copytree(prepared, tmp_path / "whole")
    changes = finished(ingesting(tmp_path / "whole", folder, 0, replace=True))
    for left in range(1, changes + 1, max(1, changes // MOMENTS)):
        data = tmp_path / str(left)
        shutil.copytree(prepared, data)
        with ingesting(data, folder, left, replace=True) as process:
            process.communicate()
        assert process.returncode == -signal.SIGKILL, f"it should have died before change {left}"
        pipeline = open_pipeline(data)
        assert_whole_documents_only(pipeline, key)
        pipeline.ingestor.index(key, scan(folder), replace=True)
        pipeline.assert_consistent(key)
        assert {document.name for document in pipeline.catalog.documents(key)} == set(AFTER)


def finished(process: subprocess.Popen[str]) -> int:
    """How many changes on the disk it made, when it is through."""
    output, _ = process.communicate()
    assert process.returncode == 0
    return int(output.split()[-1])
