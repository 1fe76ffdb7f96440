"""How long a question takes among 20,000 passages: ``python -m benchmarks.retrieval``.

The yardstick is the embedding of the same question, measured in turn with the search. The passages are generated, and
their vectors are random ones, in the real catalog and the real Chroma, as to embed them would take half an hour; the
questions and what is ingested meanwhile are embedded by the real model. Exit code 1 if a limit is missed.
"""

import hashlib
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks._prose import prose
from corpora import DataDirectory, Page, Passage, ProjectKey, passage_id
from fletcher.settings import load_settings
from fletcher.wiring import Parts, open_parts
from ingest import Source

_KEY = ProjectKey("local", "1")
_DOCUMENTS = 100
_PASSAGES = 200  # of each
_PASSAGE_WORDS = 110
_QUESTIONS = 500
_WARM_UP = 20
_INGESTED = 40  # documents, while questions are asked
_INGESTED_CHARACTERS = 5000
_MEDIAN_LIMIT, _LATE_LIMIT, _MEANWHILE_LIMIT = 2.0, 4.0, 4.0


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as folder:
        settings = load_settings(data_dir=Path(folder))
        with open_parts(settings, DataDirectory(settings.data_dir)) as parts:
            language = Language(seed=1)
            passages = _fill(parts, language)
            questions = [language.question() for _ in range(_QUESTIONS + _WARM_UP)]
            embedding, searching = _asked(parts, questions)
            meanwhile = _asked_during_an_ingest(parts, questions)
    alone = statistics.median(embedding)
    rows = [
        ("search, p50", statistics.median(searching), _MEDIAN_LIMIT),
        ("search, p99", _p99(searching), _LATE_LIMIT),
        ("search during an ingest, p50", statistics.median(meanwhile), _MEANWHILE_LIMIT),
    ]
    table = Table("", "ms", "of one embedding", "limit", "")
    table.add_row("embedding of a question, p50", f"{alone * 1000:.2f}", "1.00", "", "")
    table.add_row(
        "embedding of a question, p99", f"{_p99(embedding) * 1000:.2f}", f"{_p99(embedding) / alone:.2f}", "", ""
    )
    for name, seconds, limit in rows:
        missed = "MISSED" if seconds > limit * alone else ""
        table.add_row(name, f"{seconds * 1000:.2f}", f"{seconds / alone:.2f}", f"<= {limit:g}", missed)
    console = Console(width=120)
    console.print(table)
    console.print(
        f"{passages} passages; {len(searching)} questions, and {len(meanwhile)} while {_INGESTED} documents were "
        f"ingested (p99 {_p99(meanwhile) * 1000:.1f} ms)"
    )
    sys.exit(any(seconds > limit * alone for _, seconds, limit in rows))


class Language:
    """Made-up words, some of them said often and most of them seldom; sentences from a pattern would be repetitions."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)
        self._words = list(dict.fromkeys(self._word() for _ in range(20_000)))
        self._weights = [1 / (rank + 5) for rank in range(len(self._words))]

    def passage(self) -> str:
        return " ".join(self._said(_PASSAGE_WORDS)).capitalize() + ".\n\n"

    def question(self) -> str:
        who, *things, where = self._said(5)
        return f"What does {who.capitalize()} say about the {' and the '.join(things)} in the {where}?"

    def _said(self, number: int) -> list[str]:
        return self._chance.choices(self._words, self._weights, k=number)

    def _word(self) -> str:
        syllables = self._chance.choice((2, 2, 3, 3, 4))
        return "".join(self._chance.choice("bcdfglmnprst") + self._chance.choice("aeiou") for _ in range(syllables))


def _fill(parts: Parts, language: Language) -> int:
    parts.catalog.record_embedding_model(parts.embedder.name, parts.embedder.dimension)
    for number in range(_DOCUMENTS):
        _put(parts, f"{number:03}.txt", [language.passage() for _ in range(_PASSAGES)])
    passages = parts.catalog.passages(_KEY)
    vectors = np.random.default_rng(1).normal(size=(len(passages), parts.embedder.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    parts.vectors.put(_KEY, zip(passages, vectors, strict=True))
    parts.catalog.mark_embedded(_KEY, [one.id for one in passages])
    return len(passages)


def _put(parts: Parts, name: str, texts: Sequence[str]) -> None:
    document_id = _KEY.document_id(name)
    whole, passages = "".join(texts), list[Passage]()
    start = 0
    for text in texts:
        end = start + len(text)
        identifier = passage_id(document_id, (), text, 0)
        passages.append(Passage(identifier, document_id, name, None, None, (), start, end, text))
        start = end
    parts.catalog.put_document(
        _KEY,
        name=name,
        format="txt",
        sha256=hashlib.sha256(whole.encode()).hexdigest(),
        size=len(whole),
        text=whole,
        pages=[Page(None, 0, len(whole), whole)],
        passages=passages,
    )


def _asked(parts: Parts, questions: Sequence[str]) -> tuple[list[float], list[float]]:
    """Seconds of embedding and of searching, for each question."""
    embedding: list[float] = []
    searching: list[float] = []
    for asked in questions:
        embedding.append(_seconds(parts.embedder.embed_query, asked))
        searching.append(_seconds(parts.retriever.search, _KEY, asked))
    return embedding[_WARM_UP:], searching[_WARM_UP:]


def _asked_during_an_ingest(parts: Parts, questions: Sequence[str]) -> list[float]:
    sources = [
        Source(f"new {number}.txt", prose(f"new {number}", _INGESTED_CHARACTERS).encode())
        for number in range(_INGESTED)
    ]
    ingest = threading.Thread(target=lambda: parts.ingestor.index(_KEY, sources))
    ingest.start()
    searching: list[float] = []
    while ingest.is_alive():
        asked = questions[len(searching) % len(questions)]
        searching.append(_seconds(parts.retriever.search, _KEY, asked))
    assert parts.catalog.lacking_vectors(_KEY) == 0, "the ingest failed"
    return searching


def _seconds(work: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def _p99(seconds: Sequence[float]) -> float:
    return statistics.quantiles(seconds, n=100, method="inclusive")[98]


if __name__ == "__main__":
    main()
