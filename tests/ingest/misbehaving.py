"""A reader that does what a document tells it by its name: for the children of a pool, which import it."""

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar, NoReturn
from weakref import WeakSet

from corpora import Page
from ingest.extracted import Extracted, ReadError
from ingest.readers import PageListener

_LONG_S = 600


class _Tangle:
    """Goes only when Python looks for cycles."""

    left: ClassVar["WeakSet[_Tangle]"] = WeakSet()

    def __init__(self) -> None:
        self.me = self
        self.left.add(self)


_kept: list[bytearray] = []


class _Untellable(Exception):
    def __reduce__(self) -> NoReturn:
        raise TypeError("this cannot be pickled")


def read(name: str, data: bytes, progress: PageListener) -> Extracted:
    """Its process id as text, unless the document is called something below."""
    if name in _MISDEEDS:
        _MISDEEDS[name](data, progress)
    return _extracted(_SAID[name]() if name in _SAID else str(os.getpid()))


def _extracted(text: str) -> Extracted:
    return Extracted("test", text, (Page(None, 0, len(text), text),), ())


def _hang(_data: bytes, _progress: PageListener) -> None:
    while True:
        pass


def _crash(_data: bytes, _progress: PageListener) -> None:
    ctypes.string_at(0)


def _exit(_data: bytes, _progress: PageListener) -> None:
    os._exit(3)


def _leave(_data: bytes, _progress: PageListener) -> None:
    sys.exit(3)


def _interrupt(_data: bytes, _progress: PageListener) -> None:
    raise KeyboardInterrupt


def _raise_what_cannot_be_told(_data: bytes, _progress: PageListener) -> None:
    raise _Untellable


def _close_what_it_is_told_by(_data: bytes, _progress: PageListener) -> None:
    os.closerange(3, 256)


def _eat(_data: bytes, _progress: PageListener) -> None:
    try:
        bytearray(1 << 40)
    except MemoryError as error:
        raise ReadError("OUT_OF_MEMORY", "eat: too much") from error


def _gorge(_data: bytes, _progress: PageListener) -> None:
    pieces: list[bytearray] = []
    while True:
        pieces.append(bytearray(1 << 22))


def _map(data: bytes, _progress: PageListener) -> None:
    bytearray(int(data))


def _keep(data: bytes, _progress: PageListener) -> None:
    _kept.append(bytearray(int(data)))


def _endless_recursion(_data: bytes, _progress: PageListener) -> None:
    sys.setrecursionlimit(10**9)
    _deeper(0)


def _deeper(number: int) -> int:
    return _deeper(number + 1)


def _progress(_data: bytes, progress: PageListener) -> None:
    progress(3, 7)


def _slow(data: bytes, progress: PageListener) -> None:
    for page in range(1, 9):
        progress(page, 8)
        while not Path(data.decode(), str(page)).exists():
            time.sleep(0.01)


def _sleep(_data: bytes, _progress: PageListener) -> None:
    time.sleep(_LONG_S)


def _stop(_data: bytes, progress: PageListener) -> None:
    progress(1, 1)
    os.kill(os.getpid(), signal.SIGSTOP)


def _fork(_data: bytes, _progress: PageListener) -> None:
    if os.fork() == 0:
        time.sleep(_LONG_S)


def _fork_and_crash(data: bytes, progress: PageListener) -> None:
    _fork(data, progress)
    _crash(data, progress)


def _fill_the_disk(data: bytes, _progress: PageListener) -> None:
    with Path(data.decode()).open("wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))


def _tangle(_data: bytes, _progress: PageListener) -> None:
    _Tangle()


def _talk(_data: bytes, _progress: PageListener) -> None:
    os.write(1, b"a hint")
    os.write(2, b"a complaint")


_MISDEEDS: dict[str, Callable[[bytes, PageListener], None]] = {
    "hang": _hang,
    "crash": _crash,
    "exit": _exit,
    "leave": _leave,
    "interrupt": _interrupt,
    "raise what cannot be told": _raise_what_cannot_be_told,
    "close what it is told by": _close_what_it_is_told_by,
    "eat": _eat,
    "gorge": _gorge,
    "map": _map,
    "keep": _keep,
    "endless recursion": _endless_recursion,
    "progress": _progress,
    "slow": _slow,
    "sleep": _sleep,
    "stop": _stop,
    "fork": _fork,
    "fork and crash": _fork_and_crash,
    "fill the disk": _fill_the_disk,
    "talk": _talk,
    "tangle": _tangle,
}
_SAID: dict[str, Callable[[], str]] = {
    "languages": lambda: os.environ["FLETCHER_OCR_LANGUAGES"],
    "tangles left": lambda: str(len(_Tangle.left)),
    "modules": lambda: " ".join(sys.modules),
}
