"""Memory that is free again goes back to the system."""

import ctypes
import sys


def give_back() -> None:
    """Have glibc hand back what was freed.

    It keeps pages for the thread that used them, and every thread has an arena of its own: without this, what a large
    document took stays with the process after the document is gone. Other C libraries give back by themselves.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # not in musl
        if trim is not None:
            trim(0)
