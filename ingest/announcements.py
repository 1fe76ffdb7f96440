"""What the system announces of changes in folders."""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from time import monotonic

from watchfiles import watch
from watchfiles.main import FileChange

from ingest.folder import Identity

logger = logging.getLogger(__name__)

_STEP_MS = 50
_TURN_MS = 200
_MOST_WATCHED = 5_000  # folders, which takes a tenth of a second, and nobody else runs meanwhile
_REST_S = 4e-4  # for each of them, until others are watched: folders may come and go all the time
# inotify watches one folder at a time, and the library follows links when it goes through them by itself.
_RECURSIVE = sys.platform != "linux"
_Folders = tuple[Path, Mapping[str, Identity]]  # a folder, and by their paths below it all that are in it, itself first


class Announcements:
    """Waits until the system announces a change, or for some time."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop = stop
        self._watched: Sequence[_Folders] = ()
        self._stream: Generator[set[FileChange]] | None = None

    def wait(self, folders: Sequence[_Folders], seconds: float) -> None:
        """Return at the next change, and after `seconds`; also if other folders are watched now than before."""
        rest_s = 0.0
        if folders != self._watched:
            self.close()
            self._watched = folders
            watched = [root / below for root, all_of_it in folders for below in ([""] if _RECURSIVE else all_of_it)]
            if len(watched) <= _MOST_WATCHED:
                self._stream = self._announced([each for each in watched if _is_text(each)])
                seconds, rest_s = 0, len(watched) * _REST_S  # what happened before they were watched was not announced
        give_up_at = monotonic() + seconds
        try:
            while self._stream is not None:
                if next(self._stream) or monotonic() >= give_up_at:
                    self._stop.wait(rest_s)
                    return
        except StopIteration:
            return
        except (OSError, RuntimeError) as error:
            logger.debug("changes are not announced (%s): they are looked for", error)
            self._stream = None
        self._stop.wait(give_up_at - monotonic())

    def close(self) -> None:
        """End the announcements."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _announced(self, folders: list[Path]) -> Generator[set[FileChange]]:
        return watch(
            *folders,
            watch_filter=None,
            debounce=_STEP_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=_TURN_MS,
            yield_on_timeout=True,
            recursive=_RECURSIVE,
            ignore_permission_denied=True,
        )


def _is_text(folder: Path) -> bool:
    """Whether the library that announces changes can be told of it; in any other, they are looked for."""
    try:
        str(folder).encode()
    except UnicodeEncodeError:
        return False
    return True
