"""One lock per project, so that what is done to one project never waits for another."""

from __future__ import annotations

import threading

from corpora import ProjectKey


class ProjectLocks:
    """`locks[key]` is the project's lock, always the same one."""

    def __init__(self) -> None:
        self._locks: dict[ProjectKey, threading.Lock] = {}
        self._guard = threading.Lock()

    def __getitem__(self, key: ProjectKey) -> threading.Lock:
        with self._guard:
            return self._locks.setdefault(key, threading.Lock())
