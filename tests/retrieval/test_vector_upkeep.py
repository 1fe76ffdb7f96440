"""The store of vectors follows the catalog: each text is embedded once, and what is gone leaves nothing."""

import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

import chromadb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from corpora import Catalog, Passage, ProjectKey
from retrieval import Retriever, VectorStore, VectorStoreUnavailable
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import SmallEmbedder
from tests.retrieval.stored import Killed, bare, stored, stored_equals_catalog

Texts = Sequence[str]


def test_all_passages_get_vectors_and_the_model_is_recorded(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    document = put(key, "a.md", "dragon", "sword", "river")
    assert retriever.embed_pending(key) == 3
    assert stored_equals_catalog(catalog, vectors, key)
    assert catalog.find_document(key, document.id).embedded == 3
    assert catalog.embedding_model() == ("small", 64)
    assert retriever.embed_pending(key) == 0


def test_progress_ends_at_the_total(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    heard: list[tuple[int, int]] = []
    put(key, "a.md", *[f"passage {number}" for number in range(100)])
    retriever.embed_pending(key, lambda done, total: heard.append((done, total)))
    assert heard == [(64, 100), (100, 100)]


def test_a_text_is_embedded_once(
    retriever: Retriever, embedder: SmallEmbedder, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon", "dragon", "sword")
    assert retriever.embed_pending(key) == 2
    other = ProjectKey("other", "1")
    put(other, "b.md", "sword", "river")
    assert retriever.embed_pending(other) == 1
    assert sorted(embedder.passages) == ["dragon", "river", "sword"]
    assert (len(vectors.ids(key)), len(vectors.ids(other))) == (3, 2)


def test_a_vector_is_kept_as_long_as_somebody_has_its_text(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    other = ProjectKey("other", "1")
    put(key, "a.md", "dragon", "sword", "river")
    put(other, "b.md", "sword")
    hashes = {passage.text: passage.embedding_hash for passage in catalog.passages(key)}

    def kept() -> set[str]:
        known = catalog.cached_vectors(hashes.values())
        return {text for text, text_hash in hashes.items() if text_hash in known}

    for project in (key, other):
        retriever.embed_pending(project)
    put(key, "a.md", "dragon", "sword")
    retriever.embed_pending(key)
    assert kept() == {"dragon", "sword"}
    catalog.remove_document(key, key.document_id("a.md"))
    retriever.forget_replaced(key)
    assert kept() == {"sword"}
    assert (vectors.ids(key), len(vectors.ids(other))) == (set(), 1)
    catalog.remove_document(other, other.document_id("b.md"))
    retriever.forget_replaced(other)
    assert not kept()


def test_only_what_changed_is_embedded(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon", "sword", "river")
    retriever.embed_pending(key)
    put(key, "a.md", "dragon", "a rusty sword", "river")
    assert retriever.embed_pending(key) == 1
    assert stored_equals_catalog(catalog, vectors, key)


@pytest.mark.parametrize("noticed", ["by a search", "by a new document"])
def test_what_the_store_has_lost_is_put_there_again_from_the_catalog(
    retriever: Retriever, embedder: SmallEmbedder, catalog: Catalog, vectors: VectorStore, put: Put, noticed: str
) -> None:
    """As where a Chroma server begins anew without its volume, while Fletcher goes on."""
    lost, other = ProjectKey("local", "1"), ProjectKey("other", "1")
    for key in (lost, other):
        put(key, "a.md", "dragon", "sword", "river")
        retriever.embed_pending(key)
    vectors.drop(lost)
    if noticed == "by a search":
        assert retriever.answer(lost, "dragon").text_only
        assert catalog.unfinished_projects() == [lost]
    else:
        put(lost, "b.md", "sword")
    embedder.passages.clear()
    assert retriever.embed_pending(lost) == 0
    assert not embedder.passages
    assert stored_equals_catalog(catalog, vectors, lost)
    assert not retriever.answer(lost, "dragon").text_only
    assert not catalog.unembedded(other)


def test_killed_in_the_middle_the_next_call_does_the_rest(
    catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    class Dying(SmallEmbedder):
        def embed_passages(self, texts: Texts, progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
            if self.passages:
                raise Killed
            return super().embed_passages(texts, progress)

    put(key, "a.md", *[f"passage {number}" for number in range(100)])
    with pytest.raises(Killed):
        Retriever(catalog, Dying(), vectors).embed_pending(key)
    assert len(catalog.unembedded(key)) == 36
    assert Retriever(catalog, SmallEmbedder(), vectors).embed_pending(key) == 36
    assert stored_equals_catalog(catalog, vectors, key)


def test_killed_before_the_catalog_knows_nothing_is_computed_twice(
    retriever: Retriever,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def killed(key: ProjectKey, passage_ids: Sequence[str]) -> None:
        raise Killed

    put(key, "a.md", "dragon", "sword")
    with monkeypatch.context() as patch:
        patch.setattr(catalog, "mark_embedded", killed)
        with pytest.raises(Killed):
            retriever.embed_pending(key)
    assert retriever.embed_pending(key) == 0
    assert stored_equals_catalog(catalog, vectors, key)


def test_a_document_that_is_removed_while_it_is_embedded_leaves_no_vector(
    catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    class Removing(SmallEmbedder):
        def embed_passages(self, texts: Texts, progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
            catalog.remove_document(key, "a.md")
            retriever.forget_replaced(key)
            return super().embed_passages(texts, progress)

    retriever = Retriever(catalog, Removing(), vectors)
    put(key, "a.md", "dragon", "sword")
    put(ProjectKey("other", "1"), "a.md", "sword")
    hashes = {passage.text: passage.embedding_hash for passage in catalog.passages(key)}
    retriever.embed_pending(key)
    assert vectors.ids(key) == set()
    assert catalog.replaced_passages(key) == []
    assert catalog.cached_vectors(hashes.values()).keys() == {hashes["sword"]}


@pytest.mark.parametrize("does", ["forget", "embed", "repair"])
def test_much_is_forgotten_part_by_part_and_what_is_left_another_time(
    retriever: Retriever,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
    does: str,
) -> None:
    monkeypatch.setattr("retrieval.vector_upkeep._FORGOTTEN_AT_ONCE", 10)
    put(key, "a.md", *[f"passage {number}" for number in range(35)])
    retriever.embed_pending(key)
    catalog.remove_document(key, "a.md")
    left, read, replaced = list[int](), list[int](), catalog.replaced_passages

    def noted(key: ProjectKey, most: int | None = None) -> list[str]:
        found = replaced(key, most)
        read.append(len(found))
        return found

    def beat() -> None:
        left.append(len(vectors.ids(key)))
        if len(left) == 2:
            raise Killed

    ways = {
        "forget": partial(retriever.forget_replaced, key, beat),
        "embed": partial(retriever.embed_pending, key, lambda *_: beat()),
        "repair": partial(retriever.repair, key, beat),
    }
    with monkeypatch.context() as patched:
        patched.setattr(catalog, "replaced_passages", noted)
        with pytest.raises(Killed):
            ways[does]()
    assert max(read) <= 11
    assert len(catalog.replaced_passages(key)) == 15
    retriever.forget_replaced(key, beat)
    assert left == [25, 15, 5, 0]
    assert catalog.replaced_passages(key) == []
    assert not vectors.has(key)


def test_what_is_removed_while_a_project_is_embedded_is_embedded_no_more(
    catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    class Removing(SmallEmbedder):
        def embed_passages(self, texts: Texts, progress: Callable[[int], None] | None = None) -> NDArray[np.float32]:
            if not self.passages:
                catalog.remove_document(key, "large.md")
            return super().embed_passages(texts, progress)

    embedder, heard = Removing(), list[tuple[int, int]]()
    put(key, "large.md", *[f"passage {number}" for number in range(200)])
    put(key, "small.md", "a passage that is longer than the others")
    Retriever(catalog, embedder, vectors).embed_pending(key, lambda done, total: heard.append((done, total)))
    assert len(embedder.passages) == 64 + 1, "one batch, and what is still there"
    assert stored_equals_catalog(catalog, vectors, key)
    assert heard[-1] == (201, 201)


def test_the_texts_of_one_batch_are_held_at_a_time(
    retriever: Retriever, catalog: Catalog, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts: list[int] = []
    passages_by_id = catalog.passages_by_id

    def counted(key: ProjectKey, ids: Iterable[str]) -> dict[str, Passage]:
        found = passages_by_id(key, ids)
        texts.append(len(found))
        return found

    put(key, "a.md", *[f"passage {number}" for number in range(200)])
    monkeypatch.setattr(catalog, "passages_by_id", counted)
    retriever.embed_pending(key)
    assert max(texts) == 64


def test_forget_takes_out_what_is_gone_and_keeps_what_is_not(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    kept = put(key, "a.md", "dragon")
    put(key, "b.md", "sword")
    retriever.embed_pending(key)
    catalog.remove_document(key, "b.md")
    retriever.forget_replaced(key)
    assert vectors.ids(key) == {passage.id for passage in catalog.passages(key, kept.id)}
    assert catalog.replaced_passages(key) == []


def test_of_what_is_removed_meanwhile_nothing_goes_in_one_piece(
    retriever: Retriever,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("retrieval.vector_upkeep._FORGOTTEN_AT_ONCE", 2)
    put(key, "a.md", "dragon", "sword", "river", "shield")
    put(key, "b.md", *[f"passage {number}" for number in range(9)])
    retriever.embed_pending(key)
    catalog.remove_document(key, "a.md")
    drop, dropped = vectors.drop, list[int]()

    def beat() -> None:
        if catalog.documents(key):
            catalog.remove_document(key, "b.md")

    def counted(key: ProjectKey) -> None:
        dropped.append(len(vectors.ids(key)))
        drop(key)

    monkeypatch.setattr(vectors, "drop", counted)
    retriever.forget_replaced(key, beat)
    assert dropped == [1]
    assert not vectors.has(key)


def test_repairing_goes_on_where_it_was_given_up(
    retriever: Retriever,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("retrieval.vector_upkeep._FORGOTTEN_AT_ONCE", 1)
    monkeypatch.setattr("retrieval.vector_upkeep._BATCH", 1)
    put(key, "a.md", "dragon", "sword")
    put(key, "b.md", "river", "shield")
    retriever.embed_pending(key)
    vectors.delete(key, [passage.id for passage in catalog.passages(key)[:2]])
    vectors.put(key, [(stored(name, "nowhere"), np.ones(64, dtype=np.float32)) for name in ("stray", "other")])
    catalog.remove_document(key, "b.md")
    steps = 0

    def beat() -> None:
        nonlocal steps
        steps += 1
        raise Killed

    while not stored_equals_catalog(catalog, vectors, key):
        with pytest.raises(Killed):
            retriever.repair(key, beat)
    assert steps == 6
    assert catalog.replaced_passages(key) == []


def test_what_was_replaced_is_forgotten_by_the_next_embedding(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon")
    retriever.embed_pending(key)
    catalog.remove_document(key, "a.md")
    assert retriever.embed_pending(key) == 0
    assert vectors.ids(key) == set()


def test_repair_makes_the_store_equal_to_the_catalog(
    retriever: Retriever,
    catalog: Catalog,
    embedder: SmallEmbedder,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
) -> None:
    put(key, "a.md", "dragon", "sword")
    retriever.embed_pending(key)
    first = catalog.passages(key)[0]
    vectors.delete(key, [first.id])
    vectors.put(key, [(stored("stray", "nowhere"), np.ones(64, dtype=np.float32))])
    computed = len(embedder.passages)
    retriever.repair(key)
    assert stored_equals_catalog(catalog, vectors, key)
    assert len(embedder.passages) == computed  # from the cache


def test_repair_gives_text_and_metadata_to_what_has_only_a_vector(
    retriever: Retriever, embedder: SmallEmbedder, vectors: VectorStore, key: ProjectKey, put: Put, catalog: Catalog
) -> None:
    put(key, "a.md", "dragon", "sword", "shield")
    retriever.embed_pending(key)
    first, second, _ = catalog.passages(key)
    bare(vectors, key, [first.id, second.id])
    retriever.repair(key)
    assert vectors.without_text(key) == set()
    assert stored_equals_catalog(catalog, vectors, key)
    assert len(embedder.passages) == 3  # from the cache


def test_a_passage_that_moves_to_another_page_is_written_again(
    retriever: Retriever, embedder: SmallEmbedder, key: ProjectKey, put: Put, catalog: Catalog, tmp_path: Path
) -> None:
    put(key, "a.pdf", "dragon", "sword", paged=True)
    retriever.embed_pending(key)
    put(key, "a.pdf", "cover", "dragon", "sword", paged=True)
    retriever.embed_pending(key)
    retriever.close()
    (collection,) = chromadb.PersistentClient(tmp_path / "chroma").list_collections()
    found = collection.get(include=["documents", "metadatas"])
    pages = zip(found["documents"] or [], [one["page_from"] for one in found["metadatas"] or []], strict=True)
    assert dict(pages) == {"cover": 1, "dragon": 2, "sword": 3}
    assert sorted(embedder.passages) == ["cover", "dragon", "sword"]  # each once


def test_repair_leaves_to_embed_pending_what_never_had_a_vector(
    retriever: Retriever, embedder: SmallEmbedder, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon")
    retriever.repair(key)
    retriever.embed_pending(key)
    put(key, "b.md", "sword")
    retriever.repair(key)
    assert embedder.passages == ["dragon"]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.sampled_from([f"text {number}" for number in range(150)]), max_size=120), max_size=4))
def test_progress_never_goes_back_and_ends_at_all(
    retriever: Retriever, catalog: Catalog, put: Put, documents: list[list[str]]
) -> None:
    key = ProjectKey("local", secrets.token_hex(8))
    passages = 0
    for number, texts in enumerate(documents):  # some of which stand in several
        put(key, f"{number}.md", *texts)
        passages += len(texts)
    heard: list[tuple[int, int]] = []
    retriever.embed_pending(key, lambda done, total: heard.append((done, total)))
    assert {total for _, total in heard} <= {passages}
    assert [done for done, _ in heard] == sorted({done for done, _ in heard})
    assert not passages or heard[-1] == (passages, passages)
    assert catalog.lacking_vectors(key) == 0


def test_what_is_removed_while_the_store_is_away_is_forgotten_later(
    retriever: Retriever,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*_: object) -> None:
        raise VectorStoreUnavailable("It is away.")

    put(key, "a.md", "dragon")
    retriever.embed_pending(key)
    catalog.remove_document(key, "a.md")
    with monkeypatch.context() as patch:
        patch.setattr(vectors, "drop", away)
        retriever.forget_replaced(key)
    assert len(vectors.ids(key)) == len(catalog.replaced_passages(key)) == 1
    retriever.forget_replaced(key)
    assert vectors.ids(key) == set()
    assert catalog.replaced_passages(key) == []


def test_an_index_from_which_much_was_deleted_is_made_anew(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, embedder: SmallEmbedder, key: ProjectKey, put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """It keeps the room of what was deleted until it goes as a whole."""
    monkeypatch.setattr("retrieval.vector_upkeep._MOST_DELETED", 8)
    dropped, drop = list[ProjectKey](), vectors.drop
    monkeypatch.setattr(vectors, "drop", lambda key: (dropped.append(key), drop(key)))
    put(key, "kept.md", "river")
    for number in range(12):
        put(key, "a.md", *(f"{word} {number % 2}" for word in ("dragon", "sword")))
        retriever.embed_pending(key)
        assert stored_equals_catalog(catalog, vectors, key)
    assert len(dropped) == 2
    assert len(embedder.passages) <= 1 + 2 * 12
