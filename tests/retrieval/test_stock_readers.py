"""Tools that everybody has read our collection: LlamaIndex and LangChain, as they come."""

from pathlib import Path
from typing import Any

import chromadb
import pytest
from chromadb import Collection

from corpora import Catalog, ProjectKey
from retrieval import Embedder, Retriever, VectorStore
from tests.retrieval.conftest import Put


@pytest.fixture
def client(catalog: Catalog, key: ProjectKey, put: Put, minilm: Embedder, tmp_path: Path) -> Any:
    put(key, "bible.pdf", "Elena keeps the lighthouse.", "The ferry costs two crowns.", paged=True)
    put(key, "people.md", "Osk mends nets.")
    ours = Retriever(catalog, minilm, VectorStore(tmp_path / "chroma"))
    ours.embed_pending(key)
    ours.close()
    return chromadb.PersistentClient(tmp_path / "chroma")


@pytest.fixture
def collection(client: Any) -> Collection:
    (found,) = client.list_collections()
    return found


def test_llama_index_answers_with_text_and_page(collection: Collection, minilm: Embedder) -> None:
    from tests.retrieval.stock_readers import llama_index

    best, *_ = llama_index(collection, minilm).retrieve("What is the price of a crossing by boat?")
    assert best.get_content() == "The ferry costs two crowns."
    assert (best.metadata["document"], best.metadata["page_from"]) == ("bible.pdf", 2)
    (only,) = llama_index(collection, minilm, document="people.md").retrieve("ferry")
    assert only.get_content() == "Osk mends nets."


def test_langchain_answers_with_text_and_page(client: Any, collection: Collection, minilm: Embedder) -> None:
    from tests.retrieval.stock_readers import langchain

    best, *_ = langchain(client, collection, minilm).similarity_search("What is the price of a crossing by boat?", k=3)
    assert best.page_content == "The ferry costs two crowns."
    assert (best.metadata["document"], best.metadata["page_from"], best.metadata["kind"]) == ("bible.pdf", 2, "prose")
