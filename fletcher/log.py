"""The log on standard error: one line for each record, whatever names and messages are in it."""

import logging
from types import TracebackType

from corpora import printable
from fletcher import console

_INDENT = "  "
_LONGEST_TRACE = 20_000  # characters: what failed may name what somebody has sent
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


def log_warnings() -> None:
    """What a command logs: warnings only."""
    _log(_AboveTheBars(), logging.WARNING, "%(levelname)s: %(message)s")


def log_as_server() -> None:
    """Lines to read, and for every turn one line of JSON."""
    _log(logging.StreamHandler(), logging.INFO, "%(asctime)s %(levelname)s %(name)s: %(message)s")
    for noisy in ("httpx", "httpx2", "chromadb", "sentence_transformers", "watchfiles"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    turns = logging.StreamHandler()
    turns.setFormatter(LineFormatter("%(message)s"))
    logger = logging.getLogger("fletcher.turn")
    logger.addHandler(turns)
    logger.propagate = False


def _log(handler: logging.Handler, level: int, form: str) -> None:
    handler.setFormatter(LineFormatter(form))
    # `force`: a server's log takes the place of the command's.
    logging.basicConfig(level=level, handlers=[handler], force=True)


def _indented(text: str) -> str:
    if (left_out := len(text) - _LONGEST_TRACE) > 0:
        half = _LONGEST_TRACE // 2
        text = f"{text[:half]}\n… {left_out:,} characters left out …\n{text[-half:]}"
    return "\n".join(_INDENT + printable(line) for line in text.split("\n"))
