"""Whose message is looked at next: of each workspace one in a round of the event loop."""

import asyncio
from weakref import WeakValueDictionary


class Rounds:
    """Lets messages through one after the other, so that a thousand of one workspace are nothing to another.

    What a client has sent at once is there at once, and would be answered before anybody else is looked at.
    """

    def __init__(self) -> None:
        # Whoever waits keeps its workspace's; nobody else does.
        self._next: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def wait(self, workspace: str) -> None:
        """Returns when it is the caller's turn, in the order of asking."""
        async with self._next.setdefault(workspace, asyncio.Lock()):
            await asyncio.sleep(0)
