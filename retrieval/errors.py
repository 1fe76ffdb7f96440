"""What can go wrong while retrieving: every error carries a code for programs and a sentence for people.

CorpusError
 +- RetrievalError
     +- EmptyQuery                 EMPTY_QUERY
     +- EmbeddingModelMismatch     EMBEDDING_MODEL_MISMATCH      the vectors were made by another model
     +- EmbeddingModelUnavailable  EMBEDDING_MODEL_UNAVAILABLE   it cannot be loaded, or is not the right one
     +- RerankerUnavailable        RERANKER_UNAVAILABLE          the cross-encoder that is set cannot be used
     +- ProviderAway               PROVIDER_AWAY                 the provider of a model does not answer just now
     +- VectorStoreUnavailable     VECTOR_STORE_UNAVAILABLE      Chroma does not answer, or cannot use its files
     |   +- VectorStoreDamaged     VECTOR_STORE_DAMAGED          its files were damaged, and it begins anew
     +- NoPages                    NO_PAGES                      the document's format has no pages
     +- PageNotFound               PAGE_NOT_FOUND
     +- PageNotDrawn               TIMEOUT, OUT_OF_MEMORY, ...   a page that is there and cannot be drawn
     +- PassageNotFound            PASSAGE_NOT_FOUND
"""

from corpora import CorpusError


class RetrievalError(CorpusError):
    """Base of this package's own errors; `message` names the thing, the rule and the remedy."""

    code = "RETRIEVAL_ERROR"


class EmptyQuery(RetrievalError):
    """There is nothing to search for."""

    code = "EMPTY_QUERY"


class EmbeddingModelMismatch(RetrievalError):
    """The catalog's vectors were made by another model than the one in use."""

    code = "EMBEDDING_MODEL_MISMATCH"


class EmbeddingModelUnavailable(RetrievalError):
    """The embedding model cannot be loaded, or its weights are not the ones that were decided on."""

    code = "EMBEDDING_MODEL_UNAVAILABLE"


class RerankerUnavailable(RetrievalError):
    """The cross-encoder that was asked for by name cannot be loaded, or is none."""

    code = "RERANKER_UNAVAILABLE"


class ProviderAway(RetrievalError):
    """The provider of a model that is in use does not answer just now, or refuses."""

    code = "PROVIDER_AWAY"


class VectorStoreUnavailable(RetrievalError):
    """The Chroma server that is set does not answer, or not as one; or the files of the vectors cannot be used."""

    code = "VECTOR_STORE_UNAVAILABLE"


class VectorStoreDamaged(VectorStoreUnavailable):
    """The files of the vectors were damaged and have been set aside: the store is empty, and can be filled again."""

    code = "VECTOR_STORE_DAMAGED"


class NoPages(RetrievalError):
    """Pages were asked for of a document whose format has none."""

    code = "NO_PAGES"


class PageNotFound(RetrievalError):
    """The document has pages, but not this one."""

    code = "PAGE_NOT_FOUND"


class PassageNotFound(RetrievalError):
    """The document has no passage of that id."""

    code = "PASSAGE_NOT_FOUND"


class PageNotDrawn(RetrievalError):
    """The page is there, and drawing it failed; the code says how, as that of a document that cannot be read does."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
