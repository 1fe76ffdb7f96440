"""Reading in real child processes: with the real readers, and with readers that misbehave."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from importlib import import_module, invalidate_caches
from pathlib import Path
from textwrap import dedent
from threading import Event
from time import monotonic

import pymupdf
import pytest

from ingest.extracted import ReadError
from ingest.reader_pool import Read, ReaderPool
from ingest.reader_process import Limits
from tests.ingest.reader_kills import kill_readers

ROOT = Path(__file__).parents[2]
UNHURRIED = Limits(wall_s=600, cpu_s=600)

# The child imports this by its name, so it lies in a module of its own.
MISBEHAVING = """
    import ctypes, os, signal, sys, time
    from pathlib import Path

    from corpora import Page
    from ingest.extracted import Extracted, ReadError

    def read(name, data, progress):
        if name == "hang":
            while True:
                pass
        if name == "crash":
            ctypes.string_at(0)
        if name == "exit":
            os._exit(3)
        if name == "eat":
            try:
                bytearray(1 << 40)
            except MemoryError as error:
                raise ReadError("OUT_OF_MEMORY", "eat: too much") from error
        if name == "progress":
            progress(3, 7)
        if name == "slow":
            for page in range(1, 9):
                progress(page, 8)
                while not Path(data.decode(), str(page)).exists():
                    time.sleep(0.01)
        if name == "gorge":
            pieces = []
            while True:
                pieces.append(bytearray(1 << 22))
        if name == "stop":
            progress(1, 1)
            os.kill(os.getpid(), signal.SIGSTOP)
        if name == "sleep":
            time.sleep(600)
        if name == "fork" and os.fork() == 0:
            time.sleep(600)
        if name == "fork and crash":
            if os.fork() == 0:
                time.sleep(600)
            ctypes.string_at(0)
        if name == "fill the disk":
            with open(data.decode(), "wb") as file:
                for _ in range(64):
                    file.write(bytes(1 << 20))
        if name == "interrupt":
            raise KeyboardInterrupt
        if name == "leave":
            sys.exit(3)
        if name == "raise what cannot be told":
            raise Untellable()
        if name == "close what it is told by":
            os.closerange(3, 256)
        if name == "endless recursion":
            sys.setrecursionlimit(10**9)
            deeper(0)
        if name == "talk":
            os.write(1, b"a hint"), os.write(2, b"a complaint")
        if name == "languages":
            return extracted(os.environ["FLETCHER_OCR_LANGUAGES"])
        if name == "modules":
            return extracted(" ".join(sys.modules))
        return extracted(str(os.getpid()))

    class Untellable(Exception):
        def __reduce__(self):
            raise TypeError("this cannot be pickled")

    def deeper(n):
        return deeper(n + 1)

    def extracted(text):
        return Extracted("test", text, (Page(None, 0, len(text), text),), ())
"""


@pytest.fixture(scope="module")
def misbehaving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    folder = tmp_path_factory.mktemp("readers")
    (folder / "misbehaving_reader.py").write_text(dedent(MISBEHAVING))
    sys.path.insert(0, str(folder))
    invalidate_caches()
    yield import_module("misbehaving_reader").read
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def pool(misbehaving: Read) -> Iterator[ReaderPool]:
    """Only what a test is about may end a reader: a busy machine takes long for little."""
    with ReaderPool(workers=1, limits=replace(UNHURRIED, memory_bytes=1 << 28), read=misbehaving) as pool:
        yield pool


@pytest.fixture(scope="module")
def hurried(misbehaving: Read) -> Iterator[ReaderPool]:
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


def test_a_reader_in_endless_recursion_costs_its_document_only(hurried: ReaderPool) -> None:
    assert costs_itself_only(hurried, "endless recursion")  # whichever of time, memory and stack ends first


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
def test_what_a_reader_started_ends_with_it(misbehaving: Read, name: str) -> None:
    with ReaderPool(workers=1, read=misbehaving) as pool:
        child = int(pool.read("good", b"").text)
        assert is_running(child)
        with suppress(ReadError):
            pool.read(name, b"")
    assert ends(child)


ORPHAN = """
    import sys
    from ingest.reader_pool import ReaderPool
    from misbehaving_reader import read

    def main():
        with ReaderPool(workers=1, read=read) as pool:
            print(pool.read("good", b"").text, flush=True)
            pool.read("sleep", b"")

    if __name__ == "__main__":
        main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_reader_ends_when_the_process_that_it_reads_for_is_killed(misbehaving: Read, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(dedent(ORPHAN))
    folder = Path(sys.modules[misbehaving.__module__].__file__ or "").parent
    environment = {"PYTHONPATH": f"{ROOT}:{folder}", "PATH": ""}
    with subprocess.Popen([sys.executable, str(script)], env=environment, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
    assert ends(child)


def test_the_clock_ends_a_reader_where_nothing_else_does(misbehaving: Read) -> None:
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


def test_a_document_may_take_long_as_long_as_its_pages_are_read(
    misbehaving: Read, clock: Clock, tmp_path: Path
) -> None:
    def listen(page: int, _pages: int) -> None:
        its_reader_may_go_on = tmp_path / str(page)
        if page and not its_reader_may_go_on.exists():
            clock.ahead_s += UNHURRIED.wall_s / 2
            its_reader_may_go_on.touch()

    with ReaderPool(workers=1, limits=UNHURRIED, read=misbehaving) as pool:
        assert pool.read("slow", str(tmp_path).encode(), listen).text
    assert clock.ahead_s == 4 * UNHURRIED.wall_s


def test_a_child_is_replaced_after_so_many_documents(misbehaving: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.reader_pool._WORKS_OF_A_CHILD", 3)
    with ReaderPool(workers=1, read=misbehaving) as pool:
        children = [pool.read("good", b"").text for _ in range(7)]
    assert [children.count(child) for child in dict.fromkeys(children)] == [3, 3, 1]


def test_a_child_knows_the_languages_of_pictures(misbehaving: Read) -> None:
    with ReaderPool(workers=1, read=misbehaving, ocr_languages="eng+deu") as pool:
        assert pool.read("languages", b"").text == "eng+deu"


def test_a_missing_language_of_pictures_is_said_once(
    misbehaving: Read, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "eng.traineddata").touch()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    with ReaderPool(workers=1, read=misbehaving, ocr_languages="eng+xx") as pool:
        assert pool.read("good", b"").text
        assert pool.read("good", b"").text
    (warning,) = caplog.messages
    assert "'xx'" in warning
    assert "it has eng." in warning


def test_what_libraries_print_is_not_heard(misbehaving: Read, capfd: pytest.CaptureFixture[str]) -> None:
    with ReaderPool(workers=1, read=misbehaving) as pool:
        assert pool.read("talk", b"").text
    assert capfd.readouterr() == ("", "")


def test_progress_is_heard(pool: ReaderPool) -> None:
    heard: list[tuple[int, int]] = []
    pool.read("progress", b"", lambda page, pages: heard.append((page, pages)))
    assert [each for each in dict.fromkeys(heard) if each != (0, 0)] == [(3, 7)]


class Unwanted(Exception):
    """Nobody waits for the document any more."""


def test_a_document_that_nobody_wants_any_more_is_not_read_to_its_end(pool: ReaderPool) -> None:
    heard: list[tuple[int, int]] = []

    def listen(page: int, pages: int) -> None:
        heard.append((page, pages))
        if len(heard) == 2:  # a document without pages: the same is heard again
            raise Unwanted

    with pytest.raises(Unwanted):
        pool.read("sleep", b"", listen)
    assert heard == [(0, 0), (0, 0)]
    assert pool.read("good", b"").text.isdigit()


def test_a_document_that_waits_for_a_reader_can_be_given_up(misbehaving: Read) -> None:
    begun, gone = Event(), Event()

    def listen(_page: int, _pages: int) -> None:
        begun.set()
        if gone.is_set():
            raise Unwanted

    def read_long() -> None:
        with suppress(Unwanted):
            pool.read("sleep", b"", listen)

    def give_up(_page: int, _pages: int) -> None:
        raise Unwanted

    with ReaderPool(workers=1, read=misbehaving) as pool:
        reading = threading.Thread(target=read_long)
        reading.start()
        assert begun.wait(60)
        with pytest.raises(Unwanted):
            pool.read("good", b"", give_up)
        gone.set()
        reading.join(60)
        assert pool.read("good", b"").text.isdigit()


def test_closing_ends_what_is_read_and_what_waits(misbehaving: Read) -> None:
    codes: list[str] = []
    begun = threading.Semaphore(0)

    def read_long() -> None:
        with pytest.raises(ReadError, match="stopped") as refused:
            pool.read("sleep", b"", lambda _page, _pages: begun.release())
        codes.append(refused.value.code)

    with ReaderPool(workers=1, read=misbehaving) as pool:
        threads = [threading.Thread(target=read_long) for _ in range(3)]
        for thread in threads:
            thread.start()
        for _ in range(6):  # also those that wait are heard of
            assert begun.acquire(timeout=60)
    for thread in threads:
        thread.join(60)
    assert codes == ["READER_CRASHED"] * 3


@pytest.mark.parametrize("greedy", [["one"], ["one", "two"]])
def test_greedy_workspaces_do_not_keep_another_from_being_read(misbehaving: Read, greedy: list[str]) -> None:
    gone, asked = Event(), threading.Semaphore(0)

    def listen(_page: int, _pages: int) -> None:
        asked.release()
        if gone.is_set():
            raise Unwanted

    def read_long(workspace: str) -> None:
        with suppress(Unwanted):
            pool.read("sleep", b"", listen, workspace=workspace)

    with ReaderPool(workers=2, read=misbehaving) as pool:
        threads = [threading.Thread(target=read_long, args=(workspace,)) for workspace in greedy for _ in range(4)]
        for thread in threads:  # one after the other, so that the first has all that it may have
            thread.start()
            assert asked.acquire(timeout=60)
        assert pool.read("good", b"", workspace="patient").text.isdigit()
        gone.set()
        for thread in threads:
            thread.join(60)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_readers_that_are_killed_are_replaced() -> None:
    kill_readers(4)


@pytest.mark.skipif(sys.platform != "linux", reason="memory is limited on Linux only")
def test_a_document_larger_than_a_readers_memory_costs_itself_only(misbehaving: Read) -> None:
    with ReaderPool(workers=1, limits=Limits(memory_bytes=1 << 26), read=misbehaving) as pool:
        assert pool.read("good", b"").text.isdigit()
        with pytest.raises(ReadError, match="large: ") as refused:
            pool.read("large", bytes(1 << 27))
        assert refused.value.code == "OUT_OF_MEMORY"
        assert pool.read("good", b"").text.isdigit()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGSTOP")
def test_a_reader_that_is_stopped_is_ended_by_the_clock(misbehaving: Read, clock: Clock) -> None:
    def listen(page: int, _pages: int) -> None:
        clock.ahead_s = page * 2 * UNHURRIED.wall_s

    with ReaderPool(workers=1, limits=UNHURRIED, read=misbehaving) as pool:
        with pytest.raises(ReadError) as refused:
            pool.read("stop", bytes(1 << 20), listen)
        assert refused.value.code == "TIMEOUT"
        assert pool.read("good", b"").text.isdigit()


def test_the_child_imports_neither_torch_nor_chroma(pool: ReaderPool) -> None:
    modules = set(pool.read("modules", b"").text.split())
    assert modules.isdisjoint({"torch", "chromadb", "sentence_transformers", "llama_index.core"})


def test_threads_share_the_children(misbehaving: Read) -> None:
    results: list[str] = []
    with ReaderPool(workers=2, read=misbehaving) as pool:
        threads = [threading.Thread(target=lambda: results.append(pool.read("good", b"").text)) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(results) == 6
    assert len(set(results)) <= 2


def test_a_real_document_comes_back_whole() -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 100), "The bell rings twice.")
    with ReaderPool(workers=1) as pool:
        extracted = pool.read("bible.pdf", document.tobytes())
        with pytest.raises(ReadError, match=r"bible\.md: .*empty") as refused:
            pool.read("bible.md", b"")
    assert [page.text for page in extracted.pages] == ["The bell rings twice."]
    assert refused.value.code == "EMPTY"


def test_a_closed_pool_says_so() -> None:
    pool = ReaderPool()
    pool.close()
    with pytest.raises(RuntimeError, match="closed"):
        pool.read("notes.md", b"words")


SCRIPT = """
    import multiprocessing, sys
    from ingest.reader_pool import ReaderPool

    def main():
        libraries = {"pymupdf", "docx", "odf", "bs4", "lxml", "markdown_it", "charset_normalizer", "torch", "chromadb"}
        with ReaderPool(workers=1) as pool:
            assert not multiprocessing.active_children()
            print(pool.read("notes.md", b"# Bell").blocks[0].title)
        assert libraries.isdisjoint(sys.modules), libraries & set(sys.modules)
        assert not multiprocessing.active_children()

    if __name__ == "__main__":
        main()
"""


def test_a_script_starts_children_late_imports_no_library_and_leaves_no_child(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(dedent(SCRIPT))
    environment = {"PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.stdout, done.stderr) == ("Bell\n", "")
