"""The examples in the documents that the user wrote, read where they lie beside the repository; no text is copied."""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

Value = dict[str, Any]
Kind = Literal["client message", "server message", "arguments", "result", "node data", "not a message of Arrow's"]

SEEDS = Path(__file__).parents[3] / "shared" / "seeds"

_BLOCK = re.compile(r"```json\n(.*?)```", re.DOTALL)
# Texts first, so that nothing inside of them is taken for a comment, a comma at the end or a placeholder.
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\n]*|,(?=\s*[}\]])|\b[a-z]+_[a-z_]+\d*\b')
_PLACEHOLDERS = {"from_id": "12", "to_id": "15", "from_id2": "16", "to_id2": "18"}
_CLIENT_TYPES = ("file_sync", "design_doc_sync", "user_message", "function_result", "stop")
_SERVER_TYPES = ("chat_response", "function_call", "function_call_batch", "end")
_ALTERNATIVES = " | "


@dataclass(frozen=True)
class Example:
    """One JSON object of a seed.

    Attributes:
        place: File and line.
        heading: The heading above it.
        lead: The last line before its block.
    """

    place: str
    heading: str
    lead: str
    value: Value

    @property
    def kind(self) -> Kind:
        """What it is an example of."""
        if self.value.get("type") in _CLIENT_TYPES:
            return "client message"
        if self.value.get("type") in _SERVER_TYPES:
            return "server message"
        if self.function:
            is_result = self.lead.startswith(("**Returns", "Or"))
            return "result" if is_result else "arguments"
        return "node data" if self.node_type else "not a message of Arrow's"

    @property
    def function(self) -> str | None:
        """The function whose arguments or result it is."""
        found = re.search(r"\d+\. `(\w+)`", self.heading)
        return found[1] if found else None

    @property
    def node_type(self) -> str | None:
        """The type of node whose data it is."""
        found = re.fullmatch(r"### \d+\. ([A-Z][\w ]*)", self.heading)
        return found[1].lower().replace(" ", "_") if found else None

    @property
    def label(self) -> str:
        """What a test is called by."""
        named = self.value.get("type") if self.kind.endswith("message") else self.function or self.node_type
        return f"{self.place}-{named or 'other'}"

    def choices(self) -> Iterator[Value]:
        """The value with each of the alternatives that its texts name."""
        return (chosen for chosen in _choices(self.value))


def examples(*kinds: Kind) -> list[Example]:
    """Those of all seeds, in order; none where the seeds are not here."""
    found = [example for path in sorted(SEEDS.glob("*.md")) for example in _of(path)]
    return [example for example in found if not kinds or example.kind in kinds]


def _of(path: Path) -> Iterator[Example]:
    text = path.read_text(encoding="utf-8")
    for block in _BLOCK.finditer(text):
        before = text[: block.start()].rstrip().splitlines()
        heading = next((line for line in reversed(before) if line.startswith("#")), "")
        place = f"{path.name[0]}:{text.count(chr(10), 0, block.start()) + 1}"
        for number, value in enumerate(_objects(block[1])):
            yield Example(f"{place}.{number}" if number else place, heading, before[-1], value)


def _objects(block: str) -> Iterator[Value]:
    tidy = _TOKEN.sub(_as_json, block).strip()
    while tidy:
        value, end = json.JSONDecoder().raw_decode(tidy)
        yield value
        tidy = tidy[end:].strip()


def _as_json(token: re.Match[str]) -> str:
    word = token[0]
    if word.startswith('"'):
        return word
    return _PLACEHOLDERS.get(word, "0") if word[0].isalpha() else ""


def _choices(value: Any) -> list[Any]:
    match value:
        case str():
            return value.split(_ALTERNATIVES)
        case dict():
            each = [_choices(item) for item in value.values()]
            return [dict(zip(value, items, strict=True)) for items in itertools.product(*each)]
        case list():
            return [list(items) for items in itertools.product(*map(_choices, value))]
        case _:
            return [value]
