"""Who looks at a folder: where an event loop does, a drive that hangs stops everybody."""

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest


def looks_at(folder: Path, monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Gets, of each look at the folder or into it from now on, what the thread is called, if it is no event loop's."""
    looks = set[str]()

    def watched(name: str) -> Any:
        real = getattr(os, name)

        def looked(path: Any = ".", *args: Any, **kwargs: Any) -> Any:
            if str(path).startswith(str(folder)):
                in_thread = asyncio._get_running_loop() is None
                looks.add(threading.current_thread().name.rpartition("_")[0] if in_thread else "on an event loop")
            return real(path, *args, **kwargs)

        return looked

    for name in ("stat", "lstat", "open", "scandir"):
        monkeypatch.setattr(os, name, watched(name))
    return looks
