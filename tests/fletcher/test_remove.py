"""What `fletcher remove` takes out without a server is gone when it ends."""

import sys
from pathlib import Path

import pytest

from corpora import DataDirectory
from fletcher.settings import load_settings
from fletcher.wiring import open_parts
from tests.fletcher.test_lost_catalog import KEYS, fletcher
from tests.forked import finished
from tests.retrieval.small_embedder import SmallEmbedder
from tests.server_process import CLEAN_ENVIRONMENT


def test_of_a_document_that_was_removed_no_text_stays_in_the_vector_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder())  # pyright: ignore
    monkeypatch.setattr("retrieval.vector_upkeep._FORGOTTEN_AT_ONCE", 1)
    directory = DataDirectory(tmp_path / "data")
    (tmp_path / "secret.md").write_text(
        "\n\n".join(f"# Secret {number}\n\nBehind door {number}." for number in range(20))
    )
    (tmp_path / "other.md").write_text("The ferry is called Bittern.")
    fletcher("ingest", "secret.md", "other.md", "--project", "1", directory=directory)
    fletcher("remove", "secret.md", "--project", "1", directory=directory)
    with open_parts(load_settings(data_dir=directory.path), directory) as parts:
        assert parts.catalog.replaced_passages(KEYS[0]) == []
        assert len(parts.vectors.ids(KEYS[0])) == 1


def test_reindex_leaves_nothing_of_it_in_the_files(tmp_path: Path) -> None:
    """Each command is a process of its own, as at a shell: what one had in memory Chroma writes with the next index."""
    data = tmp_path / "data"
    (tmp_path / "secret.md").write_text("\n\n".join(f"# Door {n}\n\nBehind it is Quuxflarn." for n in range(20)))
    (tmp_path / "other.md").write_text("The ferry is called Bittern.")
    named = "--project", "1"
    for command in (("ingest", "secret.md", "other.md", *named), ("remove", "secret.md", *named), ("reindex",)):
        done = finished([sys.executable, "-m", "fletcher", *command, "--data-dir", data], tmp_path, CLEAN_ENVIRONMENT)
        assert done.returncode == 0, done.stderr
    files = {file: file.read_bytes() for file in data.rglob("*") if file.is_file()}
    assert any(b"Bittern" in content for file, content in files.items() if file.name == "chroma.sqlite3")
    assert [file for file, content in files.items() if b"Quuxflarn" in content] == []
