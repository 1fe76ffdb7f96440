"""What tests of several folders need: a PostgreSQL server, once for all of them."""

from collections.abc import Iterator

import pytest

from tests.postgresql import EmptyDatabase, running_postgresql


@pytest.fixture(scope="session")
def empty_database() -> Iterator[EmptyDatabase]:
    """`empty_database()`: the URL of a PostgreSQL database, with nothing in it any more."""
    with running_postgresql() as empty:
        yield empty
