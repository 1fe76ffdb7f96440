"""What a user writes, with its limits: all of it is parsed, looked through and searched for as a whole."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, cast

from pydantic import AfterValidator, Field

from agent import Exchange

# Characters; more is a document. A story is not written but sent, and has limits of its own.
MAX_WRITTEN = 100_000
# Of a function's parameters: each takes memory, however short it is.
MAX_VALUES = 10_000
# Of a conversation: more than a model reads of it.
MAX_HISTORY = 1_000_000
# The same with a question, for whoever goes on with what led to it once it is answered.
HISTORY_OF_QUESTION = 100_000
_MOST_EXCHANGES = 5000
# Nodes that are selected.
MAX_SELECTED = 10_000
_BITS_OF_ID = 64
LONGEST_NAME = 1000
LONGEST_TOKEN = 10_000


def may_be_id(number: int) -> bool:
    """Whether it has 64 bits at most: any number of longer ones may have one hash, and all that is selected is kept."""
    return number.bit_length() < _BITS_OF_ID


def parts(value: Any) -> Iterator[Any]:
    """A value of JSON, and all keys and values in it."""
    waiting: list[Any] = [value]
    while waiting:
        yield (one := waiting.pop())
        if isinstance(one, dict):
            waiting += one.keys()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one


def _short(parameters: dict[str, Any]) -> dict[str, Any]:
    lengths = [len(one) if isinstance(one, str) else 0 for one in parts(parameters)]
    if sum(lengths) > MAX_WRITTEN:
        raise ValueError(f"its texts may have {MAX_WRITTEN} characters together; shorten them, or write them in parts")
    if len(lengths) > MAX_VALUES:
        raise ValueError(f"it may have {MAX_VALUES} keys and values together; write them in parts")
    return parameters


Words = Annotated[str, Field(max_length=MAX_WRITTEN)]
Name = Annotated[str, Field(max_length=LONGEST_NAME)]
Token = Annotated[str, Field(max_length=LONGEST_TOKEN)]
Parameters = Annotated[dict[str, Any], AfterValidator(_short)]


def last_exchanges(history: Any) -> Any:
    """The end of a conversation as it was sent, before it is looked at: thousands of nothings are not."""
    return cast("list[Any]", history)[-_MOST_EXCHANGES:] if isinstance(history, list) else history


def latest(history: Sequence[Exchange], room: int = MAX_HISTORY) -> list[Exchange]:
    """The end of a conversation; a client sends all of it with each message, and it must not come to be refused."""
    kept: list[Exchange] = []
    longest = min(MAX_WRITTEN, room // 2)
    for past in reversed(history):
        ends = Exchange(past.message[-longest:], past.output[-longest:])
        room -= len(ends.message) + len(ends.output)
        if room < 0:
            break
        kept.append(ends)
    return kept[::-1]
