"""Our ranking as a retriever of LlamaIndex: in the same process, and over HTTP."""

from pathlib import Path

import pytest

from corpora import ProjectKey
from retrieval import RetrievalError, Retriever
from tests.retrieval.conftest import Put
from tests.server.house import house

# `FletcherRetriever` is imported by each test: LlamaIndex, which it brings, takes a second and is needed here only.
FERRY = "Does the ferry cost two crowns?"


def test_nodes_say_what_to_cite(retriever: Retriever, key: ProjectKey, put: Put) -> None:
    from retrieval.fletcher_retriever import FletcherRetriever

    put(key, "bible.pdf", "Elena keeps the lighthouse.", "The ferry costs two crowns.", "Osk mends nets.", paged=True)
    best, *_ = FletcherRetriever.in_process(retriever, key, k=2).retrieve(FERRY)
    (passage, *_) = retriever.search(key, FERRY)
    assert (best.node_id, best.score, best.get_content()) == (passage.passage.id, passage.score, passage.passage.text)
    assert best.metadata == {
        "document": "bible.pdf", "document_id": passage.passage.document_id, "page_from": 2, "page_to": 2,
        "heading": [], "char_from": passage.passage.char_from, "char_to": passage.passage.char_to,
        "relevance": "strong", "confidence": best.metadata["confidence"],
    }  # fmt: skip


def test_the_same_over_http(tmp_path: Path) -> None:
    from retrieval.fletcher_retriever import FletcherRetriever

    with house(tmp_path / "data") as home:
        home.put("bible.md", "Elena keeps the lighthouse. The ferry costs two crowns.")
        here = FletcherRetriever.in_process(home.retriever, home.key).retrieve(FERRY)
        there = FletcherRetriever.over_http(home.url, home.key.project_id).retrieve(FERRY)
        assert here
        assert [(one.node_id, one.score, one.metadata) for one in there] == [
            (one.node_id, one.score, one.metadata) for one in here
        ]
        with pytest.raises(RetrievalError, match="refuses it \\(404\\)"):
            FletcherRetriever.over_http(home.url, "99").retrieve(FERRY)
    with pytest.raises(RetrievalError, match="does not answer"):
        FletcherRetriever.over_http(home.url, "1").retrieve(FERRY)
