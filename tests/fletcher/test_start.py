"""Commands that embed nothing start quickly, because they load nothing heavy."""

import subprocess
import sys

HEAVY = {"torch", "sentence_transformers", "chromadb", "llama_index", "pydantic_ai", "anthropic", "fastapi", "pymupdf"}


def test_the_command_line_loads_nothing_heavy() -> None:
    program = f"import sys, fletcher.__main__; print(*({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []
