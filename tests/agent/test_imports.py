"""What providers' models need is loaded where there is one."""

import subprocess
import sys

_PROGRAM = """
import sys
import fletcher.app, fletcher.wiring
from agent import Assistant, LocalPlanner, ModelNotAvailable, NoAnswerer, open_answerer
open_answerer("local")
print(sorted({"pydantic_ai", "anthropic", "openai", "mcp"} & set(sys.modules)))
"""


def test_the_planner_without_a_model_loads_no_library_of_models() -> None:
    answer = subprocess.run([sys.executable, "-c", _PROGRAM], check=True, capture_output=True, text=True)
    assert answer.stdout.strip() == "[]"
