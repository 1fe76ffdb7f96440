"""SIGTERM ends a command as Ctrl-C does: what is open is closed first."""

import logging
import os
import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from types import FrameType

logger = logging.getLogger(__name__)

_PATIENCE_S = 15.0
_BY_SIGNAL = 128  # what a shell adds to the number of the signal


class Terminated(SystemExit):
    """The command was told to end."""


@contextmanager
def ending_in_order() -> Generator[None]:
    """While the block runs, SIGTERM raises `Terminated` in it; a second one ends the process at once.

    uvicorn closes its clients first, and then sends the signal on to here. To whoever waits for the process it has
    ended by the signal in any case: that is a clean stop for systemd and for containers.
    """
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield
    except Terminated:
        with suppress(OSError):
            sys.stdout.flush()  # which nobody would do once the signal has ended the process
        logging.shutdown()  # neither this
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def _end(number: int, _frame: FrameType | None) -> None:
    signal.signal(number, signal.SIG_DFL)
    raise Terminated(_BY_SIGNAL + number)


def end_in_any_case() -> None:
    """The process ends in fifteen seconds, if it has not by then.

    A thread that waits for a drive that hangs can be ended by nothing else, and a kill at any moment loses nothing.
    """
    timer = threading.Timer(_PATIENCE_S, _end_at_once)
    timer.daemon = True
    timer.start()


def _end_at_once() -> None:
    logger.warning("Something still waits, as for a drive that hangs; the server ends without it.")
    logging.shutdown()
    os._exit(_BY_SIGNAL + signal.SIGTERM)
