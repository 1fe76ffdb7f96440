"""Whose build is next."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Event

import pytest

from retrieval.builders import Builders
from tests.waiting import eventually

_HANG_S = 120


def test_workspaces_are_built_for_in_turn() -> None:
    builders, begun, go = Builders[None](places=1), list[str](), Event()

    def build(name: str) -> None:
        begun.append(name)
        assert go.wait(_HANG_S)

    asked = ["alice 1", "alice 2", "alice 3", "bob 1", "carol 1", "bob 2"]
    built = [builders.submit(name.split()[0], partial(build, name)) for name in asked]
    go.set()
    for one in built:
        one.result(_HANG_S)
    assert begun == ["alice 1", "bob 1", "carol 1", "alice 2", "bob 2", "alice 3"]
    builders.close()


def test_a_build_that_fails_is_told_and_holds_up_nobody() -> None:
    builders = Builders[str](places=1)

    def broken() -> str:
        raise OSError("disk")

    failed, built = builders.submit("alice", broken), builders.submit("alice", lambda: "built")
    with pytest.raises(OSError, match="disk"):
        failed.result(_HANG_S)
    assert built.result(_HANG_S) == "built"
    builders.close()


def test_once_closed_nothing_is_begun_and_nobody_waits_for_ever() -> None:
    builders, begun, go = Builders[str](places=1), Event(), Event()

    def build() -> str:
        begun.set()
        assert go.wait(_HANG_S)
        return "built"

    first, *waiting = [builders.submit(workspace, build) for workspace in ("alice", "alice", "bob")]
    assert begun.wait(_HANG_S)
    with ThreadPoolExecutor() as closing:
        closed = closing.submit(builders.close)
        eventually(lambda: builders._threads._shutdown)  # pyright: ignore
        go.set()
        closed.result(_HANG_S)
    assert first.result() == "built"
    assert waiting[0].cancelled()
    assert waiting[1].done(), "it had its turn, or is cancelled as well"
    with pytest.raises(RuntimeError):
        builders.submit("alice", build)
