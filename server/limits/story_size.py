"""What a story, or a request, takes in memory; its text says little of that, as `{"a":0}` takes 23 times its length."""

import re
from collections.abc import Iterable
from itertools import chain
from sys import getsizeof
from typing import Any

from agent import Exchange, TurnRequest
from arrow_project import ArrowProject, Finding, outside_of_texts, pieces

# Whenever Python looks for garbage it goes through each object and list, and everybody waits: they count for more
# than they take, so that what there is room for is gone through in a fifth of a second.
_BYTES_OF_COLLECTOR = 250
# What each of these marks of a JSON text comes to; two quotation marks are a text.
_BYTES = {"{": 140 + _BYTES_OF_COLLECTOR, "[": 60 + _BYTES_OF_COLLECTOR, ":": 50, ",": 30, '"': 25}

_EXPOSURE = re.compile(r'\{(?!\s*["}])|\\u007[bB]')  # an object begins otherwise
_BYTES_OF_EXPOSURE, _MANY = 270, 10_000
# What an escape may be, and how many bytes it makes each character of its text take.
_WIDE = ((4, re.compile(r"\\u[dD][89abAB]")), (2, re.compile(r"\\u(?!00)")))
_LONG = 8 * 2**20  # characters: longer than any story was found


def size_in_memory(project: ArrowProject) -> int:
    """About how many bytes a story takes."""
    return _size(project.data.raw) + project.data.usage.size + size_of_findings(project.data.findings)


def size_of_findings(findings: Iterable[Finding]) -> int:
    """About how many bytes they take."""
    return sum(getsizeof(finding.place) + getsizeof(finding.message) for finding in findings)


def size_of_words(message: str, history: Iterable[Exchange]) -> int:
    """About how many bytes a message takes, with what was said before it."""
    return _size([message, *chain.from_iterable((past.message, past.output) for past in history)])


def size_of_request(request: TurnRequest) -> int:
    """About how many bytes a request takes besides its story."""
    asked = [operation.arguments for operation in request.operations]
    words = size_of_words(request.message, request.history)
    return words + _size([*request.selected_node_ids, request.function_params, *asked])


def _size(value: Any) -> int:
    size = 0
    level: list[Any] = [value]
    while level:
        size += sum(map(getsizeof, level))
        objects = [value for value in level if isinstance(value, dict)]
        arrays = [value for value in level if isinstance(value, list)]
        size += _BYTES_OF_COLLECTOR * (len(objects) + len(arrays))
        level = [*chain.from_iterable(objects), *chain.from_iterable(map(dict.values, objects))]
        level.extend(chain.from_iterable(arrays))
    return size


def size_once_read(content: str) -> int:
    """The same of a story whose text is not read yet: nearly that, or up to one and a half times as much."""
    escaped = content.count("\\u007b") + content.count("\\u007B")
    is_full = content.count("{") + escaped > _MANY
    exposures = sum(len(_EXPOSURE.findall(piece)) for piece in pieces(content, 5)) if is_full else 0
    marks = _marks(content) + _BYTES["{"] * escaped
    return _texts_once_read(content) + marks + _BYTES_OF_EXPOSURE * exposures


def _texts_once_read(content: str) -> int:
    """What the texts of a long story may take once they are read: a wide character may be written as an escape.

    It makes each character of its text take two or four bytes, whichever text that is.
    """
    size, characters = getsizeof(content), len(content)
    for width, escape in _WIDE if characters > _LONG else ():
        if size < width * characters and any(map(escape.search, pieces(content, 5))):
            return width * characters
    return size


def size_of_values(sent: bytes) -> int:
    """About how many bytes the values of a JSON text take besides what stands in its texts."""
    found = outside_of_texts(sent.decode("latin-1"))  # the marks are as they are in UTF-8
    return sum(_marks(outside) + quotes * _BYTES['"'] for outside, quotes in found)


def _marks(text: str) -> int:
    return sum(each * text.count(mark) for mark, each in _BYTES.items())
