"""A document's bytes to text, pages and structure; one module for each format."""

from collections.abc import Callable
from pathlib import Path

from ingest.extracted import Extracted, ReadError
from ingest.readers.dialogue import with_dialogues
from ingest.readers.formats import SUFFIXES, PageListener, detect, is_told_at_a_glance, reader_of, told_by_content
from ingest.readers.named import read_with
from ingest.split import with_cuts

__all__ = ["SUFFIXES", "VERSION", "PageListener", "is_told_at_a_glance", "read", "read_by_named", "told_by_content"]

# One more whenever a reader or the splitter makes something else of the same file: documents that were read by another
# version are read again when they are next given.
VERSION = 4

# Three times the longest novel; more is a log or a dump, and would only slow the search for everything else.
MAX_CHARACTERS = 10_000_000

# So many take the splitter, and whoever embeds what comes of them, too long.
MAX_BLOCKS = 200_000


def read(name: str, data: bytes, progress: PageListener | None = None) -> Extracted:
    """Read one document; `progress` hears (page, of how many) from formats with pages.

    The format is told by the content where that is unmistakable, else by the suffix of `name`.

    Raises:
        ReadError: with a message that begins with `name`.
    """
    return _checked(name, lambda: reader_of(detect(name, data))(data, progress or _ignore))


def read_by_named(name: str, class_name: str, file: Path, _progress: PageListener) -> Extracted:
    """Read a file with the class that is named for its kind; raises as `read` does."""
    return _checked(name, lambda: read_with(class_name, file))


def _checked(name: str, read_it: Callable[[], Extracted]) -> Extracted:
    try:
        return _within_limits(read_it())
    except ReadError as error:
        raise ReadError(error.code, f"{name}: {error.message}") from error
    except MemoryError as error:
        raise ReadError("OUT_OF_MEMORY", f"{name}: it needs more memory than a reader may use; split it.") from error
    except Exception as error:  # the libraries raise anything on a damaged file
        raise ReadError(*_unexpected(name, error)) from error


def _within_limits(extracted: Extracted) -> Extracted:
    if not extracted.text.strip():
        raise ReadError("EMPTY", "there is no text in it; nothing can be found in an empty document.")
    if len(extracted.text) > MAX_CHARACTERS:
        raise ReadError(
            "TOO_LARGE",
            f"it has more than {MAX_CHARACTERS:,} characters of text; split it into several documents.",
        )
    if "\0" in extracted.text:  # which no database keeps whole
        raise ReadError("CORRUPT", "its text has NUL characters; save or export it again.")
    if len(extracted.blocks) > MAX_BLOCKS:
        raise ReadError(
            "TOO_LARGE",
            f"it has more than {MAX_BLOCKS:,} paragraphs, rows or headings; split it into several documents.",
        )
    return with_cuts(with_dialogues(extracted))


def _unexpected(name: str, error: Exception) -> tuple[str, str]:
    # MuPDF reports failed allocations as an ordinary error of its own.
    if "alloc" in str(error):
        return "OUT_OF_MEMORY", f"{name}: it needs more memory than a reader may use; split it."
    # not what the error says, in which libraries quote the document: this is logged, and printed line by line
    detail = type(error).__name__
    return "CORRUPT", f"{name}: it is damaged and could not be read ({detail}); save or export it again."


def _ignore(page: int, pages: int) -> None: ...
