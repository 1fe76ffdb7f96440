"""Vectors that are away, hang or are damaged: text search goes on and says so, and vectors come back by themselves."""

import os
import re
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from chromadb.errors import InternalError

from corpora import Catalog, ProjectKey
from evaluation.retrieval.ours import Ours
from retrieval import (
    Embedder,
    RetrievalError,
    Retriever,
    VectorStore,
    VectorStoreDamaged,
    VectorStoreUnavailable,
    vector_store,
)
from retrieval.circuit_breaker import Patience
from tests.chroma_server import ChromaProcess, chroma_that_can_hang
from tests.closed_files import settle
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import SmallEmbedder, small_vector
from tests.retrieval.stored import stored
from tests.waiting import eventually

pytestmark = pytest.mark.long

_DATABASE = "chroma.sqlite3"
_PATIENCE_S = 300


@pytest.fixture(scope="module")
def hanging_chroma() -> Iterator[ChromaProcess]:
    with chroma_that_can_hang() as process:
        yield process


@pytest.fixture
def chroma(hanging_chroma: ChromaProcess) -> Iterator[ChromaProcess]:
    yield hanging_chroma
    hanging_chroma.go_on()


@pytest.fixture
def on_server(catalog: Catalog, embedder: SmallEmbedder, chroma: ChromaProcess) -> Iterator[Retriever]:
    opened = Retriever(catalog, embedder, VectorStore(chroma.url, catalog.vector_namespace()))
    yield opened
    opened.close()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What would be seconds until a server counts as away."""
    for name in ("_QUERY", "_DELETE"):
        monkeypatch.setattr(vector_store, name, Patience(0.1))
    monkeypatch.setattr(vector_store, "_OTHERWISE", Patience(0.1, asks_again=True))


def _found(retriever: Retriever, key: ProjectKey) -> tuple[list[str], bool]:
    answer = retriever.answer(key, "dragon", 3)
    assert answer.as_dict().get("text_only", False) == answer.text_only
    return [ranked.passage.text for ranked in answer.passages], answer.text_only


def test_a_server_that_hangs_leaves_text_search_which_says_so_and_then_it_is_back(
    on_server: Retriever, chroma: ChromaProcess, key: ProjectKey, put: Put, impatient: None
) -> None:
    put(key, "a.md", "the dragon sleeps")
    put(key, "s.md", "a sword of iron")
    eventually(lambda: _embedded(on_server, key))
    eventually(lambda: _found(on_server, key)[1] is False)
    chroma.hang()
    eventually(lambda: _found(on_server, key)[1])  # what it still answers was asked before
    assert _found(on_server, key) == (["the dragon sleeps"], True)
    retrieved = on_server.retrieve(key, "dragon", 500)
    assert ([cited.passage.text for cited in retrieved.passages], retrieved.text_only) == (["the dragon sleeps"], True)
    with pytest.raises(VectorStoreUnavailable, match=r"did not answer .* FLETCHER_CHROMA_URL"):
        on_server.check_vectors()
    on_server.forget_replaced(key)
    chroma.go_on()
    eventually(lambda: _found(on_server, key)[1] is False)
    on_server.check_vectors()


def _embedded(retriever: Retriever, key: ProjectKey) -> bool:
    try:
        retriever.embed_pending(key)
    except VectorStoreUnavailable:  # this machine is as slow as a server that hangs
        return False
    return True


def test_eight_searches_of_a_server_that_hangs_hold_up_nobody_for_long(
    on_server: Retriever, catalog: Catalog, chroma: ChromaProcess, key: ProjectKey, put: Put
) -> None:
    """With the patience that it has; the ninth finds it away, and so does whatever is asked from then on."""
    put(key, "a.md", "the dragon sleeps")
    on_server.embed_pending(key)
    chroma.hang()
    answers: list[tuple[list[str], bool]] = []
    searches = [threading.Thread(target=lambda: answers.append(_found(on_server, key))) for _ in range(8)]
    for search in searches:
        search.start()
    for search in searches:
        search.join(_PATIENCE_S)
    assert answers == [(["the dragon sleeps"], True)] * 8
    asked_on = [_found(on_server, key) for _ in range(100)]  # at two seconds each, the suite's own limit would end this
    assert asked_on == [(["the dragon sleeps"], True)] * 100


def test_what_comes_in_while_the_server_is_away_gets_its_vectors_afterwards(
    on_server: Retriever, catalog: Catalog, chroma: ChromaProcess, key: ProjectKey, put: Put, impatient: None
) -> None:
    chroma.hang()
    put(key, "a.md", "the dragon sleeps")
    with pytest.raises(VectorStoreUnavailable):
        on_server.embed_pending(key)
    assert _found(on_server, key) == (["the dragon sleeps"], False), "there are none that could be asked"
    chroma.go_on()
    eventually(lambda: _embedded(on_server, key))
    assert catalog.lacking_vectors(key) == 0


def test_a_server_that_is_not_there_leaves_text_search(
    catalog: Catalog, embedder: SmallEmbedder, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "the dragon sleeps")
    with closing(Retriever(catalog, embedder, vectors)) as before:
        before.embed_pending(key)
    with closing(Retriever(catalog, embedder, VectorStore("http://127.0.0.1:1"))) as retriever:
        for _ in range(3):
            assert _found(retriever, key) == (["the dragon sleeps"], True)


_PROVIDER = """
import threading
from tests.retrieval.small_embedder import small_vector
state, go_on = "there", threading.Event()
class WaveringEmbedding:
    def __init__(self, model_name): pass
    def get_text_embedding_batch(self, texts): return [small_vector(text).tolist() for text in texts]
    def get_query_embedding(self, text):
        if state == "refuses": raise PermissionError("quota exceeded\\nlong advice")
        if state == "hangs": go_on.wait()
        return [] if state == "answers nonsense" else small_vector(text).tolist()
"""


@pytest.fixture
def provider(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """A package as those of LlamaIndex are laid out, whose `state` is that of the provider."""
    package = tmp_path / "llama_index" / "embeddings" / "wavering"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(_PROVIDER)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("retrieval.provider._QUESTION", Patience(0.1, asks_again=True))
    monkeypatch.setattr("retrieval.circuit_breaker._PROBE_S", 0.1)
    module = import_module("llama_index.embeddings.wavering")
    yield module
    module.__dict__["go_on"].set()
    sys.modules.pop(module.__name__)


@pytest.mark.parametrize("state", ["refuses", "hangs", "answers nonsense"])
def test_a_provider_of_embeddings_that_fails_at_a_question_leaves_text_search_which_says_so(
    catalog: Catalog,
    vectors: VectorStore,
    provider: ModuleType,
    key: ProjectKey,
    put: Put,
    caplog: pytest.LogCaptureFixture,
    state: str,
) -> None:
    put(key, "a.md", "the dragon sleeps")
    put(key, "s.md", "a sword of iron")
    with closing(Retriever(catalog, Embedder("wavering:m"), vectors)) as retriever:
        retriever.embed_pending(key)
        eventually(lambda: _found(retriever, key)[1] is False)
        provider.__dict__["state"] = state
        for _ in range(12):  # more than there are threads for what hangs
            assert _found(retriever, key) == (["the dragon sleeps"], True)
        retrieved = retriever.retrieve(key, "dragon", 500)
        assert [cited.passage.text for cited in retrieved.passages] == ["the dragon sleeps"]
        assert retrieved.text_only
        assert re.search("searched by text only: .*wavering", caplog.text)
        assert "long advice" not in caplog.messages[-1]
        provider.__dict__["state"] = "there"
        provider.__dict__["go_on"].set()
        eventually(lambda: _found(retriever, key)[1] is False)


def test_an_evaluation_does_not_measure_text_search_instead(
    catalog: Catalog, embedder: SmallEmbedder, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "the dragon sleeps")
    with closing(Retriever(catalog, embedder, vectors)) as before:
        before.embed_pending(key)
        assert Ours(before, key, ()).search("dragon", None)
    with (
        closing(Retriever(catalog, embedder, VectorStore("http://127.0.0.1:1"))) as retriever,
        pytest.raises(RetrievalError, match="could not be asked"),
    ):
        Ours(retriever, key, ()).search("dragon", None)


def _garbage(path: Path, begin: int, end: int) -> None:
    data = bytearray(path.read_bytes())
    data[begin:end] = os.urandom(min(end, len(data)) - begin)
    path.write_bytes(data)


def _without_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("DROP TABLE collections")


def _no_database(folder: Path) -> None:
    (folder / _DATABASE).write_bytes(b"not a database at all" * 500)


def _of_something_else(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE migrations (x)")


def _as_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


_DAMAGES: dict[str, Callable[[Path], object]] = {
    "no database": _no_database,
    "beginning": lambda folder: _garbage(folder / _DATABASE, 0, 5000),
    "half": lambda folder: _garbage(folder / _DATABASE, 4096, (folder / _DATABASE).stat().st_size // 2),
    "cut": lambda folder: os.truncate(folder / _DATABASE, (folder / _DATABASE).stat().st_size // 2),
    "table": lambda folder: _without_table(folder / _DATABASE),
    "of something else": lambda folder: _of_something_else(folder / _DATABASE),
    "folder": lambda folder: _as_folder(folder / _DATABASE),
}


@pytest.fixture(params=_DAMAGES)
def damaged(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    vectors: VectorStore,
    retriever: Retriever,
    key: ProjectKey,
    put: Put,
) -> Path:
    """The folder of the vectors, whose files are damaged while nobody has them open."""
    put(key, "a.md", "the dragon sleeps")
    put(key, "s.md", "a sword of iron")
    put(ProjectKey("other", "2"), "b.md", "the dragon wakes")
    for project in (key, ProjectKey("other", "2")):
        retriever.embed_pending(project)
    assert _found(retriever, key) == (["the dragon sleeps", "a sword of iron"], False)
    vectors.close()
    settle(tmp_path / "chroma")
    _DAMAGES[request.param](tmp_path / "chroma")
    return tmp_path / "chroma"


def _set_aside(folder: Path) -> list[Path]:
    return list(folder.parent.glob("chroma-damaged-*"))


def test_a_damaged_folder_is_set_aside_and_filled_again_while_text_search_goes_on(
    damaged: Path, retriever: Retriever, catalog: Catalog, embedder: SmallEmbedder, key: ProjectKey
) -> None:
    made = len(embedder.passages)
    assert _found(retriever, key) == (["the dragon sleeps"], True)
    (aside,) = _set_aside(damaged)
    assert (aside / _DATABASE).exists(), "renamed, and nothing of it deleted"
    assert set(catalog.unfinished_projects()) == {key, ProjectKey("other", "2")}
    assert _found(retriever, key) == (["the dragon sleeps"], False), "no vectors are known of any more"
    for project in catalog.unfinished_projects():
        retriever.embed_pending(project)
    assert _found(retriever, key) == (["the dragon sleeps", "a sword of iron"], False)
    retriever.check_vectors()
    assert len(embedder.passages) == made, "the catalog has the vectors"


@pytest.mark.parametrize("damaged", ["half"], indirect=True)
@pytest.mark.parametrize("step", ["repair", "embed_pending", "embed_if_free", "reindex"])
def test_whatever_meets_a_damaged_folder_first_goes_on(
    damaged: Path, retriever: Retriever, catalog: Catalog, put: Put, key: ProjectKey, step: str
) -> None:
    put(key, "c.md", "a dragon that is new")
    if step == "reindex":
        retriever.reindex(catalog.every_project())
    else:
        getattr(retriever, step)(key)
    retriever.embed_pending(key)
    assert len(_set_aside(damaged)) == 1
    assert (catalog.lacking_vectors(key), _found(retriever, key)[1]) == (0, False)


@pytest.mark.parametrize("damaged", ["half"], indirect=True)
def test_what_is_removed_is_forgotten_although_the_folder_is_damaged(
    damaged: Path, retriever: Retriever, catalog: Catalog, key: ProjectKey
) -> None:
    catalog.remove_document(key, "a.md")
    retriever.forget_replaced(key)
    assert catalog.replaced_passages(key) == []


def test_files_of_the_index_that_are_damaged_are_as_good_as_none(
    vectors: VectorStore, tmp_path: Path, key: ProjectKey
) -> None:
    """Chroma writes them from a thousand passages on."""
    vectors.put(key, [(stored(f"p{number}", "d"), small_vector(f"dragon {number}")) for number in range(1500)])
    vectors.query(key, small_vector("dragon"), 1)
    vectors.close()
    files = list((tmp_path / "chroma").glob("*/*.bin"))
    assert files
    for file in files:
        file.write_bytes(b"")
    with pytest.raises(VectorStoreDamaged, match=r"were damaged .*chroma-damaged-"):
        vectors.query(key, small_vector("dragon"), 1)
    with pytest.raises(VectorStoreDamaged):
        vectors.check()
    assert vectors.query(key, small_vector("dragon"), 1) == []
    vectors.check()


def test_a_folder_is_set_aside_once_and_then_only_by_reindex(
    vectors: VectorStore, tmp_path: Path, key: ProjectKey
) -> None:
    """What damages it again is not removed by that, and would fill the disk with copies."""
    folder = tmp_path / "chroma"
    for raised, left in ((VectorStoreDamaged, 1), (VectorStoreUnavailable, 1), (VectorStoreUnavailable, 1)):
        vectors.put(key, [(stored("p1", "d"), small_vector("dragon"))])
        vectors.close()
        settle(folder)
        _no_database(folder)
        with pytest.raises(raised):
            vectors.query(key, small_vector("dragon"), 1)
        assert len(_set_aside(folder)) == left
        if left == 1 and raised is VectorStoreUnavailable:
            vectors.clear()
            break
    assert len(_set_aside(folder)) == 2
    vectors.put(key, [(stored("p1", "d"), small_vector("dragon"))])
    assert vectors.ids(key) == {"p1"}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("InternalError", "Error in compaction: Failed to apply logs to the metadata segment"),
        ("InvalidArgumentError", "Error executing plan: Internal error"),
    ],
)
def test_a_full_disk_is_no_damage(
    vectors: VectorStore, tmp_path: Path, key: ProjectKey, monkeypatch: pytest.MonkeyPatch, kind: str, said: str
) -> None:
    """Chroma reports both in the same way; SQLite says which it is."""
    from chromadb import errors
    from chromadb.api.rust import RustBindingsAPI

    def full(*_: object, **__: object) -> None:
        raise getattr(errors, kind)(said)

    vectors.put(key, [(stored("p1", "d"), small_vector("dragon"))])
    with monkeypatch.context() as patch:
        patch.setattr(RustBindingsAPI, "_query", full)
        with pytest.raises(VectorStoreUnavailable, match="Check the disk") as refused:
            vectors.query(key, small_vector("dragon"), 1)
    assert not isinstance(refused.value, VectorStoreDamaged)
    assert [name for name, _ in vectors.query(key, small_vector("dragon"), 1)] == ["p1"]
    assert _set_aside(tmp_path / "chroma") == []


def test_vectors_on_a_drive_that_is_away_leave_search_by_text(
    tmp_path: Path, catalog: Catalog, embedder: SmallEmbedder, put: Put, key: ProjectKey
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "drive" / "chroma")
    away = VectorStore(tmp_path / "link")
    retriever = Retriever(catalog, embedder, away)
    put(key, "a.md", "The dragon sleeps.")
    with pytest.raises(VectorStoreUnavailable):
        retriever.embed_pending(key)
    assert retriever.search(key, "dragon")
    with pytest.raises(VectorStoreUnavailable):
        retriever.check_vectors()


def test_others_search_while_the_files_are_looked_through_for_damage(
    vectors: VectorStore, retriever: Retriever, put: Put, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a large database may have to be read, each time that a disk is full."""
    put(key, "a.md", "The dragon sleeps.")
    retriever.embed_pending(key)
    searched = list[bool]()

    def looked_through(_path: Path, _error: BaseException) -> bool:
        with ThreadPoolExecutor(1) as another:
            searched.append(not another.submit(retriever.answer, key, "dragon").result(60).text_only)
        return False

    def full(_client: object) -> None:
        raise InternalError("database or disk is full")

    monkeypatch.setattr("retrieval.chroma_folder._is_damaged", looked_through)
    with pytest.raises(VectorStoreUnavailable, match="disk is full"):
        vectors._chroma.call(full, None)  # pyright: ignore[reportPrivateUsage, reportArgumentType]
    assert searched == [True]
