"""Files that Chroma has open: it closes them a moment after it says so, in threads of its own."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psutil

from tests.waiting import eventually


def settle(folder: Path) -> None:
    """Waits until this process has no file of Chroma's folder open, and has all in one file that it writes last."""
    process = psutil.Process()
    eventually(lambda: not any(folder in Path(file.path).parents for file in process.open_files()))
    with closing(sqlite3.connect(folder / "chroma.sqlite3")) as opened:
        opened.execute("PRAGMA wal_checkpoint(TRUNCATE)")
