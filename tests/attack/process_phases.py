"""Attacks on what the server leans on: its readers are killed, its memory is filled."""

from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress

import httpx
import psutil

from benchmarks._memory import memory_of
from tests.attack.documents import unique_words
from tests.attack.findings import Findings, Progress
from tests.attack.server import Server

PATIENCE_S = 300.0
_POLL_S = 0.02
_UNANSWERED, _GIVEN_UP_AFTER = "an upload is not answered", 3
_OF_A_KILLED_READER = ("OUT_OF_MEMORY", "READER_CRASHED")
_READ = ("indexed", "searchable", "unchanged", "updated")
_BUSY, _IS_BUSY_AFTER_S = 2, 0.2
_PARAGRAPHS = 30_000
_WORDS = 8 * 2**20 // 9


def readers(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Kills the readers, every other time while they read; the next document must be read all the same."""
    progress = Progress(findings, count)
    with server.http(timeout_s=PATIENCE_S) as http, ThreadPoolExecutor(_BUSY) as threads:
        _put(http, "first.md", "The first of them.", findings)
        for number in range(count):
            if number % 2 == 0:
                findings.answers["idle readers killed"] += _kill(server.readers())
            else:
                slow = _slow(seed + number)
                # Of one project documents are read one after the other.
                busy = [
                    threads.submit(_put, http, "busy.html", slow, findings, f"busy-{part}") for part in range(_BUSY)
                ]
                findings.answers["busy readers killed"] += _kill_while_busy(server, busy)
            _put(http, f"{number}.md", f"After kill {number}.", findings)
            progress.step()
            if findings.problems[_UNANSWERED] >= _GIVEN_UP_AFTER:
                return


def _slow(number: int) -> str:
    """A page that takes a reader a second or more."""
    return "".join(f"<h2>Part {number} {at}</h2><p>Elena keeps lamp {at}.</p>" for at in range(_PARAGRAPHS))


def _kill_while_busy(server: Server, uploads: Sequence[Future[None]]) -> int:
    """How many were killed, each once it computes, until no upload is under way."""
    before = {reader.pid: _computed_s(reader) for reader in server.readers()}
    killed = 0
    while wait(uploads, _POLL_S).not_done:
        computing = {reader: _computed_s(reader) - before.get(reader.pid, 0) for reader in server.readers()}
        killed += _kill([reader for reader, seconds in computing.items() if seconds > _IS_BUSY_AFTER_S])
    return killed


def _kill(found: Sequence[psutil.Process]) -> int:
    """How many there were."""
    for reader in found:
        with suppress(psutil.NoSuchProcess):
            reader.kill()
    return len(found)


def _computed_s(reader: psutil.Process) -> float:
    try:
        times = reader.cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system


def _put(http: httpx.Client, name: str, text: str, findings: Findings, busy: str = "") -> None:
    """Into the project of the documents whose readers nobody kills, or into that of a `busy` one, which may fail."""
    try:
        answer = http.post(f"/projects/{busy or 'killed'}/corpus", json={"documents": [{"name": name, "text": text}]})
    except httpx.TimeoutException:
        findings.problem(_UNANSWERED, name)
        return
    if not answer.is_success:
        findings.problem(f"upload {answer.status_code}", f"{name}: {answer.text}")
        return
    (entry,) = answer.json()["documents"]
    code = (entry["error"] or {}).get("code", "")
    if entry["status"] in _READ or (busy and code in _OF_A_KILLED_READER):
        findings.answer(f"{entry['status']} {code}".strip())
    else:
        findings.problem("a document is not read", f"{name}: {entry['error']}")


# --- memory --------------------------------------------------------------------------------------------------------


def deletions(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Uploads texts of words that come once, asks, and deletes them again; what memory is left is told."""
    progress = Progress(findings, count)
    with server.http(timeout_s=PATIENCE_S) as http:
        for number in range(count):
            words = unique_words(min(_WORDS, 5_000 * count * count), seed + number)
            answer = http.post("/projects/words/corpus", files={"files": (f"{number}.txt", words)})
            findings.http(answer.status_code, "", f"words {number}: {answer.text[:200]}")
            findings.http(http.get("/projects/words/search", params={"q": "Elena"}).status_code, "", "search")
            http.post("/projects/words/corpus", json={"documents": [], "replace": True}).raise_for_status()
            progress.step()
            findings.answers[f"MB after {number + 1}"] = memory_of(server.process) // 2**20


def delete_all(server: Server, http: httpx.Client) -> int:
    """Deletes every document of the attacker's projects, linked folders first; how many there still are."""
    for key in server.projects():
        http.delete(f"/projects/{key.project_id}/folder")
        http.post(f"/projects/{key.project_id}/corpus", json={"documents": [], "replace": True}).raise_for_status()
    return sum(server.projects().values())
