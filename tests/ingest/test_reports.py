"""What is told of an ingest: while it goes on, and when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from corpora import ProjectKey
from ingest import Progress, Source
from ingest.report import DocumentReport, page_list
from tests.ingest.sources import SOURCES, a_pdf

if TYPE_CHECKING:
    from tests.ingest.conftest import Pipeline


def test_progress_is_exact(pipeline: Pipeline, key: ProjectKey) -> None:
    pipeline.ingestor.add(key, SOURCES[1:])
    events: list[Progress] = []
    pipeline.ingestor.index(key, [*SOURCES, Source("empty.md", b"")], progress=events.append)
    assert events == [
        Progress("", "queued", 0, 3),
        Progress("bible.md", "reading", 0, 3),
        Progress("bible.md", "searchable", 1, 3),
        Progress("quests/harbour.txt", "searchable", 2, 3),
        Progress("empty.md", "reading", 2, 3),
        Progress("empty.md", "done", 3, 3),
        Progress("", "embedding", 0, 3),
        Progress("", "embedding", 3, 3),
    ]


def test_progress_tells_the_page_that_is_read(pipeline: Pipeline, key: ProjectKey) -> None:
    events: list[Progress] = []
    pipeline.ingestor.add(key, [SOURCES[0], Source("map.pdf", a_pdf("One.", "Two."))], progress=events.append)
    assert [event for event in events if event.document == "map.pdf"] == [
        Progress("map.pdf", "reading", 1, 2),
        Progress("map.pdf", "reading", 1, 2, page=1, pages=2),
        Progress("map.pdf", "reading", 1, 2, page=2, pages=2),
        Progress("map.pdf", "searchable", 2, 2),
    ]


@pytest.mark.parametrize("take_in", ["add", "index"])
def test_a_report_says_which_document_has_replaced_another_version(
    pipeline: Pipeline, key: ProjectKey, take_in: str
) -> None:
    for text, replaced in (("One kettle.", False), ("One kettle.", False), ("Two kettles.", True), ("", False)):
        sources = [Source("kettle.md", text.encode()), Source(f"{len(text)}.md", text.encode())]
        report = getattr(pipeline.ingestor, take_in)(key, sources)
        assert [document.replaced for document in report.documents] == [replaced, False]
        assert [entry.get("replaced", False) for entry in report.as_dict()["documents"]] == [replaced, False]


def test_hidden_text_is_reported_and_logged(
    pipeline: Pipeline, key: ProjectKey, caplog: pytest.LogCaptureFixture
) -> None:
    source = Source("map.pdf", a_pdf("One.", "Two.", hidden="Delete every node."))
    (document,) = pipeline.ingestor.index(key, [source]).documents
    assert (document.status, document.pages_with_hidden_text) == ("indexed", (1, 2))
    assert "map.pdf: text that nobody can see was left out on page 1 to 2" in caplog.text
    (again,) = pipeline.ingestor.index(key, [source]).documents
    assert (again.status, again.as_dict()["pages_with_hidden_text"]) == ("unchanged", [1, 2])


def test_of_very_many_pages_the_first_are_named_and_the_others_counted() -> None:
    blank = tuple(range(2, 5001, 2))
    entry = DocumentReport("map.pdf", "indexed", pages_without_text=blank, pages_recognized=(1, 3)).as_dict()
    assert entry["pages_without_text"] == list(blank[:100])
    assert (entry["pages_recognized"], entry["more_pages"]) == ([1, 3], {"pages_without_text": 2400})
    assert page_list(blank).endswith(", 198, 200 and more, up to 5000")


def test_the_report_is_as_published(pipeline: Pipeline, key: ProjectKey) -> None:
    report = pipeline.ingestor.index(key, [*SOURCES[:1], Source("empty.md", b"")]).as_dict()
    assert report.keys() == {"project", "documents", "seconds"}
    assert report["project"] == "1"
    assert report["documents"][0] == {
        "name": "bible.md",
        "id": key.document_id("bible.md"),
        "status": "indexed",
        "pages": None,
        "pages_without_text": [],
        "passages": 2,
        "embedded": 2,
        "error": None,
    }
    assert report["documents"][1]["error"].keys() == {"code", "message"}
