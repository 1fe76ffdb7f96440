"""Taking documents in, beside LlamaIndex's own pipeline: ``python -m benchmarks.ingest``. Needs the extra `bench`.

200 generated text documents, read and embedded by both with the same MiniLM, each in a process of its own; the clock
of either starts when everything is imported. LlamaIndex's is the one of the tutorials: SimpleDirectoryReader,
SentenceSplitter at 256 tokens, HuggingFaceEmbedding, ChromaVectorStore. It keeps nothing from one run to the next, so
a folder in which nothing changed costs it the same again. Then one page of a PDF with 300 is edited.
Exit code 1 if a limit is missed.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pymupdf
from rich.console import Console
from rich.table import Table

from benchmarks._memory import PeakMemory
from benchmarks._prose import prose

_DOCUMENTS = 200
_CHARACTERS = 3000  # of each
_PAGES = 300
_PAGE_CHARACTERS = 900
_TEXT_AREA = (50, 50, 545, 790)  # of a page of A4, in points


@dataclass(frozen=True)
class Run:
    """One process, and what it printed."""

    whole_s: float
    peak_mb: float | None
    printed: dict[str, Any]

    def __getitem__(self, name: str) -> float:
        return self.printed[name]


@dataclass(frozen=True)
class Limit:
    """What is promised of a figure."""

    what: str
    ours: str
    stock: str
    value: float
    at_least: float | None = None
    at_most: float | None = None

    @property
    def kept(self) -> bool:
        """Whether it is so."""
        return (self.at_least is None or self.value >= self.at_least) and (
            self.at_most is None or self.value <= self.at_most
        )

    def row(self) -> tuple[str, str, str, str, str, str]:
        """The cells of the table."""
        limit = f">= {self.at_least:g}" if self.at_least is not None else f"<= {self.at_most:g}"
        return self.what, self.ours, self.stock, f"{self.value:.2f}", limit, "" if self.kept else "MISSED"


def main() -> None:
    """Prints the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        documents = _documents(folder / "documents")
        (folder / "stock").mkdir()
        stock = _run("_ingest_stock", documents, folder / "stock")
        ours = _run("_ingest_ours", documents, folder / "ours")
        again = _run("_ingest_ours", documents, folder / "ours")
        book = folder / "book" / "book.pdf"
        _write_book(book, edited=False)
        _run("_ingest_ours", book.parent, folder / "with-book")
        _write_book(book, edited=True)
        edited = _run("_ingest_ours", book.parent, folder / "with-book")
    assert again["unchanged"] == _DOCUMENTS, "something was read again"
    limits = _limits(stock, ours, again, edited)
    table = Table("", "Fletcher", "LlamaIndex", "ratio or value", "limit", "")
    for limit in limits:
        table.add_row(*limit.row())
    console = Console(width=120)
    console.print(table)
    characters = ours["characters"] / ours["embedded"], stock["characters"] / stock["embedded"]
    console.print(
        f"passages: {ours['embedded']:.0f} of {characters[0]:.0f} characters, {stock['embedded']:.0f} of "
        f"{characters[1]:.0f}; whole processes: first time {ours.whole_s:.1f} s and {stock.whole_s:.1f} s, "
        f"unchanged {again.whole_s:.1f} s"
    )
    sys.exit(not all(limit.kept for limit in limits))


def _limits(stock: Run, ours: Run, again: Run, edited: Run) -> Sequence[Limit]:
    def speed(run: Run) -> str:
        return f"{run['embedded'] / run['seconds']:.1f} passages/s"

    def seconds(value: float) -> str:
        return f"{value:.2f} s"

    equal = (ours["characters"] / ours["seconds"]) / (stock["characters"] / stock["seconds"])
    sooner, unchanged = stock["seconds"] / ours["searchable_s"], stock["seconds"] / again["seconds"]
    took = seconds(stock["seconds"])
    limits = [
        Limit("first time, at equal characters embedded", speed(ours), speed(stock), equal, at_least=1),
        Limit("until a question is answered", seconds(ours["searchable_s"]), took, sooner, at_least=20),
        Limit(f"{_DOCUMENTS} unchanged documents", seconds(again["seconds"]), took, unchanged, at_least=50),
        Limit(f"embedded after an edit of one page in {_PAGES}", "", "", edited["embedded"], at_most=5),
    ]
    if ours.peak_mb is not None and stock.peak_mb is not None:
        more = ours.peak_mb - stock.peak_mb
        sizes = f"{ours.peak_mb:.0f} MB", f"{stock.peak_mb:.0f} MB"
        limits.append(Limit("peak memory of all processes, MB more", *sizes, more, at_most=200))
    return limits


def _run(module: str, documents: Path, data_dir: Path) -> Run:
    started = time.perf_counter()
    command = [sys.executable, "-m", f"benchmarks.{module}", str(documents), str(data_dir)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    with PeakMemory(process) as peak:
        out, err = process.communicate()
    if process.returncode:
        raise RuntimeError(f"{module} failed: {err}")
    return Run(time.perf_counter() - started, peak.megabytes, json.loads(out.splitlines()[-1]))


def _documents(folder: Path) -> Path:
    folder.mkdir()
    for number in range(_DOCUMENTS):
        (folder / f"{number:03}.txt").write_text(prose(number, _CHARACTERS), encoding="utf-8")
    return folder


def _write_book(path: Path, *, edited: bool) -> None:
    path.parent.mkdir(exist_ok=True)
    with pymupdf.open() as book:
        for number in range(_PAGES):
            is_new = edited and number == _PAGES // 2
            page = book.new_page()
            page.insert_textbox(_TEXT_AREA, prose(f"{number} {is_new}", _PAGE_CHARACTERS))
        book.save(path)


if __name__ == "__main__":
    main()
