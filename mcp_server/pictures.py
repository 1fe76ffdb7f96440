"""Pictures of pages as an assistant is sent them."""

import base64
from dataclasses import dataclass
from functools import partial

from corpora import ProjectKey
from server import Services

# Clients take one message of a megabyte, in which a picture is a third longer than it is.
_MOST_BYTES = 700_000
_PNG = b"\x89PNG"


@dataclass(frozen=True)
class Picture:
    """An encoded picture, PNG or JPEG."""

    data: bytes

    @property
    def mime_type(self) -> str:
        """What it is encoded as."""
        return "image/png" if self.data.startswith(_PNG) else "image/jpeg"

    @property
    def base64(self) -> str:
        """As the protocol has it."""
        return base64.b64encode(self.data).decode()


async def picture_of(
    services: Services, key: ProjectKey, document: str, page: int, passage: str | None = None
) -> Picture:
    """A page that is short enough for a message, drawn and made smaller apart from this process."""
    draw = partial(services.retriever.page_picture, key, document, page, passage, _MOST_BYTES)
    return Picture(await services.drawing.run(key.workspace, draw))
