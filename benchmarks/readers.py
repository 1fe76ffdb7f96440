"""What becomes of each document of a folder, such as a PDF library's test files: outcomes, slowest, memory.

Memory is told after a tenth of the documents (by then every library is loaded), after half of them, and at the end:
of this process, and of the reader processes together.

`python -m benchmarks.readers FOLDER`; without a folder, the sample documents. Pictures of text take 3 s a page where
Tesseract is installed; `FLETCHER_OCR_LANGUAGES=none` leaves them out.
"""

import multiprocessing
import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from corpora.samples import SAMPLE
from ingest import ReaderPool, ReadError, Refusal, Source, scan
from ingest.split import split

_WORKERS = 2
_SLOWEST = 5


@dataclass(frozen=True)
class ReadingOutcome:
    """What became of one document; `detail` is its message, without its name."""

    name: str
    code: str
    detail: str
    seconds: float
    pages: int = 0
    passages: int = 0


@dataclass(frozen=True)
class Memory:
    """Bytes in memory: of this process, of all reader processes, and of the largest of them."""

    own: int
    readers: int
    largest: int


def main(folder: Path) -> None:
    """Prints the tables; whatever is neither read nor refused with a reason ends it with that error."""
    console = Console()
    languages = os.environ.get("FLETCHER_OCR_LANGUAGES", "eng")
    entries = scan(folder)
    outcomes: list[ReadingOutcome] = []
    memory: list[Memory] = []
    with ReaderPool(_WORKERS, ocr_languages=languages) as readers, ThreadPoolExecutor(_WORKERS) as threads:

        def read_some(entries: Iterable[Source | Refusal]) -> None:
            for entry in entries:
                outcomes.append(_read(readers, entry))
                memory.append(_memory())

        # Each thread takes the next file when it is done with one: they are not all in memory.
        shared = _Shared(iter(entries))
        list(threads.map(read_some, [shared] * _WORKERS))
    console.print(_table(outcomes))
    for outcome in sorted(outcomes, key=lambda outcome: -outcome.seconds)[:_SLOWEST]:
        console.print(f"{outcome.seconds:6.1f} s  {outcome.name} ({outcome.pages} pages)", markup=False)
    console.print(f"{len(outcomes)} documents, {sum(outcome.pages for outcome in outcomes)} pages")
    for when, share in (("a tenth", 0.1), ("half", 0.5), ("all", 1.0)):
        at = memory[max(int(len(memory) * share) - 1, 0)]
        console.print(f"after {when}: {at.own >> 20} MB here, {at.readers >> 20} MB in the reader processes")
    console.print(f"{max(at.largest for at in memory) >> 20} MB in the largest reader process")


class _Shared(Iterator[Source | Refusal]):
    """One iterator for several threads."""

    def __init__(self, entries: Iterator[Source | Refusal]) -> None:
        self._entries = entries
        self._lock = threading.Lock()

    def __next__(self) -> Source | Refusal:
        with self._lock:
            return next(self._entries)


def _read(readers: ReaderPool, entry: Source | Refusal) -> ReadingOutcome:
    if isinstance(entry, Refusal):
        return ReadingOutcome(entry.name, entry.code, entry.message, 0)
    started = time.perf_counter()
    try:
        extracted = readers.read(entry.name, entry.data)
    except ReadError as error:
        detail = error.message.removeprefix(f"{entry.name}: ")
        return ReadingOutcome(entry.name, error.code, detail, time.perf_counter() - started)
    passages = split(extracted, "0" * 16, entry.name)
    seconds = time.perf_counter() - started
    if extracted.pages_recognized:
        code = "indexed, some by OCR"
    else:
        code = "indexed, some pages are pictures" if extracted.pages_without_text else "indexed"
    return ReadingOutcome(entry.name, code, "", seconds, len(extracted.pages), len(passages))


def _table(outcomes: list[ReadingOutcome]) -> Table:
    groups: defaultdict[str, list[ReadingOutcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.code].append(outcome)
    table = Table("outcome", "documents", "pages", "passages", "for example")
    for code, group in sorted(groups.items(), key=lambda item: -len(item[1])):
        example = f"{group[0].name}: {group[0].detail}" if group[0].detail else group[0].name
        pages, passages = sum(one.pages for one in group), sum(one.passages for one in group)
        table.add_row(code, str(len(group)), str(pages), str(passages), escape(example[:160]))
    return table


def _memory() -> Memory:
    readers = [_resident(child.pid or 0) for child in multiprocessing.active_children()]
    return Memory(_resident(os.getpid()), sum(readers), max(readers, default=0))


def _resident(process: int) -> int:
    """Bytes that a process has in memory; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * 4096
    except OSError:
        return 0


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SAMPLE.documents)
