"""The graph that is kept is the one that its module builds, and needs nothing that only builds."""

import subprocess
import sys
from pathlib import Path

from onnx import load_model_from_string

from retrieval.bert_graph import bert_graph
from retrieval.minilm import GRAPH, HEADS, bundled_weights


def test_the_graph_that_is_kept_is_the_one_that_is_built() -> None:
    assert load_model_from_string(GRAPH.read_bytes()) == load_model_from_string(bert_graph(bundled_weights(), HEADS))


def test_embedding_needs_none_of_the_heavy_packages(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    program = (
        "import sys\n"
        "for name in ('onnx', 'torch', 'sentence_transformers', 'llama_index', 'psycopg'): sys.modules[name] = None\n"
        "from retrieval import Embedder\n"
        "assert Embedder().embed_query('dragons').shape == (384,)\n"
        "try: Embedder(sys.argv[1]).check()\n"
        "except Exception as error: print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "sentence_transformers is not installed. Install it: pip install sentence_transformers" in done.stdout
