"""Stores that stand still: what needs none goes on, and what needs one is refused at once."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx
import psutil

from tests.agent.story import story_text
from tests.attack.findings import AWAY, Findings, Progress
from tests.attack.server import Server

_NOTICED_WITHIN_S, _ANSWERS_WITHIN_S, _BACK_WITHIN_S = 60.0, 30.0, 60.0
_STANDS_STILL_S = 10.0
_POLL_S = 0.1
_BETWEEN_S = 0.2  # a workspace may begin 600 turns a minute, and where the answers are quick it would begin more
_AT_ONCE = 9
_HEALTH = "/healthz"
_PROJECT = "/projects/still"
_EDIT = {"function": "create_variable", "function_params": {"name": "gold", "type": "num"}}

Request = Callable[[httpx.Client], httpx.Response]
_REQUESTS: dict[str, Request] = {
    "health": lambda http: http.get(_HEALTH),
    "search": lambda http: http.get(f"{_PROJECT}/search?q=lighthouse"),
    "list": lambda http: http.get(f"{_PROJECT}/documents"),
    "edit": lambda http: http.post(f"{_PROJECT}/turns", json={"arrow_content": story_text()} | _EDIT),
    "upload": lambda http: http.post(f"{_PROJECT}/corpus", json={"documents": [_document(time.monotonic_ns())]}),
}


def stores(server: Server, count: int, seed: int, findings: Findings) -> None:
    """Stops each store and lets it go on; where that is done more than once, it stands still for a while."""
    del seed
    progress = Progress(findings, count * len(server.stores))
    with server.http(timeout_s=_ANSWERS_WITHIN_S) as http, ThreadPoolExecutor(_AT_ONCE) as threads:
        http.post(f"{_PROJECT}/corpus?wait=true", json={"documents": [_document(0)]}).raise_for_status()
        for _ in range(count):
            for name, processes in server.stores.items():
                away = _Away(name, http, threads, findings)
                _suspend(processes)
                try:
                    away.notice()
                    away.ask_for(_STANDS_STILL_S if count > 1 else 0)
                finally:
                    _resume(processes)
                _ask_until_back(http, name, findings)
                progress.step()


def _document(number: int) -> dict[str, str]:
    return {"name": f"lamp{number % 20}.md", "text": f"# Elena\n\nElena keeps the lighthouse, {number}.\n"}


class _Away:
    """One store that stands still, and several requests at a time, again and again."""

    def __init__(self, store: str, http: httpx.Client, threads: ThreadPoolExecutor, findings: Findings) -> None:
        self._store = store
        self._http = http
        self._threads = threads
        self._findings = findings
        self._is_known = False

    def notice(self) -> None:
        """Asks until the server says that it is away."""
        began = time.monotonic()
        self._ask_all()
        while self._said() != "away":
            if time.monotonic() > began + _NOTICED_WITHIN_S:
                self._findings.problem(f"{self._store} away: health does not say so", self._http.get(_HEALTH).text)
                return
            self._ask_all()
        self._is_known = True
        self._findings.answer(f"{self._store} away: noticed after about {time.monotonic() - began:.0f} s")

    def ask_for(self, seconds: float) -> None:
        """Asks once or, for so long, again and again; from now on nobody waits."""
        until = time.monotonic() + seconds
        self._ask_all()
        while time.monotonic() < until:
            self._ask_all()

    def _ask_all(self) -> None:
        list(self._threads.map(self._ask, [*_REQUESTS, "health", "search", "list", "search"]))
        time.sleep(_BETWEEN_S)

    def _said(self) -> str:
        return self._http.get(_HEALTH).json().get("stores", {}).get(self._store, "nothing")

    def _ask(self, what: str) -> None:
        about, began = f"{self._store} away: {what}", time.monotonic()
        try:
            answer = _REQUESTS[what](self._http)
        except httpx.TimeoutException:
            self._findings.problem(f"{about} is not answered", f"after {_ANSWERS_WITHIN_S:g} s")
            return
        if self._is_known and what != "health":  # which asks the store, for a second
            self._findings.took(about, time.monotonic() - began)
        said: Any = answer.json()
        if what == "health" or answer.is_success:
            self._findings.answer(f"{about} {answer.status_code}")
            if problem := _wrong(what, said):
                self._findings.problem(f"{about}: {problem}", answer.text)
        elif self._store == "catalog" and (code := said["error"]["code"]) in AWAY:
            self._findings.answer(f"{about} {answer.status_code} {code}")
        else:
            self._findings.problem(f"{about}: {answer.status_code}", answer.text)


def _wrong(what: str, said: Any) -> str:
    """What is wrong with an answer that is none of an error; empty if nothing is."""
    match what:
        case "search" if not said["passages"]:
            return "nothing is found"
        case "edit" if not said["changed"]:
            return "nothing is edited"
        case "upload":
            (entry,) = said["documents"]
            code = (entry["error"] or {}).get("code")
            return f"{entry['status']} {code}" if code not in (None, *AWAY) else ""
        case _:
            return ""


def _ask_until_back(http: httpx.Client, store: str, findings: Findings) -> None:
    """Once the store goes on, everything does."""
    began = time.monotonic()
    while not all(request(http).is_success for request in _REQUESTS.values()):
        if time.monotonic() > began + _BACK_WITHIN_S:
            findings.problem(f"{store} does not come back", http.get(_HEALTH).text)
            return
        time.sleep(_POLL_S)
    findings.answer(f"{store} is back after about {time.monotonic() - began:.0f} s")


def _whole(processes: Sequence[psutil.Process]) -> list[psutil.Process]:
    """A store's processes with those that they have started, of which the first is stopped first."""
    return [one for process in processes for one in [process, *process.children(recursive=True)]]


def _suspend(processes: Sequence[psutil.Process]) -> None:
    for process in _whole(processes):
        with suppress(psutil.NoSuchProcess):
            process.suspend()


def _resume(processes: Sequence[psutil.Process]) -> None:
    for process in reversed(_whole(processes)):
        with suppress(psutil.NoSuchProcess):
            process.resume()
