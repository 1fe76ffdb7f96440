"""The log: one line for a record, whoever chose the names in it."""

import io
import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from fletcher.log import LineFormatter

FORGED = "design\n2026-11-22 10:00:00 INFO fletcher: all is well\r\x1b[2J\u2028{\x9b\u202e"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LineFormatter("%(levelname)s %(name)s: %(message)s"))
    logger = logging.getLogger("test.log")
    logger.addHandler(handler)
    yield stream
    logger.removeHandler(handler)


def test_a_name_cannot_begin_a_line(written: io.StringIO) -> None:
    logging.getLogger("test.log").warning("%s cannot be read", FORGED)
    (line,) = written.getvalue().splitlines()
    assert line.startswith(r"WARNING test.log: design\n2026-11-22")
    assert line.isprintable()


def test_neither_can_an_exceptions_message_in_a_traceback(written: io.StringIO) -> None:
    try:
        raise ValueError(FORGED)
    except ValueError:
        logging.getLogger("test.log").exception("it failed", stack_info=True)
    first, *others = written.getvalue().splitlines()
    assert first == "ERROR test.log: it failed"
    assert others
    assert all(line.startswith("  ") and line.isprintable() for line in others)


def test_of_what_fails_with_very_many_words_no_more_is_written_than_anybody_reads(written: io.StringIO) -> None:
    try:
        raise ValueError("not a number\n" * 100_000)
    except ValueError:
        logging.getLogger("test.log").exception("it failed")
    trace = written.getvalue()
    assert "characters left out" in trace
    assert "Traceback" in trace
    assert len(trace) < 30_000


def test_a_server_logs_no_line_for_each_request_to_a_provider() -> None:
    script = "import logging; from fletcher.log import log_as_server; log_as_server()\n"
    script += "for client in ('httpx', 'httpx2'): logging.getLogger(client).info('HTTP Request: POST')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""


def test_a_server_goes_on_where_nobody_reads_what_it_logs_and_says_what_was_left_out() -> None:
    script = """
import logging
from fletcher.log import log_as_server

log_as_server()
for number in range(5000):
    logging.getLogger("fletcher.turn").info("%d %s", number, "x" * 100)
print("went on", flush=True)
input()
logging.getLogger("fletcher").warning("the last")
"""
    command = [sys.executable, "-c", script]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "went on\n"
        lines = [process.stderr.readline() for _ in range(1000)]  # more than wait, and than a pipe holds
        _, others = process.communicate("\n", timeout=60)
    assert [line.split()[0] for line in lines] == [str(number) for number in range(1000)]
    left_out, last = others.splitlines()[-2:]
    assert left_out.endswith("lines are left out here: standard error took none of them.")
    assert last.endswith("the last")
    assert process.returncode == 0


def test_a_server_ends_where_nobody_reads_what_it_logs() -> None:
    script = """
import logging, sys
from fletcher.log import log_as_server

log_as_server()
for number in range(5000):
    logging.getLogger("fletcher.turn").info("%d %s", number, "x" * 100)
"""
    with subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE) as process:
        assert process.wait(timeout=60) == 0
