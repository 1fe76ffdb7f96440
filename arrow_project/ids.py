"""Resource ids as Arrow gives them: chapter, author and a counter in 53 bits."""

from arrow_project.document import Document
from arrow_project.errors import ErrorCode, OperationError
from arrow_project.loading import MAX_CHAPTER, integer_epoch

AUTHOR_SHIFT, CHAPTER_SHIFT = 37, 43
MAX_AUTHOR = 63
SEED_LIMIT = 2**AUTHOR_SHIFT


def next_id(document: Document) -> int:
    """Draw the next unused id of the document's first author and advance the author's seed.

    Raises:
        OperationError: PERMISSION_DENIED, the document's ids are used up or made from the clock.
    """
    meta = document.raw["meta"]
    author = next(iter(document.authors))
    if integer_epoch(meta):
        raise _denied("This document makes ids from the clock (meta.epoch), which is not supported.")
    chapter = meta["chapter"]
    if not 0 <= author <= MAX_AUTHOR or not 0 <= chapter <= MAX_CHAPTER:
        raise _denied(f"Author {author} in chapter {chapter} is out of range; Arrow can give no ids.")
    return _draw(document, author, (chapter << CHAPTER_SHIFT) | (author << AUTHOR_SHIFT))


def _draw(document: Document, author: int, base: int) -> int:
    seed = max(document.seed_of(author), 0)
    while seed < SEED_LIMIT and document.is_used(base | seed):
        seed += 1
    if seed >= SEED_LIMIT:
        raise _denied(f"Author {author} has used up all ids of this chapter; add another author in Arrow.")
    info, _seed, *rest = document.authors[author]
    document.journal.put(document.authors, author, [info, seed + 1, *rest])
    return base | seed


def _denied(message: str) -> OperationError:
    return OperationError(ErrorCode.PERMISSION_DENIED, message)
