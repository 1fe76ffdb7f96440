"""Finds the dialogues of a document: lines like `NAME: words`, with the choices between them."""

import re
from dataclasses import replace

from ingest.extracted import Block, Extracted

_SPEECH = re.compile(
    r"^[ \t]*+(?:[-–—*•●○>][ \t]++)?(?:\*\*|__)?(?P<name>[^\W\d_][\w .'’-]{0,39}?)(?:\*\*|__)?"
    r"[ \t]*+(?:\([^()\n]{1,60}\))?[ \t]*+:(?:\*\*|__)?[ \t]++\S",
    re.MULTILINE,
)
_DIRECTION = re.compile(r"\s*[(\[*_].*[)\]*_]\s*", re.DOTALL)
_MAX_NAME_WORDS = 4


def with_dialogues(extracted: Extracted) -> Extracted:
    """The same document, in which each run of speeches is one block of the kind `dialogue`."""
    blocks: list[Block] = []
    run: list[Block] = []
    for block in extracted.blocks:
        if not _continues(extracted, run, block):
            blocks += _joined(extracted.text, run)
            run = []
        run.append(block)
    return replace(extracted, blocks=(*blocks, *_joined(extracted.text, run)))


def _continues(extracted: Extracted, run: list[Block], block: Block) -> bool:
    """Whether a run of speeches goes on: with a speech, a stage direction, or a list of choices."""
    if not run or not _is_speech(extracted.text, run[0]) or block.kind not in ("paragraph", "list"):
        return False
    first, last = extracted.pages_of(run[0].char_from, block.char_to)
    if first != last:
        return False
    text = extracted.text[block.char_from : block.char_to]
    return block.kind == "list" or _is_speech(extracted.text, block) or _DIRECTION.fullmatch(text) is not None


def _is_speech(text: str, block: Block) -> bool:
    if block.kind not in ("paragraph", "list"):
        return False
    return _SPEECH.match(text[block.char_from : block.char_to]) is not None


def _joined(text: str, run: list[Block]) -> list[Block]:
    if not run or not _is_speech(text, run[0]):
        return run
    start, end = run[0].char_from, run[-1].char_to
    return [Block("dialogue", start, end)] if _is_dialogue(_speakers(text[start:end])) else run


def _is_dialogue(speakers: list[str]) -> bool:
    """Two speeches, and a sign that the names are not labels as in `Platform: PC`."""
    if len(speakers) < 2:
        return False
    return len(set(speakers)) < len(speakers) or all(name.isupper() for name in speakers)


def _speakers(text: str) -> list[str]:
    names = [match["name"].strip() for match in _SPEECH.finditer(text)]
    return [name for name in names if name[0].isupper() and len(name.split()) <= _MAX_NAME_WORDS]
