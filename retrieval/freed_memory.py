"""Memory that is free again goes back to the system."""

import ctypes
import gc
import mmap
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any

# From glibc's malloc.h
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_MAPPED_FROM_BYTES = 1 << 17

_MUCH, _MUCH_MORE = 1 << 27, 1 << 28  # bytes
_LOOK_S = 10.0
_TIMES = 200  # as long as it took


class FreedMemory:
    """What a process keeps of what nobody needs: parts that know each other, and what glibc has of what was freed.

    Of what it has, glibc does not say how much it has handed back: so it is the process's growth that counts, and what
    has become free since.
    """

    def __init__(self) -> None:
        # The least since it was handed back, and since garbage was collected.
        self._kept = self._resident = self._collected = 0
        self._not_before = 0.0

    def look(self) -> None:
        """Hand it back where it has become much, as after turns on large stories.

        Python by itself seldom collects garbage of few objects, however large they are.
        """
        resident = _resident_bytes()
        if resident > self._collected + _MUCH_MORE and gc.isenabled() and monotonic() >= self._not_before:
            begun = monotonic()
            gc.collect()
            # Everybody waits for it, and where there is much to be looked at that is no garbage it takes seconds.
            self._not_before = monotonic() + _TIMES * (monotonic() - begun)
            resident = self._collected = _resident_bytes()
        kept = _kept_bytes()
        if kept > _MUCH and (resident > self._resident + _MUCH or kept > self._kept + _MUCH):
            give_back()
            self._kept, self._resident = kept, _resident_bytes()
        self._kept, self._resident = min(self._kept, kept), min(self._resident, resident)
        self._collected = min(self._collected, resident)


@contextmanager
def giving_back() -> Generator[None]:
    """In the block, what becomes free goes back within some seconds; glibc before 2.33 does not say how much it is."""
    freed, is_over = FreedMemory(), threading.Event()

    def look() -> None:
        while not is_over.wait(_LOOK_S):
            with suppress(OSError):  # there may be no file to be had; there will be again
                freed.look()

    if _glibc("mallinfo2") is not None:
        threading.Thread(target=look, name="freed memory", daemon=True).start()
    try:
        yield
    finally:
        is_over.set()


def keep_little_memory() -> None:
    """Have glibc keep little of what will be freed: for a process that lives long, before it has threads.

    Else every thread has an arena of its own, with holes of its own, and arrays of up to 32 MiB are put into them
    as well. Other C libraries do not ask for this.
    """
    if (setting := _glibc("mallopt")) is not None:
        setting(_M_ARENA_MAX, 1)
        setting(_M_MMAP_THRESHOLD, _MAPPED_FROM_BYTES)


def give_back() -> None:
    """Have glibc hand back what was freed; other C libraries give back by themselves."""
    if (trim := _glibc("malloc_trim")) is not None:
        trim(0)


class _MallInfo(ctypes.Structure):
    """glibc's `struct mallinfo2`, whose ninth number is what is free."""

    _fields_ = [(f"number_{place}", ctypes.c_size_t) for place in range(1, 11)]


def _kept_bytes() -> int:
    """What is free in glibc's heap."""
    told: Any = _glibc("mallinfo2")
    told.restype = _MallInfo
    return int(told().number_9)


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * mmap.PAGESIZE


def _glibc(name: str) -> Callable[..., int] | None:
    """The function of that name on Linux; musl has none of these."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
