"""Bounds what a zipped document may unpack to, before a library unpacks all of it."""

import struct
import zipfile
import zlib
from io import BytesIO
from typing import BinaryIO

from ingest.extracted import ReadError

MAX_UNPACKED_BYTES = 512 * 1024 * 1024
MAX_MARKUP_BYTES = 64 * 1024 * 1024
MAX_MEMBERS = 10_000
MAX_DIRECTORY_BYTES = 4 * 1024 * 1024
UNREADABLE_ARCHIVE = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What `zipfile` raises for an archive that is damaged or encrypted."""

_DIRECTORY_SIZE = 5  # its place in an archive's "end of central directory" record
_DAMAGED = "it is incomplete or damaged; save or export it again."
_MARKUP = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")


def has_long_directory(file: BinaryIO, most: int = MAX_DIRECTORY_BYTES) -> bool:
    """Whether the archive's list of its files is too long: `ZipFile` takes ten times as much memory to read it."""
    try:
        end = zipfile._EndRecData(file)  # pyright: ignore[reportAttributeAccessIssue]  # what `ZipFile` goes by
    except UNREADABLE_ARCHIVE:
        return False
    finally:
        file.seek(0)
    return end is not None and end[_DIRECTORY_SIZE] > most


def is_plainly_packed(member: zipfile.ZipInfo | None) -> bool:
    """Whether a member is there and stored or deflated, as all documents' are: `zipfile` unpacks others as a whole."""
    return member is not None and member.compress_type in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}


def check_directory(data: bytes) -> None:
    """Raise ReadError TOO_LARGE if too many files are packed in the archive, before their list is read."""
    if has_long_directory(BytesIO(data)):
        raise ReadError("TOO_LARGE", f"more than {MAX_MEMBERS:,} files are packed in it; save or export it again.")


def check_archive(data: bytes) -> zipfile.ZipFile:
    """The document's archive, open.

    Raises:
        ReadError: CORRUPT; or TOO_LARGE for a zip bomb. Sizes are read from the archive's directory; of what is
            deflated, Python's zipfile never unpacks more than is said there.
    """
    check_directory(data)
    try:
        archive = zipfile.ZipFile(BytesIO(data))
    except UNREADABLE_ARCHIVE as error:
        raise ReadError("CORRUPT", _DAMAGED) from error
    members = archive.infolist()
    if not all(map(is_plainly_packed, members)):
        raise ReadError("CORRUPT", _DAMAGED)
    markup = max((member.file_size for member in members if member.filename.endswith(_MARKUP)), default=0)
    if (
        len(members) > MAX_MEMBERS
        or markup > MAX_MARKUP_BYTES
        or sum(member.file_size for member in members) > MAX_UNPACKED_BYTES
    ):
        raise ReadError(
            "TOO_LARGE",
            f"unpacked it would be larger than {MAX_UNPACKED_BYTES >> 20} MiB, or its text larger than "
            f"{MAX_MARKUP_BYTES >> 20} MiB; split it into several documents.",
        )
    return archive
