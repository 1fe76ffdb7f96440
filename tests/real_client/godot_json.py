"""JSON as Godot writes it."""

import json
import re
from typing import Any

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)


def read(text: str) -> Any:
    r"""The value; Godot leaves control characters raw, and writes U+000B as ``\v``, which JSON does not have."""
    return json.loads(_ESCAPE.sub(lambda found: r"\u000b" if found[1] == "v" else found[0], text), strict=False)
