"""Which formats can be read, and how a document's format is told."""

import re
import zipfile
from collections.abc import Callable
from importlib import import_module
from io import BytesIO
from pathlib import PurePosixPath
from typing import BinaryIO, NamedTuple, cast

from ingest.extracted import Extracted, ReadError
from ingest.readers.archive import (
    MAX_DIRECTORY_BYTES,
    UNREADABLE_ARCHIVE,
    check_directory,
    has_long_directory,
    is_plainly_packed,
)
from ingest.readers.unicode_text import unicode_encoding

PageListener = Callable[[int, int], None]
Reader = Callable[[bytes, PageListener], Extracted]


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
    "rtf": _Format((".rtf",), "rich_text", is_text=False),
    "epub": _Format((".epub",), "electronic_book", is_text=False),
    "xlsx": _Format((".xlsx", ".xlsm"), "spreadsheet", is_text=False),
    "ods": _Format((".ods",), "spreadsheet", is_text=False),
    "html": _Format((".html", ".htm", ".xhtml"), "html", is_text=True),
    "csv": _Format((".csv", ".tsv"), "comma_separated", is_text=True),
    "fountain": _Format((".fountain", ".spmd"), "screenplay", is_text=True),
    "ink": _Format((".ink",), "ink", is_text=True),
    "yarn": _Format((".yarn",), "yarn", is_text=True),
    "twee": _Format((".twee", ".tw"), "twee", is_text=True),
    "arrow": _Format((".arrow",), "arrow", is_text=True),
}

SUFFIXES = {suffix: name for name, entry in _FORMATS.items() for suffix in entry.suffixes}
"""The format of each suffix that can be read (suffixes in lower case, with their dot)."""

_CONTENT = re.compile(rb"[^\s\0]")
_SEARCHED = 2**20  # bytes at a time
_SHORT_DIRECTORY_BYTES = 32 * 1024  # of four hundred files, as documents have them
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_RTF = b"{\\rtf"
_ZIP = b"PK\x03\x04"
# What tells the formats that are archives: a file in it, or what it declares to be.
_MEMBERS = {"word/document.xml": "docx", "xl/workbook.xml": "xlsx"}
_DECLARED = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/epub+zip": "epub",
}
_BINARIES = {
    b"MZ": "a Windows program",
    b"\x7fELF": "a Linux program",
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"\x1f\x8b": "a gzip archive: unpack it first",
    b"7z\xbc\xaf": "a 7-Zip archive: unpack it first",
    b"Rar!": "a RAR archive: unpack it first",
    _ZIP: "a ZIP archive: unpack it first",
    _OLE: "a file of an old Microsoft Office: save it in the format of today",
}


def reader_of(format_name: str) -> Reader:
    """The `read` function of a format's module; the module and its library are imported now, not earlier."""
    module = import_module(f"ingest.readers.{_FORMATS[format_name].module}")
    return cast("Reader", module.read)


def detect(name: str, data: bytes) -> str:
    """The name of the document's format, by content first and by suffix second.

    Raises:
        ReadError: EMPTY, ENCRYPTED, CORRUPT, TOO_LARGE or UNKNOWN_FORMAT; the message lacks the document's name.
    """
    # One search of a file of blanks would hold the interpreter for a second.
    if not any(_CONTENT.search(data, at, at + _SEARCHED) for at in range(0, len(data), _SEARCHED)):
        raise ReadError("EMPTY", "it is empty; nothing can be found in an empty document.")
    if data.startswith(_ZIP):
        check_directory(data)
    named = SUFFIXES.get(PurePosixPath(name).suffix.lower())
    if named == "pdf" and b"%PDF-" in data[:1024]:
        return "pdf"
    if told := told_by_content(BytesIO(data)):
        return told
    if data.startswith(_OLE) and _has(data, "EncryptedPackage".encode("utf-16-le")):
        raise ReadError("ENCRYPTED", "it is protected by a password; save a copy without one.")
    if named is None:
        raise ReadError("UNKNOWN_FORMAT", f"its format is not known{_looks_like(data)}; known are {_known()}.")
    if not _FORMATS[named].is_text or _is_binary(data):
        raise ReadError("CORRUPT", f"its content is not that of a {named} file{_looks_like(data)}; export it again.")
    return named


def _has(data: bytes, words: bytes) -> bool:
    """Whether they stand there; some files take seconds to be searched, and one search would hold the interpreter."""
    return any(words in data[at : at + _SEARCHED + len(words)] for at in range(0, len(data), _SEARCHED))


def is_told_at_a_glance(file: BinaryIO) -> bool:
    """Whether an open file is surely a document; of an archive of very many files it is not said, as it takes long."""
    return told_by_content(file, _SHORT_DIRECTORY_BYTES) is not None


def told_by_content(file: BinaryIO, most_directory: int = MAX_DIRECTORY_BYTES) -> str | None:
    """The format of an open file, if its content is unmistakable whatever its name is."""
    head = file.read(len(_RTF))
    if head == b"%PDF-":
        return "pdf"
    if head == _RTF:
        return "rtf"
    return _packed_format(file, most_directory) if head.startswith(_ZIP) else None


def _packed_format(file: BinaryIO, most_directory: int) -> str | None:
    if has_long_directory(file, most_directory):
        return None
    try:
        with zipfile.ZipFile(file) as archive:
            members = {member.filename: member for member in archive.infolist()}
            kind = next((kind for member, kind in _MEMBERS.items() if member in members), None)
            if kind or not is_plainly_packed(members.get("mimetype")):
                return kind
            with archive.open(members["mimetype"]) as declared:
                return _DECLARED.get(declared.read(100).strip())
    except UNREADABLE_ARCHIVE:
        return None


def _looks_like(data: bytes) -> str:
    kind = next((kind for mark, kind in _BINARIES.items() if data.startswith(mark)), None)
    return f" (it looks like {kind})" if kind else ""


def _known() -> str:
    return ", ".join(SUFFIXES)


def _is_binary(data: bytes) -> bool:
    """Whether no text file looks like this: NULs, or more than one control character in a hundred."""
    if unicode_encoding(data):
        return False
    if b"\0" in data or data.startswith(tuple(mark for mark in _BINARIES if not mark.isalnum())):
        return True
    sample = data[:65536]
    controls = sample.translate(None, delete=bytes(range(32, 256)) + b"\t\n\r\f\x1b")
    return len(controls) * 100 > len(sample)
