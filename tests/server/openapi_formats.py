"""What schemathesis has to know of the API's description: `.arrow` files, and that errors have documented codes.

Loaded by `schemathesis.toml`, so also where the command is run by hand.
"""

from pathlib import Path
from typing import Any

import schemathesis
from hypothesis import strategies as st

ROOT = Path(__file__).parents[2]
_SAMPLE = ROOT / "corpora" / "samples" / "inland-light" / "inland-light.arrow"

schemathesis.openapi.format("arrow", st.just(_SAMPLE.read_text("utf-8")))


@schemathesis.check
def documented_code(
    _: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case[Any]
) -> None:
    """Every refusal has one of the codes that the description names for its status."""
    described = case.operation.definition.raw["responses"].get(str(response.status_code))
    if response.status_code >= 400 and described is not None and "health" not in case.path:
        code = response.json()["error"]["code"]
        assert code in described["content"]["application/json"]["examples"], f"{code} is not documented"
