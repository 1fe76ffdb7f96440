"""How long the server waits for an editor's answer, as a test decides."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from tests.server.client import Client


class Patience:
    """Ends when a test says so."""

    def __init__(self) -> None:
        self._waits: list[tuple[asyncio.AbstractEventLoop, asyncio.Timeout]] = []

    @asynccontextmanager
    async def timeout(self, _seconds: float) -> AsyncGenerator[None]:
        async with asyncio.timeout(None) as wait:
            waits = asyncio.get_running_loop(), wait
            self._waits.append(waits)
            try:
                yield
            finally:
                self._waits.remove(waits)

    def end(self, client: Client) -> None:
        """What is waited for now is given up, once what the client has sent is there."""
        client.send("hello")
        while "BUSY" not in json.dumps(client.frame()):
            pass
        self.give_up()

    def give_up(self) -> None:
        """What was waited for last is given up, if it still is."""
        if self._waits:
            loop, wait = self._waits[-1]
            loop.call_soon_threadsafe(lambda: wait.reschedule(loop.time()))
