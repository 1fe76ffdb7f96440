"""Documents as base64: decoded piece by piece, so that long ones do not hold up everything else."""

import base64
import binascii
from collections.abc import Iterator

# Neither the decoder nor what passes over white space lets other threads run; this much takes some milliseconds.
_PIECE = 2**18


def decoded_size(content: str) -> int:
    """How many bytes it will be, nearly, before it is decoded."""
    return len(content) * 3 // 4


def decode_base64(content: str) -> bytes:
    """The bytes; white space between the characters is passed over. To be called in a thread.

    Raises:
        binascii.Error: It is not base64.
    """
    return b"".join(_pieces(content))


def _pieces(content: str) -> Iterator[bytes]:
    rest = ""
    for start in range(0, len(content), _PIECE):
        encoded = rest + "".join(content[start : start + _PIECE].split())
        if "=" in encoded[:-2]:  # in the midst it would end a piece and be taken for right
            raise binascii.Error("padding before the end")
        if not encoded.isascii():
            raise binascii.Error("a character that base64 does not have")
        whole = 0 if "=" in encoded else len(encoded) // 4 * 4
        yield base64.b64decode(encoded[:whole], validate=True)
        rest = encoded[whole:]
    yield base64.b64decode(rest, validate=True)
