"""Text as it can be shown: nothing in it that a terminal obeys, a log is forged with, or a reader does not see."""

import unicodedata

# Control characters, separators of lines, halves of surrogate pairs (how undecodable file names arrive), and
# characters of format: those that turn the direction of writing, and those that are not seen.
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\u200c\u200d"  # Persian, the scripts of India and emoji are spelt with them
_TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")  # bidirectional classes
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF  # a byte of a file name that is no UTF-8 (PEP 383)


def is_printable(text: str) -> bool:
    """Whether all of the text can be seen, on one line, in the order in which it is written."""
    return (text.isascii() and text.isprintable()) or not any(map(_is_unseen, text))


def printable(text: str) -> str:
    r"""The text with an escape, such as `\n`, `\x1b` or `\u202e`, for each character that `is_printable` refuses."""
    return text if is_printable(text) else "".join(_escaped(c) if _is_unseen(c) else c for c in text)


def printable_lines(text: str) -> str:
    """A document's or a model's words: lines, tabs and soft hyphens stay, what commands a terminal is escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(c) if _is_command(c) else c for c in text)


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in _UNSEEN and character not in _JOINERS


def _is_command(character: str) -> bool:
    if unicodedata.category(character) in ("Cc", "Cs"):
        return character not in "\n\t"
    return unicodedata.bidirectional(character) in _TURNING


def _escaped(character: str) -> str:
    if _FIRST_BYTE <= ord(character) <= _LAST_BYTE:
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()
