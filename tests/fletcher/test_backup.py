"""A copy of a data directory that is in use, as `docs/operations.md` makes it, is a whole data directory."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from corpora import Catalog, DataDirectory, ProjectKey
from fletcher.__main__ import main
from retrieval import VectorStore
from tests.retrieval.small_embedder import SmallEmbedder
from tests.server.house import house

KEY = ProjectKey("local", "1")


def test_a_copy_that_was_made_while_the_server_ran(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder())  # pyright: ignore
    live, backup = DataDirectory(tmp_path / "data"), tmp_path / "backup"
    backup.mkdir()
    with house(live.path) as home:
        home.put("before.md", "The ferry is called Bittern.")
        shutil.copytree(live.path / "originals", backup / "originals")
        home.put("meanwhile.md", "Osk cooks on the slant.")
        with closing(sqlite3.connect(live.path / "catalog.sqlite3")) as catalog:
            catalog.execute(f"VACUUM INTO '{backup / 'catalog.sqlite3'}'")
        shutil.copytree(live.path / "originals", backup / "originals", dirs_exist_ok=True)
        home.put("after.md", "Nobody has copied this.")
    with pytest.raises(SystemExit) as end:
        main(["reindex", "--data-dir", str(backup)])
    assert end.value.code == 0

    copy = DataDirectory(backup)
    with closing(Catalog(copy.catalog_url)) as catalog, closing(VectorStore(copy.chroma_path)) as vectors:
        documents = catalog.documents(KEY)
        assert [document.name for document in documents] == ["before.md", "meanwhile.md"]
        assert [copy.originals.get(document.sha256) for document in documents]
        assert len(vectors.ids(KEY)) == 2
