"""Whatever is sent, the connection lives or is closed as documented, nothing unexpected is logged, others go on."""

import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from tests.agent.scripted_model import PATIENCE_S, Use
from tests.attack.frames import NotUtf8, frames, not_utf8
from tests.server.client import Client, Frame, texts, types
from tests.server.house import House

EXAMPLES, FRAMES = 12, 20  # `make attack` sends 10,000
NOT_UTF_8, PROTOCOL_ERROR = 1007, 1002
ENDS = ("end", "turn_end")

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
# Not made smaller: what a server does with a frame depends on all that came before it.
calm = settings(deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=QUIET, database=None)
# Hypothesis sees that `random` is used while it draws: by the server, in its own thread.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")


class Sockets:
    """A client that connects again when the server has closed its connection."""

    def __init__(self, home: House, opened: ExitStack) -> None:
        self._home = home
        self._opened = opened
        self.client = self._connect()

    def send(self, frame: str | bytes) -> None:
        """Sends a frame that leaves the connection open."""
        if isinstance(frame, str):
            frame = frame.encode("utf-8", "replace").decode()  # a text frame is UTF-8, or no frame at all
        self.client.send_raw(frame)

    def send_broken(self, frame: NotUtf8) -> int | None:
        """Sends a frame that nobody can read; the code with which the server closes."""
        self.client.socket.send(frame.data, text=True)
        code = closed_with(self.client)
        self.client = self._connect()
        return code

    def _connect(self) -> Client:
        return self._opened.enter_context(self._home.client(max_queue=None))


@pytest.fixture
def sockets(home: House) -> Iterator[Sockets]:
    with ExitStack() as opened:
        yield Sockets(home, opened)


@settings(calm, max_examples=EXAMPLES)
@given(batch=st.lists(frames, min_size=FRAMES, max_size=FRAMES), broken=st.none() | not_utf8)
def test_the_connection_lives_and_others_go_on(
    home: House,
    sockets: Sockets,
    client: Client,
    caplog: pytest.LogCaptureFixture,
    batch: list[str | bytes],
    broken: NotUtf8 | None,
) -> None:
    home.model.otherwise = ["Hello."]
    for frame in batch:
        sockets.send(frame)
    sockets.client.send("stop")
    assert texts(client.turn("Hello?")) == ["Hello."], "another client's turn"
    answers = until_asked(sockets.client)
    assert [type_ for type_ in types(answers) if type_ in ENDS]
    assert "INTERNAL" not in json.dumps(answers)
    if broken is not None:
        assert sockets.send_broken(broken) == NOT_UTF_8
    assert_nothing_is_logged(caplog)


@settings(calm, max_examples=30)
@given(frame=frames)
def test_a_turn_that_waits_for_its_result_goes_on(
    home: House, client: Client, caplog: pytest.LogCaptureFixture, frame: str | bytes
) -> None:
    if '"stop"' in str(frame):
        return
    home.model.add([Use("update_node", {"node_id": 3, "name": "dock"})], ["Done."])
    client.sync()
    client.ask("Rename the pier.")
    call = client.call()
    client.send_raw(frame.encode("utf-8", "replace").decode() if isinstance(frame, str) else frame)
    client.answer(call)
    assert "Done." in texts(client.until("end"))
    until_asked(client)
    assert_nothing_is_logged(caplog)


@pytest.mark.parametrize(
    "sent",
    [
        b"\x83\x80\0\0\0\0",
        b"\xa1\x80\0\0\0\0",
        b"\x81\x00",
        b"\x80\x80\0\0\0\0",
        b"\x89\xfe\x00\x7e\0\0\0\0" + b"x" * 126,
    ],
    ids=["unknown opcode", "reserved bit", "not masked", "a continuation of nothing", "a ping that is too long"],
)
def test_what_is_no_frame_of_a_socket(
    home: House, client: Client, caplog: pytest.LogCaptureFixture, sent: bytes
) -> None:
    with home.client() as broken:
        broken.socket.socket.sendall(sent)
        assert closed_with(broken) == PROTOCOL_ERROR
    client.assert_quiet()
    assert_nothing_is_logged(caplog)


def closed_with(client: Client) -> int | None:
    """The code with which the server closes the connection; what it says before that is passed over."""
    try:
        while True:
            client.socket.recv(timeout=PATIENCE_S)
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else None


def until_asked(client: Client) -> list[Frame]:
    """What comes until the answer to a last message."""
    client.send("is that all?")
    answers = [client.frame()]
    while "is that all?" not in json.dumps(answers[-1]):
        answers.append(client.frame())
    return answers


def assert_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """No error and no traceback."""
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR or record.exc_info]
    caplog.clear()
