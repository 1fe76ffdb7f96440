"""Tools that everybody has read our collection: LlamaIndex and LangChain, as they come."""

from pathlib import Path
from typing import Any

import chromadb
import pytest
from chromadb import Collection
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings
from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import PrivateAttr

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


class ForLlamaIndex(BaseEmbedding):
    _model: Embedder = PrivateAttr()

    def __init__(self, model: Embedder) -> None:
        super().__init__()
        self._model = model

    def _get_query_embedding(self, query: str) -> list[float]:
        return self._model.embed_query(query).tolist()

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._model.embed_passages([text])[0].tolist()

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)


class ForLangChain(Embeddings):
    def __init__(self, model: Embedder) -> None:
        self._model = model

    def embed_query(self, text: str) -> list[float]:
        return self._model.embed_query(text).tolist()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._model.embed_passages(texts).tolist()


def test_llama_index_answers_with_text_and_page(collection: Collection, minilm: Embedder) -> None:
    store = ChromaVectorStore(chroma_collection=collection)
    index = VectorStoreIndex.from_vector_store(store, embed_model=ForLlamaIndex(minilm))
    best, *_ = index.as_retriever(similarity_top_k=3).retrieve("What is the price of a crossing by boat?")
    assert best.get_content() == "The ferry costs two crowns."
    assert (best.metadata["document"], best.metadata["page_from"]) == ("bible.pdf", 2)
    filters = MetadataFilters(filters=[ExactMatchFilter(key="document", value="people.md")])
    (only,) = index.as_retriever(similarity_top_k=3, filters=filters).retrieve("ferry")
    assert only.get_content() == "Osk mends nets."


def test_langchain_answers_with_text_and_page(client: Any, collection: Collection, minilm: Embedder) -> None:
    store = Chroma(client=client, collection_name=collection.name, embedding_function=ForLangChain(minilm))
    best, *_ = store.similarity_search("What is the price of a crossing by boat?", k=3)
    assert best.page_content == "The ferry costs two crowns."
    assert (best.metadata["document"], best.metadata["page_from"], best.metadata["kind"]) == ("bible.pdf", 2, "prose")
