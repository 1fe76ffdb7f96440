"""What Chroma's SQLite file says, asked in a process of its own.

Python's SQLite and Chroma's are two libraries, whose locks do not keep each other out within one process: beside a
write of Chroma's, half of it would be read here, and the end of reading would take Chroma's locks away.
"""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


# Chroma looks through its queue with each write, and for the first question; it has no index by collection, of each
# of which up to a thousand entries stay there.
_QUEUE = "embeddings_queue"
_INDEX = f"CREATE INDEX IF NOT EXISTS {_QUEUE}_by_topic ON {_QUEUE} (topic, seq_id)"


def prepare(database: Path) -> None:
    """Have writes wait neither for reads nor for what other collections have in the queue; the file remembers it.

    Else a write waits, with every thread of the process, for whoever reads: another process's backup, too. One that is
    not there yet has a queue, and can have its index, only once Chroma has opened it.
    """
    if database.exists():
        _asked("prepare", database)
        return
    try:
        with closing(sqlite3.connect(database)) as opened:  # which nobody has open
            _prepare(opened)
    except sqlite3.OperationalError as error:  # a full disk
        raise OSError(f"{database} cannot be made: {error}") from error


def segments(database: Path) -> set[str] | None:
    """The ids of the indexes that it names; None where it cannot be read."""
    named = _asked("segments", database)
    return None if named is None else set(named)


def is_damaged(database: Path) -> bool:
    """Whether the file is to blame for a failure, and not the disk or who locks it."""
    return bool(_asked("damaged", database))


def _asked(question: str, database: Path) -> Any:
    # The file itself, by its path: nothing else of ours is loaded.
    command = [sys.executable, "-I", __file__, question, str(database.absolute())]
    done = subprocess.run(command, check=False, capture_output=True, text=True)  # noqa: S603 - it is this file
    return json.loads(done.stdout or "null")


def _prepare(opened: sqlite3.Connection) -> None:
    opened.execute("PRAGMA journal_mode = WAL")
    if opened.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [_QUEUE]).fetchone():
        opened.execute(_INDEX)


def _segments(opened: sqlite3.Connection) -> list[str]:
    return [str(row[0]) for row in opened.execute("SELECT id FROM segments")]


def _is_damaged(opened: sqlite3.Connection) -> bool:
    collections = opened.execute("SELECT 1 FROM sqlite_master WHERE name = 'collections'").fetchone()
    return collections is None or opened.execute("PRAGMA quick_check(1)").fetchone() != ("ok",)


def _answer(question: str, database: Path) -> Any:
    answer = {"prepare": _prepare, "segments": _segments, "damaged": _is_damaged}[question]
    mode = "rw" if question == "prepare" else "ro"
    try:
        with closing(sqlite3.connect(f"{database.as_uri()}?mode={mode}", uri=True)) as opened:
            return answer(opened)
    except sqlite3.DatabaseError as error:  # which Chroma meets as well: then it is asked what is damaged
        return (question == "damaged" and error.sqlite_errorcode & 0xFF in _DAMAGED) or None


if __name__ == "__main__":
    print(json.dumps(_answer(sys.argv[1], Path(sys.argv[2]))))  # noqa: T201 - whoever asks reads it
