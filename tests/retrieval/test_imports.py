"""What embeds nothing must not wait eight seconds for torch."""

import subprocess
import sys

HEAVY = (
    "torch",
    "sentence_transformers",
    "transformers",
    "onnxruntime",
    "onnx",
    "chromadb",
    "llama_index",
    "pymupdf",
    "scipy",
)

SEARCH_WITHOUT_VECTORS = """
import sys
from pathlib import Path
from corpora import Catalog, Page, Passage, ProjectKey, passage_id
from retrieval import Embedder, Retriever, VectorStore

key, text = ProjectKey("local", "1"), "The dragon sleeps."
document = key.document_id("a.txt")
passage = Passage(passage_id(document, (), text, 0), document, "a.txt", None, None, (), 0, len(text), text)
catalog = Catalog("sqlite:///" + sys.argv[1] + "/catalog")
catalog.put_document(key, name="a.txt", format="txt", sha256="0" * 64, size=1, text=text,
                     pages=[Page(None, 0, len(text), text)], passages=[passage])
retriever = Retriever(catalog, Embedder(), VectorStore(Path(sys.argv[1]) / "chroma"))
assert retriever.search(key, "dragons")
catalog.remove_document(key, "a.txt")
assert retriever.embed_pending(key) == 0
retriever.forget_replaced(key)
retriever.repair(key)
"""

LOADED = f"\nimport sys; print(*[name for name in {HEAVY} if name in sys.modules])"


def loaded_by(code: str, *arguments: str) -> list[str]:
    ran = subprocess.run([sys.executable, "-c", code + LOADED, *arguments], capture_output=True, text=True, check=True)
    assert ran.stderr == ""
    return ran.stdout.split()


def test_the_package_itself_is_light() -> None:
    assert loaded_by("import retrieval") == []


def test_searching_without_vectors_loads_neither_torch_nor_chroma(tmp_path: str) -> None:
    assert loaded_by(SEARCH_WITHOUT_VECTORS, str(tmp_path)) == ["scipy"]
