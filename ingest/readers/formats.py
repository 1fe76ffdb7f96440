"""Which formats can be read, and how a document's format is told."""

import re
import zipfile
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import PurePosixPath
from typing import NamedTuple, cast

from ingest.extracted import Extracted, ReadError

Progress = Callable[[int, int], None]
Reader = Callable[[bytes, Progress], Extracted]


class _Format(NamedTuple):
    suffixes: tuple[str, ...]
    module: str
    is_text: bool


_FORMATS = {
    "pdf": _Format((".pdf",), "pdf", is_text=False),
    "docx": _Format((".docx",), "word", is_text=False),
    "odt": _Format((".odt",), "open_document", is_text=False),
    "md": _Format((".md", ".markdown"), "markdown", is_text=True),
    "txt": _Format((".txt", ".text"), "plain_text", is_text=True),
    "html": _Format((".html", ".htm", ".xhtml"), "html", is_text=True),
}

SUFFIXES = {suffix: name for name, entry in _FORMATS.items() for suffix in entry.suffixes}
"""The format of each suffix that can be read (suffixes in lower case, with their dot)."""

_CONTENT = re.compile(rb"[^\s\0]")
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_BINARIES = {
    b"MZ": "a Windows program",
    b"\x7fELF": "a Linux program",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\x1f\x8b": "a gzip archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"Rar!": "a RAR archive",
    b"{\\rtf": "a Rich Text document",
    b"PK\x03\x04": "a ZIP archive",
    _OLE: "a file of an old Microsoft Office",
}


def reader_of(format_name: str) -> Reader:
    """The `read` function of a format's module; the module and its library are imported now, not earlier."""
    module = import_module(f"ingest.readers.{_FORMATS[format_name].module}")
    return cast("Reader", module.read)


def detect(name: str, data: bytes) -> str:
    """The name of the document's format, by content first and by suffix second.

    Raises:
        ReadError: EMPTY, ENCRYPTED, CORRUPT or UNKNOWN_FORMAT; the message lacks the document's name.
    """
    if not _CONTENT.search(data):
        raise ReadError("EMPTY", "it is empty; nothing can be found in an empty document.")
    named = SUFFIXES.get(PurePosixPath(name).suffix.lower())
    if data.startswith(b"%PDF-") or (named == "pdf" and b"%PDF-" in data[:1024]):
        return "pdf"
    if data.startswith(b"PK\x03\x04") and (packed := _packed_format(data)):
        return packed
    if data.startswith(_OLE) and "EncryptedPackage".encode("utf-16-le") in data:
        raise ReadError("ENCRYPTED", "it is protected by a password; save a copy without one.")
    if named is None:
        raise ReadError("UNKNOWN_FORMAT", f"its format is not known{_looks_like(data)}; known are {_known()}.")
    if not _FORMATS[named].is_text or _is_binary(data):
        raise ReadError("CORRUPT", f"its content is not that of a {named} file{_looks_like(data)}; export it again.")
    return named


def _packed_format(data: bytes) -> str | None:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
            if "word/document.xml" in names:
                return "docx"
            kind = archive.read("mimetype")[:100] if "mimetype" in names else b""
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError):
        return None
    return "odt" if kind.strip() == b"application/vnd.oasis.opendocument.text" else None


def _looks_like(data: bytes) -> str:
    kind = next((kind for mark, kind in _BINARIES.items() if data.startswith(mark)), None)
    return f" (it looks like {kind})" if kind else ""


def _known() -> str:
    return ", ".join(SUFFIXES)


def _is_binary(data: bytes) -> bool:
    """Whether no text file looks like this: NULs, or more than one control character in a hundred."""
    if data.startswith(_UNICODE_MARKS):
        return False
    if b"\0" in data or data.startswith(tuple(mark for mark in _BINARIES if not mark.isalnum())):
        return True
    sample = data[:65536]
    controls = sample.translate(None, delete=bytes(range(32, 256)) + b"\t\n\r\f\x1b")
    return len(controls) * 100 > len(sample)
