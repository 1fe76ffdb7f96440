"""The same questions on both kinds of stores: ``python -m benchmarks.stores FOLDER``.

The folder has documents/ and questions.jsonl. They are read and asked once on a data directory (SQLite, Chroma in the
process), once on PostgreSQL with a Chroma server, which are started for it.
Exit code 1 if the coverage differs by more than .02.
"""

import sys
import tempfile
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from rich.console import Console
from rich.table import Table

from corpora import DataDirectory, ProjectKey
from evaluation.retrieval import Measures, Ours, evaluate, read_questions
from fletcher.settings import load_settings
from fletcher.wiring import Parts, open_parts
from ingest import scan
from tests.chroma_server import running_chroma
from tests.postgresql import running_postgresql

_MAY_DIFFER = 0.02
_KEY = ProjectKey("local", "stores")


@contextmanager
def _opened(kind: str) -> Generator[Parts]:
    with ExitStack() as opened:
        if kind == "servers":
            database_url = opened.enter_context(running_postgresql())()
            settings = load_settings(database_url=database_url, chroma_url=opened.enter_context(running_chroma()))
            directory = None
        else:
            directory = DataDirectory(opened.enter_context(tempfile.TemporaryDirectory()))
            settings = load_settings().in_directory(directory.path)
        yield opened.enter_context(open_parts(settings, directory))


def _measured(kind: str, folder: Path, console: Console) -> list[Measures]:
    questions = read_questions(folder / "questions.jsonl")
    with _opened(kind) as parts, console.status(f"{kind}: reading and asking"):
        parts.ingestor.index(_KEY, scan([folder / "documents"]))
        ours = Ours(parts.retriever, _KEY, parts.catalog.passages(_KEY))
        return [evaluate(ours, questions, within_document=within, asked=lambda: None) for within in (False, True)]


def main() -> int:
    """Prints coverage and MRR for both; returns the exit code."""
    console = Console()
    if len(sys.argv) != 2:
        console.print("needs a folder with documents/ and questions.jsonl: python -m benchmarks.stores FOLDER")
        return 0
    measured = {kind: _measured(kind, Path(sys.argv[1]), console) for kind in ("directory", "servers")}
    table = Table("stores", "coverage@2000, all documents", "within the document", "MRR, all documents")
    for kind, (everywhere, within) in measured.items():
        table.add_row(kind, *(f"{value:.4f}" for value in (everywhere.coverage, within.coverage, everywhere.mrr)))
    console.print(table)
    pairs = zip(measured["directory"], measured["servers"], strict=True)
    return int(any(abs(one.coverage - other.coverage) > _MAY_DIFFER for one, other in pairs))


if __name__ == "__main__":
    sys.exit(main())
