"""Files and folders that are watched: what has changed in them, once it is at rest."""

from __future__ import annotations

import logging
import os
import sys
import threading
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from time import monotonic

from watchfiles import watch
from watchfiles.main import FileChange

from ingest.folder import (
    MOST_ENTRIES,
    Identity,
    Look,
    Scan,
    ScanError,
    Stamp,
    is_named_as_document,
    is_there_itself,
    look_at,
    look_into,
)
from ingest.report import Problem
from ingest.source import known_as

logger = logging.getLogger(__name__)

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
_STEP_MS = 50
_TURN_MS = 200
_ALL = ("",)  # the beginning of every name
_Folders = tuple[Path, Mapping[str, Identity]]  # a folder, and by their paths below it all that are in it, itself first
_ANOTHER = Stamp(0, -1, 0)  # that of no file
_Found = tuple[int, str]  # which of the watched paths, and the path below it
_MOST_ASKED = 20  # files, whether they are gone
_MOST_WATCHED = 5_000  # folders, which takes a tenth of a second, and nobody else runs meanwhile
_REST_S = 4e-4  # for each of them, until others are watched: folders may come and go all the time
# inotify watches one folder at a time, and the library follows links when it goes through them by itself.
_RECURSIVE = sys.platform != "linux"


@dataclass(frozen=True)
class Change:
    """What has happened since the last change; `sources` are read when their turn comes.

    `problems` are those of the watched paths now: what lies behind them is not known, and nothing of it is `gone`.
    `gone` are the names of the documents that were there before, `changed` those of which a file was written while it
    was watched, and not only looked at once more.
    """

    sources: Scan = field(default_factory=lambda: Scan(()))
    gone: frozenset[str] = frozenset()
    problems: tuple[Problem, ...] = ()
    present: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = ()
    changed: frozenset[str] = frozenset()
    taken: Mapping[_Found, Stamp | None] = field(default_factory=dict[_Found, "Stamp | None"])

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
        self._roots = [_Root(Path(path), documents, was_doubted, real) for path in paths]
        self._stop = stop
        self._notices = _Notices(stop)
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
            looks = [root.look(started) for root in self._roots]
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
        self._notices.close()

    def _change(self, looks: list[Look], now: float) -> Change | None:
        problems = tuple(root.problem for root in self._roots if root.problem is not None)
        if problems != self._problems:
            return Change(problems=problems, unknown=_ALL)
        if not self._has_begun and any(root.is_in_trouble for root in self._roots):
            return None
        stamps = {(at, below): stamp for at, look in enumerate(looks) for below, stamp in look.stamps.items()}
        self._note_moving(stamps, now)
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
        unknown = _ALL if any(root.is_in_trouble for root in self._roots) else _unread(looks)
        lost = {names[found] for found in gone}
        # A name stands for one document: with one of two files of a name, the other is looked at again.
        looked_at = {names[found] for found in at_rest}
        moving = self._moving.keys() - at_rest
        wanted = {found for found in stamps if names[found] in looked_at} - moving
        refused = set[_Found]() if self._has_begun else moving

        def is_wanted() -> bool:
            return not self._stop.is_set()

        return Change(
            sources=Scan.of(
                look.scan(_below(at, wanted), _below(at, refused), is_wanted) for at, look in enumerate(looks)
            ),
            gone=frozenset(name for name in lost - present if not name.startswith(unknown)),
            problems=self._problems,
            present=present,
            unknown=unknown,
            changed=frozenset(names[found] for found in wanted - self._again.keys())
            if self._has_begun
            else frozenset(),
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
                self._moving[found] = _Moving(stamp, now)

    def _pause(self, looks: list[Look], look_s: float) -> None:
        if self._moving or any(root.is_in_doubt for root in self._roots):
            self._stop.wait(max(_LOOK_S, look_s * _MOVING_SHARE))
        elif self._problems:
            self._stop.wait(max(_IDLE_S, look_s * _IDLE_SHARE))
        else:
            folders = [(look.folder, look.folders) for look in looks]
            began = monotonic()
            self._notices.wait(folders, max(_IDLE_S, look_s * _IDLE_SHARE))
            # What a look leaves out, such as hidden files, is announced as well, and may change all the time.
            self._stop.wait(max(0.0, look_s * _MOVING_SHARE - (monotonic() - began)))


def _is_text(folder: Path) -> bool:
    """Whether the library that announces changes can be told of it; in any other, they are looked for."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        return False
    return True


def _unread(looks: list[Look]) -> tuple[str, ...]:
    return tuple(f"{known_as(below)}/" for look in looks for below in look.unreadable)


def _below(at: int, found: Set[_Found]) -> set[str]:
    """Those of one of the watched paths."""
    return {below for of, below in found if of == at}


@dataclass(frozen=True)
class _Moving:
    stamp: Stamp | None  # None: it is not there any more
    since: float


@dataclass(frozen=True)
class _Again:
    at: float
    after: float


class _Root:
    """One of the watched paths, and whether what is seen of it can be believed."""

    def __init__(self, path: Path, documents: Collection[str], was_doubted: bool, real: bool) -> None:
        self._path = path
        inside = path if real else Path(os.path.realpath(path))
        most = MOST_ENTRIES if real else None
        is_file = not real and os.path.isfile(path)  # noqa: PTH113  (that of `Path` raises where it cannot be known)
        self._look = look_at if is_file else partial(look_into, inside=inside, most=most)
        self._last = Look(path)
        self._identity: Identity | None = None
        self._documents = documents  # as they were known from the first
        self._was_doubted = was_doubted
        self._trouble: Problem | None = None
        self._trouble_since = 0.0
        self.problem: Problem | None = None

    @property
    def is_in_trouble(self) -> bool:
        """Whether what is there now is not known."""
        return self._trouble is not None

    @property
    def is_in_doubt(self) -> bool:
        """Whether there is a problem that is too young to be told."""
        return self.problem != self._trouble

    def look(self, now: float) -> Look:
        """What is there now; if that cannot be known, what was there before."""
        try:
            seen = self._believed(self._look(self._path))
        except ScanError as error:
            if self._trouble is None:
                self._trouble_since = now
            self._trouble = Problem(error.code, f"{error.message} {self._kept()}".rstrip())
            if now - self._trouble_since >= _QUIET_S:
                self.problem = self._trouble
        else:
            self._trouble = self.problem = None
            self._last = seen
        return self._last

    def _believed(self, seen: Look) -> Look:
        identity = next(iter(seen.folders.values()))
        are_gone = identity == self._identity and self._are_gone(seen)
        # Another drive in the same place may have the same identity: after trouble it says nothing.
        is_same = identity == self._identity and self._trouble is None
        as_if = "as if a drive had been taken out."
        if not seen.stamps and self._holds_documents and not (is_same and are_gone):
            raise ScanError("FOLDER_EMPTY", f"{self._path}: the folder is empty, {as_if}")
        if seen.stamps and not is_same and self._lacks_most_of_them(seen):
            problem = f"{self._path}: most of the documents that were there are not, but others are, {as_if}"
            raise ScanError("FOLDER_REPLACED", f"{problem} If that is meant, link or watch it once more.")
        self._documents = ()
        self._identity = identity
        return seen

    def _are_gone(self, seen: Look) -> bool:
        """Whether no file is there that is listed no more: of a drive that was pulled out some may not be listed.

        Raises:
            ScanError: That cannot be said.
        """
        missing = (self._path / below for below in self._last.stamps if below not in seen.stamps)
        try:
            return not any(is_there_itself(path) for path in islice(missing, _MOST_ASKED))
        except OSError as error:
            problem = f"{self._path}: what was in it cannot be looked at ({error.strerror}), as if a drive"
            raise ScanError("UNREADABLE", f"{problem} had been taken out.") from error

    @property
    def _holds_documents(self) -> bool:
        return bool(self._documents or self._last.stamps)

    def _lacks_most_of_them(self, seen: Look) -> bool:
        known = {known_as(below): stamp for below, stamp in self._last.stamps.items()}
        known = known or dict.fromkeys(self._documents)  # of which may have gone what will while nobody looked
        # Systems write files of the same names on all drives.
        names = list(filter(is_named_as_document, known)) or list(known)
        unread, there, stamps = _unread([seen]), {known_as(below) for below in seen.stamps}, {*seen.stamps.values()}
        # All may have got other names.
        kept = sum(name in there or name.startswith(unread) or known[name] in stamps for name in names)
        is_watched = self._last.stamps or self._was_doubted
        return 2 * kept < len(names) if is_watched else bool(names) and not kept

    def _kept(self) -> str:
        return "Its documents are kept as they are until it is back." if self._holds_documents else ""


class _Notices:
    """Waits until the system announces a change, or for some time."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._watched: Sequence[_Folders] = ()
        self._stream: Generator[set[FileChange]] | None = None

    def wait(self, folders: Sequence[_Folders], seconds: float) -> None:
        """Return at the next change, and after `seconds`; also if other folders are watched now than before."""
        rest_s = 0.0
        if folders != self._watched:
            self.close()
            self._watched = folders
            watched = [root / below for root, all_of_it in folders for below in ([""] if _RECURSIVE else all_of_it)]
            if len(watched) <= _MOST_WATCHED:
                self._stream = self._announced([each for each in watched if _is_text(each)])
                seconds, rest_s = 0, len(watched) * _REST_S  # what happened before they were watched was not announced
        give_up_at = monotonic() + seconds
        try:
            while self._stream is not None:
                if next(self._stream) or monotonic() >= give_up_at:
                    self._stop.wait(rest_s)
                    return
        except StopIteration:
            return
        except (OSError, RuntimeError) as error:
            logger.debug("changes are not announced (%s): they are looked for", error)
            self._stream = None
        self._stop.wait(give_up_at - monotonic())

    def close(self) -> None:
        """End the announcements."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _announced(self, folders: list[Path]) -> Generator[set[FileChange]]:
        return watch(
            *folders,
            watch_filter=None,
            debounce=_STEP_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=_TURN_MS,
            yield_on_timeout=True,
            recursive=_RECURSIVE,
            ignore_permission_denied=True,
        )
