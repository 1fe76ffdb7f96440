"""Questions over real design documents, which lie beside the repository: written from the pages, and then asked."""

import json
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from corpora import Passage

DOCUMENTS = Path(__file__).parents[3] / "shared" / "data" / "documents" / "game-design"

# Constants were chosen by the first; the others were written from the pages before anything was asked of them.
_FILES = {"first": "game_design_questions.jsonl", "held out": "game_design_held_out.jsonl"}


@dataclass(frozen=True)
class PageQuestion:
    """`pages` has the right ones; where the format has no pages, the passage must contain `evidence`."""

    style: str
    document: str
    pages: list[int]
    evidence: str
    question: str
    half: str

    def answered_by(self, passage: Passage) -> bool:
        if self.pages:
            return bool({passage.page_from, passage.page_to} & set(self.pages))
        return _plain(self.evidence) in _plain(passage.text)


def page_questions() -> list[PageQuestion]:
    """All of them, each fact in plain words of the page and paraphrased without them."""
    return [
        PageQuestion(**json.loads(line), half=half)
        for half, name in _FILES.items()
        for line in (Path(__file__).parent / name).read_text("utf-8").splitlines()
    ]


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
