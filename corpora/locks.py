"""Locks by name, which hold between the servers of one database too."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, closing, contextmanager

from sqlalchemy import URL, Engine, func, select
from sqlalchemy.exc import DBAPIError

from corpora.database import Database
from corpora.errors import CatalogBusy

logger = logging.getLogger(__name__)

_POLL_S = 0.05
_SAID_EVERY_S = 1.0
_IN_USE = "in use"


class Locks(Database):
    """What `Catalog` locks.

    With SQLite the data directory has one owner, and a lock is one between threads. With PostgreSQL it is an advisory
    lock besides, on a connection of its own: it ends with its process, however that ends.
    """

    def __init__(self, database_url: str | URL) -> None:
        super().__init__(database_url)
        self._locks: dict[str, Lock] = {}
        self._guard = threading.Lock()

    def lock(self, name: str) -> Lock:
        """The lock of that name, always the same one."""
        with self._guard:
            return self._locks.setdefault(name, Lock(name, self._session if self.is_shared else None))

    @contextmanager
    def in_use(self, *, alone: bool = False, remedy: str = "") -> Generator[None]:
        """Use the catalog beside other processes, or `alone`; raises `CatalogBusy` at once if that cannot be.

        `remedy` says what else can be done than to stop the others, where there is something.
        Of interest between the processes of a database server only: a data directory has one owner anyway.
        """
        if not self.is_shared:
            yield
            return
        with closing(self._session()) as session:
            if not session.takes(_number(_IN_USE), shared=not alone):
                raise self._busy(alone, remedy)
            yield

    def _session(self) -> _Session:
        return _Session(self._engine, self._reported)

    def _busy(self, alone: bool, remedy: str) -> CatalogBusy:
        if alone:
            return CatalogBusy(
                f"The catalog {self._place} is in use by other processes of Fletcher, and this needs it alone: "
                f"stop them first. {remedy}".rstrip()
            )
        return CatalogBusy(
            f"The catalog {self._place} is used by a process of Fletcher that needs it alone: wait until that is "
            "done, or, if it is one that keeps its vectors in a directory, give it the same FLETCHER_CHROMA_URL."
        )


class Lock:
    """Held by one thread of one process at a time.

    Args:
        name: The same name is the same lock, in all processes.
        session: Opens a session with the database server; None where only threads of this process matter.
    """

    def __init__(self, name: str, session: Callable[[], _Session] | None) -> None:
        self._number = _number(name)
        self._open_session = session
        self._session: _Session | None = None
        self._threads = threading.Lock()

    @contextmanager
    def held(self, while_waiting: Callable[[], object] | None = None) -> Generator[None]:
        """Hold the lock; while somebody else does, `while_waiting` is called every second, and may raise to give up."""
        say = _every_second(while_waiting)
        while not self._threads.acquire(timeout=_POLL_S):
            say()
        try:
            while not self._taken():
                say()
                time.sleep(_POLL_S)
            yield
        finally:
            self._give_back()

    @contextmanager
    def held_if_free(self) -> Generator[bool]:
        """Hold the lock if nobody does, and say whether."""
        if not self._threads.acquire(blocking=False):
            yield False
            return
        try:
            yield self._taken()
        finally:
            self._give_back()

    def _taken(self) -> bool:
        if self._open_session is None:
            return True
        if self._session is None:
            self._session = self._open_session()
        return self._session.takes(self._number)

    def _give_back(self) -> None:
        session, self._session = self._session, None
        try:
            if session is not None:
                session.close()
        finally:
            self._threads.release()


class _Session:
    """A connection on which advisory locks are held, until it is closed or lost."""

    def __init__(self, engine: Engine, reported: Callable[[], AbstractContextManager[None]]) -> None:
        self._reported = reported
        with reported():
            self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def takes(self, number: int, *, shared: bool = False) -> bool:
        take = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
        with self._reported():
            return bool(self._connection.scalar(select(take(number))))

    def close(self) -> None:
        try:
            self._connection.execute(select(func.pg_advisory_unlock_all()))
        except DBAPIError as error:
            # The locks went with the connection. What they kept apart was done; every step of it can be done again.
            logger.warning("the connection that held a lock was lost: %s", error.orig)
            self._connection.invalidate()
        finally:
            self._connection.close()


def _every_second(call: Callable[[], object] | None) -> Callable[[], None]:
    due = 0.0

    def called() -> None:
        nonlocal due
        if call is not None and time.monotonic() >= due:
            due = time.monotonic() + _SAID_EVERY_S
            call()

    return called


def _number(name: str) -> int:
    """PostgreSQL's advisory locks are numbers of 64 bits."""
    return int.from_bytes(hashlib.sha256(f"fletcher {name}".encode()).digest()[:8], signed=True)
