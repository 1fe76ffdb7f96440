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
