import sqlite3
from pathlib import Path

import numpy as np
import pytest

from corpora import ProjectKey
from retrieval import VectorStore
from tests.retrieval.small_embedder import small_vector


@pytest.fixture
def store(vectors: VectorStore, key: ProjectKey) -> VectorStore:
    texts = {"p1": "the dragon sleeps", "p2": "a sword of iron", "p3": "the dragon wakes"}
    vectors.add(key, [(name, "d" + name[1], small_vector(text)) for name, text in texts.items()])
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


def test_adding_again_changes_nothing(store: VectorStore, key: ProjectKey) -> None:
    store.add(key, [("p1", "d1", small_vector("the dragon sleeps"))])
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
    store.add(key, [("p4", "d4", small_vector("another dragon"))])
    assert [name for name, _ in store.query(key, small_vector("dragon"), 9)] == ["p4"]
    store.drop(key)
    store.add(key, [("p5", "d5", small_vector("a third dragon"))])
    assert [name for name, _ in store.query(key, small_vector("dragon"), 9)] == ["p5"]


def test_nothing_is_made_by_asking(vectors: VectorStore, key: ProjectKey) -> None:
    assert vectors.query(key, small_vector("dragon"), 3) == []
    assert vectors.ids(key) == set()
    vectors.delete(key, ["p1"])
    vectors.drop(key)
    vectors.add(key, [])
    assert vectors.ids(key) == set()


def test_projects_have_collections_of_their_own(store: VectorStore, key: ProjectKey) -> None:
    others = [ProjectKey("local", "11"), ProjectKey("other", "1"), ProjectKey("local.1", "1")]
    for other in others:
        store.add(other, [("p1", "d1", small_vector(other.project_id + other.workspace))])
    store.drop(others[0])
    assert store.ids(others[0]) == set()
    assert store.ids(others[1]) == store.ids(others[2]) == {"p1"}
    assert store.ids(key) == {"p1", "p2", "p3"}


def test_clear_takes_all_projects(store: VectorStore, key: ProjectKey) -> None:
    other = ProjectKey("other", "1")
    store.add(other, [("p1", "d1", small_vector("dragon"))])
    store.clear()
    assert store.ids(key) == store.ids(other) == set()


def test_vectors_are_there_after_a_restart(store: VectorStore, key: ProjectKey, tmp_path: Path) -> None:
    store.close()
    again = VectorStore(tmp_path / "chroma")
    assert again.ids(key) == {"p1", "p2", "p3"}
    assert [name for name, _ in again.query(key, small_vector("a sword of iron"), 1)] == ["p2"]
    again.close()


def test_more_than_one_batch(vectors: VectorStore, key: ProjectKey) -> None:
    rows = np.random.default_rng(0).normal(size=(2100, 8)).astype(np.float32)
    vectors.add(key, [(f"p{row}", "d", vector) for row, vector in enumerate(rows)])
    assert len(vectors.ids(key)) == 2100
    vectors.delete(key, [f"p{row}" for row in range(2099)])
    assert vectors.ids(key) == {"p2099"}


def test_chroma_holds_no_text(store: VectorStore, tmp_path: Path) -> None:
    store.close()
    with sqlite3.connect(tmp_path / "chroma" / "chroma.sqlite3") as database:
        documents = database.execute(
            "SELECT string_value FROM embedding_metadata WHERE key = 'chroma:document'"
        ).fetchall()
    assert {text for (text,) in documents} <= {"", None}
