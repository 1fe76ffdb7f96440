"""The arguments of a call as the model wrote them, made into what every tool and every provider can read."""

import json
import math
from typing import Any


def json_object(written: str) -> str:
    """`written` as one JSON object; as it is where it is one already, or no JSON at all (the model is told then).

    Anything else that is JSON, and numbers that JSON does not have, become texts that the tool refuses with its own
    words: sent back to a provider as they are, they would break the rest of the turn.
    """
    strange = False

    def text(constant: str) -> str:
        nonlocal strange
        strange = True
        return constant

    def number(digits: str) -> float | str:
        value = float(digits)
        return value if math.isfinite(value) else text(digits)

    try:
        value: Any = json.loads(written, parse_constant=text, parse_float=number)
    except (ValueError, RecursionError):
        return written
    if not isinstance(value, dict):
        return json.dumps({"arguments": value})
    return json.dumps(value) if strange else written
