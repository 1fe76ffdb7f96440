"""SQLite under the catalog: a file that is its owner's alone, with a write-ahead log."""

from __future__ import annotations

import logging
import sqlite3
import time
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from corpora.files import close_to_others

logger = logging.getLogger(__name__)

_BUSY_TIMEOUT_S = 30
_RETRY_S = 0.01
_SYNCHRONOUS = "FULL"  # what was acknowledged is there after a power cut


# Nobody may write while it waits for those who read what is in it: only where it is longer, seldom, and not for long.
_LONGEST_LOG = 64 * 2**20  # bytes
_LOG_PATIENCE_S, _LOG_REST_S = 0.25, 2.0


class WriteAheadLog:
    """The log beside a file, which begins anew by itself once nobody reads, and grows where always one does.

    Args:
        engine: Of the file.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._path = Path(f"{engine.url.database}-wal")
        self._rests_until = 0.0

    def shorten_if_long(self) -> None:
        """To be called between two transactions that write. Readers wait for nothing."""
        if time.monotonic() < self._rests_until or not self._is_long():
            return
        try:
            with closing(self._engine.raw_connection()) as connection:
                connection.cursor().execute(f"PRAGMA busy_timeout = {round(_LOG_PATIENCE_S * 1000)}")
                try:
                    connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                finally:
                    connection.cursor().execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_S * 1000}")
        except (sqlite3.Error, DBAPIError) as error:  # what was written is written
            logger.warning("the catalog's write-ahead log cannot be shortened: %s", error)
        self._rests_until = time.monotonic() + _LOG_REST_S if self._is_long() else 0.0

    def _is_long(self) -> bool:
        with suppress(OSError):
            return self._path.stat().st_size > _LONGEST_LOG
        return False


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
        # What is deleted is written over, as in many a build of SQLite by itself.
        for pragma in (busy_timeout, f"synchronous = {_SYNCHRONOUS}", "foreign_keys = ON", "secure_delete = ON"):
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
