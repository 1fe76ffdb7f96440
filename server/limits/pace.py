"""How fast one workspace's pages may go on: what they are told to draw holds up everybody meanwhile."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from time import monotonic, thread_time
from typing import TypeVar

from agent import in_thread

_Result = TypeVar("_Result")

# What is drawn is also written as JSON, and sent.
_TIMES = 3
_LONGEST_REST_S = 1.0


class Pace:
    """Lets messages in one at a time, each once the event loop was others' for three times as long as the last took.

    Nobody is held up by what other workspaces have done, and by one message for no more than a second.

    Args:
        now: The time.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._rests_until = float("-inf")
        self._next, self._next_drawn, self._alone = asyncio.Lock(), asyncio.Lock(), asyncio.Lock()
        self._is_handled = asyncio.Event()
        self._is_handled.set()

    async def wait(self, *, is_message: bool = True) -> None:
        """Returns when it is the caller's turn; what pages draw without a message keeps none waiting behind it."""
        async with self._next if is_message else self._next_drawn:
            if is_message:
                with suppress(TimeoutError):  # its socket is gone perhaps
                    async with asyncio.timeout(_LONGEST_REST_S):
                        await self._is_handled.wait()
            if (rest := self._rests_until - self._now()) > 0:
                await asyncio.sleep(rest)
            if is_message:  # last: whoever gives up meanwhile has nothing under way
                self._is_handled.clear()

    @asynccontextmanager
    async def alone(self) -> AsyncGenerator[None]:
        """As `wait`; the next comes in once the block has ended, as only then is known for how long it held."""
        async with self._alone:
            await self.wait(is_message=False)
            yield

    async def read(self, work: Callable[[], _Result], times: int = 1) -> _Result:
        """What the work returns, which reads JSON in a thread: nobody else runs meanwhile, so one at a time does it.

        It counts `times` as long as it takes, where more of the kind follows.
        """

        def read() -> _Result:
            began = thread_time()
            try:
                return work()
            finally:
                self.held(times * (thread_time() - began))

        async with self.alone():
            return await in_thread(read)

    def handled(self, seconds: float) -> None:
        """What was let in last has been done, which held the event loop."""
        self.held(seconds)
        self._is_handled.set()

    def held(self, seconds: float) -> None:
        """The event loop was held for so long."""
        now = self._now()
        self._rests_until = min(max(self._rests_until, now) + _TIMES * seconds, now + _LONGEST_REST_S)

    @contextmanager
    def holding(self) -> Generator[None]:
        """What is done in the block, in one go, holds the event loop."""
        began = thread_time()
        try:
            yield
        finally:
            self.held(thread_time() - began)
