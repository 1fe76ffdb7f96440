"""What only looks something up in the catalog must not wait for models and indexes."""

import subprocess
import sys


def test_importing_corpora_loads_nothing_heavy() -> None:
    program = "import sys, corpora; print(sorted({'torch', 'chromadb', 'llama_index', 'numpy'} & set(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
