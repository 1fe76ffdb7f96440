"""What a user writes, with its limits: all of it is parsed, looked through and searched for as a whole."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

# Characters; more is a document. A story is not written but sent, and has limits of its own.
MAX_WRITTEN = 100_000


def _short(parameters: dict[str, Any]) -> dict[str, Any]:
    waiting: list[Any] = [parameters]
    length = 0
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += value.keys()
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            length += len(value)
    if length > MAX_WRITTEN:
        raise ValueError(f"its texts may have {MAX_WRITTEN} characters together; shorten them, or write them in parts")
    return parameters


Words = Annotated[str, Field(max_length=MAX_WRITTEN)]
Name = Annotated[str, Field(max_length=1000)]
Parameters = Annotated[dict[str, Any], AfterValidator(_short)]
