"""Readers of LlamaIndex that the operator names for kinds of files that Fletcher does not read itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import Protocol, cast

from ingest.extracted import Extracted, ReadError
from ingest.readers.formats import SUFFIXES, PageListener, reader_of
from ingest.readers.text_builder import clean

VARIABLE = "FLETCHER_READERS"
_ENTRY = re.compile(r"(\.[A-Za-z0-9_+-]+)\s*=\s*((?:\w+\.)*\w+):(\w+)")
_PACKAGE = re.compile(r"llama_index\.readers\.(\w+)")


class _Document(Protocol):
    text: str


class _Reader(Protocol):
    def load_data(self, file: Path, /) -> Iterable[_Document]: ...


def named_readers() -> Mapping[str, str]:
    """The classes, `package.module:Class`, by suffix (lower case, with its dot), as the environment names them.

    From there, as each process that looks into folders must know of them; nobody but the user decides about it.
    """
    value = next((value for name, value in os.environ.items() if name.upper() == VARIABLE), "")
    return parsed(value)


def parsed(value: str) -> Mapping[str, str]:
    """The same of a value `.xyz=package.module:Class, …`; raises ValueError with the rule that an entry breaks."""
    found: dict[str, str] = {}
    for entry in filter(None, map(str.strip, value.split(","))):
        match = _ENTRY.fullmatch(entry)
        if match is None:
            raise ValueError(f"{entry!r} is not of the form .xyz=package.module:Class")
        suffix = match[1].lower()
        if suffix in SUFFIXES:
            raise ValueError(f"{entry!r}: {suffix} is read by Fletcher itself; name readers for other kinds only")
        if suffix in found:
            raise ValueError(f"{suffix} has two readers; name one")
        found[suffix] = f"{match[2]}:{match[3]}"
    return found


def named_reader(name: str) -> str | None:
    """The class that is named for documents of this name."""
    return named_readers().get(PurePosixPath(name).suffix.lower())


# What follows is for the child process: the classes, and whatever they import, are others' code.


def check(class_name: str, _progress: PageListener) -> None:
    """Raise `ReadError` (READER_UNAVAILABLE) if it cannot be made; the message lacks the name of the setting."""
    _made(class_name)


def read_with(class_name: str, file: Path) -> Extracted:
    """The text of a file as that class reads it, without pages; raises `ReadError` without the document's name."""
    reader = _made(class_name)
    try:
        text = "\n\n".join(document.text for document in reader.load_data(file))
    except MemoryError:
        raise
    except Exception as error:  # whatever it may be, it is the reader's, or the document's
        detail = f"{type(error).__name__}: {error}"[:200]
        raise ReadError(
            "READER_FAILED",
            f"{class_name}, which {VARIABLE} names for it, failed ({detail}); see whether the file is whole, or name "
            "another reader.",
        ) from error
    extracted = reader_of("txt")(clean(text).encode(), _nobody)
    return replace(extracted, format=file.suffix.removeprefix(".").lower())


def _made(class_name: str) -> _Reader:
    module_name, _, name = class_name.partition(":")
    try:
        reader = getattr(import_module(module_name), name)()
    except ImportError as error:
        package = _PACKAGE.match(module_name)
        remedy = f"Install it: pip install llama-index-readers-{package[1].replace('_', '-')}" if package else ""
        raise _unavailable(f"{class_name} cannot be loaded ({error}). {remedy or 'Install its package.'}") from error
    except AttributeError as error:
        raise _unavailable(f"{module_name} has no class {name} that can be made ({error}).") from error
    except Exception as error:  # others' code
        raise _unavailable(f"{class_name} cannot be made without arguments ({error}).") from error
    if not callable(getattr(reader, "load_data", None)):
        raise _unavailable(f"{class_name} is no reader of LlamaIndex: it has no load_data.")
    return cast("_Reader", reader)


def _unavailable(problem: str) -> ReadError:
    return ReadError("READER_UNAVAILABLE", problem)


def _nobody(page: int, pages: int) -> None: ...
