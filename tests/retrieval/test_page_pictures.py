"""Pictures are kept: a limited number of bytes, as long as their document is there."""

import threading
import weakref
from collections.abc import Callable

import pytest

from corpora import ProjectKey
from retrieval import PageNotDrawn
from retrieval.page_pictures import PagePictures, View

ONE, TWO = ProjectKey("local", "1"), ProjectKey("local", "2")


class Drawn:
    """Counts what is drawn."""

    def __init__(self) -> None:
        self.views: list[View] = []

    def of(self, view: View, size: int = 100) -> Callable[[], bytes]:
        def draw() -> bytes:
            self.views.append(view)
            return bytes(size)

        return draw


def view(number: int, key: ProjectKey = ONE, sha256: str = "a") -> View:
    return View(key, sha256, number, "")


def test_a_page_is_drawn_once() -> None:
    pictures, drawn = PagePictures(), Drawn()
    assert [len(pictures.get(view(1), drawn.of(view(1)))) for _ in range(3)] == [100] * 3
    assert drawn.views == [view(1)]
    pictures.get(View(ONE, "a", 1, "a passage"), drawn.of(view(1)))
    assert len(drawn.views) == 2


def test_the_oldest_go_when_there_are_too_many_bytes() -> None:
    pictures, drawn = PagePictures(most_bytes=9000), Drawn()
    for number in (1, 2, 1, 3):  # the first is seen again
        pictures.get(view(number), drawn.of(view(number), 3000))
    assert drawn.views == [view(1), view(2), view(3)]
    pictures.get(view(1), drawn.of(view(1), 3000))
    pictures.get(view(2), drawn.of(view(2), 3000))
    assert drawn.views[3:] == [view(2)]


def test_those_of_a_document_that_is_gone_go() -> None:
    pictures, drawn = PagePictures(), Drawn()
    views = [view(1, ONE, "gone"), view(1, ONE, "there"), view(1, TWO, "gone")]
    for each in views:
        pictures.get(each, drawn.of(each))
    assert pictures.documents(ONE) == {"gone", "there"}
    pictures.keep_only(ONE, {"there"})
    for each in views:
        pictures.get(each, drawn.of(each))
    assert drawn.views[3:] == views[:1]


def test_many_who_ask_at_once_wait_for_one_drawing() -> None:
    pictures, begun, may_end = PagePictures(), threading.Event(), threading.Event()
    drawn: list[int] = []

    def draw() -> bytes:
        drawn.append(1)
        begun.set()
        assert may_end.wait(60)
        return b"picture"

    seen: list[bytes] = []
    threads = [threading.Thread(target=lambda: seen.append(pictures.get(view(1), draw))) for _ in range(5)]
    for thread in threads:
        thread.start()
    assert begun.wait(60)
    may_end.set()
    for thread in threads:
        thread.join(60)
    assert (seen, drawn) == ([b"picture"] * 5, [1])


def test_what_cannot_be_drawn_is_not_tried_over_and_over(monkeypatch: pytest.MonkeyPatch) -> None:
    pictures, tried = PagePictures(), list[int]()

    def draw() -> bytes:
        tried.append(1)
        raise PageNotDrawn("TIMEOUT", "it takes too long.")

    for _ in range(3):
        with pytest.raises(PageNotDrawn):
            pictures.get(view(1), draw)
    assert tried == [1]
    monkeypatch.setattr("retrieval.page_pictures._FAILURE_S", 0)
    with pytest.raises(PageNotDrawn):
        pictures.get(view(1), draw)
    assert tried == [1, 1]


def test_what_failed_for_another_reason_is_tried_again() -> None:
    pictures, drawn = PagePictures(), Drawn()

    def draw() -> bytes:
        raise RuntimeError("the originals are away")

    with pytest.raises(RuntimeError):
        pictures.get(view(1), draw)
    assert pictures.get(view(1), drawn.of(view(1)))


def test_of_what_cannot_be_drawn_nothing_is_kept_but_why() -> None:
    class Document(bytearray):
        """One that can be pointed at."""

    pictures, documents = PagePictures(), list[weakref.ref[Document]]()

    def draw() -> bytes:
        document = Document(100)
        documents.append(weakref.ref(document))
        raise PageNotDrawn("TIMEOUT", f"A document of {len(document)} bytes takes too long.")

    for _ in range(2):
        with pytest.raises(PageNotDrawn, match="takes too long") as failed:
            pictures.get(view(1), draw)
        assert failed.value.code == "TIMEOUT"
        del failed
    assert len(documents) == 1
    assert documents[0]() is None, "it goes at once, and waits for no garbage collector"


def test_what_is_marked_counts_and_so_does_what_cannot_be_drawn() -> None:
    pictures, drawn = PagePictures(most_bytes=100_000), Drawn()
    views = [View(ONE, "a", number, "🏮" * 2_000) for number in range(100)]

    def fail() -> bytes:
        raise PageNotDrawn("PAGE_NOT_DRAWN", "It takes too long.")

    for one in views[:50]:
        pictures.get(one, drawn.of(one, 0))
    for one in views[50:]:
        with pytest.raises(PageNotDrawn):
            pictures.get(one, fail)
    kept = pictures._kept  # pyright: ignore[reportPrivateUsage]
    assert list(kept) == views[-len(kept) :]
    assert 5 < len(kept) < 15
