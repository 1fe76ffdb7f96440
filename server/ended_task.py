"""Neither a task that has ended nor an error keeps anything alive."""

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
        free(ended)


def free(error: BaseException | None) -> None:
    """Free what was in the hands of the frames that an error, and those that it came of, went through.

    One that came out of a group of tasks has it as its context, and is in it.
    """
    while error is not None:
        traceback.clear_frames(error.__traceback__)
        error.__context__, error = None, error.__context__
