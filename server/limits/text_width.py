"""How many bytes each character takes of a text in memory, of which one decides for all."""

import re

# Beyond U+FFFF, and beyond U+00FF; as UTF-8, or as JSON escapes it.
_WIDTHS = {
    4: re.compile(rb"[\xf0-\xf4]|\\u[dD][89abAB]"),
    2: re.compile(rb"[\xc4-\xef]|\\u(?!00)[0-9a-fA-F]{2}"),
}
_ESCAPED = 3  # bytes of an escape that may be the end of what has come


class TextWidth:
    """Of a text that comes in pieces."""

    def __init__(self) -> None:
        self._width = 1
        self._end = b""

    def take(self, data: bytes) -> int:
        """1, 2 or 4, now that `data` has come, as UTF-8 or JSON."""
        came = self._end + data
        self._end = came[-_ESCAPED:]
        if came.isascii() and b"\\u" not in came:  # as most is: a hundred times faster than to look for either
            return self._width
        self._width = next(
            (width for width, of in _WIDTHS.items() if width > self._width and of.search(came)), self._width
        )
        return self._width
