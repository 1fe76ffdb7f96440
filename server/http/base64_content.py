"""Documents as base64: decoded piece by piece, so that long ones do not hold up everything else."""

import base64
import binascii
from collections.abc import Iterator

# The decoder lets no other thread run; this much takes it a few milliseconds. A multiple of four characters.
_PIECE = 2**20


def decoded_size(content: str) -> int:
    """How many bytes it will be, nearly, before it is decoded."""
    return len(content) * 3 // 4


def decode_base64(content: str) -> bytes:
    """The bytes; white space between the characters is passed over. To be called in a thread.

    Raises:
        binascii.Error: It is not base64.
    """
    encoded = "".join(content.split())
    if "=" in encoded[:-2]:  # in the midst it would end a piece and be taken for right
        raise binascii.Error("padding before the end")
    if not encoded.isascii():
        raise binascii.Error("a character that base64 does not have")
    return b"".join(_pieces(encoded))


def _pieces(encoded: str) -> Iterator[bytes]:
    for start in range(0, len(encoded), _PIECE):
        yield base64.b64decode(encoded[start : start + _PIECE], validate=True)
