"""Kinds that Fletcher does not read are read by the classes that FLETCHER_READERS names, like every other kind."""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from corpora import Catalog, DataDirectory, ProjectKey
from ingest import Ingestor, ReaderPool, ReadError, scan
from ingest.readers.named import parsed
from retrieval import Retriever, VectorStore
from tests.ingest.conftest import CountingModel

pytestmark = pytest.mark.long

_HERE = "tests.ingest.readers_by_name"
_BIBLE = json.dumps({"keeper": "Elena keeps the lighthouse.", "bell": "The bell rang thrice."}).encode()


_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits for a process")
_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the memory")


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    with ReaderPool(workers=1) as pool:
        yield pool


@pytest.fixture
def llama_json(monkeypatch: pytest.MonkeyPatch) -> None:
    if find_spec("llama_index") is None:  # it is imported by the reader: that takes seconds, here as well
        pytest.skip("llama-index-core is not installed (the extra `bench`)")
    monkeypatch.setenv("FLETCHER_READERS", ".json=llama_index.core.readers.json:JSONReader")


@pytest.mark.usefixtures("llama_json")
def test_a_reader_of_llama_index_makes_its_kind_searchable(pool: ReaderPool, tmp_path: Path) -> None:
    folder, key = tmp_path / "design", ProjectKey("local", "1")
    folder.mkdir()
    (folder / "Bible.JSON").write_bytes(_BIBLE)
    (folder / "notes.one").write_bytes(b"unknown")
    directory, catalog = DataDirectory(tmp_path / "data"), Catalog(f"sqlite:///{tmp_path / 'catalog.sqlite3'}")
    retriever = Retriever(catalog, CountingModel(), VectorStore(tmp_path / "chroma"))
    pool.check_named()
    with closing(catalog), closing(retriever):
        ingestor = Ingestor(catalog, directory.originals, retriever, pool)
        bible, notes = ingestor.index(key, scan(folder)).documents
        assert (bible.status, notes.status) == ("indexed", "skipped")
        assert notes.error is not None
        assert notes.error.message.endswith(".json.")
        (document,) = catalog.documents(key)
        assert (document.name, document.format, document.pages) == ("Bible.JSON", "json", None)
        assert retriever.search(key, "lighthouse")[0].passage.text.startswith('"keeper": "Elena keeps')
        assert [each.status for each in ingestor.index(key, scan(folder)).documents] == ["unchanged", "skipped"]


@pytest.mark.usefixtures("llama_json")
def test_its_file_is_gone_afterwards(pool: ReaderPool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert "Elena" in pool.read("../../bible.json", _BIBLE).text
    assert list(tmp_path.iterdir()) == []


def test_without_a_named_reader_the_kind_is_unknown(pool: ReaderPool) -> None:
    with pytest.raises(ReadError) as error:
        pool.read("bible.json", _BIBLE)
    assert error.value.code == "UNKNOWN_FORMAT"


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("Fails", "READER_FAILED", "Fails, which FLETCHER_READERS names for it, failed (KeyError: 'no slide in .xyz')"),
        ("FindsNothing", "EMPTY", "there is no text in it"),
        pytest.param("EatsMemory", "OUT_OF_MEMORY", "more memory than a reader may use", marks=_linux),
        pytest.param("Writes", "READER_FAILED", "failed (OSError", marks=_posix),
        pytest.param("Crashes", "READER_CRASHED", "its reader crashed", marks=_posix),
    ],
)
def test_a_named_reader_that_misbehaves_costs_its_document_only(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch, name: str, code: str, said: str
) -> None:
    monkeypatch.setenv("FLETCHER_READERS", f".xyz={_HERE}:{name}")
    with pytest.raises(ReadError) as error:
        pool.read("a.xyz", b"x")
    assert (error.value.code, error.value.message[:7]) == (code, "a.xyz: ")
    assert said in error.value.message
    assert pool.read("b.md", b"the next one").text == "the next one"


@pytest.mark.parametrize(
    ("class_name", "said"),
    [
        ("llama_index.readers.nowhere_at_all:X", r"cannot be loaded .* pip install llama-index-readers-nowhere-at-all"),
        ("nowhere_at_all:X", r"cannot be loaded .*Install its package"),
        (f"{_HERE}:Nobody", r"has no class Nobody"),
        (f"{_HERE}:NeedsArguments", r"cannot be made without arguments .*'key'"),
        (f"{_HERE}:ReadsNothing", r"ReadsNothing is no reader of LlamaIndex: it has no load_data"),
    ],
)
def test_what_cannot_be_used_is_said_with_the_reason(
    pool: ReaderPool, monkeypatch: pytest.MonkeyPatch, class_name: str, said: str
) -> None:
    monkeypatch.setenv("fletcher_readers", f".xyz={class_name}")
    with pytest.raises(ReadError, match=rf"^FLETCHER_READERS: .*{said}") as error:
        pool.check_named()
    assert error.value.code == "READER_UNAVAILABLE"


@pytest.mark.parametrize(
    "value", [".x", "x=a:B", ".x=a", ".x=a:", ".x=a b:C", ".x=a:B;.y=a:C", ".md=a:B", ".X=a:B,.x=a:B"]
)
def test_what_is_no_list_of_readers(value: str) -> None:
    with pytest.raises(ValueError, match=r"form|itself|two readers"):
        parsed(value)


def test_a_list_of_readers() -> None:
    assert parsed(" .X = a.b:C , .y=d:E,") == {".x": "a.b:C", ".y": "d:E"}
