"""One of the paths that are watched, and whether what is seen of it can be believed."""

from __future__ import annotations

import os
from collections.abc import Collection
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path, PurePosixPath

from corpora import printable
from ingest.folder import (
    MOST_ENTRIES,
    Identity,
    Look,
    ScanError,
    is_file_itself,
    is_named_as_document,
    look_at,
    look_into,
)
from ingest.report import Problem
from ingest.source import known_as

_TOLD_AFTER_S = 0.6  # trouble that passes sooner is none
_MOST_ASKED = 20  # files, whether they are gone


class WatchedPath:
    """One of the watched paths, and whether what is seen of it can be believed."""

    def __init__(self, path: Path, documents: Collection[str], was_doubted: bool, real: bool) -> None:
        self._path = path
        self._shown = printable(str(path))
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
        self._looked_at: datetime | None = None  # the last time that it was known
        self.looked_at_before: datetime | None = None  # and the time before that

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
        began = datetime.now(UTC)
        try:
            seen = self._believed(self._look(self._path))
        except ScanError as error:
            if self._trouble is None:
                self._trouble_since = now
            self._trouble = Problem(error.code, f"{error.message} {self._kept()}".rstrip())
            if now - self._trouble_since >= _TOLD_AFTER_S:
                self.problem = self._trouble
        else:
            self._trouble = self.problem = None
            self._last = seen
            self.looked_at_before, self._looked_at = self._looked_at, began
        return self._last

    def _believed(self, seen: Look) -> Look:
        identity = next(iter(seen.folders.values()))
        are_gone = identity == self._identity and self._are_gone(seen)
        # Another drive in the same place may have the same identity: after trouble it says nothing.
        is_same = identity == self._identity and self._trouble is None
        as_if = "as if a drive had been taken out."
        if not seen.stamps and self._holds_documents and not (is_same and are_gone):
            raise ScanError("FOLDER_EMPTY", f"{self._shown}: the folder is empty, {as_if}")
        if identity == self._identity and not are_gone:
            raise ScanError("UNREADABLE", f"{self._shown}: files that are in it are not listed, {as_if}")
        if seen.stamps and not is_same and self._lacks_most_of_them(seen):
            problem = f"{self._shown}: most of the documents that were there are not, but others are, {as_if}"
            raise ScanError("FOLDER_REPLACED", f"{problem} If that is meant, link or watch it once more.")
        self._documents = ()
        self._identity = identity
        return seen

    def _are_gone(self, seen: Look) -> bool:
        """Whether no file is there that is listed no more: of a drive that was pulled out some may not be listed.

        Raises:
            ScanError: That cannot be said.
        """
        missing = self._last.stamps.keys() - seen.stamps.keys()
        # A drive that does not tell capital letters apart says of a renamed file that it is there by both names.
        listed = {known_as(below).casefold() for below in seen.stamps} if missing else set[str]()
        asked = (
            self._path / below
            for below in missing
            if known_as(below).casefold() not in listed
            and seen.stamps.keys().isdisjoint(map(str, PurePosixPath(below).parents))  # a folder became a link
        )
        try:
            return not any(map(is_file_itself, islice(asked, _MOST_ASKED)))
        except OSError as error:
            problem = f"{self._shown}: what was in it cannot be looked at ({error.strerror}), as if a drive"
            raise ScanError("UNREADABLE", f"{problem} had been taken out.") from error

    @property
    def _holds_documents(self) -> bool:
        return bool(self._documents or self._last.stamps)

    def _lacks_most_of_them(self, seen: Look) -> bool:
        known = {known_as(below): stamp for below, stamp in self._last.stamps.items()}
        known = known or dict.fromkeys(self._documents)  # of which may have gone what will while nobody looked
        # Systems write files of the same names on all drives.
        names = list(filter(is_named_as_document, known)) or list(known)
        unknown, there, stamps = seen.unknown, {known_as(below) for below in seen.stamps}, {*seen.stamps.values()}
        # All may have got other names.
        kept = sum(name in there or name.startswith(unknown) or known[name] in stamps for name in names)
        is_watched = self._last.stamps or self._was_doubted
        return 2 * kept < len(names) if is_watched else bool(names) and not kept

    def _kept(self) -> str:
        return "Its documents are kept as they are until it is back." if self._holds_documents else ""
