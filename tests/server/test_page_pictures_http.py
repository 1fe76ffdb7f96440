"""Pages that were made to take everything: their reader is told so, and nobody else notices."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import psutil
import pytest

from corpora import DataDirectory, Page, Passage, ProjectKey, passage_id
from ingest.reader_process import Limits
from server import Access
from tests.ingest.hostile_pages import harmless, nested_soft_masks, tiling_pattern
from tests.server.house import House, house
from tests.waiting import eventually

pytestmark = pytest.mark.long

LONGEST_S = 1
"""Of computing, for one page."""


def put_page(home: House, directory: Path, key: ProjectKey, name: str, data: bytes) -> None:
    """A document as if it had been read, which this process must not do."""
    text = "The bell rings twice."
    document_id = key.document_id(name)
    home.catalog.put_document(
        key,
        name=name,
        format="pdf",
        sha256=DataDirectory(directory).originals.put(data),
        size=len(data),
        text=text,
        pages=[Page(1, 0, len(text), text)],
        passages=[Passage(passage_id(document_id, (), text, 0), document_id, name, 1, 1, (), 0, len(text), text)],
    )
    home.retriever.refresh(key)


def picture(http: httpx.Client, document: str) -> httpx.Response:
    return http.get(f"/projects/1/documents/{document}/pages/1.png")


def one_is_drawn() -> bool:
    """Whether a child of this process has computed for longer than its start takes."""
    with suppress(psutil.NoSuchProcess):
        return any(sum(child.cpu_times()[:2]) > LONGEST_S for child in psutil.Process().children())
    return False


def test_a_page_that_never_ends_is_refused_while_everybody_else_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.painter.LIMITS", Limits(wall_s=60, cpu_s=LONGEST_S))
    access = Access(tokens={"greedy": "one", "patient": "two"})
    with house(tmp_path, access=access) as home:
        hostile = {"tiles.pdf": tiling_pattern(), "masks.pdf": nested_soft_masks(), "again.pdf": tiling_pattern()}
        for name, data in hostile.items():
            put_page(home, tmp_path, ProjectKey("one", "1"), name, data)
        put_page(home, tmp_path, ProjectKey("two", "1"), "bible.pdf", harmless())
        with (
            home.http(Authorization="Bearer greedy") as greedy,
            home.http(Authorization="Bearer patient") as patient,
            ThreadPoolExecutor(12) as threads,
        ):
            greedy.timeout = None  # on a busy machine a second of computing takes its time
            asked = [threads.submit(picture, greedy, name) for name in hostile for _ in range(4)]
            eventually(one_is_drawn)
            assert patient.get("/projects/1/search?q=bell").json()["passages"]
            assert greedy.get("/projects/1/documents").json()["documents"]
            assert picture(patient, "bible.pdf").content.startswith(b"\x89PNG")
            assert not all(each.done() for each in asked), "the others were answered while those were drawn"
            for answer in [each.result() for each in asked]:
                assert (answer.status_code, answer.json()["error"]["code"]) == (422, "TIMEOUT"), answer.text
            assert picture(patient, "bible.pdf").status_code == 200
