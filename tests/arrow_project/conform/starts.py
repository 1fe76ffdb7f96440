"""The documents that sequences start from."""

import json
import random
from pathlib import Path

from arrow_project import parse

_DOCUMENTS = Path(__file__).parents[1] / "documents"
NAMES = ("blank", "lamp", "chapter")


def start(chance: random.Random) -> tuple[str, str]:
    """One of the start documents and its text."""
    name = chance.choice(NAMES)
    return name, text_of(name)


def text_of(name: str) -> str:
    """The text of a start document."""
    if name == "chapter":
        return _second_chapter()
    return (_DOCUMENTS / f"{name}.arrow").read_text(encoding="utf-8")


def _second_chapter() -> str:
    """A document of chapter 1 whose first author is number 5: its new ids have 16 digits."""
    document = json.loads(text_of("blank"))
    document["meta"] |= {"chapter": 1, "authors": {"5": ["Second Writer", 40], "0": ["A Writer", 3]}}
    return parse(json.dumps(document)).to_text()
