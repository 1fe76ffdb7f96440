"""A server of such connections."""

from typing import Any, cast

import uvicorn

from fletcher.connections.http import Http
from fletcher.connections.incoming import Turns
from fletcher.connections.reader import Waits
from fletcher.connections.small_reads import SmallReads
from fletcher.connections.socket import Socket


class Config(uvicorn.Config):
    """uvicorn's, with connections that do not wait for ever."""

    def __init__(self, app: Any, waits: Waits, **options: Any) -> None:
        self.waits = waits
        self.turns = Turns()
        super().__init__(app, http=cast("Any", _http), ws=Socket, **options)  # a protocol of another kind


def _http(**options: Any) -> SmallReads:
    return SmallReads(Http(**options))
