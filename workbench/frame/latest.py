"""What is shown as it is now, however often it is asked for."""

from collections.abc import Awaitable, Callable


class Latest:
    """Does some work, one at a time; what is asked for meanwhile is done once afterwards.

    Args:
        work: Shows what there is; it may wait for a store.
    """

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._is_due = self._is_under_way = False

    async def run(self) -> None:
        """Returns once it is done, or at once where whoever does it does it once more."""
        self._is_due = True
        if self._is_under_way:
            return
        self._is_under_way = True
        try:
            while self._is_due:
                self._is_due = False
                await self._work()
        finally:
            self._is_under_way = False
