"""Locks by name, which hold between the servers of one database too."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from weakref import WeakValueDictionary

from sqlalchemy import URL, Engine, Executable, func, select, text
from sqlalchemy.exc import DBAPIError, OperationalError

from corpora.database import Database
from corpora.errors import CatalogBusy

logger = logging.getLogger(__name__)

_POLL_S = 0.05
_SAID_EVERY_S = 1.0
_IN_USE = "in use"
_HANGS_S = 60.0  # a process that has said nothing on the connection of its locks for so long has them no more
_SAYS_EVERY_S = 10.0
_HAS_IDLE_TIMEOUT = (14,)  # PostgreSQL


class Locks(Database):
    """What `Catalog` locks.

    With SQLite the data directory has one owner, and a lock is one between threads. With PostgreSQL it is an advisory
    lock besides, on a connection that all have together: it ends with its process, however that ends, or hangs.
    """

    def __init__(self, database_url: str | URL) -> None:
        super().__init__(database_url)
        # Whoever holds a lock or waits for it keeps it; of the others none is left.
        self._locks: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        self._guard = threading.Lock()
        self._sharing = threading.Lock()
        self._of_locks: _Session | None = None  # while any is held

    def lock(self, name: str) -> Lock:
        """The lock of that name: the same one for as long as anybody has it."""
        with self._guard:
            return self._locks.setdefault(name, Lock(name, self._shared_session if self.is_shared else None))

    @contextmanager
    def in_use(self, *, alone: bool = False, remedy: str = "") -> Generator[None]:
        """Use the catalog beside other processes, or `alone`; raises `CatalogBusy` at once if that cannot be.

        `remedy` says what else can be done than to stop the others, where there is something.
        Of interest between the processes of a database server only: a data directory has one owner anyway.
        """
        if not self.is_shared:
            yield
            return
        with closing(_InUse(self._session, shared=not alone)) as use:
            if not use.begins():
                raise self._busy(alone, remedy)
            yield

    def _session(self) -> _Session:
        return _Session(self._engine, self._reported)

    @contextmanager
    def _shared_session(self) -> Generator[_Session]:
        """The one session of all locks that this process holds: each would need a connection of its own else."""
        with self._sharing:
            if self._of_locks is None or not self._of_locks.answers():
                self._of_locks = self._session()
                self._of_locks.end_when_silent()
            session = self._of_locks
            session.users += 1
        try:
            yield session
        finally:
            with self._sharing:
                session.users -= 1
                if not session.users:
                    self._of_locks = None if self._of_locks is session else self._of_locks
                    session.close()

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
        session: The session with the database server; None where only threads of this process matter.
    """

    def __init__(self, name: str, session: Callable[[], AbstractContextManager[_Session]] | None) -> None:
        self._number = _number(name)
        self._open_session = session
        self._session: _Session | None = None
        self._until_free = ExitStack()
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
            self._session = self._until_free.enter_context(self._open_session())
        if not self._session.takes(self._number):
            return False
        self._until_free.callback(self._session.gives_back, self._number)
        return True

    def _give_back(self) -> None:
        self._session = None
        try:
            self._until_free.close()
        finally:
            self._threads.release()


class _Session:
    """A connection on which advisory locks are held, until it is closed or lost; threads may share it."""

    def __init__(self, engine: Engine, reported: Callable[[], AbstractContextManager[None]]) -> None:
        self._reported = reported
        self._one_at_a_time = threading.Lock()
        self._closed = threading.Event()
        self._speaks = False
        self.users = 0
        with reported():
            self._connection = engine.connect().execution_options(isolation_level="AUTOCOMMIT")

    def end_when_silent(self) -> None:
        """From now on PostgreSQL ends it, and so its locks, when this process hangs; until then a thread speaks."""
        if (self._connection.dialect.server_version_info or ()) < _HAS_IDLE_TIMEOUT:
            return
        self._speaks = True
        self._done(text(f"SET idle_session_timeout = {round(_HANGS_S * 1000)}"))
        threading.Thread(target=self._speak, name="fletcher-locks", daemon=True).start()

    def _speak(self) -> None:
        while not self._closed.wait(_SAYS_EVERY_S) and self.answers():
            pass

    def takes(self, number: int, *, shared: bool = False) -> bool:
        take = func.pg_try_advisory_lock_shared if shared else func.pg_try_advisory_lock
        with self._reported(), self._one_at_a_time:
            if self._connection.invalidated:  # another thread has found it lost
                raise OperationalError(None, None, ConnectionError("the connection that held locks was lost"))
            return bool(self._connection.scalar(select(take(number))))

    def gives_back(self, number: int) -> None:
        self._done(select(func.pg_advisory_unlock(number)))

    def answers(self) -> bool:
        """Whether it is still there, and with it all locks that were taken on it."""
        return self._done(select(1))

    def close(self) -> None:
        self._closed.set()
        try:
            if self._done(select(func.pg_advisory_unlock_all())) and self._speaks:
                self._done(text("RESET idle_session_timeout"))
        finally:
            with self._one_at_a_time:
                self._connection.close()

    def _done(self, statement: Executable) -> bool:
        with self._one_at_a_time:
            if self._connection.closed or self._connection.invalidated:
                return False
            try:
                self._connection.execute(statement)
            except DBAPIError as error:
                # Its locks went with it. What they kept apart was done; every step of it can be done again.
                logger.warning("the connection that held locks was lost: %s", error.orig)
                self._connection.invalidate()
                return False
        return True


class _InUse:
    """The lock of who uses the catalog. It is taken again where it was lost, as when the database was started again."""

    def __init__(self, open_session: Callable[[], _Session], *, shared: bool) -> None:
        self._open_session = open_session
        self._shared = shared
        self._ended = threading.Event()
        self._session = open_session()
        self._staying = threading.Thread(target=self._stay, name="fletcher-in-use", daemon=True)

    def begins(self) -> bool:
        if taken := self._session.takes(_number(_IN_USE), shared=self._shared):
            self._staying.start()
        return taken

    def close(self) -> None:
        self._ended.set()
        if self._staying.ident is not None:
            self._staying.join()
        self._session.close()

    def _stay(self) -> None:
        while not self._ended.wait(_SAYS_EVERY_S):
            try:
                if not self._session.answers():
                    self._take_again()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
                logger.warning("that this process uses the catalog cannot be told to others just now: %s", error)

    def _take_again(self) -> None:
        self._session.close()
        session = self._open_session()
        with ExitStack() as failed:
            failed.callback(session.close)
            if session.takes(_number(_IN_USE), shared=self._shared):
                self._session = session
                failed.pop_all()
            else:
                logger.error("another process needs the catalog alone while this one uses it, too: stop one of the two")


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
