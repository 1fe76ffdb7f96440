"""Attacks on what the server leans on: its readers are killed, its memory is filled, its stores stand still."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress

import httpx
import psutil

from benchmarks._memory import memory_of
from tests.attack.documents import unique_words
from tests.attack.findings import AWAY, Findings, Progress
from tests.attack.server import Server

PATIENCE_S = 300.0
_STANDS_STILL_S, _ANSWERS_WITHIN_S = 10.0, 15.0
_BACK_AFTER_S = 30.0
_POLL_S = 0.02
_READ_WITHIN_S, _UNANSWERED, _GIVEN_UP_AFTER = 60.0, "an upload is not answered", 3
PROJECTS = ("1", "hostile", "linked", "killed", "words")
_READ = ("indexed", "searchable", "unchanged", "updated")
_PARAGRAPHS = 30_000
_WORDS = 8 * 2**20 // 9


def readers(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Kills the readers, every other time while they read; the next document must be read all the same."""
    progress = Progress(findings, count)
    with server.http(timeout_s=_READ_WITHIN_S) as http, ThreadPoolExecutor(2) as threads:
        _put(http, "first.md", "The first of them.", findings)
        for number in range(count):
            is_busy = number % 2 == 1
            busy = [
                threads.submit(_put, http, f"busy-{part}.html", _slow(seed + number), findings, may_fail=True)
                for part in range(2 * is_busy)
            ]
            killed = _kill_readers(server, is_busy)
            findings.answer(f"{'busy' if is_busy else 'idle'} readers killed" if killed else "none to kill")
            wait(busy)
            _put(http, f"{number}.md", f"After kill {number}.", findings)
            progress.step()
            if findings.problems[_UNANSWERED] >= _GIVEN_UP_AFTER:
                return


def _slow(number: int) -> str:
    """A page that takes a reader a second or more."""
    return "".join(f"<h2>Part {number} {at}</h2><p>Elena keeps lamp {at}.</p>" for at in range(_PARAGRAPHS))


def _kill_readers(server: Server, is_busy: bool) -> int:
    """How many there were; busy ones are waited for until one computes."""
    give_up_at = time.monotonic() + _READ_WITHIN_S
    found = server.readers()
    before = {reader.pid: _computed_s(reader) for reader in found}
    while is_busy and time.monotonic() < give_up_at:
        found = server.readers()
        if any(_computed_s(reader) > before.get(reader.pid, 0) + 0.2 for reader in found):
            break
        time.sleep(_POLL_S)
    for reader in found:
        if reader.is_running():
            reader.kill()
    return len(found)


def _computed_s(reader: psutil.Process) -> float:
    try:
        times = reader.cpu_times()
    except psutil.Error:
        return 0.0
    return times.user + times.system


def _put(http: httpx.Client, name: str, text: str, findings: Findings, *, may_fail: bool = False) -> None:
    try:
        answer = http.post("/projects/killed/corpus", json={"documents": [{"name": name, "text": text}]})
    except httpx.TimeoutException:
        findings.problem(_UNANSWERED, name)
        return
    if not answer.is_success:
        findings.problem(f"upload {answer.status_code}", f"{name}: {answer.text}")
        return
    (entry,) = answer.json()["documents"]
    if entry["status"] in _READ or may_fail:
        findings.answer(entry["status"])
    else:
        findings.problem("a document is not read", f"{name}: {entry['error']}")


# --- memory --------------------------------------------------------------------------------------------------------


def deletions(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Uploads texts of words that come once, asks, and deletes them again; what memory is left is told."""
    progress = Progress(findings, count)
    with server.http(timeout_s=PATIENCE_S) as http:
        for number in range(count):
            words = unique_words(min(_WORDS, 20_000 * count * count), seed + number)
            answer = http.post("/projects/words/corpus", files={"files": (f"{number}.txt", words)})
            findings.http(answer.status_code, "", f"words {number}: {answer.text[:200]}")
            findings.http(http.get("/projects/words/search", params={"q": "Elena"}).status_code, "", "search")
            delete_all(http)
            progress.step()
            findings.answers["MB at the end"] = memory_of(server.process) // 2**20


def delete_all(http: httpx.Client) -> None:
    """Deletes every document of the attacker's projects; a linked folder is unlinked first."""
    for project in PROJECTS:
        http.delete(f"/projects/{project}/folder")
        http.post(f"/projects/{project}/corpus", json={"documents": [], "replace": True})


# --- stores --------------------------------------------------------------------------------------------------------


def stores(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Stops each store for a while and lets it go on: what needs none goes on, and nobody waits for ever."""
    del seed
    progress = Progress(findings, count * len(server.stores))
    with server.http(timeout_s=PATIENCE_S) as http:
        _put(http, "lamp.md", "# Elena\n\nElena keeps the lighthouse.", findings)
        for _ in range(count):
            for name, processes in server.stores.items():
                _suspend(processes)
                try:
                    _ask_while_away(http, name, findings)
                finally:
                    _resume(processes)
                _ask_until_back(http, name, findings)
                progress.step()


def _whole(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """A store's processes with those that they have started, of which the first is stopped first."""
    return [one for process in processes for one in [process, *process.children(recursive=True)]]


def _suspend(processes: Sequence[psutil.Process]) -> None:
    for process in _whole(processes):
        process.suspend()


def _resume(processes: Sequence[psutil.Process]) -> None:
    for process in reversed(_whole(processes)):
        with suppress(psutil.NoSuchProcess):
            process.resume()


_HEALTH, _SEARCH, _LIST = "/healthz", "/projects/killed/search?q=lighthouse", "/projects/killed/documents"


def _ask_while_away(http: httpx.Client, store: str, findings: Findings) -> None:
    """Several at a time, again and again; whoever is refused is told which store is away, and so is who asks for it."""
    until = time.monotonic() + _STANDS_STILL_S
    with ThreadPoolExecutor(9) as threads:
        while time.monotonic() < until:
            list(threads.map(lambda path: _ask(http, path, store, findings), [_HEALTH, _SEARCH, _LIST] * 3))
        if _said_of(http, store) != "away":
            findings.problem(f"{store} away: health does not say so", http.get(_HEALTH).text)


def _ask(http: httpx.Client, path: str, store: str, findings: Findings) -> None:
    about = f"{store} away: {path.partition('?')[0].rpartition('/')[2]}"
    try:
        answer = http.get(path, timeout=_ANSWERS_WITHIN_S)
    except httpx.TimeoutException:
        findings.problem(f"{about} is not answered", f"after {_ANSWERS_WITHIN_S:g} s")
        return
    code = "" if answer.is_success or path == _HEALTH else answer.json()["error"]["code"]
    if answer.status_code >= 500 and code not in AWAY and path != _HEALTH:
        findings.problem(f"{about}: {answer.status_code} {code}", answer.text)
    elif code and store == "vectors":
        findings.problem(f"{about} needs no vectors: {code}", answer.text)
    else:
        findings.answer(f"{about} {answer.status_code} {code}".strip())


def _said_of(http: httpx.Client, store: str) -> str:
    return http.get(_HEALTH).json().get("stores", {}).get(store, "nothing")


def _ask_until_back(http: httpx.Client, store: str, findings: Findings) -> None:
    """Once the store goes on, everything does."""
    give_up_at = time.monotonic() + _BACK_AFTER_S
    while not all(http.get(path).is_success for path in (_SEARCH, _LIST, _HEALTH)):
        if time.monotonic() > give_up_at:
            findings.problem(f"{store} does not come back", http.get(_SEARCH).text)
            return
        time.sleep(_POLL_S)
