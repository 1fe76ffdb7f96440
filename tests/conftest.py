"""What tests of several folders need: a PostgreSQL and a Chroma server, once for all of them."""

from collections.abc import Iterator

import pytest

from tests.chroma_server import running_chroma
from tests.postgresql import EmptyDatabase, running_postgresql


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long the API's description is tested: `make contract` takes more examples."""
    parser.addoption("--contract-examples", default="4", help="requests that are made up for each operation")
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
