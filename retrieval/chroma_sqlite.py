"""Questions to Chroma's SQLite file, each in a process of its own: `python -I -S chroma_sqlite.py QUESTION URI`.

It is started for each store that is opened, so it imports nothing but SQLite. The answer is a line for each thing;
where the file cannot be read, the exit code is 1.
"""

import sqlite3
import sys

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

# Chroma looks through its queue with each write, and for the first question; it has no index by collection, of each
# of which up to a thousand entries stay there.
_QUEUE = "embeddings_queue"
_INDEX = f"CREATE INDEX IF NOT EXISTS {_QUEUE}_by_topic ON {_QUEUE} (topic, seq_id)"


def prepare(opened: sqlite3.Connection) -> list[str]:
    """Have writes wait neither for reads nor for what other collections have in the queue; the file remembers it."""
    opened.execute("PRAGMA journal_mode = WAL")
    if opened.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [_QUEUE]).fetchone():
        opened.execute(_INDEX)
    return []


def _segments(opened: sqlite3.Connection) -> list[str]:
    return [str(row[0]) for row in opened.execute("SELECT id FROM segments")]


def _damaged(opened: sqlite3.Connection) -> list[str]:
    collections = opened.execute("SELECT 1 FROM sqlite_master WHERE name = 'collections'").fetchone()
    is_whole = collections is not None and opened.execute("PRAGMA quick_check(1)").fetchone() == ("ok",)
    return [] if is_whole else ["damaged"]


def _collections(opened: sqlite3.Connection) -> list[str]:
    return [str(row[0]) for row in opened.execute("SELECT name FROM collections")]


def _answer(question: str, uri: str) -> list[str]:
    opened = sqlite3.connect(uri, uri=True)
    try:
        answers = {"prepare": prepare, "segments": _segments, "damaged": _damaged, "collections": _collections}
        return answers[question](opened)
    finally:
        opened.close()


if __name__ == "__main__":
    try:
        print(*_answer(*sys.argv[1:]), sep="\n")  # noqa: T201 - whoever asks reads it
    except sqlite3.DatabaseError as error:  # which Chroma meets as well: then it is asked what is damaged
        if sys.argv[1] == "damaged" and error.sqlite_errorcode & 0xFF in _DAMAGED:
            print("damaged")  # noqa: T201
        else:
            sys.exit(1)
