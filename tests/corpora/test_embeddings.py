"""The embedding cache, the recorded model, and which passages have vectors."""

import secrets
import threading
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from corpora import Catalog, CatalogBusy, CatalogError, Document, DocumentNotFound, Passage, ProjectKey, passage_id
from corpora.statements import touched_project

Put = Callable[..., Document]
FLOATS = st.floats(width=32, allow_nan=False)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    assert set(catalog.unembedded(key)) == {passage.id for passage in passages}


def test_only_passages_of_the_project_are_marked(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "One.")
    (passage,) = catalog.passages(key)
    catalog.mark_embedded(ProjectKey("other", "1"), [passage.id])
    assert catalog.unembedded(key) == [passage.id]


def test_passages_without_vectors_are_counted(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    catalog.record_embedding_model("small", 3)
    first, second = put(key, "a.pdf", "one", "two", "three"), put(key, "b.pdf", "four")
    put(ProjectKey("other", "1"), "a.pdf", "five")
    catalog.mark_embedded(key, [catalog.passages(key, first.id)[0].id])
    assert catalog.lacking_vectors(key) == 3
    assert catalog.lacking_vectors(key, first.id) == 2
    assert catalog.lacking_vectors(key, second.id) == 1
    assert catalog.lacking_vectors(ProjectKey("local", "unknown")) == 0


def test_a_new_version_keeps_the_vectors_of_what_stayed(catalog: Catalog, key: ProjectKey, put: Put) -> None:
    put(key, "bible.pdf", "One.", "Two.", "Three.")
    catalog.mark_embedded(key, [passage.id for passage in catalog.passages(key)])
    old = {passage.text: passage.id for passage in catalog.passages(key)}
    document = put(key, "bible.pdf", "Zero.", "One.", "Three.")
    assert (document.passages, document.embedded) == (3, 1)
    lacking = catalog.passages_by_id(key, catalog.unembedded(key)).values()
    assert {passage.text for passage in lacking} == {"Zero.", "One."}  # the vector store says on which page one is
    assert catalog.replaced_passages(key) == [old["Two."]]
    catalog.mark_forgotten([old["Two."]])
    assert catalog.replaced_passages(key) == []


def test_what_comes_back_before_its_vector_was_dropped_is_not_to_be_forgotten(
    catalog: Catalog, key: ProjectKey, put: Put
) -> None:
    put(key, "bible.pdf", "One.")
    catalog.remove_document(key, "bible.pdf")
    assert catalog.replaced_passages(key) == [], "it has never had one"
    put(key, "bible.pdf", "One.")
    catalog.mark_embedded(key, catalog.unembedded(key))
    catalog.remove_document(key, "bible.pdf")
    assert len(catalog.replaced_passages(key)) == 1
    put(key, "bible.pdf", "One.")
    assert catalog.replaced_passages(key) == []
    assert len(catalog.unembedded(key)) == 1, "whether its vector is still there is not known"


def test_unfinished_are_the_projects_that_lack_vectors_or_have_some_too_many(catalog: Catalog, put: Put) -> None:
    whole, lacking, emptied = (ProjectKey("local", name) for name in ("whole", "lacking", "emptied"))
    for key in (whole, lacking, emptied):
        put(key, "a.md", "one")
        if key != lacking:
            catalog.mark_embedded(key, [passage.id for passage in catalog.passages(key)])
    catalog.remove_document(emptied, "a.md")
    assert set(catalog.unfinished_projects()) == {lacking, emptied}
    catalog.mark_forgotten(catalog.replaced_passages(emptied))
    assert catalog.unfinished_projects() == [lacking]


def test_a_catalog_has_one_namespace_for_its_vectors_and_one_sealing_key(
    catalog: Catalog, database_url: str, tmp_path: Path
) -> None:
    namespace, key = catalog.vector_namespace(), catalog.sealing_key()
    assert (len(namespace), len(key)) == (8, 32)
    with closing(Catalog(database_url)) as again, closing(Catalog(f"sqlite:///{tmp_path / 'other.db'}")) as other:
        assert again.vector_namespace() == namespace != other.vector_namespace()
        assert again.sealing_key() == key != other.sealing_key()


def test_servers_that_write_at_once_neither_fail_nor_wait_for_each_other_for_ever(
    catalog: Catalog, database_url: str, put: Put, key: ProjectKey, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each does what the others do, to the same rows: new projects, new vectors, the model, marks, removals."""
    monkeypatch.setattr("corpora.statements._PATIENCE_MS", 60_000)  # however slow this machine is
    barrier, failures = threading.Barrier(4), list[Exception]()
    texts = [f"text {number}" for number in range(40)]

    def work(number: int) -> None:
        with closing(Catalog(database_url)) as own:
            barrier.wait()
            try:
                own.record_embedding_model("model", 2)
                for turn in range(3):
                    own.store_vectors({text: np.ones(2, np.float32) for text in texts[:: number % 2 * 2 - 1]})
                    project = ProjectKey("local", f"{turn}")
                    own.put_document(project, **whole(project, "a.md", texts))
                    ids = [passage.id for passage in own.passages(project)][:: number % 2 * 2 - 1]
                    own.mark_embedded(project, ids)
                    with suppress(DocumentNotFound):  # another one has removed it
                        own.remove_document(project, "a.md")
                    own.mark_forgotten(own.replaced_passages(project))
            except CatalogError as error:
                failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(catalog.cached_vectors(texts)) == len(texts)


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_whoever_writes_to_a_project_for_long_is_not_waited_for(
    catalog: Catalog, key: ProjectKey, put: Put, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As the vectors of all others would wait with those of this one."""
    monkeypatch.setattr("corpora.statements._PATIENCE_MS", 100)
    other = ProjectKey("other", "1")
    for project in (key, other):
        put(project, "a.md", "One.")
        catalog.mark_embedded(project, catalog.unembedded(project))
        put(project, "a.md", "Two.")
    writes = (
        lambda project: catalog.wait_for_writer(project),
        lambda project: catalog.mark_embedded(project, catalog.unembedded(project)),
        lambda project: catalog.mark_forgotten(catalog.replaced_passages(project)),
        lambda project: catalog.mark_unembedded(project),
    )
    with catalog._writing() as connection:  # pyright: ignore[reportPrivateUsage]
        touched_project(connection, key)
        for write in writes:
            with pytest.raises(CatalogBusy, match=r"writing to the same rows.*try again") as refused:
                write(key)
            assert refused.value.code == "CATALOG_BUSY"
            write(other)
    for write in writes:
        write(key)
    assert catalog.replaced_passages(key) == []
    assert caplog.records == [], "nothing is wrong with the catalog"


def whole(key: ProjectKey, name: str, texts: list[str]) -> dict[str, Any]:
    document_id = key.document_id(name)
    passages = [
        Passage(passage_id(document_id, (), text, 0), document_id, name, None, None, (), 0, 0, text) for text in texts
    ]
    return {
        "name": name, "format": "md", "sha256": "0" * 64, "size": 0, "text": "", "pages": [], "passages": passages,
    }  # fmt: skip
