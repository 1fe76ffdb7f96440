"""Attacks on the socket: malformed frames, and more clients than one would like."""

import asyncio
import json
import secrets
import socket
import struct
import time
from collections.abc import Awaitable, Iterator
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from server.dialects import DIALECTS
from tests.agent.story import story_text
from tests.attack.findings import Findings, Progress
from tests.attack.frames import Frame, NotUtf8, malformed
from tests.attack.server import ATTACKER, Server

PATIENCE_S = 60.0
_ASKED_EVERY = 20
_AT_ONCE = 4
_NOT_UTF8 = 1007
_JUNK = 3000  # frames that a client sends which never reads; each is answered
_RECEIVE_BUFFER = 4096


def frames(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Sends malformed frames, a few sockets at a time; every so often a socket must still answer."""
    progress = Progress(findings, count)
    source = malformed(count, seed)

    async def attack() -> None:
        await asyncio.gather(
            *(_send(server, dialect, source, findings, progress) for dialect in list(DIALECTS)[:_AT_ONCE])
        )

    asyncio.run(attack())


async def _send(server: Server, dialect: str, source: Iterator[Frame], findings: Findings, progress: Progress) -> None:
    """One client after the other takes from the source, until it is empty."""
    is_over = False
    while not is_over:
        sent: list[Frame] = []
        try:
            async with connect(_url(server, dialect), proxy=None, max_size=None, max_queue=None) as client:
                for frame in source:
                    sent.append(frame)
                    progress.step()
                    await asyncio.wait_for(_send_one(client, frame), PATIENCE_S)
                    if len(sent) % _ASKED_EVERY == 0:
                        await asyncio.wait_for(_is_well(client, findings), PATIENCE_S)
                    await asyncio.sleep(0)  # the others' turn
                is_over = True
                await asyncio.wait_for(_is_well(client, findings), PATIENCE_S)
        except ConnectionClosed as closed:
            _note_closed(closed, sent, findings)
        except (TimeoutError, OSError, WebSocketException) as error:
            findings.problem(f"socket: {type(error).__name__}", f"after {_shown(sent)}: {error}")


async def _send_one(client: ClientConnection, frame: Frame) -> None:
    match frame:
        case NotUtf8(data):
            await client.send(data, text=True)
            while True:  # until it raises with what the server closes
                await client.recv()
        case str():
            await client.send(frame.encode("utf-8", "replace").decode())
        case bytes():
            await client.send(frame)


def _note_closed(closed: ConnectionClosed, sent: list[Frame], findings: Findings) -> None:
    code = closed.rcvd.code if closed.rcvd else None
    if code == _NOT_UTF8 and sent and isinstance(sent[-1], NotUtf8):
        findings.answer("closed with 1007")
    else:
        findings.problem(f"closed with {code}", f"after {_shown(sent)}: {closed}")


async def _is_well(client: ClientConnection, findings: Findings) -> None:
    """Ends what is under way and waits for the answer to a last message; no answer is `INTERNAL`."""
    mark = f"is that all {secrets.token_hex(4)}?"
    await client.send('{"type": "stop"}')
    await client.send(json.dumps({"type": mark}))
    while True:
        answer = str(await client.recv())
        if "INTERNAL" in answer:
            findings.problem("INTERNAL", answer)
        else:
            findings.answer("frame")
        if mark in answer:
            return


def _shown(sent: list[Frame]) -> str:
    return repr(sent[-1])[:150] if sent else "nothing"


def _url(server: Server, dialect: str = "fletcher") -> str:
    return f"{server.socket_url}?token={ATTACKER}&dialect={dialect}"


# --- clients -------------------------------------------------------------------------------------------------------


def clients(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Many at once: a third never reads, a third asks and leaves, a third brings no token or half a handshake."""
    del seed
    progress = Progress(findings, count)

    async def one(client: Awaitable[None]) -> None:
        try:
            await client
        finally:
            progress.step()

    async def attack() -> None:
        over = asyncio.Event()
        deaf = [asyncio.create_task(one(_never_reads(server, over, findings))) for _ in range(count // 3)]
        silent = [asyncio.create_task(one(_says_half(server, at, over))) for at in range(count // 3)]
        await asyncio.gather(*(one(_asks(server, who, findings)) for who in range(count - 2 * (count // 3))))
        over.set()
        await asyncio.gather(*deaf, *silent)

    asyncio.run(attack())
    _wait_until_gone(server, findings)


async def _asks(server: Server, who: int, findings: Findings) -> None:
    message = {"type": "user_message", "message": f"Who keeps lamp {who}?", "current_project_id": who}
    try:
        async with connect(_url(server), proxy=None, open_timeout=PATIENCE_S) as client:
            await client.send(json.dumps(message | {"arrow_content": story_text()}))
            async with asyncio.timeout(PATIENCE_S):
                while '"turn_end"' not in str(await client.recv()):
                    pass
            findings.answer("turn")
    except (TimeoutError, OSError, WebSocketException) as error:
        findings.problem("a turn among many", f"client {who}: {type(error).__name__}: {error}")


async def _never_reads(server: Server, over: asyncio.Event, findings: Findings) -> None:
    """Opens a socket, asks, sends much that is answered, and takes nothing of it."""
    raw = socket.socket()
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
    raw.setblocking(False)
    loop = asyncio.get_running_loop()
    try:
        await loop.sock_connect(raw, server.address)
        ask = {"type": "user_message", "message": "Who keeps the lamp?", "arrow_content": story_text()}
        said = [_handshake(server), _frame(json.dumps(ask | {"current_project_id": 1}))]
        sending = asyncio.create_task(loop.sock_sendall(raw, b"".join(said) + _frame('{"type": "smile"}') * _JUNK))
        await over.wait()
        findings.answer("deaf, cut off" if sending.done() and sending.exception() else "deaf, kept")
        sending.cancel()
    except OSError:
        findings.answer("deaf, cut off")
    finally:
        raw.close()


async def _says_half(server: Server, at: int, over: asyncio.Event) -> None:
    """Half a handshake, or a socket without a token and without a word."""
    said = _handshake(server, token="")
    try:
        _, writer = await asyncio.open_connection(*server.address)
        writer.write(said if at % 2 else said[: len(said) // 2])
        await over.wait()
        writer.close()
    except OSError:  # it does not take any more of them
        return


def _handshake(server: Server, token: str = f"?token={ATTACKER}&dialect=fletcher") -> bytes:
    host, port = server.address
    lines = [
        f"GET /ws/chat{token} HTTP/1.1",
        f"Host: {host}:{port}",
        *("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13"),
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def _frame(text: str) -> bytes:
    """A text frame of a client, masked with zeros."""
    data = text.encode()
    size = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data))
    return b"\x81" + size + bytes(4) + data


def _wait_until_gone(server: Server, findings: Findings) -> None:
    """The server must notice that all of them have left: no more sockets than before."""
    give_up_at = time.monotonic() + PATIENCE_S
    left = _metrics(server)
    while left["fletcher_turns_under_way"] and time.monotonic() < give_up_at:
        time.sleep(0.1)
        left = _metrics(server)
    if left["fletcher_turns_under_way"]:
        findings.problem("turns of clients that are gone", f"{left['fletcher_turns_under_way']:.0f} are under way")


def _metrics(server: Server) -> dict[str, float]:
    with server.http() as http:
        lines = http.get("/metrics").raise_for_status().text.splitlines()
    rows: list[Any] = [line.rsplit(" ", 1) for line in lines if line.startswith("fletcher_")]
    return {name: float(value) for name, value in rows}
