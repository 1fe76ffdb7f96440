"""What a client has sent by now, and may show another story of it, and that is not read yet."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class Unread:
    """Counts them."""

    def __init__(self) -> None:
        self._count = 0
        self._all_read = asyncio.Event()
        self._all_read.set()

    @property
    def is_any(self) -> bool:
        """Whether there are any."""
        return self._count > 0

    @contextmanager
    def reading(self) -> Generator[None]:
        """One of them is read in the block."""
        self._count += 1
        self._all_read.clear()
        try:
            yield
        finally:
            self._count -= 1
            if not self._count:
                self._all_read.set()

    async def all_read(self) -> None:
        """Waits until there are none: the next one may have come by the time that one is read."""
        while self._count:
            await self._all_read.wait()
