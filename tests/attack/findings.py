"""What an attack has found, as it goes."""

import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

# What an answer of 500 and more may say, by the documents: the server ends, or a store is away.
AWAY = frozenset({"CATALOG_ERROR", "VECTOR_STORE_UNAVAILABLE"})
DOCUMENTED = frozenset({"SERVER_CLOSING"})
_SHOWN = 5


@dataclass
class Findings:
    """Counts and problems of one phase; safe to use from several threads.

    Attributes:
        name: The phase.
        done: How much of it has been done.
        answers: How often each kind of answer came.
        problems: What must not have happened, and how often, by kind; some of each are told in full.
        slowest: Seconds and of what, the longest first.
        began: When the attack itself began, in seconds of `time.time()`.
    """

    name: str
    done: int = 0
    answers: Counter[str] = field(default_factory=Counter[str])
    problems: Counter[str] = field(default_factory=Counter[str])
    examples: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    slowest: list[tuple[float, str]] = field(default_factory=list[tuple[float, str]])
    began: float = field(default_factory=time.time)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def begin(self) -> None:
        """Everything is prepared: from now on the server is attacked."""
        self.began = time.time()

    def answer(self, kind: str) -> None:
        """Notes an answer that is as it should be."""
        with self._lock:
            self.answers[kind] += 1

    def problem(self, kind: str, example: str) -> None:
        """Notes what breaks a promise."""
        with self._lock:
            self.problems[kind] += 1
            if self.problems[kind] <= _SHOWN:
                self.examples.setdefault(kind, []).append(example[:300])

    def took(self, what: str, seconds: float) -> None:
        """Notes how long something took; the longest are told."""
        with self._lock:
            self.slowest = sorted([*self.slowest, (seconds, what)], reverse=True)[:_SHOWN]

    def http(self, status: int | None, code: str, request: str) -> None:
        """Notes an answer over HTTP; None: the connection was closed without one."""
        if status is not None and status >= 500 and code not in DOCUMENTED:
            self.problem(f"{status} {code}", request)
        else:
            self.answer("closed" if status is None else f"{status} {code}".strip())


class Progress:
    """Tells on standard error how far a phase is, about twenty times."""

    def __init__(self, findings: Findings, total: int) -> None:
        self._findings = findings
        self._total = total
        self._every = max(1, total // 20)

    def step(self) -> None:
        """One more is done."""
        self._findings.done += 1
        if self._findings.done % self._every == 0 or self._findings.done == self._total:
            problems = sum(self._findings.problems.values())
            said = f", {problems} problems" if problems else ""
            sys.stderr.write(f"  {self._findings.name}: {self._findings.done} of {self._total}{said}\n")
            sys.stderr.flush()
