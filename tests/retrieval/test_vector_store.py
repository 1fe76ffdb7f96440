import secrets
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event, Lock
from typing import Any
from unittest.mock import Mock
from uuid import UUID, uuid4

import chromadb
import numpy as np
import pytest
from chromadb.api.rust import RustBindingsAPI
from chromadb.errors import InternalError

from corpora import Passage, ProjectKey
from retrieval import VectorStore, VectorStoreUnavailable
from retrieval.chroma_folder import ChromaFolder
from retrieval.circuit_breaker import Patience
from tests.retrieval.small_embedder import small_vector
from tests.retrieval.stored import bare, stored


@pytest.fixture(params=["folder", pytest.param("server", marks=pytest.mark.long)])
def vectors(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VectorStore]:
    if request.param == "folder":
        opened = VectorStore(tmp_path / "chroma")
    else:
        opened = VectorStore(request.getfixturevalue("chroma_url"), secrets.token_hex(4))
    yield opened
    opened.close()


@pytest.fixture
def store(vectors: VectorStore, key: ProjectKey) -> VectorStore:
    return filled(vectors, key)


@pytest.fixture
def store_in_folder(tmp_path: Path, key: ProjectKey) -> Iterator[VectorStore]:
    opened = VectorStore(tmp_path / "chroma")
    yield filled(opened, key)
    opened.close()


def filled(vectors: VectorStore, key: ProjectKey) -> VectorStore:
    texts = {"p1": "the dragon sleeps", "p2": "a sword of iron", "p3": "the dragon wakes"}
    vectors.put(key, [(stored(name, "d" + name[1]), small_vector(text)) for name, text in texts.items()])
    return vectors


def test_the_nearest_come_first_with_their_cosine(store: VectorStore, key: ProjectKey) -> None:
    found = store.query(key, small_vector("the dragon sleeps"), 2)
    assert [name for name, _ in found] == ["p1", "p3"]
    assert found[0][1] == pytest.approx(1, abs=1e-4)
    expected = float(small_vector("the dragon sleeps") @ small_vector("the dragon wakes"))
    assert found[1][1] == pytest.approx(expected, abs=1e-4)


def test_a_query_can_be_of_one_document(store: VectorStore, key: ProjectKey) -> None:
    assert [name for name, _ in store.query(key, small_vector("dragon"), 5, "d2")] == ["p2"]
    assert store.query(key, small_vector("dragon"), 5, "unknown") == []


def test_what_is_dropped_leaves_no_files(tmp_path: Path, store_in_folder: VectorStore, key: ProjectKey) -> None:
    other = ProjectKey("other", "1")
    for project in (key, other):
        numbers = np.eye(1100, 64, dtype=np.float32) + 1
        store_in_folder.put(project, [(stored(f"{project.workspace}{row}", "d"), numbers[row]) for row in range(1100)])

    def indexes() -> int:
        return len(list((tmp_path / "chroma").glob("*/data_level0.bin")))

    assert indexes() == 2
    store_in_folder.drop(key)
    assert len(store_in_folder.ids(other)) == 1100
    assert indexes() == 1
    assert store_in_folder.ids(key) == set()
    store_in_folder.clear()
    assert store_in_folder.ids(other) == set()
    assert indexes() == 0


def test_adding_again_changes_nothing(store: VectorStore, key: ProjectKey) -> None:
    store.put(key, [(stored("p1", "d1"), small_vector("the dragon sleeps"))])
    assert store.ids(key) == {"p1", "p2", "p3"}
    assert len(store.query(key, small_vector("dragon"), 9)) == 3


def test_deleting_ignores_what_is_not_there(store: VectorStore, key: ProjectKey) -> None:
    store.delete(key, ["p1", "p9"])
    store.delete(key, [])
    assert store.ids(key) == {"p2", "p3"}


def test_a_collection_that_was_made_anew_is_found(store: VectorStore, key: ProjectKey) -> None:
    assert len(store.query(key, small_vector("dragon"), 9)) == 3
    store.clear()
    assert store.query(key, small_vector("dragon"), 9) == []
    store.put(key, [(stored("p4", "d4"), small_vector("another dragon"))])
    assert [name for name, _ in store.query(key, small_vector("dragon"), 9)] == ["p4"]
    store.drop(key)
    store.put(key, [(stored("p5", "d5"), small_vector("a third dragon"))])
    assert [name for name, _ in store.query(key, small_vector("dragon"), 9)] == ["p5"]


def test_a_collection_is_not_dropped_under_a_search(
    store_in_folder: VectorStore, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Chroma says of what it finds half of that its files are damaged, and those of all workspaces were set aside."""
    asked, dropped = Event(), Event()
    query, delete_collection = vars(RustBindingsAPI)["_query"], RustBindingsAPI.delete_collection
    seen: list[bool] = []

    def held_query(*args: Any, **options: Any) -> Any:
        asked.set()
        seen.append(dropped.wait(0.5))
        return query(*args, **options)

    def told_delete(*args: Any, **options: Any) -> None:
        dropped.set()
        delete_collection(*args, **options)

    monkeypatch.setattr(RustBindingsAPI, "_query", held_query)
    monkeypatch.setattr(RustBindingsAPI, "delete_collection", told_delete)
    with ThreadPoolExecutor() as threads:
        found = threads.submit(store_in_folder.query, key, small_vector("dragon"), 9)
        assert asked.wait(60)
        store_in_folder.drop(key)
    assert len(found.result()) == 3
    assert seen == [False]
    assert store_in_folder.ids(key) == set()


def test_few_vectors_are_deleted_at_once(
    store_in_folder: VectorStore, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No other thread runs while Chroma deletes."""
    deleted, delete = list[int](), vars(RustBindingsAPI)["_delete"]

    def counted_delete(self: RustBindingsAPI, collection_id: UUID, ids: list[str], *args: Any, **options: Any) -> Any:
        deleted.append(len(ids))
        return delete(self, collection_id, ids, *args, **options)

    monkeypatch.setattr(RustBindingsAPI, "_delete", counted_delete)
    store_in_folder.delete(key, [f"p{row}" for row in range(2, 252)])
    assert deleted == [100, 100, 50]
    assert store_in_folder.ids(key) == {"p1"}


def test_nothing_is_made_by_asking(vectors: VectorStore, key: ProjectKey) -> None:
    assert vectors.query(key, small_vector("dragon"), 3) == []
    assert vectors.ids(key) == set()
    vectors.delete(key, ["p1"])
    vectors.drop(key)
    vectors.put(key, [])
    assert vectors.ids(key) == set()


def test_projects_have_collections_of_their_own(store: VectorStore, key: ProjectKey) -> None:
    others = [ProjectKey("local", "11"), ProjectKey("other", "1"), ProjectKey("local.1", "1")]
    for other in others:
        store.put(other, [(stored("p1", "d1"), small_vector(other.project_id + other.workspace))])
    store.drop(others[0])
    assert store.ids(others[0]) == set()
    assert store.ids(others[1]) == store.ids(others[2]) == {"p1"}
    assert store.ids(key) == {"p1", "p2", "p3"}


def test_clear_takes_all_projects(store: VectorStore, key: ProjectKey) -> None:
    other = ProjectKey("other", "1")
    store.put(other, [(stored("p1", "d1"), small_vector("dragon"))])
    store.clear()
    assert store.ids(key) == store.ids(other) == set()


def test_vectors_are_there_after_a_restart(store_in_folder: VectorStore, key: ProjectKey, tmp_path: Path) -> None:
    store_in_folder.close()
    again = VectorStore(tmp_path / "chroma")
    assert again.ids(key) == {"p1", "p2", "p3"}
    assert [name for name, _ in again.query(key, small_vector("a sword of iron"), 1)] == ["p2"]
    again.close()


def test_more_projects_than_files_can_be_open_are_all_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chroma 1.5 forgets a small index that it lets go of, and what is kept open would have no end."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (50, 50))
    monkeypatch.setattr("retrieval.chroma_folder._SELDOM_S", 0)
    projects = [ProjectKey("local", str(number)) for number in range(20)]

    def found(key: ProjectKey) -> list[str]:
        store.put(key, [(stored(key.project_id, "d"), small_vector("dragon"))])
        others = {number: store.query(projects[number], small_vector("dragon"), 1) for number in (0, 10, 19)}
        return [passage_id for answer in others.values() for passage_id, _ in answer]

    with closing(VectorStore(tmp_path / "chroma")) as store, ThreadPoolExecutor(3) as threads:
        while_put = list(threads.map(found, projects))
        again = [store.query(key, small_vector("dragon"), 1)[0][0] for key in projects]
    assert again == [key.project_id for key in projects]
    assert while_put[-1][:2] == ["0", "10"]
    assert [file.name for file in tmp_path.iterdir()] == ["chroma"], "nothing was set aside as damaged"


def test_who_searches_very_many_projects_has_the_indexes_of_all_let_go_of_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is searched next has its index read again, for seconds where it is large: of all workspaces."""
    monkeypatch.setattr("resource.getrlimit", lambda _: (50, 50))
    now = 1000.0
    monkeypatch.setattr("retrieval.chroma_folder.monotonic", lambda: now)
    many, more = ([ProjectKey(of, str(number)) for number in range(20)] for of in ("greedy", "too"))
    other = ProjectKey("other", "1")

    def answers(store: VectorStore, key: ProjectKey) -> bool:
        try:
            return [name for name, _ in store.query(key, small_vector("dragon"), 1)] == [key.project_id]
        except VectorStoreUnavailable:
            return False

    with closing(VectorStore(tmp_path / "chroma")) as store:
        for key in [*many, *more, other]:
            store.put(key, [(stored(key.project_id, "d"), small_vector("dragon"))])
            store.close()
        first, second = ([answers(store, key) for key in many] for _ in range(2))
        assert {answers(store, key) for key in more} == {True, False}
        assert answers(store, other), "half of the places that each finds are for others"
        assert all(store.has(key) for key in many)
        with pytest.raises(VectorStoreUnavailable):
            store.delete(many[first.index(False)], ["another"])
        now += 600
        third = [answers(store, key) for key in many]
    assert [first[:6], all(first)] == [[True] * 6, False], "one more than may be open, and then those are let go of"
    assert 0 < second.count(True) < 6
    assert third[:4] == [True] * 4


def test_nobody_waits_for_long_until_indexes_are_let_go_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First questions of large projects may be under way, one after the other."""
    monkeypatch.setattr("retrieval.chroma_folder._IDLE_S", 0.01)
    begun, may_end = Event(), Event()

    def is_under_way(_: object) -> bool:
        begun.set()
        return may_end.wait(60)

    with closing(ChromaFolder(tmp_path / "chroma")) as folder, ThreadPoolExecutor(2) as threads:
        slow = threads.submit(folder.call, is_under_way, Patience(1.0))
        assert begun.wait(60)
        for _ in range(101):
            folder.uses(uuid4())
        other = threads.submit(folder.call, lambda _: "answered", Patience(1.0))
        try:
            assert other.result(60) == "answered"
        finally:
            may_end.set()
        assert slow.result(60)


def test_a_write_waits_for_no_reader(store_in_folder: VectorStore, key: ProjectKey, tmp_path: Path) -> None:
    """As a backup is: the write would wait with every thread of the process, for as long as that reads."""
    read = (
        "import sqlite3, sys; opened = sqlite3.connect(sys.argv[1]); opened.execute('BEGIN');"
        "opened.execute('SELECT count(*) FROM embeddings').fetchone(); print('reads', flush=True); sys.stdin.read()"
    )
    database = str(tmp_path / "chroma" / "chroma.sqlite3")
    command = [sys.executable, "-c", read, database]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout is not None
        assert reader.stdout.readline() == b"reads\n"
        store_in_folder.put(key, [(stored("p4", "d4"), small_vector("a dragon's egg"))])
        store_in_folder.delete(key, ["p1"])
        assert reader.poll() is None
    assert store_in_folder.ids(key) == {"p2", "p3", "p4"}


@pytest.mark.parametrize("is_known", [False, True])
def test_what_others_have_in_the_queue_is_not_looked_through(
    store_in_folder: VectorStore, key: ProjectKey, tmp_path: Path, *, is_known: bool
) -> None:
    """It has up to a thousand entries of each project."""
    file = tmp_path / "chroma" / "chroma.sqlite3"
    if is_known:
        store_in_folder.close()
        with closing(sqlite3.connect(file)) as opened:
            opened.execute("DROP INDEX embeddings_queue_by_topic")
            opened.commit()
        store_in_folder = VectorStore(tmp_path / "chroma")
        store_in_folder.query(key, small_vector("a dragon"), 1)
    store_in_folder.close()
    asked = "EXPLAIN QUERY PLAN SELECT * FROM embeddings_queue WHERE topic = 'a' AND seq_id > 1 ORDER BY seq_id"
    with closing(sqlite3.connect(file)) as opened:
        ((*_, plan),) = opened.execute(asked)
    assert "USING INDEX embeddings_queue_by_topic (topic=? AND seq_id>?)" in plan


def test_the_file_that_chroma_has_open_is_opened_by_no_other_library_of_the_process(
    store_in_folder: VectorStore, key: ProjectKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Locks of one process do not keep its libraries out: half of a write would be read, and Chroma's locks be lost."""
    opened = list[object]()
    monkeypatch.setattr("sqlite3.connect", opened.append)
    store_in_folder.drop(key)
    store_in_folder.put(key, [(stored("p1", "d1"), small_vector("dragon"))])
    monkeypatch.setattr(RustBindingsAPI, "_query", Mock(side_effect=InternalError("locked")))
    with pytest.raises(VectorStoreUnavailable):
        store_in_folder.query(key, small_vector("dragon"), 1)
    assert not opened
    assert [file.name for file in tmp_path.iterdir()] == ["chroma"], "nothing was set aside as damaged"


def test_a_write_waits_for_the_first_question_and_no_thread_with_it(
    tmp_path: Path, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has Chroma do again what is only in its log, in the place of a write: within Chroma everybody would wait."""
    begun, may_end, order = Event(), Event(), list[str]()
    ask = RustBindingsAPI._query  # pyright: ignore[reportPrivateUsage]

    def query(*args: Any, **kwargs: Any) -> Any:
        order.append("asked")
        begun.set()
        assert may_end.wait(60)
        return ask(*args, **kwargs)

    def put() -> None:
        store.put(key, [(stored("p4", "d4"), small_vector("a dragon's egg"))])
        order.append("written")

    with closing(VectorStore(tmp_path / "chroma")) as store, ThreadPoolExecutor(2) as threads:
        filled(store, key)
        monkeypatch.setattr(RustBindingsAPI, "_query", query)
        first = threads.submit(store.query, key, small_vector("dragon"), 1)
        assert begun.wait(60)
        written = threads.submit(put)
        assert not written.done()
        may_end.set()
        assert first.result(60)
        written.result(60)
        assert store.query(key, small_vector("dragon"), 1)
    assert order == ["asked", "written", "asked"]


class _Writing:
    """The lock of all who write, and how many have come to it at once."""

    def __init__(self) -> None:
        self._lock, self._counting = Lock(), Lock()
        self._there = self.most = 0

    def __enter__(self) -> None:
        with self._counting:
            self._there += 1
            self.most = max(self.most, self._there)
        self._lock.acquire()

    def __exit__(self, *_: object) -> None:
        self._lock.release()
        with self._counting:
            self._there -= 1


def test_first_questions_of_one_workspace_wait_for_each_other_and_others_for_one_of_them(tmp_path: Path) -> None:
    """Each takes up to a second, in which nobody writes and nobody else asks a first one."""
    projects = [ProjectKey(workspace, str(number)) for workspace in ("greedy", "other") for number in range(8)]
    with closing(VectorStore(tmp_path / "chroma")) as store, ThreadPoolExecutor(len(projects)) as threads:
        for key in projects:
            store.put(key, [(stored(key.project_id, "d"), small_vector("dragon"))])
        store.close()
        writing = store._chroma._writing = _Writing()  # pyright: ignore
        list(threads.map(lambda key: store.query(key, small_vector("dragon"), 1), projects))
        assert writing.most <= 2


@pytest.mark.parametrize("writes", ["put", "delete"])
def test_a_write_reads_no_index(writes: str, tmp_path: Path, key: ProjectKey, monkeypatch: pytest.MonkeyPatch) -> None:
    """A question does before it, beside which other threads get on."""
    told, ask_first = list[str](), ChromaFolder.ask_first
    for name in ("_upsert", "_delete"):
        done = getattr(RustBindingsAPI, name)
        monkeypatch.setattr(RustBindingsAPI, name, lambda *a, done=done, **k: (told.append("writes"), done(*a, **k))[1])
    with closing(VectorStore(tmp_path / "chroma")) as store:
        filled(store, key)
        store.close()
        told.clear()
        monkeypatch.setattr(ChromaFolder, "ask_first", lambda *a: (told.append("asks"), ask_first(*a)))
        if writes == "put":
            store.put(key, [(stored("p4", "d4"), small_vector("a dragon's egg"))])
        else:
            store.delete(key, ["p1"])
        assert store.ids(key) == ({"p1", "p2", "p3", "p4"} if writes == "put" else {"p2", "p3"})
    assert told == ["asks", "writes"]


def test_what_was_dropped_lets_go_of_all_indexes_once_in_a_minute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.vector_store._MOST_GONE", 300)
    now, closed = 1000.0, list[float]()
    monkeypatch.setattr("retrieval.chroma_folder.monotonic", lambda: now)
    close = ChromaFolder._close  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(ChromaFolder, "_close", lambda folder: (closed.append(now), close(folder)))
    with closing(VectorStore(tmp_path / "chroma")) as store:
        for _ in range(6):
            for number in range(2):
                key = ProjectKey("greedy", str(number))
                store.put(key, [(stored("p", "d"), small_vector("dragon"))])
                store.drop(key)
            now += 25
    assert closed[:-1] == [1000.0, 1075.0]


def test_a_project_can_be_dropped_where_its_files_cannot_be_removed_just_now(
    store_in_folder: VectorStore, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retrieval.chroma_folder.segments", Mock(side_effect=OSError("no process can be begun")))
    store_in_folder.drop(key)
    assert not store_in_folder.has(key)


def test_more_than_one_batch(vectors: VectorStore, key: ProjectKey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retrieval.vector_store._BATCH", 20)
    monkeypatch.setattr("retrieval.vector_store._DELETED_AT_ONCE", 20)
    rows = np.random.default_rng(0).normal(size=(50, 8)).astype(np.float32)
    vectors.put(key, [(stored(f"p{row}", "d"), vector) for row, vector in enumerate(rows)])
    assert len(vectors.ids(key)) == 50
    vectors.delete(key, [f"p{row}" for row in range(49)])
    assert vectors.ids(key) == {"p49"}


def test_an_entry_says_what_it_is_to_whoever_reads_it(tmp_path: Path, key: ProjectKey) -> None:
    paged = Passage("p1", "d1", "bible.pdf", 4, 5, ("People", "Elena"), 0, 22, "She keeps the lighthouse", "dialogue")
    with closing(VectorStore(tmp_path / "chroma")) as store:
        store.put(key, [(paged, small_vector("one")), (stored("p2", "d2"), small_vector("two"))])
    (collection,) = chromadb.PersistentClient(tmp_path / "chroma").list_collections()
    assert collection.metadata == {"workspace": "local", "project": "1"}
    found = collection.get(["p1", "p2"], include=["documents", "metadatas"])
    assert found["documents"] == ["She keeps the lighthouse", "a text"]
    of_page, of_none = found["metadatas"] or [{}, {}]
    assert of_page == {
        "document": "bible.pdf", "document_id": "d1", "page_from": 4, "page_to": 5, "heading": "People > Elena",
        "kind": "dialogue",
    }  # fmt: skip
    assert of_none == {"document": "d2.md", "document_id": "d2", "heading": "", "kind": "prose"}


def test_what_has_only_a_vector_is_known_and_replaced(vectors: VectorStore, key: ProjectKey) -> None:
    assert vectors.without_text(key) == set()
    filled(vectors, key)
    assert vectors.without_text(key) == set()
    bare(vectors, key, ["p2", "p3"])
    assert vectors.without_text(key) == {"p2", "p3"}
    vectors.put(key, [(stored("p2", "d2"), small_vector("a sword of iron"))])
    assert vectors.without_text(key) == {"p3"}
    assert vectors.ids(key) == {"p1", "p2", "p3"}


@pytest.mark.long
def test_catalogs_that_share_a_server_do_not_meet(chroma_url: str, key: ProjectKey) -> None:
    with closing(VectorStore(chroma_url, "aaaaaaaa")) as one, closing(VectorStore(chroma_url, "bbbbbbbb")) as other:
        filled(one, key)
        assert other.ids(key) == set()
        filled(other, key)
        one.clear()
        assert (len(one.ids(key)), len(other.ids(key))) == (0, 3)
        other.clear()


@pytest.mark.long
def test_a_collection_that_another_process_has_dropped_is_gone_here_too(chroma_url: str, key: ProjectKey) -> None:
    namespace = secrets.token_hex(4)
    with closing(VectorStore(chroma_url, namespace)) as one, closing(VectorStore(chroma_url, namespace)) as other:
        filled(one, key)
        assert other.query(key, small_vector("dragon"), 1)
        one.drop(key)
        assert other.query(key, small_vector("dragon"), 1) == []
        filled(one, key)
        assert other.query(key, small_vector("dragon"), 1)
        one.clear()


def test_a_server_that_does_not_answer_is_named_with_the_remedy_and_without_its_password(key: ProjectKey) -> None:
    with closing(VectorStore("http://ada:s3cret@127.0.0.1:1")) as unreachable:
        for ask in (
            unreachable.check,
            lambda: unreachable.ids(key),
            lambda: unreachable.query(key, small_vector("dragon"), 1),
            lambda: unreachable.put(key, [(stored("p1", "d1"), small_vector("dragon"))]),
        ):
            with pytest.raises(VectorStoreUnavailable, match=r"http://127.0.0.1:1 .*FLETCHER_CHROMA_URL") as refused:
                ask()
            assert "s3cret" not in refused.value.message


def test_the_working_folders_env_file_is_not_for_chroma(
    vectors: VectorStore, key: ProjectKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own settings read it otherwise, and it can name any class that is to be used."""
    chromas_own = "chroma_api_impl=nowhere.Nothing\nchroma_product_telemetry_impl=nowhere.Nothing\n"
    (tmp_path / ".env").write_text(chromas_own)
    monkeypatch.chdir(tmp_path)
    filled(vectors, key)
    assert vectors.query(key, small_vector("the dragon sleeps"), 1)


def test_on_a_full_disk_a_store_that_begins_anew_is_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = Mock(side_effect=sqlite3.OperationalError("database or disk is full"))
    monkeypatch.setattr("retrieval.chroma_file.sqlite3.connect", full)
    with closing(VectorStore(tmp_path / "chroma")) as vectors, pytest.raises(VectorStoreUnavailable):
        vectors.query(ProjectKey("local", "1"), small_vector("dragon"), 1)


@pytest.mark.parametrize("has_files", [True, False])
def test_where_no_file_can_be_opened_nothing_is_taken_for_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_files: bool
) -> None:
    """Chroma says the same of an index that is damaged and of one for whose files there are no descriptors left."""
    key = ProjectKey("local", "1")
    with closing(VectorStore(tmp_path / "chroma")) as vectors:
        vectors.put(key, [(stored("a", "1-a"), small_vector("dragon"))])

        def broken(*_: object, **__: object) -> None:
            raise InternalError("Error executing plan: Error creating hnsw segment reader: Error loading hnsw index")

        with monkeypatch.context() as patched:
            patched.setattr(RustBindingsAPI, "_query", broken)
            if not has_files:
                patched.setattr("retrieval.chroma_folder.os.devnull", str(tmp_path / "nowhere"))
            with pytest.raises(VectorStoreUnavailable):
                vectors.query(key, small_vector("dragon"), 1)
        assert bool(vectors.ids(key)) is not has_files


def test_an_index_that_could_not_be_read_for_a_moment_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where the process had no descriptor left just then, and has some by the time that it is looked at."""
    key = ProjectKey("local", "1")
    ask, asked = RustBindingsAPI._query, list[object]()  # pyright: ignore[reportPrivateUsage]

    def query(*args: Any, **kwargs: Any) -> Any:
        asked.append(args)
        if len(asked) < 3:
            raise InternalError("Error executing plan: Error creating hnsw segment reader: Error loading hnsw index")
        return ask(*args, **kwargs)

    with closing(VectorStore(tmp_path / "chroma")) as vectors:
        vectors.put(key, [(stored("a", "1-a"), small_vector("dragon"))])
        monkeypatch.setattr(RustBindingsAPI, "_query", query)
        monkeypatch.setattr("retrieval.chroma_folder._AGAIN_S", 0)
        assert [name for name, _ in vectors.query(key, small_vector("dragon"), 1)] == ["a"]
    assert [file.name for file in tmp_path.iterdir()] == ["chroma"]
