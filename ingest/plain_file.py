"""A file opened as what it was found to be: nothing put in its place meanwhile, a link or a pipe, is read instead."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from corpora import HeldFile


class OutsideFolder(OSError):
    """A path leads out of the folder that it was found in."""


def leads_out(real: Path, inside: Path, is_left_out: Callable[[str], bool] = lambda _: False) -> bool:
    """Whether a real path is not below the folder `inside`, or in a part of it that is left out."""
    return not real.is_relative_to(inside) or any(map(is_left_out, real.relative_to(inside).parts))


def open_plain_file(
    path: Path, inside: Path | None, is_left_out: Callable[[str], bool] = lambda _: False
) -> tuple[BinaryIO, os.stat_result]:
    """The file, to be closed by the caller, and what is known of the very file that was opened.

    Args:
        path: A link is followed, once, to where it leads now.
        inside: The real path of the folder that it must not lead out of; None: anywhere.
        is_left_out: Whether what has such a name in the folder counts as outside.

    Raises:
        OutsideFolder: It leads out of it.
        NotAFile: It is not a regular file.
        OSError: It cannot be opened, or a link has come into its way since its path was looked at.
    """
    real = Path(os.path.realpath(path))
    if inside is not None and leads_out(real, inside, is_left_out):
        raise OutsideFolder(f"{real} is not below {inside}")
    with HeldFile(real) as file:
        return file.open()
