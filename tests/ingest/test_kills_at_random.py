"""A few of the kills that `python -m tests.ingest.kills` does by the hundred, on both kinds of stores."""

import subprocess
import sys

import pytest

from tests.postgresql import binaries


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.parametrize("stores", ["directory", "servers"])
def test_whatever_moment_it_is_killed_at_nothing_is_half(stores: str) -> None:
    if stores == "servers" and binaries() is None:
        pytest.skip("PostgreSQL is not installed here")
    command = [sys.executable, "-m", "tests.ingest.kills", "4", *(["--servers"] if stores == "servers" else [])]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing was wrong" in done.stdout
