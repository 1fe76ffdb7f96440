"""The embedding cache, the recorded model, and which passages have vectors."""

import secrets
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corpora import Catalog, CatalogError, Document, ProjectKey

Put = Callable[..., Document]
FLOATS = st.floats(width=32, allow_nan=False)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.dictionaries(st.text("0123456789abcdef", min_size=64, max_size=64), arrays(np.float32, 3, elements=FLOATS)))
def test_vectors_come_back_bit_by_bit(catalog: Catalog, vectors: dict[str, np.ndarray]) -> None:
    catalog.record_embedding_model(secrets.token_hex(8), 3)  # a model of its own for each example
    catalog.store_vectors(vectors)
    found = catalog.cached_vectors([*vectors, "f" * 63])
    assert found.keys() == vectors.keys()
    for text_hash, vector in vectors.items():
        assert found[text_hash].dtype == np.float32
        assert found[text_hash].tobytes() == vector.tobytes()


def test_more_vectors_than_a_statement_takes_parameters(catalog: Catalog) -> None:
    catalog.record_embedding_model("m", 1)
    vectors = {f"{number:064d}": np.array([number], dtype=np.float32) for number in range(1201)}
    catalog.store_vectors(vectors)
    catalog.store_vectors(vectors)
    assert len(catalog.cached_vectors(vectors)) == 1201


def test_each_model_has_its_own_vectors(catalog: Catalog) -> None:
    catalog.record_embedding_model("one", 1)
    catalog.store_vectors({"h": np.array([1], dtype=np.float32)})
    catalog.record_embedding_model("two", 1)
    assert catalog.cached_vectors(["h"]) == {}
    catalog.record_embedding_model("one", 1)
    assert catalog.cached_vectors(["h"])["h"].tolist() == [1.0]


def test_without_a_recorded_model_there_are_no_vectors(catalog: Catalog) -> None:
    assert catalog.embedding_model() is None
    with pytest.raises(CatalogError, match="no embedding model"):
        catalog.cached_vectors(["h"])


def test_with_another_model_nothing_counts_as_embedded(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "One.", "Two.")
    catalog.record_embedding_model("one", 384)
    passages = catalog.passages(key)
    catalog.mark_embedded(key, [passage.id for passage in passages])
    catalog.record_embedding_model("one", 384)
    assert catalog.unembedded(key) == []
    catalog.record_embedding_model("two", 384)
    assert catalog.embedding_model() == ("two", 384)
    assert catalog.unembedded(key) == passages


def test_only_passages_of_the_project_are_marked(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "One.")
    (passage,) = catalog.passages(key)
    catalog.mark_embedded(ProjectKey("other", "1"), [passage.id])
    assert catalog.unembedded(key) == [passage]


def test_a_new_version_keeps_the_vectors_of_what_stayed(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "One.", "Two.", "Three.")
    catalog.mark_embedded(key, [passage.id for passage in catalog.passages(key)])
    old = {passage.text: passage.id for passage in catalog.passages(key)}
    document = put(key, "bible.pdf", "Zero.", "One.", "Three.")
    assert (document.passages, document.embedded) == (3, 2)
    assert [passage.text for passage in catalog.unembedded(key)] == ["Zero."]
    assert catalog.replaced_passages(key) == [old["Two."]]
    catalog.mark_forgotten([old["Two."]])
    assert catalog.replaced_passages(key) == []


def test_what_comes_back_before_its_vector_was_dropped_is_not_to_be_forgotten(
    catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "bible.pdf", "One.")
    catalog.remove_document(key, "bible.pdf")
    assert len(catalog.replaced_passages(key)) == 1
    put(key, "bible.pdf", "One.")
    assert catalog.replaced_passages(key) == []
    assert len(catalog.unembedded(key)) == 1, "whether its vector is still there is not known"
