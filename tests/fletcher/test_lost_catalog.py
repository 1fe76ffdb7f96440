"""A catalog that was lost comes back from the originals, with the names, projects and workspaces they had."""

import errno
import json
import os
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from corpora import Catalog, CatalogError, DataDirectory, ProjectKey
from fletcher.__main__ import main
from fletcher.settings import load_settings
from fletcher.wiring import open_parts
from ingest import Source
from tests.empty_data import data_directory
from tests.retrieval.small_embedder import SmallEmbedder

pytestmark = pytest.mark.long

KEYS = (ProjectKey("local", "1"), ProjectKey("elsewhere", "2"))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two projects of two workspaces; one file is a document of both."""
    folder = tmp_path_factory.mktemp("made")
    (folder / "quests").mkdir()
    (folder / "quests" / "harbour.md").write_text("The ferry is called Bittern.", "utf-8")
    (folder / "people.md").write_text("Elena keeps the lighthouse.", "utf-8")
    directory = DataDirectory(folder / "data")
    with pytest.MonkeyPatch.context() as patched:
        patched.chdir(folder)
        patched.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder())  # pyright: ignore
        fletcher("ingest", "quests", "people.md", "--project", "1", directory=directory)
        fletcher("ingest", "people.md", "--project", "2", "--workspace", "elsewhere", directory=directory)
    return folder


@pytest.fixture
def directory(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataDirectory:
    """A copy of what was made, to be changed, with a Chroma that is empty: threads may still be closing the other."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True, ignore=shutil.ignore_patterns("chroma"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder())  # pyright: ignore
    # It is as its first opening has left it, and each command would start a process to see to that.
    monkeypatch.setattr("retrieval.chroma_folder.prepare", lambda _: None)
    return data_directory(tmp_path / "data")


def fletcher(*arguments: str, directory: DataDirectory) -> None:
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--data-dir", str(directory.path)])
    assert end.value.code == 0


def lose_catalog(directory: DataDirectory) -> None:
    for path in directory.path.glob("catalog.sqlite3*"):
        path.unlink()


def documents(directory: DataDirectory) -> dict[ProjectKey, dict[str, str]]:
    catalog = Catalog(directory.catalog_url)
    found = {key: {each.name: catalog.text(key, each.id) for each in catalog.documents(key)} for key in KEYS}
    catalog.close()
    return found


def test_all_documents_come_back(directory: DataDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    before = documents(directory)
    assert [len(of_project) for of_project in before.values()] == [2, 1]
    lose_catalog(directory)
    capsys.readouterr()
    fletcher("reindex", "--from-originals", "--json", directory=directory)
    told = json.loads(capsys.readouterr().out)
    assert (told["projects"], told["passages"]) == (2, 3)
    assert {(each["workspace"], each["project"], each["name"]) for each in told["restored"]["documents"]} == {
        (key.workspace, key.project_id, name) for key, of_project in before.items() for name in of_project
    }
    assert documents(directory) == before


def test_a_document_that_comes_back_is_as_old_as_it_was(directory: DataDirectory) -> None:
    """Or no file of a linked folder would take its place that was written before that."""
    lose_catalog(directory)
    for entry in directory.path.rglob("*.json"):
        os.utime(entry, (1e9, 1e9))
    fletcher("reindex", "--from-originals", directory=directory)
    with closing(Catalog(directory.catalog_url)) as catalog:
        assert {each.updated_at.timestamp() for key in KEYS for each in catalog.documents(key)} == {1e9}


def test_what_the_catalog_knows_stays_and_what_was_removed_stays_away(
    directory: DataDirectory, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "people.md").write_text("Elena left the lighthouse.", "utf-8")
    fletcher("ingest", "people.md", "--project", "1", directory=directory)
    fletcher("remove", "harbour.md", "--project", "1", directory=directory)
    before = documents(directory)
    capsys.readouterr()
    fletcher("reindex", "--from-originals", "--json", directory=directory)
    assert json.loads(capsys.readouterr().out)["restored"] == {"documents": [], "nameless": 0, "missing": []}
    assert documents(directory) == before
    lose_catalog(directory)
    fletcher("reindex", "--from-originals", directory=directory)
    assert documents(directory) == before


def test_a_catalog_that_lacks_what_originals_are_there_of_is_told(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    lose_catalog(directory)
    for _ in range(2):  # also once something has come into the new one
        fletcher("ingest", "people.md", "--project", "9", directory=directory)
        assert "does not know 3 documents" in (said := capsys.readouterr().err)
        assert "reindex --from-originals" in said
    assert len(directory.originals.hashes()) == 2


def test_a_document_comes_back_as_it_was_although_the_server_was_killed_before_its_entry_was_written(
    directory: DataDirectory, tmp_path: Path
) -> None:
    entries = {path: path.read_bytes() for path in (tmp_path / "data" / "originals" / "documents").iterdir()}
    (tmp_path / "people.md").write_text("Elena left the lighthouse.", "utf-8")
    fletcher("ingest", "people.md", "--project", "1", directory=directory)
    for path, data in entries.items():
        path.write_bytes(data)
        os.utime(path, (0, 0))
    fletcher("remove", "harbour.md", "--project", "1", directory=directory)
    before = documents(directory)
    lose_catalog(directory)
    fletcher("reindex", "--from-originals", directory=directory)
    assert documents(directory) == before


def test_a_directory_of_an_older_fletcher_gets_its_manifest_when_it_is_opened(
    directory: DataDirectory, tmp_path: Path
) -> None:
    manifest = tmp_path / "data" / "originals" / "documents"
    before = sorted(path.name for path in manifest.iterdir())
    for path in manifest.iterdir():
        path.unlink()
    manifest.rmdir()
    fletcher("documents", "--project", "1", directory=directory)
    assert sorted(path.name for path in manifest.iterdir()) == before


def test_where_the_disk_has_no_room_for_an_entry_that_is_said_and_the_rest_goes_on(
    directory: DataDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = directory.path / "originals" / "documents"
    lost = next(folder.iterdir())
    lost.unlink()
    with monkeypatch.context() as patched:
        patched.setattr("corpora.manifest.write_whole", full)
        fletcher("documents", "--project", "1", directory=directory)
    told = capsys.readouterr()
    assert "people.md" in told.out
    assert "manifest" in told.err
    fletcher("documents", "--project", "1", directory=directory)
    assert lost.exists()


def test_originals_that_nothing_names_are_counted_and_left(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    sha256 = directory.originals.put(b"of an older Fletcher")
    lose_catalog(directory)
    fletcher("reindex", "--from-originals", directory=directory)
    assert "1 original cannot be named" in capsys.readouterr().out
    assert directory.originals.get(sha256) == b"of an older Fletcher"


def test_a_document_that_cannot_be_brought_back_now_is_not_taken_away_by_the_next_upload(
    directory: DataDirectory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before, sha256 = documents(directory), directory.originals.hashes()
    lose_catalog(directory)
    with monkeypatch.context() as patched:
        patched.setattr(Catalog, "put_document", refuse)
        with pytest.raises(SystemExit) as end:
            main(["reindex", "--from-originals", "--data-dir", str(directory.path)])
        assert end.value.code == 1
    (tmp_path / "note.md").write_text("A note.", "utf-8")
    fletcher("ingest", "note.md", "--project", "9", directory=directory)
    assert directory.originals.hashes() > sha256
    fletcher("reindex", "--from-originals", directory=directory)
    assert documents(directory) == before


def refuse(*_: object, **__: object) -> None:
    raise CatalogError("There is no room.")


def test_who_uploads_and_removes_the_same_file_takes_no_original_of_a_document_that_may_come_back(
    directory: DataDirectory, tmp_path: Path
) -> None:
    before = documents(directory)
    lose_catalog(directory)
    (tmp_path / "copy.md").write_bytes((tmp_path / "people.md").read_bytes())
    for name in ("copy.md", "people.md"):
        fletcher("ingest", name, "--project", "9", directory=directory)
        fletcher("remove", name, "--project", "9", directory=directory)
    fletcher("reindex", "--from-originals", directory=directory)
    assert documents(directory) == before


def test_of_a_document_that_came_back_by_hand_and_was_removed_the_original_goes(directory: DataDirectory) -> None:
    lose_catalog(directory)
    here, data = ProjectKey("local", "1"), b"The ferry is called Bittern."
    settings = load_settings(data_dir=directory.path)
    with directory.own(), open_parts(settings, directory) as parts:
        parts.ingestor.add(here, [Source("harbour.md", data)])
        parts.ingestor.remove(here, "harbour.md")
    assert {directory.originals.get(one) for one in directory.originals.hashes()} == {b"Elena keeps the lighthouse."}


def test_a_document_whose_original_is_gone_is_named(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    (harbour,) = (one for one in directory.originals.hashes() if b"Bittern" in directory.originals.get(one))
    lose_catalog(directory)
    directory.originals.delete([harbour])
    fletcher("reindex", "--from-originals", directory=directory)
    assert "harbour.md of project '1' has no original any more" in capsys.readouterr().out


def test_an_original_that_cannot_be_read_keeps_no_other_document_away(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    (harbour,) = (one for one in directory.originals.hashes() if b"Bittern" in directory.originals.get(one))
    path = directory.originals.path(harbour)
    path.unlink()
    path.mkdir()  # as little to be read as a file on a damaged disk
    lose_catalog(directory)
    fletcher("reindex", "--from-originals", directory=directory)
    assert "harbour.md: The original file" in capsys.readouterr().out
    assert [set(of_project) for of_project in documents(directory).values()] == [{"people.md"}, {"people.md"}]


def test_originals_in_a_database_are_lost_with_it(
    directory: DataDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
    empty_database: object, chroma_url: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("FLETCHER_DATABASE_URL", empty_database())  # pyright: ignore
    monkeypatch.setenv("FLETCHER_CHROMA_URL", chroma_url)
    with pytest.raises(SystemExit) as end:
        main(["reindex", "--from-originals"])
    assert end.value.code == 1
    assert "Restore a backup" in capsys.readouterr().err
