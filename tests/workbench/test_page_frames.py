"""What a page's socket says that no page says: it may be closed, and the log does not grow."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest
from websockets.exceptions import ConnectionClosed

from tests.end_to_end.conftest import CLEAN_ENVIRONMENT, PATIENCE_S
from tests.forked import started
from tests.waiting import eventually
from tests.workbench.test_page_sockets import JOINING, PageSocket

_TIMES = 300


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server of this module writes its log."""
    return tmp_path_factory.mktemp("logged") / "log"


@pytest.fixture(scope="module")
def url(log: Path) -> Iterator[str]:
    """A server without tokens."""
    command = [sys.executable, "-m", "fletcher", "serve", "--port", "0", "--data-dir", str(log.parent / "data")]
    with (
        log.open("w") as written,
        started(command, log.parent, CLEAN_ENVIRONMENT, stderr=written) as process,
        log.open() as reading,
    ):
        try:
            said: list[str] = []

            def has_said_all() -> bool:
                said.append(reading.read())
                return process.poll() is not None or "Access: " in "".join(said)  # the last that it says of itself

            eventually(has_said_all)
            assert process.poll() is None, said
            yield "".join(said).split("Fletcher serves ")[1].split()[0]
        finally:
            process.terminate()
            process.wait(PATIENCE_S)


@pytest.mark.parametrize(
    "said",
    [
        "4999",
        "42",
        "42{",
        "42[1]",
        "42[[]]",
        '42["event"]',
        '42["event",1]',
        '42["event",{}]',
        '42["event",{"client_id":[]}]',
        '42["event",{"client_id":"%s","id":%d,"listener_id":"x","args":{}}]',
        '42["event",{"client_id":"%s","id":%d,"listener_id":"x","args":["{"]}]',
        '42["event",{"client_id":"%s","id":[]}]',
        '42["ack",{"client_id":"%s","next_message_id":{}}]',
        '42["javascript_response",{"client_id":"%s"}]',
        '42["handshake",1]',
        '42["handshake",{"client_id":"%s"}]',
        '42["connect",{}]',
        "42[" * 5000,
    ],
    ids=range(18),
)
def test_it_is_worth_a_line_at_most(url: str, log: Path, said: str) -> None:
    before = len(log.read_text())
    with ExitStack() as opened:
        page = PageSocket(opened, url, "")
        message = said.replace("%s", page.page_id).replace("%d", str(page.element("tabs")))
        with suppress(ConnectionClosed):
            for _ in range(_TIMES):
                page.send(message)
            page.ask("handshake", JOINING | {"client_id": page.page_id})  # all of them have been looked at
    written = log.read_text()[before:]
    assert "Traceback" not in written
    assert "Task exception" not in written
    assert len(written.splitlines()) < 3


def test_a_browser_writes_nothing_into_the_log(url: str, log: Path) -> None:
    with ExitStack() as opened:
        page = PageSocket(opened, url, "")
        before = log.read_text()  # with what was still to be said of pages before it
        for level in ("debug", "error", "none"):
            page.send(f'42["log",{{"client_id":"{page.page_id}","level":"{level}","message":"forged"}}]')
        page.choose(page, "Story")
    assert log.read_text() == before


def test_events_that_fail_in_the_page_do_not_fill_the_log(url: str, log: Path) -> None:
    before = len(log.read_text())
    with ExitStack() as opened:
        page = PageSocket(opened, url, "")
        for _ in range(100):
            page.choose(page, {"no": "tab"})
    assert len(log.read_text()[before:].splitlines()) < 3000


def test_what_came_before_a_socket_was_closed_is_no_trace(url: str, log: Path) -> None:
    """It is read only once the socket is gone."""
    before = len(log.read_text())
    with ExitStack() as opened:
        page = PageSocket(opened, url, "")
        with suppress(ConnectionClosed):
            for _ in range(_TIMES):
                page.send('42["event",{}]')
    with ExitStack() as opened:  # by now the server has looked at what the other said
        PageSocket(opened, url, "")
    assert "Traceback" not in log.read_text()[before:]


def test_what_fails_for_what_a_browser_says_is_logged_without_its_words(url: str, log: Path) -> None:
    before = len(log.read_text())
    with ExitStack() as opened:
        page = PageSocket(opened, url, "")
        page.tell("clicked", "fletcher/story", "forged words")
        page.choose(page, "Story")
    written = log.read_text()[before:]
    assert "a page failed: ValueError" in written
    assert "forged" not in written
