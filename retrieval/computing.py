"""Whose search computes: of many at once a few, in turn by workspace, so that all else has its time in between."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from corpora import Place, ProjectKey, Shares

# More would be no faster, as one computes at a time, and each lets turns, uploads and the event loop wait longer. The
# last ones are for workspaces that have none: one may keep its own for long, where it waits for the catalog.
_AT_ONCE, _OF_A_WORKSPACE, _FOR_NEWCOMERS = 6, 2, 4

_places = Shares(_AT_ONCE, _OF_A_WORKSPACE, _FOR_NEWCOMERS)
# Whoever compares with all documents has their words in memory. `further` ones are for what is short.
_comparisons = Shares(4, each=1, further=4)
# A model that runs here works on all processors: more at once would be no faster, and each takes memory.
_models = Shares(2, each=1, further=2)
# Of a provider that answers one after the other, as one on this machine does, others' questions are soon due.
_asked = Shares(6, each=2, further=2)
_of_thread = threading.local()


@contextmanager
def computing(key: ProjectKey) -> Generator[None]:
    """Have a place for the project's workspace while the block runs, unless the thread has one."""
    if _place() is not None:
        yield
        return
    try:
        _take(key.workspace)
        yield
    finally:
        _leave()


@contextmanager
def comparing(key: ProjectKey, beat: Callable[[], None], seconds: float) -> Generator[None]:
    """As `computing`, one at a time of a workspace; while it waits `beat` is called, and what that raises gives up."""
    with _comparisons.taken(key.workspace, beat, seconds), computing(key):
        yield


@contextmanager
def waiting() -> Generator[None]:
    """The thread's place, if it has one, is others' while the block waits for a model, a vector store or an index."""
    place = _place()
    if place is None:
        yield
        return
    _leave()
    try:
        yield
    finally:
        _take(place.workspace)


@contextmanager
def running_model() -> Generator[None]:
    """A model of this process works in the block: for one question of a workspace at a time, and few of all."""
    with _models.taken(getattr(_of_thread, "workspace", ""), lambda: None):
        yield


@contextmanager
def asking_provider() -> Generator[None]:
    """A provider is asked in the block, of whose answer somebody waits: for two questions of a workspace at a time."""
    with _asked.taken(getattr(_of_thread, "workspace", ""), lambda: None):
        yield


def give_way() -> None:
    """Let others who wait for the thread's place go first; whoever computes for long calls it between two steps."""
    if _places.is_wanted():
        with waiting():
            pass


def _place() -> Place | None:
    return getattr(_of_thread, "place", None)


def _take(workspace: str) -> None:
    _of_thread.workspace = workspace
    _of_thread.place = place = _places.ask(workspace)
    place.granted.result()


def _leave() -> None:
    place = _place()
    _of_thread.place = None
    if place is not None:
        _places.give_back(place)
