"""A file that is replaced as a whole."""

import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Either the old bytes are there or the new ones, on a full disk and whenever the process ends.

    Args:
        path: No link, as it would be replaced, too.
        data: What will be in it.
        mode: That of a new file; one that is there keeps its own.

    Raises:
        OSError: It cannot be written; it is as it was.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).chmod(stat.S_IMODE(path.stat().st_mode) if path.exists() else mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
