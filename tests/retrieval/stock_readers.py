"""LlamaIndex and LangChain on our collection, with our model. To import both takes seconds."""

from typing import Any

from chromadb import Collection
from langchain_chroma import Chroma
from langchain_core.embeddings import Embeddings
from llama_index.core import VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters
from llama_index.vector_stores.chroma import ChromaVectorStore
from pydantic import PrivateAttr

from retrieval import Embedder


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


def llama_index(collection: Collection, model: Embedder, **filters: str) -> BaseRetriever:
    """LlamaIndex's retriever of three; `filters` are metadata that must be so."""
    store = ChromaVectorStore(chroma_collection=collection)
    index = VectorStoreIndex.from_vector_store(store, embed_model=ForLlamaIndex(model))
    exact = MetadataFilters(filters=[ExactMatchFilter(key=key, value=value) for key, value in filters.items()])
    return index.as_retriever(similarity_top_k=3, filters=exact if filters else None)


def langchain(client: Any, collection: Collection, model: Embedder) -> Chroma:
    """LangChain's store."""
    return Chroma(client=client, collection_name=collection.name, embedding_function=ForLangChain(model))
