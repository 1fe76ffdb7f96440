"""The bytes of a text file to characters."""

from charset_normalizer import from_bytes

from ingest.extracted import ReadError
from ingest.readers.unicode_text import unicode_encoding

# What editors really write, the most common first. Left to all its encodings, the guess on a short text is often
# an exotic one.
_WESTERN = ("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "koi8_r", "mac_roman")
_EASTERN = ("shift_jis", "euc_jp", "gb18030", "big5", "euc_kr")
_GUESSES = [*_WESTERN, *_EASTERN, "latin_1"]
# A sentence in which every other letter has an accent looks odd by itself; nothing else may fit it better.
_ODDNESS = 0.5


def decode(data: bytes) -> str:
    """The characters of a text file: by its byte order mark, else UTF-8, else the likeliest older encoding."""
    try:
        return data.decode(unicode_encoding(data) or "utf-8")
    except UnicodeDecodeError:
        matches = list(from_bytes(data, cp_isolation=_GUESSES, threshold=_ODDNESS))
    if not matches:
        raise ReadError("CORRUPT", "its characters are in no known encoding; save it as UTF-8.")
    return str(min(matches, key=lambda match: (match.chaos, -match.coherence, _GUESSES.index(match.encoding))))
