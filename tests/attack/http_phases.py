"""Attacks over HTTP: bodies that are none, and documents that cost much."""

import json
import os
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import quote

import httpx

from tests.attack.bodies import Body, hostile
from tests.attack.crowd import CUT_OFF_WITHIN_S
from tests.attack.documents import Hostile, hostile_documents
from tests.attack.findings import Findings, Progress
from tests.attack.server import Server

PATIENCE_S = 120.0
_AT_ONCE = 4
_MOST_HELD = 40
_ANSWER_BYTES = 2**20
_FILE_NAMES = [
    b"\xff\xfe.md", b"caf\xe9.md", b"\xed\xa0\x80.md", "\u202egnp.md".encode(), b"\x1b[2J.md", b"a\nERROR: b.md",
]  # fmt: skip


def bodies(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Sends requests that are none; what is half sent is held open until the end."""
    progress = Progress(findings, count)
    with ExitStack() as held, ThreadPoolExecutor(_AT_ONCE) as threads:
        holding: list[socket.socket] = []

        def send(body: Body) -> None:
            if body.is_whole:
                _exchange(server, body, findings)
            elif len(holding) < _MOST_HELD:
                holding.append(held.enter_context(closing(_held(server, body))))
            progress.step()

        # In blocks, as a body may have 8 MiB.
        for block in _blocks(hostile(count, seed), _AT_ONCE):
            list(threads.map(send, block))
        list(threads.map(lambda connection: _await_end(connection, findings), holding))


def _blocks(bodies: Iterator[Body], size: int) -> Iterator[list[Body]]:
    block: list[Body] = []
    for body in bodies:
        block.append(body)
        if len(block) == size:
            yield block
            block = []
    yield block


def _exchange(server: Server, body: Body, findings: Findings) -> None:
    about = f"{body.kind}: {body.data[:200]!r}"
    try:
        with socket.create_connection(server.address, PATIENCE_S) as connection:
            # It may be refused before all of it was sent; then the answer is there.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(body.data)
            said = _answer(connection)
    except TimeoutError:
        findings.problem("no answer", about)
    except ConnectionResetError:
        findings.http(None, "", about)
    except OSError as error:
        findings.problem(f"no connection: {type(error).__name__}", about)
    else:
        findings.http(*_status(said), about)


def _answer(connection: socket.socket) -> bytes:
    said = b""
    while len(said) < _ANSWER_BYTES and (part := connection.recv(65536)):
        said += part
    return said


def _status(said: bytes) -> tuple[int | None, str]:
    head, _, body = said.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if len(words) < 2 or not words[1].isdigit():
        return None, ""
    try:
        return int(words[1]), str(json.loads(body)["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return int(words[1]), ""


def _held(server: Server, body: Body) -> socket.socket:
    connection = socket.create_connection(server.address, PATIENCE_S)
    connection.sendall(body.data)
    return connection


def _await_end(connection: socket.socket, findings: Findings) -> None:
    """What waits for the rest of a request must not wait for ever."""
    connection.settimeout(CUT_OFF_WITHIN_S)
    try:
        while connection.recv(65536):
            pass
    except TimeoutError:
        findings.problem("half sent, and kept", f"for {CUT_OFF_WITHIN_S:g} s")
    except OSError:
        findings.answer("half sent: cut off")
    else:
        findings.answer("half sent: closed")


# --- documents -----------------------------------------------------------------------------------------------------


def documents(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Uploads hostile documents and asks for their pictures; each must be reported, and nothing of it may leak."""
    progress = Progress(findings, count)
    with server.http(timeout_s=PATIENCE_S * 5) as http, ThreadPoolExecutor(2) as threads:

        def send(document: Hostile) -> None:
            _upload(http, document, findings)
            progress.step()

        list(threads.map(send, hostile_documents(count, seed)))
        _link_odd_names(server, findings)
        for leaked in ("root:x:0:0", "/bin/bash"):
            found = http.get("/projects/hostile/search", params={"q": leaked}).json().get("passages", [])
            if any(leaked in passage["text"] for passage in found):
                findings.problem("a file of the machine was read", leaked)


def _link_odd_names(server: Server, findings: Findings) -> None:
    """A linked folder in which names are not what names should be."""
    folder = server.data_dir.parent / "linked"
    folder.mkdir(exist_ok=True)
    (folder / "good.md").write_text("# Osk\n\nOsk keeps the well.\n", "utf-8")
    for name in _FILE_NAMES:
        with suppress(OSError):  # a system whose names are text refuses some
            Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text("# Nobody\n", "utf-8")
    with server.owner() as http:
        answer = http.put("/projects/linked/folder", json={"path": str(folder)}, timeout=PATIENCE_S)
    findings.http(answer.status_code, _code(answer), f"a folder with odd names: {answer.text[:200]}")
    listed = answer.json().get("documents", [])
    if not any(entry["name"] == "good.md" and entry["error"] is None for entry in listed):
        findings.problem("a linked folder is broken", answer.text[:200])


def _upload(http: httpx.Client, document: Hostile, findings: Findings) -> None:
    started = time.monotonic()
    form = {"files": (document.name, document.data)}
    try:
        answer = http.post("/projects/hostile/corpus", files=form)
        findings.http(answer.status_code, _code(answer), f"{document.name}: {answer.text[:100]}")
        if answer.is_success:
            (entry,) = answer.json()["documents"]
            findings.answer(f"document {entry['status']} {(entry['error'] or {}).get('code', '')}".strip())
        findings.took(document.name, time.monotonic() - started)
        for page in document.pages:
            _draw(http, document, page, findings)
    except httpx.TimeoutException:
        findings.problem("no answer", f"{document.name}: after {time.monotonic() - started:.0f} s")


def _draw(http: httpx.Client, document: Hostile, page: int, findings: Findings) -> None:
    started, about = time.monotonic(), f"page {page} of {document.name}"
    answer = http.get(f"/projects/hostile/documents/{quote(document.name)}/pages/{page}.png")
    said = f"picture {_code(answer) or answer.headers['content-type']}"
    findings.http(answer.status_code, said, f"{about}: {answer.text[:100]}")
    findings.took(about, time.monotonic() - started)


def _code(answer: httpx.Response) -> str:
    try:
        return answer.json()["error"]["code"]
    except (ValueError, KeyError, TypeError):
        return ""
