"""A PostgreSQL and a Chroma server that can be stopped and continued."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
from sqlalchemy import make_url

from tests.chroma_server import running_chroma
from tests.postgresql import running_postgresql


@dataclass(frozen=True)
class Stores:
    """What a server needs to know of them, and their processes by the names that its health has for them."""

    settings: dict[str, str]
    processes: dict[str, Sequence[psutil.Process]]


@contextmanager
def running_stores() -> Generator[Stores]:
    """Both, until the end of the block. Skips where one cannot be started."""
    with running_postgresql() as emptied, running_chroma() as chroma_url:
        database_url = emptied()
        settings = {"FLETCHER_DATABASE_URL": database_url, "FLETCHER_CHROMA_URL": chroma_url}
        yield Stores(settings, {"catalog": [_postgresql(database_url)], "vectors": [_chroma(chroma_url)]})


def _postgresql(url: str) -> psutil.Process:
    folder = Path(str(make_url(url).query["host"]))
    return psutil.Process(int((folder / "data" / "postmaster.pid").read_text("utf-8").split()[0]))


def _chroma(url: str) -> psutil.Process:
    port = url.rpartition(":")[2]
    return next(process for process in psutil.Process().children() if process.cmdline()[-1:] == [port])
