"""Vectors of another model are refused, and `reindex` makes all of them anew."""

from contextlib import closing

import pytest

from corpora import Catalog, ProjectKey
from retrieval import EmbeddingModelMismatch, EmbeddingModelUnavailable, Retriever, VectorStore
from tests.retrieval.conftest import Put
from tests.retrieval.small_embedder import SmallEmbedder
from tests.retrieval.stored import Killed, stored_equals_catalog


@pytest.fixture
def other_model(catalog: Catalog, vectors: VectorStore) -> Retriever:
    return Retriever(catalog, SmallEmbedder("another"), vectors)


def test_another_model_is_refused_with_the_command_that_helps(
    retriever: Retriever, other_model: Retriever, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon")
    retriever.embed_pending(key)
    put(key, "b.md", "sword")
    for use in (lambda: other_model.embed_pending(key), lambda: other_model.search(key, "dragon")):
        with pytest.raises(EmbeddingModelMismatch, match="fletcher reindex"):
            use()


def test_a_model_of_the_same_name_with_another_dimension_is_refused(
    retriever: Retriever, catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    catalog.record_embedding_model("small", 3)
    put(key, "a.md", "dragon")
    with pytest.raises(EmbeddingModelMismatch, match="3 dimensions"):
        retriever.embed_pending(key)


def test_no_question_is_asked_with_a_vector_of_another_length(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    """A provider has another model under the same name since the server was started anew."""
    put(key, "a.md", "dragon")
    retriever.embed_pending(key)
    with closing(Retriever(catalog, SmallEmbedder(dimension=32), vectors)) as anew:
        for _ in range(2):
            with pytest.raises(EmbeddingModelMismatch, match=r"64 dimensions.*fletcher reindex"):
                anew.search(key, "dragon")
        anew.reindex([key])
        assert anew.answer(key, "dragon").text_only is False


def test_reindex_changes_the_model(
    retriever: Retriever,
    other_model: Retriever,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
) -> None:
    put(key, "a.md", "dragon", "sword")
    retriever.embed_pending(key)
    other_model.reindex([key])
    assert catalog.embedding_model() == ("another", 64)
    assert stored_equals_catalog(catalog, vectors, key)
    assert other_model.search(key, "dragon")


def test_reindex_that_is_killed_before_the_old_vectors_are_gone_is_asked_for_again(
    retriever: Retriever,
    other_model: Retriever,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They have another length, and none of the new ones could be put beside them."""
    put(key, "a.md", "dragon", "sword")
    retriever.embed_pending(key)

    def kill() -> None:
        raise Killed

    with monkeypatch.context() as while_it_clears:
        while_it_clears.setattr(vectors, "clear", kill)
        with pytest.raises(Killed):
            other_model.reindex([key])
    with pytest.raises(EmbeddingModelMismatch, match="fletcher reindex"):
        other_model.embed_pending(key)
    retriever.embed_pending(key)
    assert retriever.search(key, "dragon")


def test_reindex_with_a_model_that_cannot_be_loaded_loses_nothing(
    retriever: Retriever,
    embedder: SmallEmbedder,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def not_there(_: SmallEmbedder) -> int:
        raise EmbeddingModelUnavailable("its folder is gone")

    put(key, "a.md", "dragon", "sword")
    retriever.embed_pending(key)
    with monkeypatch.context() as without:
        without.delattr(embedder, "dimension")
        without.setattr(SmallEmbedder, "dimension", property(not_there), raising=False)
        with pytest.raises(EmbeddingModelUnavailable):
            retriever.reindex([key])
    assert catalog.lacking_vectors(key, None) == 0
    assert stored_equals_catalog(catalog, vectors, key)


def test_reindex_with_the_same_model_rebuilds_the_store(
    retriever: Retriever, catalog: Catalog, vectors: VectorStore, key: ProjectKey, put: Put
) -> None:
    put(key, "a.md", "dragon", "sword")
    retriever.embed_pending(key)
    vectors.drop(key)
    retriever.reindex([key])
    assert stored_equals_catalog(catalog, vectors, key)


def test_reindex_says_how_far_it_is_goes_on_after_a_kill_and_leaves_text_search(
    retriever: Retriever,
    embedder: SmallEmbedder,
    catalog: Catalog,
    vectors: VectorStore,
    key: ProjectKey,
    put: Put,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = ProjectKey("local", "2")
    put(key, "a.md", *[f"passage {number} of the dragon" for number in range(100)])
    put(other, "b.md", "a sword")
    retriever.embed_pending(key)
    retriever.embed_pending(other)
    made = len(embedder.passages)
    found: list[str] = []

    def kill_after_the_first_batch(done: int, total: int) -> None:
        assert (done, total) == (64, 100)
        found.extend(hit.passage.text for hit in retriever.search(key, "passage 99", 1))
        raise Killed

    with pytest.raises(Killed):
        retriever.reindex([key, other], kill_after_the_first_batch)
    assert found == ["passage 99 of the dragon"], "it had no vector when it was asked for"
    heard: list[tuple[int, int]] = []
    retriever.embed_pending(key, lambda done, total: heard.append((done, total)))
    assert heard == [(36, 36)]
    retriever.embed_pending(other)
    assert stored_equals_catalog(catalog, vectors, key)
    assert stored_equals_catalog(catalog, vectors, other)
    assert len(embedder.passages) == made, "texts whose vectors are known need not be embedded again"
