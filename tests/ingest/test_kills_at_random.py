"""A few of the kills that `python -m tests.ingest.kills` does by the hundred, on both kinds of stores."""

import os
import sys
from pathlib import Path

import pytest

from tests.forked import finished
from tests.postgresql import binaries

pytestmark = pytest.mark.long


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_whatever_moment_it_is_killed_at_nothing_is_half(request: pytest.FixtureRequest) -> None:
    """In one process for both, which says on which of them something is wrong."""
    command = [sys.executable, "-m", "tests.ingest.kills", "2"]
    if has_servers := binaries() is not None:
        command += ["--servers", request.getfixturevalue("empty_database")(), request.getfixturevalue("chroma_url")]
    done = finished(command, Path.cwd(), os.environ | {"KILLS_SECTIONS": "8"})
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("2 kills") == done.stdout.count("nothing was wrong") == 1 + has_servers
    if not has_servers:
        pytest.skip("nothing was wrong on a data directory; PostgreSQL is not installed here")
