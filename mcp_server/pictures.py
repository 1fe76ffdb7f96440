"""Pictures of pages as an assistant is sent them."""

import base64
from dataclasses import dataclass

import pymupdf

# Clients take one message of a megabyte, in which a picture is a third longer than it is.
_MOST_BYTES = 700_000
_QUALITIES = (85, 60)


@dataclass(frozen=True)
class Picture:
    """An encoded picture."""

    data: bytes
    mime_type: str

    @property
    def base64(self) -> str:
        """As the protocol has it."""
        return base64.b64encode(self.data).decode()


def small_enough(png: bytes) -> Picture:
    """The picture as it is, or, where that is too long for a message, as a JPEG, and smaller."""
    if len(png) <= _MOST_BYTES:
        return Picture(png, "image/png")
    pixels = pymupdf.Pixmap(png)
    while True:
        for quality in _QUALITIES:
            jpeg: bytes = pixels.tobytes("jpeg", jpg_quality=quality)
            if len(jpeg) <= _MOST_BYTES:
                return Picture(jpeg, "image/jpeg")
        pixels.shrink(1)  # half as wide and half as high
