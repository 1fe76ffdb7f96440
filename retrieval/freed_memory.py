"""Memory that is free again goes back to the system."""

import ctypes
import sys
from collections.abc import Callable

# From glibc's malloc.h
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
_MAPPED_FROM_BYTES = 1 << 17


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


def _glibc(name: str) -> Callable[..., int] | None:
    """The function of that name on Linux; musl has none of these."""
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
