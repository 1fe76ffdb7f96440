"""Classes such as somebody may name in FLETCHER_READERS: none is a good reader."""

import os
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn


class Fails:
    def load_data(self, file: Path) -> NoReturn:
        raise KeyError(f"no slide in {file.suffix}")


class Crashes:
    def load_data(self, file: Path) -> NoReturn:
        os.kill(os.getpid(), signal.SIGABRT)
        raise AssertionError(file)


class Writes:
    def load_data(self, file: Path) -> NoReturn:
        file.with_name("written").write_bytes(b"x")
        raise AssertionError(file)


class EatsMemory:
    def load_data(self, file: Path) -> list[SimpleNamespace]:
        return [SimpleNamespace(text=str(bytearray(1 << 40) + file.name.encode()))]


class FindsNothing:
    def load_data(self, file: Path) -> list[SimpleNamespace]:
        return [SimpleNamespace(text=" ") for _ in file.parts]


class NeedsArguments:
    def __init__(self, key: str) -> None:
        self.key = key


class ReadsNothing: ...
