"""Whatever is sent, the connection lives or is closed as documented, nothing unexpected is logged, others go on."""

import base64
import json
import logging
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from websockets.exceptions import ConnectionClosed

from server.dialects import DIALECTS
from tests.agent.scripted_model import PATIENCE_S, Use
from tests.agent.story import story_text
from tests.server.client import Client, Frame, texts, types
from tests.server.house import House

EXAMPLES, FRAMES = 400, 25  # 10,000 frames together
NOT_UTF_8, PROTOCOL_ERROR = 1007, 1002
ENDS = ("end", "turn_end")

TYPES = ["file_sync", "design_doc_sync", "user_message", "function_result", "stop", "hello", "confirmation", "end"]
FIELDS = [
    "data", "project_id", "current_project_id", "arrow_content", "file_content", "file_name", "message", "history",
    "selected_node_ids", "current_scene_id", "request_id", "success", "result", "error", "function", "function_params",
    "confirm", "pending_id", "mode", "timestamp", "output", "type", "dialect", "capabilities", "max_frame_bytes",
    "decision", "client", "token", "affected_nodes", "referenced_by",
]  # fmt: skip
LIKELY = [
    1, "1", -1, 1.0, None, "", "apply", "plan", "yes", "never", "create_variable", "bible.txt", story_text(),
    base64.b64encode(b"Elena keeps the lighthouse.").decode(), {"name": "gold", "type": "num"}, ["batch", "progress"],
    *DIALECTS,
]  # fmt: skip


@dataclass(frozen=True)
class NotUtf8:
    """A text frame whose bytes are no text."""

    data: bytes


numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(2**63), 2**64, 1e308])
any_text = st.text(st.characters(), max_size=20)  # halves of characters too
scalars = st.none() | st.booleans() | numbers | any_text | st.sampled_from(LIKELY)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(FIELDS) | any_text, inner, max_size=4),
    max_leaves=12,
)
messages = st.builds(
    lambda type_, fields: {**fields, "type": type_},
    st.sampled_from(TYPES) | values,
    st.dictionaries(st.sampled_from(FIELDS), values, max_size=8),
)
nested = st.builds(
    lambda opening, closing, depth, head: head + opening * depth + closing * depth + "}",
    *(st.just("["), st.just("]"), st.integers(1, 5000), st.sampled_from(['{"type": ', '{"type": "stop", "data": '])),
)
digits = st.builds(
    lambda count, name: f'{{"type": "user_message", "{name}": {"9" * count}}}',
    *(st.integers(1, 6000), st.sampled_from(FIELDS)),
)
whole = messages.map(json.dumps)
cut_off = st.builds(lambda text, at: text[: at % len(text)], whole, st.integers(0, 10_000))
frames = st.one_of(whole, whole, values.map(json.dumps), any_text, cut_off, nested, digits, st.binary(max_size=40))
not_utf8 = st.builds(lambda before, after: NotUtf8(before + b"\xff" + after), *[st.binary(max_size=20)] * 2)
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


@settings(calm, max_examples=100)
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
