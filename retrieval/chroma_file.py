"""What Chroma's SQLite file says, asked in a process of its own.

Python's SQLite and Chroma's are two libraries, whose locks do not keep each other out within one process: beside a
write of Chroma's, half of it would be read here, and the end of reading would take Chroma's locks away.
"""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from retrieval import chroma_sqlite


def prepare(database: Path) -> None:
    """Have writes wait neither for reads nor for what other collections have in the queue; the file remembers it.

    Else a write waits, with every thread of the process, for whoever reads: another process's backup, too. One that is
    not there yet has a queue, and can have its index, only once Chroma has opened it.
    """
    if database.exists():
        _asked("prepare", database, "rw")
        return
    try:
        with closing(sqlite3.connect(database)) as opened:  # which nobody has open
            chroma_sqlite.prepare(opened)
    except sqlite3.OperationalError as error:  # a full disk
        raise OSError(f"{database} cannot be made: {error}") from error


def segments(database: Path) -> set[str] | None:
    """The ids of the indexes that it names; None where it cannot be read."""
    named = _asked("segments", database)
    return None if named is None else set(named)


def is_damaged(database: Path) -> bool:
    """Whether the file is to blame for a failure, and not the disk or who locks it."""
    return bool(_asked("damaged", database))


def collections(database: Path) -> list[str] | None:
    """The names of its collections; None where it cannot be read."""
    return _asked("collections", database)


def _asked(question: str, database: Path, mode: str = "ro") -> list[str] | None:
    # The file itself, by its path: nothing else of ours is loaded, and nothing of what is installed.
    uri = f"{database.absolute().as_uri()}?mode={mode}"
    command = [sys.executable, "-I", "-S", chroma_sqlite.__file__, question, uri]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - it is this file
    return done.stdout.split() if done.returncode == 0 else None
