"""What Chroma has can always be made again from the catalog."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from corpora import DataDirectory, ProjectKey
from fletcher.__main__ import main
from retrieval import Embedder, VectorStore
from tests.retrieval.small_embedder import SmallEmbedder
from tests.server.house import house

pytestmark = pytest.mark.long

KEYS = (ProjectKey("local", "1"), ProjectKey("elsewhere", "2"))
TEXT = "The ferry is called Bittern."


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    """Two projects, embedded by the small model."""
    with house(tmp_path / "data") as home:
        for key in KEYS:
            home.put("a.md", TEXT, key)
    (tmp_path / "a.md").write_text(TEXT, "utf-8")
    return DataDirectory(tmp_path / "data")


@pytest.fixture(autouse=True)
def _clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder())  # pyright: ignore


def vectors(directory: DataDirectory) -> list[int]:
    store = VectorStore(directory.chroma_path)
    try:
        return [len(store.ids(key)) for key in KEYS]
    finally:
        store.close()


def fletcher(*arguments: str, directory: DataDirectory) -> None:
    with pytest.raises(SystemExit) as end:
        main([*arguments, "--data-dir", str(directory.path)])
    assert end.value.code == 0


def test_reindex_makes_the_vectors_of_all_projects(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(directory.chroma_path, ignore_errors=True)  # its log may go just now
    fletcher("reindex", "--json", directory=directory)
    assert json.loads(capsys.readouterr().out) == {"projects": 2, "passages": 2, "model": "small"}
    assert vectors(directory) == [1, 1]


def test_reindex_says_first_what_it_will_take(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fletcher("reindex", directory=directory)
    assert "2 passages of 2 projects with 'small' again: those of known texts are kept" in capsys.readouterr().err
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder("other"))  # pyright: ignore
    fletcher("reindex", directory=directory)
    assert "2 passages of 2 projects with 'other' (64 dimensions): about 0 seconds" in capsys.readouterr().err


def test_reindex_takes_another_model(
    directory: DataDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    other = SmallEmbedder("other")
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: other)  # pyright: ignore
    fletcher("reindex", directory=directory)
    assert "2 passages of 2 projects" in capsys.readouterr().out
    assert other.passages
    assert vectors(directory) == [1, 1]


def test_documents_for_vectors_of_another_model_are_refused_before_they_are_read(
    directory: DataDirectory, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fletcher.wiring.Embedder", lambda _model: SmallEmbedder("other"))  # pyright: ignore
    Path("new.md").write_text("The ferry sails at six.", "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["ingest", "new.md", "--project", "1", "--data-dir", str(directory.path)])
    said = capsys.readouterr().err
    assert end.value.code == 1
    assert said.count("made by") == 1, said
    assert "fletcher reindex" in said.replace("\n", " ")
    assert "tried again" not in said
    fletcher("documents", "--project", "1", "--json", directory=directory)
    assert "new.md" not in capsys.readouterr().out


def test_reindex_is_refused_while_somebody_serves(directory: DataDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    with directory.own("http://127.0.0.1:1"), pytest.raises(SystemExit):
        main(["reindex", "--data-dir", str(directory.path)])
    assert "http://127.0.0.1:1" in capsys.readouterr().err
    assert vectors(directory) == [1, 1]


def test_an_ingest_restores_the_vectors_of_all_projects(directory: DataDirectory) -> None:
    shutil.rmtree(directory.chroma_path, ignore_errors=True)
    fletcher("ingest", "a.md", "--project", "1", directory=directory)
    assert vectors(directory) == [1, 1]


def test_an_ingest_of_what_is_known_loads_no_model_no_chroma_and_no_reader(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Under the name of the model that the program would load if it needed one.
    monkeypatch.setattr("tests.server.house.SmallEmbedder", lambda: SmallEmbedder(Embedder(None).name))
    with house(tmp_path / "known") as home:
        home.put("a.md", TEXT)
    (tmp_path / "a.md").write_text(TEXT, "utf-8")
    program = (
        "import sys; from fletcher.__main__ import main; from ingest import reader_pool\n"
        "reader_pool.ReaderProcess = None\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: pass\n"
        "heavy = 'chromadb docx llama_index lxml onnxruntime pymupdf sentence_transformers torch'\n"
        "print({*heavy.split()} & sys.modules.keys(), file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "ingest", "a.md", "--project", "1", "--json"]
    done = subprocess.run([*command, "--data-dir", str(tmp_path / "known")], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["documents"][0]["status"] == "unchanged"
    assert done.stderr.splitlines()[-1] == "set()"


def damage(directory: DataDirectory) -> None:
    (directory.chroma_path / "chroma.sqlite3").write_bytes(b"not a database at all" * 500)


def test_reindex_takes_a_damaged_folder(directory: DataDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    damage(directory)
    fletcher("reindex", directory=directory)
    assert "2 passages of 2 projects" in capsys.readouterr().out
    assert vectors(directory) == [1, 1]
    assert len(list(directory.path.glob("chroma-damaged-*"))) == 1


def test_a_search_of_a_damaged_folder_is_by_text_and_the_next_ingest_makes_the_vectors_anew(
    directory: DataDirectory, capsys: pytest.CaptureFixture[str]
) -> None:
    damage(directory)
    fletcher("search", "Bittern", "--project", "1", "--json", directory=directory)
    told = capsys.readouterr()
    found = json.loads(told.out)
    assert [passage["text"] for passage in found["passages"]] == [TEXT]
    assert found["text_only"] is True
    assert "chroma-damaged-" in told.err
    fletcher("ingest", "a.md", "--project", "1", directory=directory)
    assert vectors(directory)[0] == 1


def test_a_search_says_that_it_was_by_text_only(directory: DataDirectory, capsys: pytest.CaptureFixture[str]) -> None:
    damage(directory)
    fletcher("search", "Bittern", "--project", "1", directory=directory)
    assert "Searched by text only" in capsys.readouterr().out
