"""The bytes of a text file to characters."""

from charset_normalizer import from_bytes

from ingest.extracted import ReadError
from ingest.readers.unicode_text import unicode_encoding

# What editors really write, the most common first. Left to all its encodings, the guess on a short text is often
# an exotic one.
_GUESSES = ["cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "shift_jis", "gb18030", "latin_1"]


def decode(data: bytes) -> str:
    """The characters of a text file: by its byte order mark, else UTF-8, else the likeliest older encoding."""
    try:
        return data.decode(unicode_encoding(data) or "utf-8")
    except UnicodeDecodeError:
        matches = list(from_bytes(data, cp_isolation=_GUESSES))
    if not matches:
        raise ReadError("CORRUPT", "its characters are in no known encoding; save it as UTF-8.")
    return str(min(matches, key=lambda match: (match.chaos, -match.coherence, _GUESSES.index(match.encoding))))
