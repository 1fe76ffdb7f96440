"""What a user writes, with its limits: all of it is parsed, looked through and searched for as a whole."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from agent import Exchange

# Characters; more is a document. A story is not written but sent, and has limits of its own.
MAX_WRITTEN = 100_000
# Of a conversation: more than a model reads of it.
MAX_HISTORY = 1_000_000
LONGEST_NAME = 1000
LONGEST_TOKEN = 10_000


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
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Token = Annotated[str, Field(max_length=LONGEST_TOKEN)]
Parameters = Annotated[dict[str, Any], AfterValidator(_short)]


def latest(history: Sequence[Exchange]) -> list[Exchange]:
    """The end of a conversation; a client sends all of it with each message, and it must not come to be refused."""
    kept: list[Exchange] = []
    room = MAX_HISTORY
    for past in reversed(history):
        ends = Exchange(past.message[-MAX_WRITTEN:], past.output[-MAX_WRITTEN:])
        room -= len(ends.message) + len(ends.output)
        if room < 0:
            break
        kept.append(ends)
    return kept[::-1]
