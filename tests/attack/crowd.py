"""More clients than one would like: those who never read, those who say half, and those who ask like everybody."""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from tests.agent.story import story_text
from tests.attack.findings import Findings, Progress
from tests.attack.server import ATTACKER, Server

CUT_OFF_WITHIN_S = 90.0
"""Whoever keeps the server waiting is cut off in about 25 s; on a busy machine somewhat later."""
_PATIENCE_S = 60.0
_EVERY_S, _MOMENTS = 5.0, 100
_RECEIVE_BUFFER = 4096
_SEGMENT = 536  # as in a network: within a machine they are so long that a server has room for thousands of answers
_JUNK, _FEW = 500, 5  # frames, or requests, at a time; each is answered


def clients(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Many at once: a third never reads, a third says half, and a third asks, and stays until those are cut off."""
    del seed
    progress, third = Progress(findings, count), count // 3
    ports: set[int] = set()

    async def one(client: Awaitable[None]) -> None:
        await client
        progress.step()

    async def attack() -> None:
        over = asyncio.Event()
        asking = [asyncio.create_task(one(_asks(server, who, over, findings))) for who in range(count - 2 * third)]
        deaf = [one(_never_reads(server, _deaf_words(server, at), ports, findings)) for at in range(third)]
        half = [one(_says_half(server, _half_words(server, at), ports, findings)) for at in range(third)]
        try:
            await asyncio.gather(*deaf, *half)
        finally:
            over.set()
            await asyncio.gather(*asking)

    asyncio.run(attack())
    _wait_until_gone(server, ports, findings)


# --- who asks ------------------------------------------------------------------------------------------------------


async def _asks(server: Server, who: int, over: asyncio.Event, findings: Findings) -> None:
    """A turn every few seconds, not all clients at the same moment, until the others are gone, and one more."""
    try:
        async with connect(_url(server), proxy=None, open_timeout=_PATIENCE_S) as client:
            pause_s = _EVERY_S * (who % _MOMENTS) / _MOMENTS
            while not await _is_over(over, pause_s):
                await _ask(client, who, findings)
                pause_s = _EVERY_S
            await _ask(client, who, findings)
    except (TimeoutError, OSError, WebSocketException) as error:
        findings.problem("a turn among many", f"client {who}: {type(error).__name__}: {error}")


async def _is_over(over: asyncio.Event, pause_s: float) -> bool:
    try:
        await asyncio.wait_for(over.wait(), pause_s)
    except TimeoutError:
        return False
    return True


async def _ask(client: ClientConnection, who: int, findings: Findings) -> None:
    began = time.monotonic()
    await client.send(_question(who))
    async with asyncio.timeout(_PATIENCE_S):
        while (frame := json.loads(await client.recv()))["type"] != "turn_end":
            if frame["type"] == "error":
                findings.answer(f"turn: {frame['code']}")
    findings.answer(f"turn: {frame['reason']}")
    findings.took(f"a turn of client {who}", time.monotonic() - began)


def _question(project: int) -> str:
    message = {"type": "user_message", "message": f"Who keeps lamp {project}?", "current_project_id": project}
    return json.dumps(message | {"arrow_content": story_text()})


def _url(server: Server) -> str:
    return f"{server.socket_url}?token={ATTACKER}&dialect=fletcher"


# --- who never reads -----------------------------------------------------------------------------------------------


def _deaf_words(server: Server, at: int) -> tuple[bytes, bytes]:
    """What a client says first, and then again and again."""
    if at % 4 == 3:
        return b"", _request(server, f"GET /projects/1/documents?token={ATTACKER}") * _JUNK
    if at % 4 == 1:
        return b"", _request(server, "GET /openapi.json") * _FEW
    opening = _handshake(server, f"?token={ATTACKER}&dialect=fletcher")
    return opening + _frame(_question(1)), _frame('{"type": "smile"}') * _JUNK


async def _never_reads(server: Server, words: tuple[bytes, bytes], ports: set[int], findings: Findings) -> None:
    """Says what is answered until it is cut off, and takes nothing of the answers."""
    first, again = words
    loop = asyncio.get_running_loop()
    with socket.socket() as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        with suppress(OSError):  # where it cannot be set, it only takes more answers
            raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, _SEGMENT)
        raw.setblocking(False)
        try:
            await loop.sock_connect(raw, server.address)
            ports.add(raw.getsockname()[1])
            async with asyncio.timeout(CUT_OFF_WITHIN_S):
                await loop.sock_sendall(raw, first)
                while True:
                    await loop.sock_sendall(raw, again)
        except TimeoutError:
            findings.problem("who never reads is kept", repr(again[:60]))
        except OSError:
            findings.answer("never reads: cut off")


# --- who says half -------------------------------------------------------------------------------------------------


def _half_words(server: Server, at: int) -> bytes:
    """Nothing, half a head, half a body, half a frame, or a socket that never says who it is."""
    unknown, known = _handshake(server, ""), _handshake(server, f"?token={ATTACKER}&dialect=fletcher")
    head = _request(server, "POST /projects/1/turns", f"Authorization: Bearer {ATTACKER}", "Content-Length: 9999")
    return [b"", unknown[: len(unknown) // 2], head + b'{"arrow_content": "', unknown, known][at % 5]


async def _says_half(server: Server, words: bytes, ports: set[int], findings: Findings) -> None:
    """Reads whatever it is told, until the connection is closed; one that is known and silent may stay."""
    try:
        reader, writer = await asyncio.open_connection(*server.address)
    except OSError as error:
        findings.problem("no connection", str(error))
        return
    ports.add(writer.get_extra_info("sockname")[1])
    writer.write(words)
    try:
        if ATTACKER.encode() in words and words.startswith(b"GET"):
            await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE_S)
            findings.answer("a silent socket with a token is open")
            return
        said = await asyncio.wait_for(reader.read(), CUT_OFF_WITHIN_S)
        findings.answer(f"says half: {said[9:12].decode('ascii', 'replace') or 'closed'}")
    except TimeoutError:
        findings.problem("who says half is kept", repr(words[:60]))
    except OSError:
        findings.answer("says half: cut off")
    except asyncio.IncompleteReadError as error:
        findings.problem("a silent socket with a token was closed", repr(error.partial[:60]))
    finally:
        writer.close()


def _request(server: Server, line: str, *fields: str) -> bytes:
    host, port = server.address
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: {host}:{port}", *fields, "", ""]).encode()


def _handshake(server: Server, query: str) -> bytes:
    fields = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
    return _request(server, f"GET /ws/chat{query}", *fields, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")


def _frame(text: str) -> bytes:
    """A text frame of a client, masked with zeros."""
    data = text.encode()
    size = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0xFE, len(data))
    return b"\x81" + size + bytes(4) + data


# --- afterwards ----------------------------------------------------------------------------------------------------


def _wait_until_gone(server: Server, ports: set[int], findings: Findings) -> None:
    """Nothing of them may be left: no connection, and no turn."""
    give_up_at = time.monotonic() + _PATIENCE_S
    while (left := _left(server, ports)) and time.monotonic() < give_up_at:
        time.sleep(0.1)
    if left:
        findings.problem("something is left of clients that are gone", left)


def _left(server: Server, ports: set[int]) -> str:
    open_ports = {connection.raddr.port for connection in server.process.net_connections("tcp") if connection.raddr}
    turns = _metrics(server)["fletcher_turns_under_way"]
    kept = len(ports & open_ports)
    return f"{kept} connections, {turns:.0f} turns" if kept or turns else ""


def _metrics(server: Server) -> dict[str, float]:
    with server.http() as http:
        lines = http.get("/metrics").raise_for_status().text.splitlines()
    rows: list[Any] = [line.rsplit(" ", 1) for line in lines if line.startswith("fletcher_")]
    return {name: float(value) for name, value in rows}
