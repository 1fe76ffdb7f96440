"""Pages are drawn in child processes: a page that was made to take everything costs itself only."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from threading import Event, Semaphore

import pymupdf
import pytest

from corpora import Document, ProjectKey
from ingest import Painter
from ingest.reader_process import Limits
from retrieval import PageNotDrawn
from tests.ingest.hostile_pages import harmless, tiling_pattern

pytestmark = pytest.mark.long

KEY = ProjectKey("local", "1")
BIBLE = Document("id", "bible.pdf", "pdf", "0" * 64, 1, 1, (), 1, 1, datetime.now(UTC))


@pytest.fixture(scope="module")
def painter() -> Iterator[Painter]:
    with Painter(Limits(wall_s=60, cpu_s=1, memory_bytes=1 << 28)) as painter:
        yield painter


def test_a_page_that_never_ends_says_so_and_the_next_is_drawn(painter: Painter) -> None:
    with pytest.raises(PageNotDrawn, match=r"Page 1 of 'bible\.pdf' .* 1 seconds of computing") as refused:
        painter.draw(KEY, BIBLE, tiling_pattern, 1, "")
    assert refused.value.code == "TIMEOUT"
    assert pymupdf.Pixmap(painter.draw(KEY, BIBLE, harmless, 1, "bell")).width == 1190


def test_a_page_larger_than_the_memory_says_so(painter: Painter) -> None:
    with pytest.raises(PageNotDrawn, match="memory") as refused:
        painter.draw(KEY, BIBLE, lambda: bytes(1 << 28), 1, "")
    assert refused.value.code == "OUT_OF_MEMORY"


def test_a_file_that_is_none_says_so(painter: Painter) -> None:
    with pytest.raises(PageNotDrawn, match="damaged") as refused:
        painter.draw(KEY, replace(BIBLE, name="other.pdf"), lambda: b"%PDF-1.7\nnothing", 1, "")
    assert refused.value.code == "CORRUPT"


def test_of_large_documents_three_are_in_memory_and_no_other_page_waits_for_them(painter: Painter) -> None:
    goes_on, begun = Event(), Semaphore(0)
    large = replace(BIBLE, size=2**28)

    def read() -> bytes:
        begun.release()
        assert goes_on.wait(60)
        return harmless()

    keys = [ProjectKey(workspace, "1") for workspace in ("ada", "ada", "bo", "carol", "dave")]
    with ThreadPoolExecutor(len(keys)) as threads:
        drawing = [threads.submit(painter.draw, key, large, read, 1, "") for key in keys]
        assert all(begun.acquire(timeout=60) for _ in range(3))
        assert pymupdf.Pixmap(painter.draw(keys[0], BIBLE, harmless, 1, "")).width == 1190
        assert not begun.acquire(blocking=False)
        goes_on.set()
        assert all(pymupdf.Pixmap(drawn.result(120)).width == 1190 for drawn in drawing)


def test_files_of_pages_that_wait_are_not_in_memory(painter: Painter) -> None:
    """Four pages of one book of 256 MB would be a gigabyte."""
    goes_on, begun = Event(), Semaphore(0)
    under_way, most = 0, 0

    def read() -> bytes:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        begun.release()
        assert goes_on.wait(60)
        under_way -= 1
        return harmless()

    with ThreadPoolExecutor(4) as threads:
        drawing = [threads.submit(painter.draw, KEY, BIBLE, read, 1, "") for _ in range(4)]
        assert begun.acquire(timeout=60)
        assert not begun.acquire(timeout=0.5), "a second one is read although the first page is not drawn"
        goes_on.set()
        assert all(pymupdf.Pixmap(drawn.result(120)).width == 1190 for drawn in drawing)
    assert most == 1
