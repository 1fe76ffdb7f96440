"""Ingests of a folder that die: processes forked, one for each line of requests, from one that has everything imported.

With the real catalog, readers and Chroma, and a model that costs nothing.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, event

from corpora import ProjectKey
from ingest import Progress, scan
from retrieval import VectorStore
from tests.ingest.conftest import pipeline_in
from tests.ingest.kills import import_what_is_imported_late

_Result = TypeVar("_Result")

ENDED = "ended"
CHANGES = "changes"


class _Changes:
    """Counts what is done to the disk, and kills its process just before the so-manieth; 0 is none."""

    def __init__(self, dies_before: int) -> None:
        self.made = 0
        self._dies_before = dies_before

    def count(self, *_: object) -> None:
        self.made += 1
        if self.made == self._dies_before:
            os.kill(os.getpid(), signal.SIGKILL)

    def counting(self, method: Callable[..., _Result]) -> Callable[..., _Result]:
        """The method, counted before and after."""

        def before_and_after(*arguments: Any, **options: Any) -> _Result:
            self.count()
            result = method(*arguments, **options)
            self.count()
            return result

        return before_and_after

    def watch(self) -> None:
        """Counts them all from now on."""

        def statement(_connection: object, _cursor: object, sql: str, *_: object) -> None:
            if not sql.lstrip().startswith(("SELECT", "PRAGMA")):
                self.count()

        event.listen(Engine, "before_cursor_execute", statement)
        event.listen(Engine, "commit", self.count)
        for name in ("put", "delete"):
            setattr(VectorStore, name, self.counting(getattr(VectorStore, name)))
        for name in ("replace", "unlink"):
            setattr(Path, name, self.counting(getattr(Path, name)))


def _ingest(data: str, folder: str, replace: bool, dies_before: int, dies_at: str) -> None:
    def progress(step: Progress) -> None:
        if f"{step.phase} {step.done}" == dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    changes = _Changes(dies_before)
    with pipeline_in(Path(data)) as pipeline:
        changes.watch()
        pipeline.ingestor.index(ProjectKey("local", "1"), scan(folder), replace=replace, progress=progress)
        _say(CHANGES, changes.made)


def _say(word: str, number: int) -> None:
    sys.stdout.write(f"{word} {number}\n")
    sys.stdout.flush()


def main() -> None:
    import_what_is_imported_late()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                _ingest(**json.loads(line))
                os._exit(0)
            except BaseException:  # noqa: BLE001 - a forked process must not go on as its parent
                traceback.print_exc()
                os._exit(1)
        _, status = os.waitpid(child, 0)
        _say(ENDED, os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
