"""What a story, or a request, takes in memory; its text says little of that, as `{"a":0}` takes 23 times its length."""

import re
from collections.abc import Iterable
from itertools import chain
from sys import getsizeof
from typing import Any

from agent import TurnRequest
from arrow_project import ArrowProject, Finding, outside_of_texts, pieces

# What each of these marks of a JSON text comes to; two quotation marks are a text.
_BYTES = {"{": 140, "[": 60, ":": 50, ",": 30, '"': 25}

_EXPOSURE = re.compile(r'\{(?!\s*["}])')  # an object begins otherwise
_BYTES_OF_EXPOSURE, _MANY = 270, 10_000
_EMOJI = re.compile(r"\\u[dD][89abAB]")
_LONG = 8 * 2**20  # characters: longer than any story was found


def size_in_memory(project: ArrowProject) -> int:
    """About how many bytes a story takes."""
    return _size(project.data.raw) + project.data.usage.size + size_of_findings(project.data.findings)


def size_of_findings(findings: Iterable[Finding]) -> int:
    """About how many bytes they take."""
    return sum(getsizeof(finding.place) + getsizeof(finding.message) for finding in findings)


def size_of_request(request: TurnRequest) -> int:
    """About how many bytes a request takes besides its story."""
    said = [(past.message, past.output) for past in request.history]
    asked = [operation.arguments for operation in request.operations]
    return _size(
        [request.message, *chain.from_iterable(said), *request.selected_node_ids, request.function_params, *asked]
    )


def _size(value: Any) -> int:
    size = 0
    level: list[Any] = [value]
    while level:
        size += sum(map(getsizeof, level))
        objects = [value for value in level if isinstance(value, dict)]
        arrays = [value for value in level if isinstance(value, list)]
        level = [*chain.from_iterable(objects), *chain.from_iterable(map(dict.values, objects))]
        level.extend(chain.from_iterable(arrays))
    return size


def size_once_read(content: str) -> int:
    """The same of a story whose text is not read yet: nearly that, or up to one and a half times as much."""
    exposures = sum(len(_EXPOSURE.findall(piece)) for piece in pieces(content)) if content.count("{") > _MANY else 0
    return texts_once_read(content) + _marks(content) + _BYTES_OF_EXPOSURE * exposures


def texts_once_read(content: str) -> int:
    """What the texts of a long story may take once they are read: an emoji may be written as an escape.

    It makes each character of its text take four bytes, whichever text that is.
    """
    has_emoji = len(content) > _LONG and content.isascii() and any(map(_EMOJI.search, pieces(content, 5)))
    return getsizeof(content) * (4 if has_emoji else 1)


def size_of_values(sent: bytes) -> int:
    """About how many bytes the values of a JSON text take besides what stands in its texts."""
    found = outside_of_texts(sent.decode("latin-1"))  # the marks are as they are in UTF-8
    return sum(_marks(outside) + quotes * _BYTES['"'] for outside, quotes in found)


def _marks(text: str) -> int:
    return sum(each * text.count(mark) for mark, each in _BYTES.items())
