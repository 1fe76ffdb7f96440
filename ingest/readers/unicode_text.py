"""Tells Unicode texts by their bytes alone."""

import codecs

_MARKED = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SAMPLE = 1 << 16
# Line ends and spaces alone make as many in texts of scripts whose letters have no zero byte.
_ZERO_SHARE = 0.02
_WHITESPACE = "\t\n\r\f"


def unicode_encoding(data: bytes) -> str | None:
    """The encoding of a text with a byte order mark, or of one in UTF-16 without; None where neither is plain."""
    marked = next((encoding for mark, encoding in _MARKED.items() if data.startswith(mark)), None)
    return marked or _unmarked_utf16(data[:_SAMPLE], len(data))


def _unmarked_utf16(sample: bytes, size: int) -> str | None:
    """In UTF-16 the zero bytes of Western letters, spaces and line ends are all on one side of their pairs."""
    if size % 2 or b"\0" not in sample:
        return None
    first, second = sample[0::2].count(0), sample[1::2].count(0)
    if min(first, second) or max(first, second) < _ZERO_SHARE * len(sample):
        return None
    encoding = "utf-16-be" if first else "utf-16-le"
    try:
        text = sample.decode(encoding)
    except UnicodeDecodeError:
        return None
    return encoding if all(character.isprintable() or character in _WHITESPACE for character in text) else None
