"""An .arrow file that is talked about: which turns can be taken back, and which question is open."""

import hashlib
import json
from collections.abc import Generator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path

from corpora import FileChanged, HeldFile, NotAFile, ProjectKey, replace_whole
from fletcher.errors import CommandError
from ingest import open_plain_file

_KEPT_TURNS = 20
_BY_ASSISTANT = "a"
_MOST_BYTES = 64 * 2**20  # of a story


def read_story(file: Path) -> bytes:
    """The bytes of a file that the user named; raises `CommandError` with the reason.

    The folder may be somebody else's: what never ends, as a device or a pipe, is not begun.
    """
    try:
        opened, _ = open_plain_file(file, None)
        with opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        other = "it is no plain file" if isinstance(error, NotAFile) else error.strerror or error
        reason = "it is a folder" if file.is_dir() else other
        raise CommandError(f"{file} cannot be read: {reason}. Name an .arrow file.") from error
    if len(content) > _MOST_BYTES:
        raise CommandError(f"{file} has more than the {_MOST_BYTES:,} bytes of a story. Name an .arrow file.")
    return content


@contextmanager
def said_if_not_written(file: Path) -> Generator[None]:
    """Raises `CommandError` where the file, or what is kept about it, cannot be written."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        raise CommandError(
            f"{file} cannot be written: {reason}. It is as it was; ask for it once more after that."
        ) from error


class StoryFile:
    """One file, and what is kept about it in a folder of the data directory.

    Args:
        file: The .arrow file, by its real path: a link that has come into its way is not followed.
        folder: Where what is kept of all files is.
    """

    def __init__(self, file: Path, folder: Path) -> None:
        self.file = file
        self._kept = folder / _sha256(str(self.file).encode())[:32]
        self._question = self._kept / "question.json"

    def write(self, before: bytes, after: bytes, *, by_assistant: bool = False) -> None:
        """Writes what a turn made of the file, keeping what was there.

        The turns of assistants of the user's own, which are any number for one message, leave the user's own versions.

        Raises:
            CommandError: The file is no longer what the turn began with, so writing would lose somebody's work.
        """
        with HeldFile(self.file) as file:
            self._require(file, before)
            self._make_folder()
            kept = self._next(after, by_assistant=by_assistant)
            replace_whole(kept, before)
            try:
                self._replace(file, before, after)
            except BaseException:
                if not _is(file, after):  # else another process has just made the same of it
                    kept.unlink(missing_ok=True)
                raise
            self._forget()

    def undo(self) -> None:
        """Puts back what the last turn on this file replaced, byte by byte; again: what the one before it did.

        Raises:
            CommandError: There is no such turn, or the file has been changed since.
        """
        if not self.file.exists():
            raise self._no_turn()
        after = read_story(self.file)
        with HeldFile(self.file) as file:
            self._put_back(file, after)

    def as_kept(self, before: bytes, after: bytes) -> bytes:
        """What an undo has led to from `before`: the bytes of then where they are kept, else the story of then."""
        kept = self._before(before)
        if kept is not None and not _are_different(then := kept.read_bytes(), after):
            return then
        return after

    def go_back(self, before: bytes, after: bytes) -> None:
        """Writes what `as_kept` says.

        Raises:
            CommandError: The file is no longer what the undo began with.
        """
        with HeldFile(self.file) as file:
            self._require(file, before)
            kept = self._before(before)
            if kept is None or kept.read_bytes() != after:
                self._replace(file, before, after)
                if kept is not None:  # it goes further back, over this one as well
                    kept.replace(kept.with_stem(kept.stem.replace(_led_to(kept), _version(after))))
            else:
                self._put_back(file, before)

    def open_question(self, key: ProjectKey) -> str | None:
        """The id of the question that the next message about this file answers."""
        if not self._question.exists():
            return None
        asked = json.loads(self._question.read_text("utf-8"))
        return asked["pending_id"] if asked["project"] == [key.workspace, key.project_id] else None

    def keep_question(self, key: ProjectKey, pending_id: str | None) -> None:
        """Keeps the question that a turn has ended with; None: with none."""
        if pending_id is None:
            self._question.unlink(missing_ok=True)
            return
        self._make_folder()
        asked = {"project": [key.workspace, key.project_id], "pending_id": pending_id}
        replace_whole(self._question, json.dumps(asked).encode())

    def _require(self, file: HeldFile, before: bytes) -> None:
        if not file.holds(before):
            raise self._changed()

    def _replace(self, file: HeldFile, before: bytes, after: bytes) -> None:
        try:
            file.replace(before, after)
        except FileChanged as error:
            raise self._changed() from error

    def _put_back(self, file: HeldFile, after: bytes) -> None:
        """Puts back what was there before the turn that wrote `after`."""
        kept = self._before(after)
        if kept is None:
            raise self._no_turn()
        self._replace(file, after, kept.read_bytes())
        kept.unlink(missing_ok=True)

    def _changed(self) -> CommandError:
        return CommandError(f"{self.file} has been changed while the turn ran, so nothing was written. Say it again.")

    def _no_turn(self) -> CommandError:
        if turns := self._turns():
            return CommandError(
                f"{self.file} has been changed since the last turn, and undo would lose that. "
                f"The version before the turn is {turns[-1]}."
            )
        return CommandError(f"{self.file}: there is no turn to take back; the last {_KEPT_TURNS} are kept.")

    def _make_folder(self) -> None:
        self._kept.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _before(self, after: bytes) -> Path | None:
        """What was there before the last turn that wrote `after`; several may have, where a story went to and fro."""
        version = _version(after)
        return next((kept for kept in reversed(self._turns()) if _led_to(kept) == version), None)

    def _next(self, after: bytes, *, by_assistant: bool) -> Path:
        """Where is kept what was there before the turn that is about to write `after`."""
        number = max(map(_number, self._turns()), default=0) + 1
        return self._kept / f"{number:06}{_BY_ASSISTANT if by_assistant else ''}-{_version(after)}.arrow"

    def _turns(self) -> list[Path]:
        """The versions that are kept, the oldest first."""
        found = [(_number(kept), _written_at(kept), kept) for kept in self._kept.glob("*.arrow")]
        return [kept for _, written_at, kept in sorted(found) if written_at]

    def _forget(self) -> None:
        """Of the user's turns and of those of assistants the last are kept.

        What was there before the first of an assistant's turns in a row stays: the two oldest become one.
        """
        turns = self._turns()
        own = [kept for kept in turns if not _is_by_assistant(kept)]
        by_assistants = [kept for kept in turns if _is_by_assistant(kept)]
        with suppress(FileNotFoundError):  # another process may be at it, too
            for old, following in pairwise(by_assistants[: 1 - _KEPT_TURNS]):
                if _version(following.read_bytes()) == _led_to(old):
                    old.replace(following)
                else:
                    old.unlink()
            for old in own[:-_KEPT_TURNS]:
                old.unlink()


def kept_stories(data_dir: Path) -> Path:
    """The folder of a data directory where what is kept of all files is."""
    return data_dir / "stories"


def _version(content: bytes) -> str:
    return _sha256(content)[:32]


def _led_to(kept: Path) -> str:
    """The version that the turn wrote."""
    return kept.stem.rpartition("-")[2]


def _number(kept: Path) -> int:
    """Which of the turns on the file; 0 where an older Fletcher has kept it."""
    return int(kept.stem.rpartition("-")[0].removesuffix(_BY_ASSISTANT) or 0)


def _is_by_assistant(kept: Path) -> bool:
    return kept.stem.rpartition("-")[0].endswith(_BY_ASSISTANT)


def _is(file: HeldFile, data: bytes) -> bool:
    with suppress(OSError):
        return file.holds(data)
    return False


def _are_different(one: bytes, other: bytes) -> bool:
    """Whether these are two stories, and not one that was written in two ways."""
    from arrow_project import ParseError, fingerprint, parse  # a command that finds a server never needs it

    with suppress(ParseError, UnicodeDecodeError):
        return fingerprint(parse(one.decode("utf-8-sig"))) != fingerprint(parse(other.decode("utf-8-sig")))
    return False


def _written_at(file: Path) -> int:
    """In nanoseconds; 0 if another process has deleted it meanwhile."""
    with suppress(FileNotFoundError):
        return file.stat().st_mtime_ns
    return 0


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
