"""Fletcher's ranking in anybody's LlamaIndex application, in the same process or over HTTP. Needs llama-index-core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import httpx
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from corpora import ProjectKey
from retrieval.errors import RetrievalError
from retrieval.retriever import Retriever

_PATIENCE_S = 30.0
_CITED = ("document", "document_id", "page_from", "page_to", "heading", "char_from", "char_to")


class FletcherRetriever(BaseRetriever):
    """Nodes with the passages' ids and texts, best first.

    Metadata say what to cite: `document`, `document_id`, `page_from`, `page_to`, `heading` (a list), the span
    `char_from`, `char_to`, and of the answer as a whole `relevance` and `confidence`. They are not embedded and not
    shown to a model. Scores put the nodes of one answer in order, and say nothing else.
    """

    def __init__(self, search: Callable[[str], dict[str, Any]]) -> None:
        """`search` answers a question as `GET /projects/{id}/search` does."""
        super().__init__()
        self._search = search

    @classmethod
    def in_process(
        cls, retriever: Retriever, key: ProjectKey, k: int = 8, document: str | None = None
    ) -> FletcherRetriever:
        """Asks a retriever; raises as its `answer` does."""
        return cls(lambda question: retriever.answer(key, question, k, document).as_dict())

    @classmethod
    def over_http(
        cls, url: str, project: str, token: str | None = None, k: int = 8, document: str | None = None
    ) -> FletcherRetriever:
        """Asks the server at `url` with a token, if it wants one; raises `RetrievalError` for what it refuses."""
        address = f"{url.rstrip('/')}/projects/{quote(project, safe='')}/search"
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        given = {"k": str(k)} | ({} if document is None else {"document": document})

        def search(question: str) -> dict[str, Any]:
            try:
                answer = httpx.get(address, params={"q": question} | given, headers=headers, timeout=_PATIENCE_S)
            except httpx.HTTPError as error:
                raise RetrievalError(f"Fletcher at {url} does not answer: {error}.") from error
            if not answer.is_success:
                raise RetrievalError(f"Fletcher at {url} refuses it ({answer.status_code}): {answer.text[:500]}")
            return answer.json()

        return cls(search)

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._search(query_bundle.query_str)
        whole = {"relevance": found["relevance"], "confidence": found["confidence"]}
        return [_node(entry, whole) for entry in found["passages"]]


def _node(entry: dict[str, Any], whole: dict[str, Any]) -> NodeWithScore:
    metadata = {name: entry[name] for name in _CITED} | whole
    node = TextNode(id_=entry["id"], text=entry["text"], metadata=metadata)
    node.excluded_embed_metadata_keys = node.excluded_llm_metadata_keys = list(metadata)
    return NodeWithScore(node=node, score=entry["score"])
