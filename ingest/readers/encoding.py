"""The bytes of a text file to characters."""

import codecs

from charset_normalizer import from_bytes

from ingest.extracted import ReadError

_MARKED = {
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# What editors really write, the most common first. Left to all its encodings, the guess on a short text is often
# an exotic one.
_GUESSES = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "shift_jis", "gb18030"]


def decode(data: bytes) -> str:
    """The characters of a text file: by its byte order mark, else UTF-8, else the likeliest older encoding."""
    try:
        return data.decode(_marked_encoding(data) or "utf-8-sig")
    except UnicodeDecodeError:
        matches = list(from_bytes(data, cp_isolation=_GUESSES))
    if not matches:
        raise ReadError("CORRUPT", "its characters are in no known encoding; save it as UTF-8.")
    return str(min(matches, key=lambda match: (match.chaos, -match.coherence, _GUESSES.index(match.encoding))))


def _marked_encoding(data: bytes) -> str | None:
    return next((encoding for mark, encoding in _MARKED.items() if data.startswith(mark)), None)
