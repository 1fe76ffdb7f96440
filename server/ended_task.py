"""A task that has ended keeps nothing alive."""

import asyncio
import traceback
from typing import Any


def let_go(task: asyncio.Future[Any]) -> None:
    """For `add_done_callback`: what the task had in its hands is freed, however it has ended.

    Where it was cancelled or has failed refers to itself, from the exception to the frames that it went through: only
    the garbage collector would free these, and a large story with them.
    """
    try:
        task.result()
    except (asyncio.CancelledError, Exception) as ended:  # noqa: BLE001 - whatever it ended with
        traceback.clear_frames(ended.__traceback__)
