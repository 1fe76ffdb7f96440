"""Fletcher's own retrieval as a pipeline."""

from collections.abc import Sequence

from evaluation.retrieval.measures import Span
from retrieval import Passage, ProjectKey, RetrievalError, Retriever

# More than 2,000 characters, and ten passages, of any passage size.
_DEPTH = 20


class Ours:
    """What `fletcher search` answers with."""

    def __init__(
        self, retriever: Retriever, key: ProjectKey, passages: Sequence[Passage], name: str = "Fletcher"
    ) -> None:
        self.name = name
        self._retriever = retriever
        self._key = key
        self._passages: dict[str, list[Span]] = {}
        for passage in passages:
            self._passages.setdefault(passage.document, []).append(_span(passage))

    def search(self, question: str, document: str | None) -> list[Span]:
        """The passages that the retriever ranks first; raises `RetrievalError` where vectors cannot be asked."""
        answer = self._retriever.answer(self._key, question, _DEPTH, document)
        if answer.text_only:
            raise RetrievalError("The vectors could not be asked, and text search alone is not what is measured.")
        if answer.not_reranked:
            raise RetrievalError("The reranker does not answer, and search without it is not what is measured.")
        return [_span(found.passage) for found in answer.passages]

    def passages(self, document: str) -> Sequence[Span]:
        """All passages of a document."""
        return self._passages.get(document, ())


def _span(passage: Passage) -> Span:
    return Span(passage.document, passage.char_from, passage.char_to)
