"""What comes in: a document's name and bytes, or the reason why it never got that far."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from corpora import InvalidName, OriginalNotFound, OriginalStore, StorageError, is_printable, printable
from ingest.extracted import ReadError
from ingest.readers.formats import detect

MAX_DOCUMENT_BYTES = 256 * 2**20
"""The largest document, whichever way it comes in: a quarter of the memory that its reader has."""

LARGE = 8 * 2**20
"""Bytes: of documents with more few are in memory at the same time."""

BYTES_PER_S = 1_000_000
"""Of an ordinary document while it is read: what has fewer goes first."""

_LONGEST_NAME = 500
_LONGEST_SPELT = 4 * _LONGEST_NAME  # a letter may be spelt with three marks that are composed with it
_MOST_MARKS = 30
_DRIVE = re.compile(r"[A-Za-z]:/")


@dataclass(frozen=True)
class Source:
    """A document to add; `name` is its path relative to the given folder, with `/` between the parts."""

    name: str
    data: bytes


@dataclass(frozen=True)
class Refusal:
    """A document that is not even tried, and why; it takes its place in the report by a name that `known_as` gave."""

    name: str
    status: Literal["skipped", "failed"]
    code: str
    message: str


@dataclass(frozen=True)
class Unread:
    """A document whose turn has not come.

    Attributes:
        name: As of a `Source`.
        read: Called once, in a thread.
        held: So many bytes are in memory before.
        size: So many bytes are, beside these, afterwards.
        is_on_drive: It is read where a user has it, and whoever reads it may wait for that drive.
        written_at: When its file was written or came there last, where that is known.
        given_at: When it was given, if that was not now.
    """

    name: str
    read: Callable[[], Source | Refusal]
    held: int = 0
    size: int = 0
    is_on_drive: bool = False
    written_at: datetime | None = None
    given_at: datetime | None = None


def read_original(originals: OriginalStore, name: str, sha256: str) -> Source | Refusal:
    """A document as it was given once, or why it cannot be read any more."""
    try:
        return Source(name, originals.get(sha256))
    except (OriginalNotFound, StorageError) as error:
        return Refusal(name, "failed", error.code, f"{name}: {error.message}")


def too_large(name: str, size: int) -> Refusal | None:
    """The refusal of a document of so many bytes; to be asked before any of them is in memory."""
    if size <= MAX_DOCUMENT_BYTES:
        return None
    name = known_as(name)
    message = (
        f"{name}: it has {size:,} bytes, and a document may have {MAX_DOCUMENT_BYTES:,}; "
        "split it, or export it with smaller pictures."
    )
    return Refusal(name, "failed", "FILE_TOO_LARGE", message)


def enough_of_name(name: str) -> str:
    """As much of a name, which may be megabytes, as tells whether it is one."""
    return name[: _LONGEST_SPELT + 1]


def document_name(name: str) -> str:
    """The name as the catalog keeps it: `/` between its parts, Unicode composed; raises `InvalidName`.

    A document's name is never used as a path, but it is shown, written to and compared with paths.
    """
    given = enough_of_name(name).replace("\\", "/")
    # Composing takes the square of the marks in a row, and no other thread runs meanwhile.
    normal = given if _has_many_marks(given) else unicodedata.normalize("NFC", given)
    if broken := _broken_rule(normal):
        raise InvalidName(
            f"The document name '{printable(name[:80])}' is not allowed: it {broken}. Rename it; a name is the path "
            "relative to the folder, such as 'quests/harbour.md'."
        )
    return normal


def _has_many_marks(name: str) -> bool:
    """Whether some letter has more accents than any language puts on one."""
    if name.isascii():
        return False
    marks = 0
    for sign in name:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks > _MOST_MARKS:
            return True
    return False


def known_as(name: str) -> str:
    """The name as the catalog has it; one that it cannot have, as it can be shown, and no longer than others."""
    try:
        return document_name(name)
    except InvalidName:
        shown = printable(name[: _LONGEST_NAME + 1])
        return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def _broken_rule(name: str) -> str | None:
    parts = name.split("/")
    if not name.strip():
        return "is empty"
    if len(name) > _LONGEST_NAME:
        return f"has more than {_LONGEST_NAME} characters"
    if name.startswith("/") or _DRIVE.match(name):
        return "is an absolute path"
    if ".." in parts:
        return "leads out of the folder with '..'"
    if "." in parts or "" in parts:
        return "has an empty part or '.' between its slashes"
    if _has_many_marks(name):
        return f"has a letter with more than {_MOST_MARKS} accents"
    if not is_printable(name):
        return "has a control character, one that is not seen or turns what follows, or bytes that are not text"
    return None


def unnamed(data: bytes) -> Source:
    """A document that came without a name gets one from its content: the same bytes, the same name."""
    name = f"upload-{hashlib.sha256(data).hexdigest()[:12]}"
    # Text has no mark of its own: what is no other format may still be read as plain text.
    for guess in ("upload", "upload.txt"):
        with suppress(ReadError):
            return Source(f"{name}.{detect(guess, data)}", data)
    return Source(name, data)
