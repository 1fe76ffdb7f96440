"""SIGTERM ends a command in order."""

import signal
import subprocess
import sys

import pytest

_COMMAND = """
import signal
from fletcher.termination import ending_in_order

with ending_in_order():
    try:
        signal.raise_signal(signal.SIGTERM)
        print("went on")
    finally:
        print("closed", end="")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals between processes")
def test_what_is_open_is_closed_and_the_process_has_ended_by_the_signal() -> None:
    ended = subprocess.run([sys.executable, "-c", _COMMAND], capture_output=True, text=True, check=False, timeout=60)
    assert (ended.stdout, ended.stderr, ended.returncode) == ("closed", "", -signal.SIGTERM)
