"""What becomes of pages whose browsers have left, so that their end keeps nobody waiting."""

import asyncio
from collections.abc import Callable
from time import monotonic

from nicegui import Client

_GIVING_UP = "delete content"  # how the library's task is called
_BETWEEN_S, _LATEST_S = 0.3, 60.0


class Farewells:
    """When pages are given up whose browsers have left: one after the other, as each keeps the event loop for a moment.

    Args:
        wait_s: So long their browsers may be away.
        now: The time.
    """

    def __init__(self, wait_s: float, now: Callable[[], float] = monotonic) -> None:
        self._wait_s = wait_s
        self._now = now
        self._last = 0.0

    def next_s(self) -> float:
        """In how many seconds the next one is.

        The library asks how long it waits for other purposes, too: only the task that is to give a page up has a turn.
        """
        task = asyncio.current_task()
        if task is None or not task.get_name().startswith(_GIVING_UP):
            return self._wait_s
        now = self._now()
        due = now + self._wait_s
        self._last = min(max(due, self._last + _BETWEEN_S), due + _LATEST_S)
        return self._last - now


def free_elements(client: Client) -> None:
    """Has what a page drew freed as soon as it is deleted, and no garbage be looked for, which would hold everybody.

    To be called just before: each element knows itself by who hears of its changes, and its page by who hears of it.
    """
    elements = list(client.elements.values())
    for element in elements:
        for part in (element.props, element.classes, element.style):
            part._change_handlers.clear()  # pyright: ignore[reportPrivateUsage]
        element._event_listeners.clear()  # pyright: ignore[reportPrivateUsage]
    children = [slot.children for element in elements for slot in element.slots.values()]
    asyncio.get_running_loop().call_soon(lambda: [some.clear() for some in children])
