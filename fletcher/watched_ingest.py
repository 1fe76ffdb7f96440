"""`fletcher ingest --watch`: stays, and goes on with whatever changes."""

import logging
import threading
from collections.abc import Sequence
from contextlib import closing, nullcontext
from pathlib import Path

from corpora import ProjectKey
from fletcher import console, documents
from fletcher.api import Answer, Api
from fletcher.errors import CommandError
from fletcher.log import log_as_server
from fletcher.settings import Settings
from ingest import MAY_PASS, Change, Progress, Watch

_AGAIN_S = 5.0
_NOT_NOW = 503


def ingest_and_watch(settings: Settings, key: ProjectKey, paths: Sequence[Path], *, sync: bool, as_json: bool) -> None:
    """Ingests files and folders, then every change in them, until Ctrl-C.

    Only what was deleted meanwhile is removed; `sync` also removes, once, what is not there at first.
    """
    if not console.err.is_terminal:  # which has bars; it is a server to others, whether or not this is read
        log_as_server(logging.WARNING)
    stop = threading.Event()
    with closing(Watch(paths, stop)) as watch:
        watched = _WatchedIngest(paths, watch, stop, sync=sync, as_json=as_json)
        try:
            with Api(settings, key, embeds=True) as api:
                watched.go_on(api)
        except KeyboardInterrupt:
            console.err.print("Stopped.")


class _WatchedIngest:
    def __init__(
        self, paths: Sequence[Path], watch: Watch, stop: threading.Event, *, sync: bool, as_json: bool
    ) -> None:
        self._paths = paths
        self._watch = watch
        self._stop = stop
        self._sync = sync
        self._as_json = as_json
        self._is_first = True
        self._problems: tuple[str, ...] = ()

    def go_on(self, api: Api) -> None:
        while (change := self._watch.wait()) is not None:
            self._tell_problems(change)
            try:
                report = self._ingested(api, change)
            except CommandError as error:
                if getattr(error, "status", None) != _NOT_NOW:
                    raise
                console.err.print(f"{error} It is tried again.", markup=False)
                self._stop.wait(_AGAIN_S)
            else:
                told = report["documents"]
                self._watch.done(
                    change, {one["name"] for one in told if one["error"] and one["error"]["code"] in MAY_PASS}
                )
                self._tell(report)

    def _ingested(self, api: Api, change: Change) -> Answer:
        with console.ingest_progress() if self._is_first else nullcontext(_nobody) as progress:
            sync = self._sync and self._is_first and not change.problems
            folders = [found for path, found in zip(self._paths, change.scans, strict=False) if sync and path.is_dir()]
            return documents.ingest(
                api, change.sources, sync=sync, folders=folders, gone=change.gone, progress=progress
            )

    def _tell(self, report: Answer) -> None:
        if self._as_json:
            if report["documents"] or self._is_first:
                console.print_json_line(report)
        elif self._is_first:
            console.print_report(report)
        else:
            console.print_changes(report)
        if self._is_first:
            console.err.print("Watching for changes; Ctrl-C ends it.")
        self._is_first = False

    def _tell_problems(self, change: Change) -> None:
        problems = tuple(problem.message for problem in change.problems)
        if self._problems and not problems:
            console.err.print("All can be read again.")
        for problem in problems:
            if problem not in self._problems:
                console.err.print(problem, markup=False, style="yellow")
        self._problems = problems


def _nobody(_: Progress) -> None:
    """Whom progress is told of what takes a moment."""
