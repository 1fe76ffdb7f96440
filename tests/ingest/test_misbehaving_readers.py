"""Readers that misbehave, in real child processes: each costs its document, and nothing and nobody else."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from threading import Event
from time import monotonic

import pytest

from ingest.extracted import ReadError
from ingest.reader_pool import ReaderPool
from ingest.reader_process import Limits
from tests.ingest.misbehaving import read as misbehaving

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
UNHURRIED = Limits(wall_s=600, cpu_s=600)


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    """Only what a test is about may end a reader: a busy machine takes long for little."""
    with ReaderPool(workers=1, limits=replace(UNHURRIED, memory_bytes=1 << 28), read=misbehaving) as pool:
        yield pool


@pytest.fixture(scope="module")
def hurried() -> Iterator[ReaderPool]:
    with ReaderPool(workers=1, limits=Limits(wall_s=60, cpu_s=1, memory_bytes=1 << 28), read=misbehaving) as pool:
        yield pool


def costs_itself_only(pool: ReaderPool, name: str) -> str:
    """The code with which the reader ends; whoever comes next is read."""
    with pytest.raises(ReadError, match=f"{name}: ") as refused:
        pool.read(name, b"")
    assert pool.read("good", b"").text.isdigit()
    return refused.value.code


@pytest.mark.parametrize(
    "name", ["exit", "interrupt", "leave", "raise what cannot be told", "close what it is told by"]
)
def test_a_reader_that_misbehaves_costs_its_document_only(pool: ReaderPool, name: str) -> None:
    assert costs_itself_only(pool, name) == "READER_CRASHED"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other ways to crash")
@pytest.mark.parametrize("name", ["crash", "fork and crash"])
def test_a_reader_that_crashes_costs_its_document_only(pool: ReaderPool, name: str) -> None:
    assert costs_itself_only(pool, name) == "READER_CRASHED"


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
@pytest.mark.parametrize("name", ["eat", "gorge"])
def test_a_reader_that_eats_memory_costs_its_document_only(pool: ReaderPool, name: str) -> None:
    assert costs_itself_only(pool, name) == "OUT_OF_MEMORY"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits for a process")
def test_a_reader_that_computes_for_ever_costs_its_document_only(hurried: ReaderPool) -> None:
    assert costs_itself_only(hurried, "hang") == "TIMEOUT"


def test_a_reader_in_endless_recursion_costs_its_document_only() -> None:
    # Of little memory, which else takes a while to fill.
    with ReaderPool(workers=1, limits=Limits(wall_s=60, cpu_s=1, memory_bytes=1 << 25), read=misbehaving) as pool:
        assert costs_itself_only(pool, "endless recursion")  # whichever of time, memory and stack ends first


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limits for a process")
def test_a_reader_writes_no_files(pool: ReaderPool, tmp_path: Path) -> None:
    place = tmp_path / "filled"
    with pytest.raises(ReadError, match=r"fill the disk: .*too large"):
        pool.read("fill the disk", str(place).encode())
    assert place.stat().st_size == 0
    assert pool.read("good", b"").text.isdigit()


def is_running(group: int) -> bool:
    """Whether any process of the group has not ended; a zombie has."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, its_group = status.read_text().rpartition(")")[2].split()[:3]
        except OSError:  # it has just gone
            continue
        if int(its_group) == group and state != "Z":
            return True
    return False


def ends(group: int) -> bool:
    """Whether the group ends, now or soon: a signal takes its time to arrive."""
    give_up_at = monotonic() + 60
    while is_running(group) and monotonic() < give_up_at:
        Event().wait(0.05)
    return not is_running(group)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("name", ["fork", "fork and crash"])
def test_what_a_reader_started_ends_with_it(name: str) -> None:
    with ReaderPool(workers=1, read=misbehaving) as pool:
        child = int(pool.read("good", b"").text)
        assert is_running(child)
        with suppress(ReadError):
            pool.read(name, b"")
    assert ends(child)


ORPHAN = """
    import sys
    from ingest.reader_pool import ReaderPool
    from tests.ingest.misbehaving import read

    def main():
        with ReaderPool(workers=1, read=read) as pool:
            print(pool.read("good", b"").text, flush=True)
            pool.read("sleep", b"")

    if __name__ == "__main__":
        main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_reader_ends_when_the_process_that_it_reads_for_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(dedent(ORPHAN))
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    with subprocess.Popen([sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert ends(child)


def test_the_clock_ends_a_reader_where_nothing_else_does() -> None:
    limits = Limits(wall_s=0.2, cpu_s=600)
    with (
        ReaderPool(workers=1, limits=limits, read=misbehaving) as pool,
        pytest.raises(ReadError, match=r"0\.2 seconds") as refused,
    ):
        pool.read("hang", b"")
    assert refused.value.code == "TIMEOUT"


class Clock:
    """The time as the parent sees it; tests let it run ahead where they would have to wait."""

    def __init__(self) -> None:
        self.ahead_s = 0.0

    def __call__(self) -> float:
        return monotonic() + self.ahead_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("ingest.reader_process.monotonic", clock)
    return clock


def test_a_document_may_take_long_as_long_as_its_pages_are_read(clock: Clock, tmp_path: Path) -> None:
    def listen(page: int, _pages: int) -> None:
        its_reader_may_go_on = tmp_path / str(page)
        if page and not its_reader_may_go_on.exists():
            clock.ahead_s += UNHURRIED.wall_s / 2
            its_reader_may_go_on.touch()

    with ReaderPool(workers=1, limits=UNHURRIED, read=misbehaving) as pool:
        assert pool.read("slow", str(tmp_path).encode(), listen).text
    assert clock.ahead_s == 4 * UNHURRIED.wall_s


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_document_larger_than_a_readers_memory_costs_itself_only() -> None:
    with ReaderPool(workers=1, limits=Limits(memory_bytes=1 << 26), read=misbehaving) as pool:
        assert pool.read("good", b"").text.isdigit()
        with pytest.raises(ReadError, match="large: ") as refused:
            pool.read("large", bytes(1 << 27))
        assert refused.value.code == "OUT_OF_MEMORY"
        assert pool.read("good", b"").text.isdigit()


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_reader_that_keeps_much_of_what_it_has_read_ends() -> None:
    with ReaderPool(workers=1, limits=UNHURRIED, read=misbehaving) as pool:
        child = int(pool.read("keep", b"300_000_000").text)
        assert ends(child)
        assert int(pool.read("good", b"").text) != child


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_what_a_reader_has_kept_of_others_documents_costs_no_document() -> None:
    with ReaderPool(workers=1, limits=replace(UNHURRIED, memory_bytes=1 << 28), read=misbehaving) as pool:
        child = pool.read("keep", b"100_000_000").text
        assert pool.read("good", b"").text == child
        assert pool.read("map", b"200_000_000").text != child


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_a_reader_that_is_stopped_is_ended_by_the_clock(clock: Clock) -> None:
    def listen(page: int, _pages: int) -> None:
        clock.ahead_s = page * 2 * UNHURRIED.wall_s

    with ReaderPool(workers=1, limits=UNHURRIED, read=misbehaving) as pool:
        with pytest.raises(ReadError) as refused:
            pool.read("stop", bytes(1 << 20), listen)
        assert refused.value.code == "TIMEOUT"
        assert pool.read("good", b"").text.isdigit()
