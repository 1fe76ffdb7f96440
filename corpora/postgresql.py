"""PostgreSQL under the catalog: connections that do not wait for a server that is silent."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import psycopg
from psycopg.abc import PQGen
from psycopg.waiting import Ready, Wait
from sqlalchemy import URL, Engine, create_engine, event

from corpora.presence import Presence

T = TypeVar("T")

_CONNECT_S = 3
_ANSWER_S = 2  # psycopg takes no less
_SILENT_S = 0.5  # then it is asked whether it is there at all
_LONGEST_S = 120.0  # a statement may wait for another server's transaction, but not for one that never ends
_PING_S = 2.0  # a connection that nobody uses answers at once, or somebody between has forgotten it
# A server whose machine is gone is noticed within a minute, and its locks are free: by the client, and by PostgreSQL.
_KEEPALIVES = {"idle": 30, "interval": 10, "count": 3}
_IDLE_S = 60.0  # between two statements of a transaction, of which a process that hangs says no more


def open_postgresql(url: URL) -> tuple[Engine, Presence]:
    """An engine for the URL, and what its connections know of the server; raises `ImportError` without its driver."""
    wanted = {f"keepalives_{name}": value for name, value in _KEEPALIVES.items()}
    wanted |= {"connect_timeout": _CONNECT_S, "application_name": "fletcher"}
    engine = create_engine(
        url,
        isolation_level="REPEATABLE READ",
        pool_pre_ping=True,  # it may have been restarted
        max_overflow=-1,  # who has one never waits for a second; `ThreadPlaces` limits who has one
        connect_args={name: value for name, value in wanted.items() if name not in url.query},
    )
    presence = Presence(lambda: _answers(engine))
    ping = engine.dialect.do_ping

    def ping_soon(dbapi_connection: Any) -> bool:
        with dbapi_connection.answering_within(_PING_S):
            return ping(dbapi_connection)

    engine.dialect.do_ping = ping_soon

    @event.listens_for(engine, "do_connect")
    def _connect(_dialect: object, _record: object, arguments: Any, options: Any) -> Any:
        return _connected(presence, lambda: _Connection.connect(*arguments, **options))

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:
            settings = {f"tcp_keepalives_{name}": value for name, value in _KEEPALIVES.items()}
            settings["idle_in_transaction_session_timeout"] = round(_IDLE_S * 1000)
            cursor.execute("; ".join(f"SET {name} = {value}" for name, value in settings.items()))
        connection.commit()

    _ = (_connect, _configure)  # strict type checking does not see that the decorators use them
    return engine, presence


class _Connection(psycopg.Connection[Any]):
    """A connection that is given up when its server counts as away, or has been silent for very long."""

    presence: Presence
    _longest_s: float | None = None

    @contextmanager
    def answering_within(self, longest_s: float) -> Generator[None]:
        """Gives it up where it is silent for so long while the block runs, though the server is there."""
        self._longest_s = longest_s
        try:
            yield
        finally:
            self._longest_s = None

    def wait(self, gen: PQGen[T], interval: float = 0.1, timeout: float | None = None) -> T:
        self._require_presence()
        return super().wait(self._heard(gen), interval, timeout)

    def _heard(self, gen: PQGen[T]) -> Generator[Wait, Ready | int, T]:
        """The same, asking after the server when nothing has come or gone for a while."""
        heard_at = asked_at = time.monotonic()
        longest_s = self._longest_s or _LONGEST_S
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                now = time.monotonic()
                if ready != Ready.NONE:
                    heard_at = asked_at = now
                elif now - heard_at > longest_s:
                    raise self._given_up(f"no answer in {longest_s:.0f} seconds")
                elif now - asked_at > _SILENT_S:
                    self.presence.ask()
                    asked_at = time.monotonic()
                self._require_presence()
                wanted = gen.send(ready)
        except StopIteration as stop:
            return cast("T", stop.value)

    def _require_presence(self) -> None:
        if self.presence.is_away:
            raise self._given_up("the server does not answer")

    def _given_up(self, why: str) -> psycopg.OperationalError:
        self.pgconn.finish()  # what comes on it now would be the answer to another question
        return psycopg.OperationalError(why)


def _connected(presence: Presence, connect: Callable[[], _Connection]) -> _Connection:
    if presence.is_away:
        raise psycopg.OperationalError("the server does not answer")
    try:
        connection = connect()
    except psycopg.errors.ConnectionTimeout:
        presence.lose()
        raise
    connection.presence = presence
    return connection


def _answers(engine: Engine) -> bool:
    """Whether the server says anything to a new client, even no."""
    arguments, options = engine.dialect.create_connect_args(engine.url)
    try:
        psycopg.connect(*arguments, **{**options, "connect_timeout": _ANSWER_S}).close()
    except psycopg.errors.ConnectionTimeout:
        return False
    except psycopg.Error:
        return True
    return True
