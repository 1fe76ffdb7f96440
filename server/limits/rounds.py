"""Whose message is looked at next: of each workspace one in a round of the event loop."""

import asyncio
from contextlib import AsyncExitStack
from weakref import WeakValueDictionary


class Rounds:
    """Lets messages through one after the other, so that a thousand of one workspace are nothing to another.

    What a client has sent at once is there at once, and would be answered before anybody else is looked at.
    """

    def __init__(self) -> None:
        # Whoever waits keeps its workspace's; nobody else does.
        self._next: WeakValueDictionary[tuple[str, ...], asyncio.Lock] = WeakValueDictionary()

    async def wait(self, workspace: str, *address: str) -> None:
        """Returns when it is the caller's turn, in the order of asking; of each address one at a time, if it is given.

        Without a workspace (its name has no slash) it may be what is asked for, as `/healthz`.
        """
        whose = (workspace, *address)
        async with AsyncExitStack() as held:
            for length in range(len(whose), 0, -1):
                await held.enter_async_context(self._next.setdefault(whose[:length], asyncio.Lock()))
            await asyncio.sleep(0)
