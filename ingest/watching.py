"""Files and folders that are watched: what has changed in them, once it is at rest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from time import monotonic

from ingest.announcements import Announcements
from ingest.folder import Look, Scan, Stamp
from ingest.report import Problem
from ingest.source import Refusal, Unread, known_as
from ingest.watched_path import WatchedPath

_QUIET_S = 0.6  # what has not changed for so long is taken for complete
_BURST_S = 5.0  # how long a change waits at most for others that come along with it
_LOOK_S = 0.1  # between two looks while something moves, and more in a large folder: it may move for hours
_MOVING_SHARE = 4
# Between two looks while nothing was announced: not every drive announces what other machines do to it, and an
# announcement can be lost. A look at a large folder takes longer, and then there are fewer.
_IDLE_S = 1.0
_IDLE_SHARE = 20
# What could not be taken in for a reason that may pass is looked at again after so long, then after twice as long.
_AGAIN_S, _AGAIN_AT_MOST_S = 60.0, 86_400.0
_SEEN_LATE = timedelta(minutes=2)  # what another machine has written to a network drive
_ALL = ("",)  # the beginning of every name
_ANOTHER = Stamp(0, -1, 0)  # that of no file
_Found = tuple[int, str]  # which of the watched paths, and the path below it


@dataclass(frozen=True)
class Change:
    """What has happened since the last change.

    `scans` are of the watched paths, in their order; each file is read when its turn comes. `problems` are those of
    the paths now: what lies behind them is not known, and nothing of it is `gone`. `gone` are the names of the
    documents that were there before; `written` says between which two looks one that stayed was written.
    """

    scans: tuple[Scan, ...] = ()
    gone: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    present: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    written: Mapping[str, tuple[datetime, datetime]] = field(default_factory=dict[str, "tuple[datetime, datetime]"])
    taken: Mapping[_Found, Stamp | None] = field(default_factory=dict[_Found, "Stamp | None"])

    @property
    def sources(self) -> Scan:
        """What is to be taken in."""
        return Scan.of(self.scans)

    @property
    def unread(self) -> tuple[Unread | Refusal, ...]:
        """The same, each to be read when there is room for it."""
        return tuple(each if isinstance(each, Refusal) else self._dated(each) for each in self.sources.unread)

    def _dated(self, each: Unread) -> Unread:
        """Where a drive's clock cannot be right, nobody knows when it was written: then it is the newest."""
        if each.written_at is None or each.name not in self.written:
            return each
        after, before = self.written[each.name]
        return each if after - _SEEN_LATE <= each.written_at <= before else replace(each, written_at=None)

    def lacks(self, name: str) -> bool:
        """Whether the watched paths surely have no document of this name."""
        return name not in self.present and not name.startswith(self.unknown)


class Watch:
    """Watches files and folders, until `stop` is set. Used by one thread.

    A file is left alone while it is written, and files that change together are one change. A folder that is not
    there any more, or all of a sudden another that lacks most of its documents, is a problem and not a change: a drive
    that was taken out.

    Args:
        paths: Files and folders; their documents have the names that `scan` gives them.
        stop: Ends a `wait`.
        documents: Names of those that are known of these folders, so that one that is empty from the first, or has
            none of them, is not believed either.
        was_doubted: There was a problem when it was looked at last: then one that lacks most of them is not either.
        real: The paths are real ones of folders, and a server follows them for others: if a link comes into the way,
            nothing behind it is read, and none has more than `MOST_ENTRIES`. None is looked at before `wait`.
        turn: Had while what has changed is looked into: a drive that hangs keeps nobody else's waiting for that.
    """

    def __init__(
        self,
        paths: Iterable[str | Path],
        stop: threading.Event,
        *,
        documents: Collection[str] = (),
        was_doubted: bool = False,
        real: bool = False,
        turn: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._turn = turn
        self._paths = [WatchedPath(Path(path), documents, was_doubted, real) for path in paths]
        self._stop = stop
        self._announcements = Announcements(stop)
        self._has_begun = False
        self._problems: tuple[Problem, ...] = ()
        self._taken: dict[_Found, Stamp] = {}
        self._moving: dict[_Found, _Moving] = {}
        self._again: dict[_Found, _Again] = {}
        self._first_moved = self._last_joined = 0.0

    def wait(self) -> Change | None:
        """The next change; None when it is to stop. The first has all that is there.

        Until `done` is told of it, it is the next one again. Raises nothing for what is wrong with a path.
        """
        while not self._stop.is_set():
            started = monotonic()
            looks = [path.look(started) for path in self._paths]
            with self._turn():
                change = self._change(looks, monotonic())
            if change is not None:  # and whole, if it is still wanted
                return None if self._stop.is_set() else change
            self._pause(looks, monotonic() - started)
        return None

    def done(self, change: Change, again: Collection[str] = ()) -> None:
        """What `wait` returned has been dealt with, but for the documents to be looked at `again`, ever more rarely."""
        if change.problems != self._problems:
            self._problems = change.problems
            return
        self._has_begun = True
        now = monotonic()
        for found, stamp in change.taken.items():
            self._moving.pop(found, None)
            before = self._again.pop(found, None)
            if again and known_as(found[1]) in again:
                after = _AGAIN_S if before is None else min(2 * before.after, _AGAIN_AT_MOST_S)
                self._again[found] = _Again(now + after, after)
            if stamp is None:
                self._taken.pop(found, None)
            else:
                self._taken[found] = stamp
        self._first_moved = now

    def close(self) -> None:
        """Give back what the system needs to announce changes."""
        self._announcements.close()

    def _change(self, looks: list[Look], now: float) -> Change | None:
        stamps = {(at, below): stamp for at, look in enumerate(looks) for below, stamp in look.stamps.items()}
        self._note_moving(stamps, now)
        problems = tuple(path.problem for path in self._paths if path.problem is not None)
        if problems != self._problems:
            return Change(problems=problems, unknown=_ALL)
        if not self._has_begun and any(path.is_in_trouble for path in self._paths):
            return None
        at_rest = {found for found, moving in self._moving.items() if now - moving.since >= _QUIET_S}
        is_late = bool(self._moving) and now - self._first_moved >= _BURST_S
        more_come = bool(self._moving) and now - self._last_joined < _QUIET_S
        if self._has_begun and not at_rest:
            return None
        if not is_late and (more_come or (self._moving and not at_rest)):
            return None
        return self._settled(looks, stamps, at_rest)

    def _settled(self, looks: list[Look], stamps: Mapping[_Found, Stamp], at_rest: set[_Found]) -> Change:
        names = {found: known_as(found[1]) for found in {*stamps, *self._moving}}
        gone = at_rest - stamps.keys()
        present = frozenset(name for found, name in names.items() if found not in gone)
        is_known = not any(path.is_in_trouble for path in self._paths)
        unknown = tuple(chain.from_iterable(look.unknown for look in looks)) if is_known else _ALL
        lost = {names[found] for found in gone}
        # A name stands for one document: with one of two files of a name, the other is looked at again.
        looked_at = {names[found] for found in at_rest}
        moving = self._moving.keys() - at_rest
        wanted = {found for found in stamps if names[found] in looked_at} - moving
        refused = set[_Found]() if self._has_begun else moving

        def is_wanted() -> bool:
            return not self._stop.is_set()

        return Change(
            scans=tuple(look.scan(_below(at, wanted), _below(at, refused), is_wanted) for at, look in enumerate(looks)),
            gone=frozenset(name for name in lost - present if not name.startswith(unknown)),
            problems=self._problems,
            present=present,
            unknown=unknown,
            written={
                names[found]: moving.written
                for found, moving in self._moving.items()
                if found in at_rest and found not in self._again and moving.written is not None
            },
            taken={found: stamps.get(found) for found in wanted | gone},
        )

    def _note_moving(self, stamps: Mapping[_Found, Stamp], now: float) -> None:
        for found, again in self._again.items():
            if now >= again.at and found in stamps:
                self._taken[found] = _ANOTHER
        changed = {found for found in {*stamps, *self._taken} if stamps.get(found) != self._taken.get(found)}
        for found in self._moving.keys() - changed:
            del self._moving[found]
        for found in changed:
            stamp, before = stamps.get(found), self._moving.get(found)
            if before is None:
                if not self._moving or now - self._last_joined >= _QUIET_S:
                    self._first_moved = now
                self._last_joined = now
            if before is None or before.stamp != stamp:
                self._moving[found] = _Moving(stamp, now, self._written(found))

    def _written(self, found: _Found) -> tuple[datetime, datetime] | None:
        """Between which two looks it was; what was not there may have come with its folder, and be older."""
        after = self._paths[found[0]].looked_at_before
        return (after, datetime.now(UTC)) if after is not None and found in self._taken else None

    def _pause(self, looks: list[Look], look_s: float) -> None:
        if self._moving or any(path.is_in_doubt for path in self._paths):
            self._stop.wait(max(_LOOK_S, look_s * _MOVING_SHARE))
        elif self._problems:
            self._stop.wait(max(_IDLE_S, look_s * _IDLE_SHARE))
        else:
            folders = [(look.folder, look.folders) for look in looks]
            began = monotonic()
            self._announcements.wait(folders, max(_IDLE_S, look_s * _IDLE_SHARE))
            # What a look leaves out, such as hidden files, is announced as well, and may change all the time.
            self._stop.wait(max(0.0, look_s * _MOVING_SHARE - (monotonic() - began)))


def _below(at: int, found: Set[_Found]) -> set[str]:
    """Those of one of the watched paths."""
    return {below for of, below in found if of == at}


@dataclass(frozen=True)
class _Moving:
    stamp: Stamp | None  # None: it is not there any more
    since: float
    written: tuple[datetime, datetime] | None  # between two looks


@dataclass(frozen=True)
class _Again:
    at: float
    after: float
