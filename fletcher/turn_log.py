"""What the last turn on each .arrow file replaced, so that it can be taken back in one step."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

from fletcher.errors import CommandError


class TurnLog:
    """A folder with one entry per .arrow file: its bytes before the last turn, and the hash of what the turn wrote."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, file: Path, before: bytes, after: bytes) -> None:
        """Writes what a turn made of `file`, keeping what was there.

        Raises:
            CommandError: The file is no longer what the turn began with, so writing would lose somebody's work.
        """
        file = file.resolve()  # a link stays one
        if file.read_bytes() != before:
            raise CommandError(f"{file} has been changed while the turn ran, so nothing was written. Say it again.")
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        kept, record = self._entry(file)
        _write_whole(kept, before)
        _write_whole(record, json.dumps({"file": str(file), "written_sha256": _sha256(after)}).encode())
        _write_whole(file, after)

    def undo(self, file: Path) -> None:
        """Puts back what the last turn replaced.

        Raises:
            CommandError: There is no such turn, or the file has been changed since.
        """
        file = file.resolve()
        kept, record = self._entry(file)
        if not (kept.exists() and record.exists()):
            raise CommandError(f"{file}: there is no turn to take back.")
        written = json.loads(record.read_text("utf-8"))["written_sha256"]
        if not file.exists() or _sha256(file.read_bytes()) != written:
            raise CommandError(
                f"{file} has been changed since the last turn, and undo would lose that. "
                f"The version before the turn is {kept}."
            )
        _write_whole(file, kept.read_bytes())
        record.unlink()
        kept.unlink()

    def _entry(self, file: Path) -> tuple[Path, Path]:
        name = _sha256(str(file).encode())[:32]
        return self._folder / f"{name}.arrow", self._folder / f"{name}.json"


def _write_whole(path: Path, data: bytes) -> None:
    """Either the old bytes are there or the new ones, whenever the process ends."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if path.exists():
            Path(temporary).chmod(path.stat().st_mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
