"""What becomes of pages whose browsers have left, so that their end keeps nobody waiting."""

import asyncio
from random import uniform

from nicegui import Client

_GIVING_UP = "delete content"  # how the library's task is called
_LONG = 1_000  # characters
BETWEEN_S = 0.1
"""Between the ends of two pages: each keeps the event loop for about as long."""


def farewell_s(wait_s: float) -> float:
    """In how many seconds a page is given up whose browser has left: `wait_s`, and at any time after that.

    Pages whose browsers leave together are so not given up together. The library asks how long it waits for other
    purposes, too: only the task that is to give a page up has a time of its own.
    """
    task = asyncio.current_task()
    if task is None or not task.get_name().startswith(_GIVING_UP):
        return wait_s
    return wait_s + uniform(0, 3 * BETWEEN_S * (len(Client.instances) - 1))  # noqa: S311 - nobody has to be surprised


def free_elements(client: Client) -> None:
    """Has what a page drew freed as soon as it is deleted, and no garbage be looked for, which would hold everybody.

    To be called just before: each element knows itself by who hears of its changes, and its page by who hears of it.
    Where others know it, as panels that know each other do, it stays, and nothing of what it showed.
    Nor does the library's task wait any more that was to give it up.
    """
    for document_id in list(client._delete_tasks):  # pyright: ignore[reportPrivateUsage]
        client._cancel_delete_task(document_id)  # pyright: ignore[reportPrivateUsage]
    elements = list(client.elements.values())
    for element in elements:
        for part in (element.props, element.classes, element.style):
            part._change_handlers.clear()  # pyright: ignore[reportPrivateUsage]
        element._event_listeners.clear()  # pyright: ignore[reportPrivateUsage]
        element.props.clear()
        for name, value in vars(element).items():
            if isinstance(value, str) and len(value) > _LONG:
                vars(element)[name] = ""
    children = [slot.children for element in elements for slot in element.slots.values()]
    asyncio.get_running_loop().call_soon(lambda: [some.clear() for some in children])
