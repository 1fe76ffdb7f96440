"""What providers' models need is loaded where there is one."""

import os
import subprocess
import sys

_PROGRAM = """
import sys
import fletcher.app, fletcher.wiring
from agent import Assistant, LocalPlanner, ModelNotAvailable, NoAnswerer, open_answerer
open_answerer("local")
open_answerer("anthropic:claude-sonnet-4-5")
print(sorted({"pydantic_ai", "anthropic", "openai", "mcp"} & set(sys.modules)))
"""


def test_without_a_message_to_a_model_no_library_of_models_is_loaded() -> None:
    environment = os.environ | {"ANTHROPIC_API_KEY": "key"}
    answer = subprocess.run(
        [sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True, env=environment
    )
    assert answer.stdout.strip() == "[]"
