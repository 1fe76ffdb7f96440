"""What tests of several folders need: a PostgreSQL and a Chroma server, once for all of them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chroma_server import running_chroma
from tests.postgresql import EmptyDatabase, running_postgresql


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
def folder_of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of this run; where pytest-xdist divides the tests among processes, it is the same for all of them."""
    own = tmp_path_factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
