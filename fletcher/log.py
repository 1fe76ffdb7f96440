"""The log on standard error: one line for each record, whatever names and messages are in it."""

import logging
from contextlib import suppress
from logging.handlers import QueueHandler, QueueListener
from queue import Full, Queue
from types import TracebackType

from corpora import printable
from fletcher import console

_INDENT = "  "
_LONGEST_TRACE = 20_000  # characters: what failed may name what somebody has sent
_TURNS = "fletcher.turn"  # the logger of turns
_MOST_WAITING = 1000  # lines that standard error does not take
_PATIENCE_S = 1.0
_ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class LineFormatter(logging.Formatter):
    """A record's text on one line, with escapes for what cannot be shown; a traceback indented below it.

    So nobody who chooses a name can write a line that looks like one of ours.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  (the library's name)
        """The line."""
        return printable(super().formatMessage(record))

    def formatException(self, ei: _ExcInfo) -> str:  # noqa: N802
        """The traceback."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """The stack."""
        return _indented(super().formatStack(stack_info))


class _AboveTheBars(logging.Handler):
    """Writes to standard error as the console does, which moves its progress bars out of the way first."""

    def emit(self, record: logging.LogRecord) -> None:
        """One record."""
        try:
            console.err.print(self.format(record), markup=False)
        except Exception:  # noqa: BLE001  (as the library's own handlers do)
            self.handleError(record)


class _ServersFormatter(LineFormatter):
    """Of a turn there is nothing but its JSON."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802
        """The line."""
        return printable(record.message) if record.name == _TURNS else super().formatMessage(record)


class _Queued(QueueHandler):
    """Hands its lines to the thread that writes them: a terminal that is held takes none, and the server goes on."""

    def __init__(self) -> None:
        lines = Queue[logging.LogRecord](_MOST_WAITING)
        super().__init__(lines)
        self._lines = lines
        self._left_out = 0
        _StandardError(lines).start()

    def enqueue(self, record: logging.LogRecord) -> None:
        """One line, unless too many wait."""
        try:
            if self._left_out:
                said = f"{self._left_out:,} lines are left out here: standard error took none of them."
                self._lines.put_nowait(logging.makeLogRecord({"msg": said}))
                self._left_out = 0
            self._lines.put_nowait(record)
        except Full:
            self._left_out += 1

    def flush(self) -> None:
        """Waits until all is written, but not for a terminal that is held: `logging.shutdown` asks for it."""
        written = self._lines.all_tasks_done
        with written:
            written.wait_for(lambda: not self._lines.unfinished_tasks, _PATIENCE_S)


class _StandardError(QueueListener):
    """The thread that writes the lines, to a file of its own: Python waits at its end for who uses `sys.stderr`."""

    def __init__(self, lines: Queue[logging.LogRecord]) -> None:
        super().__init__(lines)
        self._file = open(2, "wb", buffering=0, closefd=False)  # noqa: SIM115  (until the process ends)

    def handle(self, record: logging.LogRecord) -> None:
        """One line."""
        with suppress(OSError):  # whoever has read it is gone
            self._file.write(f"{record.getMessage()}\n".encode(errors="backslashreplace"))


def log_warnings() -> None:
    """What a command logs: warnings only."""
    handler = _AboveTheBars()
    handler.setFormatter(LineFormatter("%(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)


def log_as_server(level: int = logging.INFO) -> None:
    """Lines to read, and for every turn one line of JSON, at the level of each or above."""
    handler = _Queued()
    handler.setFormatter(_ServersFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler], force=True)  # in place of the command's
    for noisy in ("httpx", "httpx2", "chromadb", "sentence_transformers", "watchfiles"):
        logging.getLogger(noisy).setLevel(logging.WARNING)


def _indented(text: str) -> str:
    if (left_out := len(text) - _LONGEST_TRACE) > 0:
        half = _LONGEST_TRACE // 2
        text = f"{text[:half]}\n… {left_out:,} characters left out …\n{text[-half:]}"
    return "\n".join(_INDENT + printable(line) for line in text.split("\n"))
