"""Reading in real child processes: how they are started, shared, followed and replaced."""

import gc
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from textwrap import dedent
from threading import Event

import pymupdf
import pytest

from ingest.extracted import Extracted, ReadError
from ingest.reader_pool import ReaderPool
from ingest.split import split
from tests.ingest.misbehaving import read as misbehaving
from tests.ingest.reader_kills import kill_readers
from tests.waiting import eventually

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    with ReaderPool(workers=1, read=misbehaving) as pool:
        yield pool


def test_a_child_is_replaced_after_so_many_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.reader_pool._WORKS_OF_A_CHILD", 3)
    with ReaderPool(workers=1, read=misbehaving) as pool:
        children = [pool.read("good", b"").text for _ in range(7)]
    assert [children.count(child) for child in dict.fromkeys(children)] == [3, 3, 1]


def test_nothing_of_a_document_stays_in_the_child(pool: ReaderPool) -> None:
    assert pool.read("tangle", b"").text
    assert pool.read("tangles left", b"").text == "0"


def test_a_child_knows_the_languages_of_pictures() -> None:
    with ReaderPool(workers=1, read=misbehaving, ocr_languages="eng+deu") as pool:
        assert pool.read("languages", b"").text == "eng+deu"


def test_a_missing_language_of_pictures_is_said_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "eng.traineddata").touch()
    monkeypatch.setenv("TESSDATA_PREFIX", str(tmp_path))
    with ReaderPool(workers=1, read=misbehaving, ocr_languages="eng+xx") as pool:
        assert pool.read("good", b"").text
        assert pool.read("good", b"").text
    (warning,) = caplog.messages
    assert "'xx'" in warning
    assert "it has eng." in warning


def test_what_libraries_print_is_not_heard(capfd: pytest.CaptureFixture[str]) -> None:
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


def test_a_document_that_waits_for_a_reader_can_be_given_up() -> None:
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


def test_closing_ends_what_is_read_and_what_waits() -> None:
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
def test_greedy_workspaces_do_not_keep_another_from_being_read(greedy: list[str]) -> None:
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


def test_the_child_imports_neither_torch_nor_chroma(pool: ReaderPool) -> None:
    modules = set(pool.read("modules", b"").text.split())
    assert modules.isdisjoint({"torch", "chromadb", "sentence_transformers", "llama_index.core"})


def test_threads_share_the_children() -> None:
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


def test_a_document_is_split_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_cuts(_: Extracted) -> Extracted:
        raise AssertionError("in this process")

    monkeypatch.setattr("ingest.readers.with_cuts", with_cuts)
    with ReaderPool(workers=1) as pool:
        extracted = pool.read("bible.md", b"# Bell\n\nIt rings.")
    assert [passage.text for passage in split(extracted, "d" * 16, "bible.md")] == ["It rings."]


def test_what_could_not_be_read_is_not_kept_until_garbage_is_collected() -> None:
    data = b"%PDF-1.7 and no more of it"

    def fails() -> bool:
        try:
            pool.read("map.pdf", data)
        except ReadError:
            return True
        return False

    gc.disable()
    try:
        before = sys.getrefcount(data)
        with ReaderPool(workers=1) as pool:
            assert fails()
            eventually(lambda: sys.getrefcount(data) == before)
    finally:
        gc.enable()


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
