"""Whether something is computed where everybody waits for it."""

import asyncio


def is_beside_the_event_loop() -> bool:
    """Whether whoever asks is in a thread in which no event loop runs."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return True
    return False
