"""The tools that read in the documents."""

import pytest

from agent.citations import Citations
from agent.reading import DocumentReader
from tests.agent.desk import Desk

BIBLE = "# People\n\nElena keeps the lighthouse.\n\n# Places\n\nThe harbour freezes in winter.\n"


@pytest.fixture
def reader(desk: Desk) -> DocumentReader:
    desk.put("bible.md", BIBLE)
    desk.put("notes.txt", "Elena hates the sea.")
    return DocumentReader(desk.retriever, desk.key, Citations(()))


async def test_a_search_returns_numbered_passages(reader: DocumentReader) -> None:
    answer = await reader.call("search_documents", {"query": "lighthouse"})
    best = answer["passages"][0]
    assert best == {
        "number": 1,
        "document": "bible.md",
        "pages": [None, None],
        "heading": ["People"],
        "text": "Elena keeps the lighthouse.",
    }
    again = await reader.call("search_documents", {"query": "lighthouse"})
    assert again == answer, "a passage keeps its number"


async def test_a_search_in_one_document(reader: DocumentReader) -> None:
    answer = await reader.call("search_documents", {"query": "Elena", "document": "notes.txt"})
    assert {passage["document"] for passage in answer["passages"]} == {"notes.txt"}


async def test_a_document_is_read_as_it_is_written(reader: DocumentReader) -> None:
    answer = await reader.call("read_document", {"document": "bible.md"})
    assert [page["text"] for page in answer["pages"]] == [BIBLE]
    assert answer["pages"][0]["page"] is None
    assert "cut" not in answer


async def test_a_long_document_is_cut_and_says_so(desk: Desk) -> None:
    desk.put("book.txt", "The lamp is cold. " * 5000)
    reader = DocumentReader(desk.retriever, desk.key, Citations(()))
    answer = await reader.call("read_document", {"document": "book.txt"})
    assert sum(len(page["text"]) for page in answer["pages"]) == 40_000
    assert "40000" in answer["cut"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code"),
    [
        ("search_documents", {}, "INVALID_ARGUMENTS"),
        ("search_documents", {"query": 3}, "INVALID_ARGUMENTS"),
        ("search_documents", {"query": "x", "limit": 3}, "INVALID_ARGUMENTS"),
        ("search_documents", {"query": " "}, "EMPTY_QUERY"),
        ("search_documents", {"query": "x", "document": "none"}, "DOCUMENT_NOT_FOUND"),
        ("read_document", {}, "INVALID_ARGUMENTS"),
        ("read_document", {"document": "none"}, "DOCUMENT_NOT_FOUND"),
        ("read_document", {"document": "bible.md", "page_from": 0}, "INVALID_ARGUMENTS"),
        ("read_document", {"document": "bible.md", "page_from": 2}, "NO_PAGES"),
    ],
)
async def test_what_is_wrong_is_an_answer(
    reader: DocumentReader, tool: str, arguments: dict[str, object], code: str
) -> None:
    answer = await reader.call(tool, arguments)
    assert answer["error"]["code"] == code
    assert answer["error"]["message"]


async def test_without_a_project_there_are_no_documents(desk: Desk) -> None:
    reader = DocumentReader(desk.retriever, None, Citations(()))
    assert (await reader.call("search_documents", {"query": "Elena"}))["error"]["code"] == "PROJECT_NOT_FOUND"
