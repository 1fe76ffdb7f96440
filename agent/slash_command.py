"""`/create_variable {"name": "gold", "type": "num"}`: an operation as the user types it."""

import json
import re
from typing import Any, cast

from arrow_project import OPERATIONS, Operation

_COMMAND = re.compile(r"\s*/(?P<function>\w+)\s*(?P<arguments>\{.*\})?\s*", re.DOTALL)


def read_slash_command(message: str) -> Operation | None:
    """The operation that the message names; None when it is not one, and then it is an ordinary message."""
    found = _COMMAND.fullmatch(message)
    if found is None or found["function"] not in OPERATIONS:
        return None
    try:
        arguments = json.loads(found["arguments"] or "{}")
    except (ValueError, RecursionError):
        return None
    return Operation(found["function"], cast("dict[str, Any]", arguments))
