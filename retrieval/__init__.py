"""Passages to the few that matter for a question, cited; and a document's pages.

What `corpora` hands on through a retriever is named here as well, for those who may not import `corpora`.
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    from retrieval.freed_memory import keep_little_memory
    from retrieval.page_pictures import PagePainter
    from retrieval.quotes import NumberedPassage, Quote, best_quotes
    from retrieval.relevance import Relevance
    from retrieval.reranker import Reranker, RerankingModel
    from retrieval.results import CitedPassage, RankedPassage, Retrieved, SearchAnswer, Surroundings
    from retrieval.retriever import Retriever
    from retrieval.sentences import Unit, content_terms, split_units
    from retrieval.vector_store import VectorStore

# Loaded as they are used: a command that only talks to a server needs few of them.
_PLACES = {
    "corpora": (
        "CorpusError",
        "Document",
        "Page",
        "Passage",
        "ProjectKey",
        "ProjectNotFound",
        "page_range",
        "printable",
    ),
    "retrieval.embedder": (
        "Embedder",
        "EmbeddingModel",
    ),
    "retrieval.errors": (
        "EmbeddingModelMismatch",
        "EmbeddingModelUnavailable",
        "EmptyQuery",
        "NoPages",
        "PageNotDrawn",
        "PageNotFound",
        "PassageNotFound",
        "RerankerUnavailable",
        "RetrievalError",
        "VectorStoreDamaged",
        "VectorStoreUnavailable",
    ),
    "retrieval.freed_memory": ("keep_little_memory",),
    "retrieval.page_pictures": ("PagePainter",),
    "retrieval.quotes": ("NumberedPassage", "Quote", "best_quotes"),
    "retrieval.relevance": ("Relevance",),
    "retrieval.reranker": (
        "Reranker",
        "RerankingModel",
    ),
    "retrieval.results": (
        "CitedPassage",
        "RankedPassage",
        "Retrieved",
        "SearchAnswer",
        "Surroundings",
    ),
    "retrieval.retriever": ("Retriever",),
    "retrieval.sentences": ("Unit", "content_terms", "split_units"),
    "retrieval.vector_store": ("VectorStore",),
}
_PLACE_OF = {name: place for place, names in _PLACES.items() for name in names}

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
    "NumberedPassage",
    "Page",
    "PageNotDrawn",
    "PageNotFound",
    "PagePainter",
    "Passage",
    "PassageNotFound",
    "ProjectKey",
    "ProjectNotFound",
    "Quote",
    "RankedPassage",
    "Relevance",
    "Reranker",
    "RerankerUnavailable",
    "RerankingModel",
    "RetrievalError",
    "Retrieved",
    "Retriever",
    "SearchAnswer",
    "Surroundings",
    "Unit",
    "VectorStore",
    "VectorStoreDamaged",
    "VectorStoreUnavailable",
    "best_quotes",
    "content_terms",
    "keep_little_memory",
    "page_range",
    "printable",
    "split_units",
]


def __getattr__(name: str) -> object:
    if name not in _PLACE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(_PLACE_OF[name]), name)
    return value
