"""Passages to the few that matter for a question, cited; and a document's pages.

What `corpora` hands on through a retriever is named here as well, for those who may not import `corpora`.
"""

from corpora import CorpusError, Document, Page, Passage, ProjectKey, ProjectNotFound, page_range, printable
from retrieval.embedder import Embedder, EmbeddingModel
from retrieval.errors import (
    EmbeddingModelMismatch,
    EmbeddingModelUnavailable,
    EmptyQuery,
    NoPages,
    PageNotDrawn,
    PageNotFound,
    PassageNotFound,
    RerankerUnavailable,
    RetrievalError,
    VectorStoreDamaged,
    VectorStoreUnavailable,
)
from retrieval.page_pictures import PagePainter
from retrieval.reranker import Reranker, RerankingModel
from retrieval.results import CitedPassage, RankedPassage, Retrieved, SearchAnswer, Surroundings
from retrieval.retriever import Retriever
from retrieval.vector_store import VectorStore

__all__ = [
    "CitedPassage",
    "CorpusError",
    "Document",
    "Embedder",
    "EmbeddingModel",
    "EmbeddingModelMismatch",
    "EmbeddingModelUnavailable",
    "EmptyQuery",
    "NoPages",
    "Page",
    "PageNotDrawn",
    "PageNotFound",
    "PagePainter",
    "Passage",
    "PassageNotFound",
    "ProjectKey",
    "ProjectNotFound",
    "RankedPassage",
    "Reranker",
    "RerankerUnavailable",
    "RerankingModel",
    "RetrievalError",
    "Retrieved",
    "Retriever",
    "SearchAnswer",
    "Surroundings",
    "VectorStore",
    "VectorStoreDamaged",
    "VectorStoreUnavailable",
    "page_range",
    "printable",
]
