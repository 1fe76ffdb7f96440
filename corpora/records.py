"""What crosses the border of `corpora`: project keys, documents, pages, passages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from corpora.errors import InvalidName

_JOINT = "~"  # may stand in an address as it is
_IDENTIFIER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")

# Its rows and its vector in the catalog and in Chroma; its words in memory take as much again (docs/operations.md).
_PASSAGE_BYTES = 8 * 2**10
_PAGE_BYTES = 4 * 2**10  # its row in the catalog, which every list of documents counts


@dataclass(frozen=True, order=True)
class ProjectKey:
    """One project in one workspace; raises `InvalidName` for parts that cannot be one."""

    workspace: str
    project_id: str

    def __post_init__(self) -> None:
        for what, value in (("workspace", self.workspace), ("project id", self.project_id)):
            if not _IDENTIFIER.fullmatch(value):
                raise InvalidName(
                    f"The {what} {value[:80]!r} is not allowed: it must begin with a letter or digit, go on "
                    "with letters, digits, '_', '.' or '-', and have at most 64 characters."
                )

    def document_id(self, name: str) -> str:
        """The id of the document of that name: the same name always has the same id (16 hex digits)."""
        return _digest(self.workspace, self.project_id, name)[:16]


@dataclass(frozen=True)
class Document:
    """One design document as the catalog knows it; `pages` is None for a format without pages.

    On `pages_with_hidden_text` there was text that nobody can see, and it was left out; `pages_recognized` are
    pictures whose text was read by OCR, and `pages_without_text` pictures and blank pages. It was read by readers of
    `reader_version` (0: unknown), where pages had no text with OCR in `ocr_languages`. What is `from_folder` was read
    from a linked folder, which may be none of the project's any more, and was not sent; what was sent after a
    file of the folder was written has the hash of that as `over_sha256`.
    """

    id: str
    name: str
    format: str
    sha256: str
    size: int
    pages: int | None
    pages_without_text: Sequence[int]
    passages: int
    embedded: int
    updated_at: datetime
    pages_with_hidden_text: Sequence[int] = ()
    pages_recognized: Sequence[int] = ()
    reader_version: int = 0
    ocr_languages: str = ""
    from_folder: bool = False
    over_sha256: str | None = None


@dataclass(frozen=True)
class DocumentCounts:
    """How many documents have all their vectors (`indexed`), and how many do not yet (`searchable`)."""

    indexed: int
    searchable: int


@dataclass(frozen=True)
class ProjectCounts:
    """How much is in a project's corpus; `embedded` of its passages have their vectors."""

    project: str
    documents: int
    passages: int
    embedded: int


@dataclass(frozen=True)
class Quota:
    """How many documents a workspace may have, or has, and how many bytes: of the files, and by `kept_bytes`.

    `passages` are those that each of its projects may have: to index one of ideographs takes 20 KB.
    """

    documents: int
    bytes: int
    passages: int = 100_000


@dataclass(frozen=True)
class Page:
    """One page, or the whole document where `number` is None; a span of the extracted text."""

    number: int | None
    char_from: int
    char_to: int
    text: str


PassageKind = Literal["prose", "dialogue", "table", "list"]
"""What a passage is made of; a `dialogue` has lines like `NAME: words`, and whatever stands between them."""


@dataclass(frozen=True)
class Passage:
    """The piece that is retrieved; `text` is the extracted text from `char_from` to `char_to`."""

    id: str
    document_id: str
    document: str
    page_from: int | None
    page_to: int | None
    heading: tuple[str, ...]
    char_from: int
    char_to: int
    text: str
    kind: PassageKind = "prose"

    @property
    def place(self) -> str:
        """Where it stands, as one cites it: `bible.pdf, page 4`."""
        return self.document + page_range(self.page_from, self.page_to)

    @property
    def embedding_text(self) -> str:
        """What is embedded and indexed: the heading path, then the text."""
        return f"{' > '.join(self.heading)}\n{self.text}" if self.heading else self.text

    @property
    def embedding_hash(self) -> str:
        """The key of this passage's vector in the embedding cache: SHA-256 of `embedding_text`, hex."""
        return hashlib.sha256(self.embedding_text.encode()).hexdigest()


def kept_bytes(text: str, passages: Sequence[Passage], pages: Sequence[Page]) -> int:
    """What is kept of a document besides its file: its text, its pages, and for each passage what finds it."""
    numbered = sum(page.number is not None for page in pages)
    return len(text.encode()) + _PASSAGE_BYTES * len(passages) + _PAGE_BYTES * numbered


def page_range(page_from: int | None, page_to: int | None) -> str:
    """`, page 4` or `, pages 4-5`; nothing for a format without pages."""
    if page_from is None:
        return ""
    return f", page {page_from}" if page_to in (None, page_from) else f", pages {page_from}-{page_to}"


def passage_id(document_id: str, heading: Iterable[str], text: str, occurrence: int) -> str:
    """The id of a passage, from its content: writing it twice is writing it once (32 hex digits).

    `occurrence` counts from 0 the passages of this document that have the same heading and text.
    """
    return _digest(document_id, " > ".join(heading), text, str(occurrence))[:32]


def part_ids(identity: str) -> list[str]:
    """The ids of the passages that were joined into one of this id, in order; of a passage alone its own."""
    return identity.split(_JOINT)


def joined_id(ids: Iterable[str]) -> str:
    """The id of passages that follow each other and are shown as one."""
    return _JOINT.join(ids)


def is_storable(text: str) -> bool:
    """Whether a database can have it as text: not with a NUL, nor with half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
