"""How many files and sockets the process may have open at once."""

import sys
from contextlib import suppress

if sys.platform != "win32":
    import resource

# As many as macOS lets any process have; sockets, pages and files of forms at their limits come to 2,500.
_MOST = 10_240
_OF_WINDOWS = 8_192


def descriptors() -> int:
    """How many there may be now."""
    if sys.platform == "win32":
        return _OF_WINDOWS
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _MOST if soft == resource.RLIM_INFINITY else soft


def raise_descriptors() -> None:
    """From now on as many as the system lets the process have, but for more than are ever needed.

    What a process begins with is for programs of the last century: 1,024 on Linux, 256 on macOS.
    """
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        most = _MOST if hard == resource.RLIM_INFINITY else min(_MOST, hard)
        if soft != resource.RLIM_INFINITY and soft < most:
            with suppress(OSError, ValueError):  # what the system does not allow all the same
                resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
