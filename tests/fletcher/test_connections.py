"""What one connection asks is taken apart some at a time, and nobody waits for many others."""

from collections.abc import Callable

import pytest

from tests.fletcher.line import (
    AT_ONCE,
    MIB,
    MUCH,
    OPENING,
    TEXT,
    App,
    Line,
    frame,
    open_socket,
    taken_in_turns,
    turns,
    turns_until,
)

POST = b"POST / HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
KNOWN = b"POST /at-once HTTP/1.1\r\nX-Client: one\r\nContent-Length: %d\r\n\r\n"
SMALL_CHUNKS = b"1\r\nx\r\n" * 5000
UPGRADE = OPENING.removesuffix(b"\r\n")


@pytest.mark.parametrize(
    "head",
    [
        UPGRADE + b"Content-Length: 5\r\n\r\n",
        UPGRADE + b"Content-Length: 5\r\n\r\nhello",
        UPGRADE + b"Transfer-Encoding: chunked\r\n\r\n",
        UPGRADE + b"X-A: " + b"x" * 20_000 + b"\r\n\r\n",
        UPGRADE + b"X-A: x\r\n" * 150 + b"\r\n",
        OPENING.replace(b"/", b"/" + b"x" * 20_000, 1),
        OPENING.replace(b"GET", b"POST", 1),
    ],
    ids=["length", "body", "chunks", "field", "fields", "address", "method"],
)
async def test_what_opens_no_socket_is_refused_at_once(
    connect: Callable[[], Line], head: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    line = connect()
    line.comes(head)
    await turns_until(lambda: line.sent)
    line.protocol.shutdown()  # a server that ends at this moment does so in order
    await turns_until(lambda: line.is_closed)
    assert line.sent.startswith(b"HTTP/1.1 4")
    assert line.sent.count(b"HTTP/1.1") == 1
    assert not [record for record in caplog.records if record.exc_info]


async def test_a_server_that_ends_while_a_socket_waits_for_its_turn_does_so_in_order(
    connect: Callable[..., Line], caplog: pytest.LogCaptureFixture
) -> None:
    line = connect()
    line.comes(OPENING)
    line.protocol.shutdown()
    await turns(5)
    assert line.is_closed
    assert not caplog.records


FIELD = 8 * 2**10  # bytes


def asks(path: bytes = b"/at-once", fields: bytes = b"") -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\nHost: localhost\r\n" + fields + b"\r\n"


@pytest.mark.parametrize(
    ("head", "too_much", "said"),
    [
        (asks(b"/" * 300), asks(b"/" * 301), b"300 parts"),
        (asks(b"/" + b"%2f" * 299), asks(b"/" + b"%2f" * 300), b"300 parts"),
        (asks(b"/".ljust(FIELD, b"x")), asks(b"/".ljust(FIELD + 1, b"x")), b"a path, of more than 8 KiB"),
        (asks(b"/?" + b"x" * 60_000), asks(b"/?" + b"x" * 70_000), b"64 KiB"),
        (asks(b"/?" + b"&" * 199), asks(b"/?" + b"&" * 200), b"200 parameters"),
        (
            asks(fields=b"X: " + b"x" * (FIELD - 1) + b"\r\n"),
            asks(fields=b"X: " + b"x" * FIELD + b"\r\n"),
            b"a header field",
        ),
        (
            asks(fields=b"Cookie: a=" + b"x" * (FIELD - 8) + b"\r\n"),
            asks(fields=b"Cookie: a=" + b"x" * (FIELD - 7) + b"\r\n"),
            b"8 KiB of cookies. Browsers send those of everything on a machine, whatever its port: delete",
        ),
        (
            UPGRADE + (b"X: " + b"x" * 8000 + b"\r\n") * 2 + b"\r\n",
            UPGRADE + (b"X: " + b"x" * 8100 + b"\r\n") * 2 + b"Y: " + b"y" * 150 + b"\r\n\r\n",
            b"16 KiB",
        ),
        (
            UPGRADE + b"Connection: " + b"a," * 90 + b"\r\n\r\n",
            UPGRADE + (b"Connection: " + b"a," * 90 + b"\r\n") * 2 + b"\r\n",
            b"256 bytes in the fields that ask for a socket",
        ),
    ],
    ids=["parts", "quoted parts", "path", "query", "parameters", "field", "cookies", "socket", "options"],
)
async def test_of_a_head_nothing_is_too_long(
    connect: Callable[..., Line], head: bytes, too_much: bytes, said: bytes
) -> None:
    line, other = connect(), connect()
    line.comes(head)
    other.comes(too_much)
    await turns_until(lambda: line.sent and other.sent)
    assert line.sent.startswith((b"HTTP/1.1 401 ", b"HTTP/1.1 101 "))
    assert other.sent.startswith(b"HTTP/1.1 431 ")
    assert said in other.sent


@pytest.mark.parametrize(
    "head",
    [asks(b"/at-once?" + b"x" * 5000), asks(fields=b"Cookie: " + b"a=b;" * 1000 + b"\r\n"), OPENING],
    ids=["query", "cookie", "socket"],
)
async def test_of_long_heads_and_of_sockets_that_end_at_once_the_app_has_one_a_turn(
    connect: Callable[..., Line], head: bytes
) -> None:
    lines = [connect() for _ in range(50)]
    for line in lines:
        line.comes(head[:-2])
    await turns_until(lambda: all(line.is_read for line in lines))
    for line in lines:
        line.comes(head[-2:])
    answered = await taken_in_turns(lambda: sum(bool(line.sent) for line in lines), 50)
    assert max(answered) == 1


async def test_behind_long_heads_nobody_waits_with_a_short_one(connect: Callable[..., Line]) -> None:
    lines = [connect() for _ in range(50)]
    for line in lines:
        line.comes(asks(b"/at-once?" + b"x" * 5000))
    other = connect()
    other.comes(asks())
    await turns_until(lambda: other.sent)
    assert not any(line.sent for line in lines)


@pytest.mark.parametrize("address", ["192.0.2.1", "2001:db8::{}"])
async def test_with_a_long_one_it_waits_for_one_of_each_address_or_network(
    connect: Callable[..., Line], address: str
) -> None:
    lines = [connect(address.format(number)) for number in range(50)]
    for line in lines:
        line.comes(asks(b"/at-once?" + b"x" * 5000))
    other = connect("192.0.2.2")
    other.comes(asks(b"/at-once?" + b"x" * 5000))
    await turns_until(lambda: other.sent)
    assert sum(bool(line.sent) for line in lines) < 5


async def test_a_connection_is_no_socket_before_all_is_answered(app: App, connect: Callable[[], Line]) -> None:
    app.may_answer.clear()
    line = connect()
    line.comes((POST + b"Content-Length: 0\r\n\r\n") * 3 + OPENING)
    await turns_until(lambda: line.is_closed)
    assert b"once you have read the answers" in line.sent
    assert b"101 Switching" not in line.sent


async def test_of_what_comes_after_its_answer_1000_small_chunks_are_passed_over(connect: Callable[[], Line]) -> None:
    line = connect()
    line.comes(CHUNKED)
    await turns_until(lambda: line.sent)
    line.comes(b"1\r\nx\r\n" * (MUCH // 6))
    assert not line.is_closed, "some of them are taken, and the others wait"
    assert not line.is_read
    await turns_until(lambda: line.is_closed)
    assert line.sent.count(b"HTTP/1.1") == 1


async def test_the_rest_of_a_request_that_is_answered_already_may_come_in_chunks_of_a_size(
    connect: Callable[[], Line],
) -> None:
    line = connect()
    line.comes(CHUNKED)
    await turns_until(lambda: line.sent)
    for _ in range(10):
        line.comes(b"400\r\n" + b"x" * 1024 + b"\r\n" + (b"1f4\r\n" + b"x" * 500 + b"\r\n") * 200)
        await turns_until(lambda: line.is_read)
    line.comes(b"0\r\n\r\n" + POST + b"Content-Length: 0\r\n\r\n")
    await turns_until(lambda: line.sent.count(b"HTTP/1.1 401") == 2)


@pytest.mark.parametrize("size", [1, 7, 4096, 100_000])
async def test_a_body_is_read_whole_whatever_its_chunks_are(app: App, connect: Callable[[], Line], size: int) -> None:
    app.reads_bodies = True
    line = connect()
    chunks = min(5000, 1_000_000 // size)
    body = CHUNKED + (b"%x\r\n%s\r\n" % (size, b"x" * size)) * chunks + b"0\r\n\r\n"
    for start in range(0, len(body), MUCH):
        await turns_until(lambda: line.is_read)
        line.comes(body[start : start + MUCH])
    await turns_until(lambda: line.sent)
    assert app.bodies == [size * chunks]
    line.comes(POST + b"Content-Length: 3\r\n\r\nabc")
    await turns_until(lambda: app.bodies[1:])


async def test_in_a_turn_some_chunks_of_a_body_are_taken(app: App, connect: Callable[[], Line]) -> None:
    app.may_answer.clear()
    line = connect()
    line.comes(CHUNKED + b"1\r\nx\r\n" * 5000)
    taken = await taken_in_turns(lambda: len(line.protocol.cycle.body), 5000)
    assert max(taken) <= 50 + AT_ONCE // 6


async def many_send(connect: Callable[[], Line], whose: bytes = b"") -> list[Line]:
    """Connections of which much waits to be taken apart; the app lets none of them in yet."""
    lines = [connect() for _ in range(50)]
    for line in lines:
        line.comes(CHUNKED[:-2] + whose + b"\r\n")
    await turns(5)
    for line in lines:
        line.comes(SMALL_CHUNKS)
    return lines


def sent_by(lines: list[Line]) -> int:
    """How many chunks of theirs are taken by now."""
    return sum(len(line.protocol.cycle.body) for line in lines)


@pytest.mark.parametrize("whose", [b"", b"X-Client: another\r\n"], ids=["strangers", "another client"])
async def test_a_client_waits_for_one_connection_of_others_at_a_time_however_many_they_are(
    app: App, connect: Callable[[], Line], whose: bytes
) -> None:
    app.may_answer.clear()
    app.reads_bodies = True
    theirs = await many_send(connect, whose)
    known = connect()
    known.comes(KNOWN % (10 * MUCH))
    for _ in range(10):
        await turns_until(lambda: known.is_read)
        known.comes(b"x" * MUCH)
    await turns_until(lambda: known.sent)
    assert app.bodies == [10 * MUCH]
    assert sent_by(theirs) < 50 * 5000 / 4, "most of what the many have sent still waits"


async def test_so_does_the_message_of_a_socket(app: App, connect: Callable[[], Line]) -> None:
    socket = await open_socket(connect)
    app.may_answer.clear()
    strangers = await many_send(connect)
    socket.comes(frame(TEXT, b"x" * 3 * MIB))
    await turns_until(lambda: app.messages)
    assert sent_by(strangers) < 50 * 5000 / 4


async def test_who_is_known_only_now_waits_no_longer_with_strangers(app: App, connect: Callable[[], Line]) -> None:
    app.may_answer.clear()
    app.reads_bodies = True
    strangers = await many_send(connect)
    before = sent_by(strangers)
    known = connect()
    known.comes(KNOWN % (2 * MUCH) + b"x" * 2 * MUCH)
    await turns_until(lambda: known.sent)
    had_a_turn = (sent_by(strangers) - before) / (AT_ONCE // 6)
    assert had_a_turn < 25, "half of the strangers have not had one"


async def test_of_many_heads_that_come_together_the_first_of_each_connection_is_taken_and_then_others_have_their_turn(
    app: App, connect: Callable[[], Line]
) -> None:
    app.may_answer.clear()
    strangers = [connect() for _ in range(50)]
    for line in strangers:
        line.comes(b"GET / HTTP/1.1\r\n\r\n" * 20)
        assert line.protocol.cycle is not None
        assert not line.protocol.pipeline
        assert not line.is_read
    line = connect()
    line.comes(b"GET /at-once HTTP/1.1\r\n\r\n")
    await turns(5)
    assert b"401" in line.sent
    assert sum(len(one.protocol.pipeline) > 0 for one in strangers) <= 5
    await turns_until(lambda: all(len(one.protocol.pipeline) == 19 for one in strangers))


async def test_what_is_left_of_a_body_that_is_answered_is_no_head(app: App, connect: Callable[[], Line]) -> None:
    line = connect()
    line.comes(POST + b"Content-Length: 60000\r\n\r\n")
    await turns_until(lambda: line.sent)
    for _ in range(3):
        line.comes(b"a line\r\n\r\n" * 2_000)
        await turns_until(lambda: line.is_read)
    assert not line.is_closed


async def test_a_connection_is_no_socket_before_its_answers_are_read(
    app: App, connect: Callable[[], Line], monkeypatch: pytest.MonkeyPatch
) -> None:
    line = connect()
    line.comes(POST + b"Content-Length: 0\r\n\r\n")
    await turns_until(lambda: line.sent)
    monkeypatch.setattr(line, "get_write_buffer_size", lambda: 1)
    line.comes(OPENING)
    await turns_until(lambda: line.is_closed)
    assert b"101 Switching" not in line.sent
