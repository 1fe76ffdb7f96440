"""SQLite under the catalog: a file that is its owner's alone, with a write-ahead log."""

from __future__ import annotations

import sqlite3
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event

from corpora.files import close_to_others

_BUSY_TIMEOUT_S = 30
_RETRY_S = 0.01
_SYNCHRONOUS = "FULL"  # what was acknowledged is there after a power cut


def prepare_sqlite(engine: Engine) -> None:
    """Have each connection of the engine wait for others, and the file and what is beside it closed to others."""

    @event.listens_for(engine, "do_connect")
    def _hide(*_: object) -> None:
        if path := engine.url.database:
            _make_private(Path(path))

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        # The driver must not begin transactions by itself: _begin does, and says which kind.
        connection.isolation_level = None
        busy_timeout = f"busy_timeout = {_BUSY_TIMEOUT_S * 1000}"
        for pragma in (busy_timeout, f"synchronous = {_SYNCHRONOUS}", "foreign_keys = ON"):
            connection.execute(f"PRAGMA {pragma}")
        _use_write_ahead_log(connection)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # A write transaction takes the lock at once: one that begins by reading could not wait for it later.
        writes = connection.get_execution_options().get("fletcher_writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    # Strict type checking does not see that the decorators use them.
    _ = (_hide, _configure, _begin)


def _make_private(path: Path) -> None:
    """Before SQLite opens it, which gives the files beside it the same mode."""
    with suppress(OSError):  # a folder that is not there, or that may not be written: SQLite says so itself
        if not path.exists():
            path.touch(mode=0o600)
        for ending in ("", "-wal", "-shm"):
            close_to_others(path.with_name(path.name + ending))


def _use_write_ahead_log(connection: Any) -> None:
    """SQLite's own busy timeout does not hold for this change, so it is tried again when others open the file too."""
    give_up_at = time.monotonic() + _BUSY_TIMEOUT_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() >= give_up_at:
                raise
            time.sleep(_RETRY_S)
