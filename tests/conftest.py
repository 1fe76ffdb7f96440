"""What tests of several folders need: a PostgreSQL and a Chroma server, once for all of them."""

import asyncio
import gc
import os
import signal
import ssl
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import HealthCheck, settings
from sqlalchemy import Engine
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from corpora.samples import SAMPLE
from retrieval import chroma_file
from tests.chroma_server import running_chroma
from tests.empty_data import copies
from tests.forked import finished
from tests.postgresql import EmptyDatabase, running_postgresql

# A minute each, and nearly all of it another process's: begun last, it would be waited for alone.
_LONGEST = ("tests/attack/test_attack.py", "tests/end_to_end/test_examples.py", "tests/end_to_end/test_demo.py")

# A suite that runs in the background (`make test &`) ignores Ctrl-C, and so would every program that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A command that is run in this process tells Python to import from no folder, and tests start modules of this one.
_PATHS = (str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH"))
os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, _PATHS))

# Each process has a processor at most; threads of a library that has one for each only wait for each other, spinning.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Every run draws others: to draw a hundred each time takes three times as long.
# And none has to be drawn, or answered, in some time: others may use this machine.
settings.register_profile("fifteen", max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fifteen")

# What is imported to collect the tests stays until the end: to look through it for garbage takes a fifth of the time.
gc.disable()


def pytest_collection_finish() -> None:
    """From here on garbage of tests is collected: seldom, as each time takes longer than most of them."""
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Deals the folders' files out: what waits for a process runs beside what computes, and no processor is idle."""
    files = dict.fromkeys(item.nodeid.split("::")[0] for item in items)
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for file in files:
        folders[file.split("/")[1]].append(file)
    place = {file: (at + 0.5) / len(folder) for folder in folders.values() for at, file in enumerate(folder)}
    place |= {file: at - len(_LONGEST) for at, file in enumerate(_LONGEST)}
    items.sort(key=lambda item: place[item.nodeid.split("::")[0]])


# Which files need a browser, and the same server; to start another one takes longer than most of their tests.
_SHARING = {
    "guarded": ("access", "first_visit", "page_sockets", "socket_limits", "stopping", "story_drop"),
    "sample": ("accessibility", "asking", "change", "documents", "history", "hostile_texts", "story"),
}
# And which need PyTorch and LlamaIndex, that take seconds to import.
_IMPORTING = (
    *("evaluation/test_evaluate_retrieval", "retrieval/test_fletcher_retriever", "retrieval/test_named_models"),
    *("retrieval/test_providers", "retrieval/test_reranker", "retrieval/test_stock_readers"),
)
# Or the libraries of all providers of models.
_ASKING = ("agent/test_models", "agent/test_odd_answers", "agent/test_provider_failures", "agent/test_providers")
_SHARED_BY = (
    {f"tests/workbench/test_{file}.py": server for server, files in _SHARING.items() for file in files}
    | {f"tests/{file}.py": "torch" for file in _IMPORTING}
    | {f"tests/{file}.py": "providers" for file in _ASKING}
)


class _TwoBrowsers(LoadFileScheduling):
    """Gives each file to one process, and all that share a server and a browser, or what they import, to the same."""

    def _split_scope(self, nodeid: str) -> str:
        scope = super()._split_scope(nodeid)
        return _SHARED_BY.get(scope, scope)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadFileScheduling:
    """Files are divided among the processes that ask for more."""
    return _TwoBrowsers(config, log)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two processes more than processors: nearly half of the time tests wait for a clock, a disk or a process."""
    return (os.cpu_count() or 1) + 2


@pytest.fixture(scope="session", autouse=True)
def servers_end_soon() -> Iterator[None]:
    """A server here looks for its end a hundred times a second, not ten: nearly a thousand tests have one."""
    quick = SimpleNamespace(**vars(asyncio) | {"sleep": lambda seconds: asyncio.sleep(seconds / 10)})
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("uvicorn.server.asyncio", quick)
        yield


@pytest.fixture(scope="session", autouse=True)
def statements_are_compiled_once() -> Iterator[None]:
    """SQLAlchemy compiles each statement once for each engine, and nearly every test has two of its own."""
    kept, make = LRUCache[Any, Any](1000), Engine.__init__

    def sharing(engine: Engine, *arguments: Any, **options: Any) -> None:
        make(engine, *arguments, **options)
        if isinstance(engine.dialect, SQLiteDialect_pysqlite):
            engine._compiled_cache = kept  # pyright: ignore[reportPrivateUsage]

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Engine, "__init__", sharing)
        # What is kept is found by its dialect, of which each engine makes one.
        patched.setattr(SQLiteDialect_pysqlite, "__hash__", lambda _: hash(SQLiteDialect_pysqlite))
        patched.setattr(SQLiteDialect_pysqlite, "__eq__", lambda _, other: isinstance(other, SQLiteDialect_pysqlite))
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_waits_for_the_disk() -> Iterator[None]:
    """No test cuts the power, and a thousand of them have a catalog of their own."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("corpora.sqlite._SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="session", autouse=True)
def no_copy_is_prepared_again() -> Iterator[None]:
    """A process is started for it, by each of a thousand tests."""
    asked = chroma_file._asked  # pyright: ignore[reportPrivateUsage]

    def asked_of_others(question: str, database: Path, mode: str = "ro") -> list[str] | None:
        if question == "prepare" and database in copies:
            copies.discard(database)  # what takes its place has not been prepared
            return []
        return asked(question, database, mode)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(chroma_file, "_asked", asked_of_others)
        yield


@pytest.fixture(scope="session", autouse=True)
def no_authorities() -> Iterator[None]:
    """No test speaks TLS, and to read the certificates of all authorities takes a client longer than most tests."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(ssl.SSLContext, "load_verify_locations", lambda *_, **__: None)
        yield


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long the API's description is tested: `make contract` takes more examples."""
    parser.addoption("--contract-examples", default="2", help="requests that are made up for each operation")
    parser.addoption("--contract-seed", default="0", help="from what they are made up")


@pytest.fixture(scope="session")
def empty_database() -> Iterator[EmptyDatabase]:
    """`empty_database()`: the URL of a PostgreSQL database, with nothing in it any more."""
    with running_postgresql() as empty:
        yield empty


@pytest.fixture(scope="session")
def chroma_url() -> Iterator[str]:
    """The URL of a Chroma server; what belongs to other catalogs stays in it."""
    with running_chroma() as url:
        yield url


@pytest.fixture(scope="session")
def ingested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the sample documents in project 1; not to be changed.

    Where pytest-xdist divides the tests among processes, whichever comes first makes it for all.
    """
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "ingested"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            making = tmp_path_factory.mktemp("ingested")
            command = [sys.executable, "-m", "fletcher", "ingest", SAMPLE.documents, "--project", "1"]
            done = finished([*command, "--data-dir", making / "data"], making, os.environ)
            assert done.returncode == 0, done.stderr
            making.rename(folder)
    return folder / "data"
