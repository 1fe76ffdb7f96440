"""What grows how: bytes for each page, memory for each thousand passages: ``python -m benchmarks.growth [PASSAGES]``.

Generated documents go through the real splitting, catalog, BM25 and Chroma; only the vectors are made up, which takes
no time. A page is 1,800 characters. Memory is what a process has after a search, the difference between a quarter of
the passages and all of them: what it needs besides does not grow. Linux only.
"""

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from sqlalchemy import create_engine

from corpora import Catalog, DataDirectory, OriginalStore, ProjectKey, StoredOriginals
from corpora.schema import metadata
from ingest import Extracted, Ingestor, Source
from ingest.readers import PageListener, read
from retrieval import Retriever, VectorStore
from tests.chroma_server import running_chroma
from tests.postgresql import running_postgresql

_PAGE = 1_800  # characters
_PAGES_OF_A_DOCUMENT = 40
_WORDS = 30_000
_MILLION = 1_000_000
_KEY = ProjectKey("local", "1")


class _Reader:
    def read(self, name: str, data: bytes, progress: PageListener | None = None, *, workspace: str = "") -> Extracted:
        del workspace
        return read(name, data, progress)


class _Model:
    """Vectors of the default model's length, by chance."""

    name = "chance"
    dimension = 384

    def embed_passages(
        self,
        texts: Sequence[str],
        progress: Callable[[int], None] | None = None,  # noqa: ARG002 - the protocol has it
    ) -> NDArray[np.float32]:
        return np.stack([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> NDArray[np.float32]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
        vector = np.random.default_rng(seed).normal(size=self.dimension).astype(np.float32)
        return vector / np.float32(np.linalg.norm(vector))


def _documents() -> Iterator[Source]:
    """Words as frequent as those of a language: the second half as often as the first, and so on."""
    chance = np.random.default_rng(1)
    words = np.array(["".join(chr(97 + letter) for letter in chance.integers(0, 26, 6)) for _ in range(_WORDS)])
    frequency = 1 / np.arange(1, _WORDS + 1)
    number = 0
    while True:
        number += 1
        chosen = words[chance.choice(_WORDS, _PAGES_OF_A_DOCUMENT * _PAGE // 7, p=frequency / frequency.sum())]
        paragraphs = [" ".join(chosen[start : start + 60]) + "." for start in range(0, len(chosen), 60)]
        yield Source(f"{number}.txt", "\n\n".join(paragraphs).encode())


def _fill(catalog: Catalog, vectors: VectorStore, originals: OriginalStore, wanted: int) -> dict[str, int]:
    """Takes documents in until there are so many passages, and searches; what there is now."""
    retriever = Retriever(catalog, _Model(), vectors, originals)
    ingestor = Ingestor(catalog, originals, retriever, _Reader())
    characters = passages = 0
    documents = _documents()
    while passages < wanted:
        source = next(documents)
        (report,) = ingestor.add(_KEY, [source]).documents
        passages += report.passages
        characters += len(source.data)
    ingestor.embed(_KEY)
    retriever.search(_KEY, "where is the lantern")
    memory = int(Path("/proc/self/statm").read_text().split()[1]) * 4096
    retriever.close()
    return {"passages": passages, "pages": characters // _PAGE, "memory": memory}


def _in_directory(path: Path, wanted: int) -> None:
    directory = DataDirectory(path)
    with closing(Catalog(directory.catalog_url)) as catalog:
        _tell(_fill(catalog, VectorStore(directory.chroma_path), directory.originals, wanted))


def _on_servers(database_url: str, chroma_url: str, wanted: int) -> None:
    with closing(Catalog(database_url)) as catalog, closing(StoredOriginals(database_url)) as originals:
        _tell(_fill(catalog, VectorStore(chroma_url, catalog.vector_namespace()), originals, wanted))


def _tell(found: dict[str, int]) -> None:
    sys.stdout.write(json.dumps(found))


def _told(*arguments: str | Path | int) -> dict[str, int]:
    command = [sys.executable, "-m", "benchmarks.growth", *map(str, arguments)]
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _tables(database_url: str) -> dict[str, int]:
    """Bytes of each of the catalog's tables with its indexes."""
    query = "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'"
    if database_url.startswith("sqlite"):
        query = "SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_master USING (name) GROUP BY 1"
    engine = create_engine(database_url)
    with engine.connect() as connection:
        sizes = {str(name): int(size) for name, size in connection.exec_driver_sql(query)}
    engine.dispose()
    return {name: sizes[name] for name in metadata.tables}


def _sizes(database_url: str, chroma: Path, originals: Path | None = None) -> dict[str, int]:
    tables = _tables(database_url)
    stored, cache = tables.pop("originals"), tables.pop("vectors")
    return {
        "catalog": sum(tables.values()),
        "embedding cache": cache,
        "originals": _bytes(originals) if originals else stored,
        "Chroma": _bytes(chroma),
    }


def _measured_in_directory(wanted: int) -> tuple[dict[str, int], dict[str, int]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = _told(folder, wanted)
        return found, _sizes(f"sqlite:///{folder / 'catalog.sqlite3'}", folder / "chroma", folder / "originals")


def _measured_on_servers(wanted: int) -> tuple[dict[str, int], dict[str, int]]:
    with ExitStack() as opened:
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        database_url = opened.enter_context(running_postgresql())()
        found = _told(database_url, opened.enter_context(running_chroma(folder)), wanted)
        return found, _sizes(database_url, folder)


def main() -> None:
    """Prints what a page and a thousand passages take, and what a million would."""
    if len(sys.argv) > 2:
        *where, wanted = sys.argv[1:]
        _on_servers(where[0], where[1], int(wanted)) if len(where) == 2 else _in_directory(Path(where[0]), int(wanted))
        return
    wanted = int(sys.argv[1]) if len(sys.argv) == 2 else 20_000
    console = Console()
    table = Table("", "directory", "servers", "directory, a million passages", "servers, a million passages")
    rows: dict[str, list[float]] = {}
    for measured in (_measured_in_directory, _measured_on_servers):
        with console.status(f"{wanted} passages {measured.__name__.removeprefix('_measured_').replace('_', ' ')}"):
            (few, _), (many, sizes) = measured(wanted // 4), measured(wanted)
        for name, size in sizes.items():
            rows.setdefault(f"{name}, bytes for a page", []).append(size / many["pages"])
        grown = (many["memory"] - few["memory"]) / (many["passages"] - few["passages"])
        rows.setdefault("memory, bytes for a passage", []).append(grown)
        rows.setdefault("passages for a page", []).append(many["passages"] / many["pages"])
    per_page = rows.pop("passages for a page")
    for name, values in rows.items():
        units = [_MILLION / each if name.endswith("page") else _MILLION for each in per_page]
        whole = [value * unit / 2**30 for value, unit in zip(values, units, strict=True)]
        table.add_row(name, *(f"{value:,.0f}" for value in values), *(f"{value:.1f} GiB" for value in whole))
    console.print(table)
    console.print(f"{per_page[0]:.1f} passages for a page of {_PAGE} characters; measured with {wanted} passages.")


if __name__ == "__main__":
    main()
