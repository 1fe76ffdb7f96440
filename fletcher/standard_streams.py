"""Standard input and output as a line of messages that nothing else may disturb."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress
from typing import IO


async def lines_of(read: IO[bytes]) -> AsyncGenerator[bytes]:
    """The lines as they come; a thread waits for them, as not every system can wait for a file otherwise."""
    loop, lines = asyncio.get_running_loop(), asyncio.Queue[bytes]()

    def wait() -> None:
        with suppress(RuntimeError):  # the loop is closed, and nobody wants more
            while line := read.readline():
                loop.call_soon_threadsafe(lines.put_nowait, line)
            loop.call_soon_threadsafe(lines.put_nowait, b"")

    threading.Thread(target=wait, name="standard-input", daemon=True).start()
    while line := await lines.get():
        if line.strip():
            yield line


@contextmanager
def own_standard_streams() -> Generator[tuple[IO[bytes], IO[bytes]]]:
    """Standard input and output for nobody else: what is printed goes to standard error, and children read nothing."""
    sys.stdout.flush()
    nothing = os.open(os.devnull, os.O_RDONLY)
    read, write = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    yield read, write
    with suppress(OSError):  # whoever listened is gone
        write.flush()
