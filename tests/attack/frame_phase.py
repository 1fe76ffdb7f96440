"""Attacks on the socket: malformed frames."""

import asyncio
import json
import secrets
from collections.abc import Iterator
from itertools import chain

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from server.dialects import DIALECTS
from tests.attack.findings import Findings, Progress
from tests.attack.frames import Frame, NotUtf8, malformed
from tests.attack.server import ATTACKER, Server

PATIENCE_S = 60.0
_ASKED_EVERY = 20
_AT_ONCE = 4
_NOT_UTF8 = 1007


def frames(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Sends malformed frames, a few sockets at a time; every so often a socket must still answer."""
    progress = Progress(findings, count)
    source = malformed(count, seed)
    source = chain([next(source)], source)  # they are drawn with the first one, which takes long
    findings.begin()

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
            async with connect(
                _url(server, dialect), proxy=None, max_size=None, max_queue=None, open_timeout=PATIENCE_S
            ) as client:
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
