"""The database under the catalog: opening it, knowing it for ours, transactions."""

from __future__ import annotations

import logging
from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from sqlalchemy import (
    URL,
    Connection,
    Engine,
    QueuePool,
    Table,
    create_engine,
    func,
    insert,
    inspect,
    make_url,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError

from corpora.errors import CatalogBusy, CatalogError, ValueRefused
from corpora.places import ThreadPlaces
from corpora.presence import Presence
from corpora.schema import SCHEMA_VERSION, facts, metadata
from corpora.shares import Shares
from corpora.sqlite import WriteAheadLog, prepare_sqlite
from corpora.trouble import Trouble
from corpora.upgrade import add_what_is_missing

logger = logging.getLogger(__name__)

_VERSION = "schema_version"
_LOCK_TIMEOUT = "55P03"  # PostgreSQL's
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_SCHEMA_LOCK = 0x666C65746368  # any number that others do not use
# Of this process: PostgreSQL usually has a hundred connections for all servers and commands together.
_PLACES = ThreadPlaces(12)
# Rows: from so many on a write has to wait for its turn, and from so many on its workspace rests after it, too.
_MANY_ROWS, _VERY_MANY_ROWS = 200, 2_000
_LONGEST_REST_S = 5.0
_PATIENCE_S = 600.0  # what is long may stand behind all that its workspace removes


class Database:
    """An open catalog database whose schema is ours, of this version; an older one is brought up to date."""

    _tables: Sequence[Table] = metadata.sorted_tables
    _when_damaged = (
        "put a backup in its place. Without one move the file away, and 'fletcher reindex --from-originals' makes it "
        "anew."
    )

    def __init__(self, database_url: str | URL) -> None:
        self._engine, self._presence = _open(database_url)
        self._place = _named(self._engine.url)
        self._log = None if self.is_shared else WriteAheadLog(self._engine)
        self._one_writer = ThreadPlaces(1)
        self._long_writers = Shares(4, each=2) if self.is_shared else Shares(1, each=1)
        self._rests_until: dict[str, float] = {}
        self._is_open = False
        self._trouble = Trouble(logger)
        self._writer = self._engine.execution_options(fletcher_writes=True)
        if self.is_shared:
            # A reader sees one state of the database throughout; a writer what others committed while it waited.
            self._writer = self._writer.execution_options(isolation_level="READ COMMITTED")
        try:
            self._check_schema()
        except BaseException:
            self.close()
            raise
        self._is_open = True

    def close(self) -> None:
        """Give back all connections; the catalog opens new ones if it is used again."""
        if self._presence is not None:
            self._presence.close()
        self._engine.dispose()

    def ping(self) -> None:
        """Ask the database for something small; raises `CatalogError`, within ten seconds, if it does not answer."""
        with self._reading() as connection:
            _version(connection)

    @property
    def is_shared(self) -> bool:
        """Whether a database server keeps it, so that other processes may use it at the same time."""
        return self._engine.dialect.name != "sqlite"

    def _fact(self, name: str, value: str) -> str:
        """What the catalog has under a name: `value`, if it has nothing yet."""
        query = select(facts.c.value).where(facts.c.name == name)
        with self._reading() as connection:
            known = connection.scalar(query)
        if known is not None:
            return known
        with self._writing() as connection:
            connection.execute(insert_or_keep(connection, facts), {"name": name, "value": value})
            return connection.scalars(query).one()

    @contextmanager
    def _reading(self) -> Generator[Connection]:
        with self._in_place(), self._reported(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Generator[Connection]:
        with self._in_turn():
            with self._reported(), self._writer.begin() as connection:
                yield connection
            if self._log is not None:
                self._log.shorten_if_long()

    @contextmanager
    def _writing_rows(self, workspace: str, count: int) -> Generator[Connection]:
        """As `_writing`, in the turn of what takes long."""
        with self._in_turn_of_rows(workspace, count), self._writing() as connection:
            yield connection

    @contextmanager
    def _in_turn_of_rows(self, workspace: str, count: int) -> Generator[None]:
        """What takes long is written one by one, on a server four at a time, and workspaces take turns.

        After what takes very long its workspace leaves a file to others, and to shorter writes, for as long as that
        took: whatever somebody asks for needs several of them. Raises `CatalogBusy` where its turn does not come for
        ten minutes.
        """
        if count < _MANY_ROWS:
            yield
            return
        give_up_at, is_very_long = monotonic() + _PATIENCE_S, count >= _VERY_MANY_ROWS and not self.is_shared

        def beat() -> None:
            if monotonic() > give_up_at:
                raise CatalogBusy("Too many long documents wait to be written or removed: try again later.")

        with ExitStack() as turn:
            turn.enter_context(self._long_writers.taken(workspace, beat))
            while is_very_long and (rest := self._rests_until.get(workspace, 0.0) - monotonic()) > 0:
                turn.close()  # others have theirs meanwhile
                sleep(rest)
                turn.enter_context(self._long_writers.taken(workspace, beat))
            began = monotonic()
            yield
            if is_very_long:
                now = monotonic()
                still = {of: until for of, until in self._rests_until.items() if until > now}
                self._rests_until = still | {workspace: now + min(now - began, _LONGEST_REST_S)}

    def _in_place(self) -> AbstractContextManager[None]:
        return _PLACES.taken() if self.is_shared else nullcontext()

    def _in_turn(self) -> AbstractContextManager[None]:
        # A file has one writer, and SQLite has the others ask again now and then: some would never find it free.
        return self._in_place() if self.is_shared else self._one_writer.taken()

    @contextmanager
    def _reported(self) -> Generator[None]:
        try:
            yield
        except DBAPIError as error:
            raise self._failed(error) from error

    def _failed(self, error: DBAPIError) -> CatalogError:
        """Of an open catalog clients are told, whose business it is not where the database is; the log has that."""
        if getattr(error.orig, "sqlstate", None) == _LOCK_TIMEOUT:  # it is in order
            return CatalogBusy("Somebody else is writing to the same rows of the catalog: try again in some seconds.")
        if isinstance(error, (DataError, IntegrityError)):  # whose words have the values in them
            kind = type(error.orig).__name__
            logger.error("the catalog does not take a value: %s", kind)
            return ValueRefused(f"The catalog does not take a value of it ({kind}): leave it out, and report this.")
        place, reason = f" {self._place}", _as_sentence(error.orig)
        if self._is_open:
            self._trouble.say(reason, "the catalog%s failed: %s", place, reason)
            place = "" if self.is_shared else f" {Path(self._engine.url.database or '').name}"
            if self.is_shared and getattr(error.orig, "sqlstate", None) is None:  # a driver names address and port
                reason = "Its server does not answer."
        return CatalogError(f"The catalog{place} failed: {reason} {self._remedy(error)}")

    def _remedy(self, error: DBAPIError) -> str:
        if getattr(error.orig, "sqlite_errorname", "") in _DAMAGED:
            return f"Its file is damaged: stop Fletcher and {self._when_damaged}"
        return "Check that it is reachable, that it may be written, and that the disk is not full."

    def _check_schema(self) -> None:
        with self._reading() as connection:
            tables = inspect(connection).get_table_names()
            version = _version(connection) if facts.name in tables else None
        if not tables:
            self._create_schema()
        elif version is None:
            raise CatalogError(
                f"The database {self._place} has tables of another program and no Fletcher catalog. "
                "Name an empty database, or one that Fletcher made."
            )
        elif version > SCHEMA_VERSION:
            raise CatalogError(
                f"The catalog {self._place} has schema version {version}, and this Fletcher knows no version above "
                f"{SCHEMA_VERSION}. Use the version of Fletcher that wrote it, or a newer one."
            )
        elif version < SCHEMA_VERSION:
            self._upgrade_schema()

    @contextmanager
    def _writing_schema(self) -> Generator[Connection]:
        """A transaction that no other process's of this kind runs beside."""
        with self._writing() as connection:
            if self.is_shared:
                connection.execute(select(func.pg_advisory_xact_lock(_SCHEMA_LOCK)))
            yield connection

    def _create_schema(self) -> None:
        with self._writing_schema() as connection:
            # Somebody may have been faster since we looked.
            if inspect(connection).get_table_names():
                return
            metadata.create_all(connection, tables=self._tables)
            connection.execute(insert(facts).values(name=_VERSION, value=str(SCHEMA_VERSION)))

    def _upgrade_schema(self) -> None:
        with self._writing_schema() as connection:
            if (_version(connection) or 0) >= SCHEMA_VERSION:
                return
            add_what_is_missing(connection, self._tables)
            connection.execute(update(facts).where(facts.c.name == _VERSION).values(value=str(SCHEMA_VERSION)))


def insert_or_keep(connection: Connection, table: Table) -> Any:
    """An INSERT that leaves a row that is there already as it is."""
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    return dialect.insert(table).on_conflict_do_nothing()


def _version(connection: Connection) -> int | None:
    value = connection.scalar(select(facts.c.value).where(facts.c.name == _VERSION))
    return int(value) if value is not None and value.isdecimal() else None


def _open(database_url: str | URL) -> tuple[Engine, Presence | None]:
    try:
        url = make_url(database_url)
    except ArgumentError as error:
        raise CatalogError(
            "The database URL is not one. It has the form sqlite:///path/to/file or "
            "postgresql+psycopg://user:password@host/database."
        ) from error
    try:
        if url.get_backend_name() == "postgresql":
            from corpora.postgresql import open_postgresql  # only here: most catalogs need no driver

            return open_postgresql(url)
        # A connection to a file costs little: each thread has one, whatever limits the threads.
        engine = create_engine(url, poolclass=QueuePool, max_overflow=-1)
    except (ArgumentError, ImportError) as error:
        raise CatalogError(
            f"The database {_named(url)} needs a driver that is not here ({error}). "
            "The form is postgresql+psycopg://user:password@host/database, and its driver comes with: "
            "pip install 'fletcher-arrow[postgresql]'"
        ) from error
    if engine.dialect.name != "sqlite":
        raise CatalogError(f"The database {_named(url)} is neither SQLite nor PostgreSQL, which are the two there are.")
    prepare_sqlite(engine)
    return engine, None


def _as_sentence(reason: object) -> str:
    """What a driver says, which may be several lines without a stop, and end in a question."""
    lines = (line.strip() for line in str(reason).splitlines())
    return " ".join(line if line.endswith((".", ",", ":", "!", "?")) else f"{line}." for line in lines if line)


def _named(url: URL) -> str:
    """The URL as it can be shown: without its password, which may stand among its parameters too."""
    return url.set(query={}).render_as_string(hide_password=True)
