"""What an assistant reads: documents with their pages, and the story as Arrow understands it."""

import random
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from mcp import MCPError

from agent import MATERIAL
from ingest import DocumentReport
from tests.event_loop import is_beside_the_event_loop
from tests.mcp_server.assistant import ERAS, Era, assistant, pictures_of, text_of
from tests.server.house import House


@pytest.fixture
def era() -> Era:
    """What is read is the same in both."""
    return "2026-07-28"


@pytest.mark.parametrize("era", ERAS)
async def test_documents_are_searched_and_quoted(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        answer = await scribe.call("search_documents", query="who keeps the lighthouse?")

    assert answer.structured_content["note"] == MATERIAL
    assert answer.structured_content["passages"][0]["document"] == "people.md"
    assert text_of(answer).startswith(MATERIAL)
    assert "\n| Elena keeps the lighthouse" in text_of(answer)


async def test_what_may_not_be_the_answer_is_said_before_it_is_quoted(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        strong = await scribe.call("search_documents", query="who keeps the lighthouse?")
        answer = await scribe.call("search_documents", query="What is the capital of France?")

    assert strong.structured_content["relevance"] == "strong"
    assert text_of(strong).splitlines()[1].startswith('"people.md')
    assert answer.structured_content["relevance"] != "strong"
    assert text_of(answer).splitlines()[1].startswith("The documents probably do not say this")


async def test_a_search_finds_what_the_search_over_http_finds(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        found = await scribe.ok("search_documents", query="whale oil")

    with home.http() as http:
        assert found["passages"] == http.get("/projects/1/search?q=whale oil").json()["passages"]


async def test_a_document_is_read_as_written(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        answer = await scribe.call("read_document", document="people.md")

    assert "Her lamp burns whale oil." in answer.structured_content["pages"][0]["text"]
    assert "\n| Elena keeps" in text_of(answer)


async def test_a_page_is_seen(home: House, folder: Path, era: Era) -> None:
    with pymupdf.open() as pdf:
        pdf.new_page().insert_text((72, 72), "The chart of Skarhavn")
        pdf.save(folder / "chart.pdf")
    async with assistant(home.url, era) as scribe:
        await scribe.ok("add_documents", paths=["chart.pdf"])
        answer = await scribe.call("page_picture", document="chart.pdf", page=1)

    (picture,) = pictures_of(answer)
    assert picture.mime_type == "image/png"
    assert picture.data.startswith("iVBORw0KGgo")


async def test_long_answers_hold_those_up_who_ask_for_them(
    home: House, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with assistant(home.url, era) as scribe:
        held = list[float]()
        monkeypatch.setattr("server.limits.pace.Pace.held", lambda _pace, seconds: held.append(seconds))
        told = text_of(await scribe.call("read_document", document="people.md"))
    assert held[-1] > 5e-8 * len(told), "what it takes until that is written, and what is structured as well"


async def test_a_page_of_many_bytes_fits_into_a_message(
    home: House, folder: Path, era: Era, monkeypatch: pytest.MonkeyPatch
) -> None:
    noise = pymupdf.Pixmap(pymupdf.csRGB, 1000, 1400, random.Random(1).randbytes(1000 * 1400 * 3), False)
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.insert_image(page.rect, pixmap=noise)
        page.insert_text((72, 72), "The chart of Skarhavn")
        pdf.save(folder / "scan.pdf")
    encoded_here: list[str] = []
    monkeypatch.setattr(pymupdf.Pixmap, "tobytes", lambda _pixmap, *_, **__: encoded_here.append("here") or b"")
    async with assistant(home.url, era) as scribe:
        await scribe.ok("add_documents", paths=["scan.pdf"])
        answer = await scribe.call("page_picture", document="scan.pdf", page=1)
        read = await scribe.client.read_resource("fletcher://projects/1/documents/scan.pdf/pages/1.png")

    (picture,) = pictures_of(answer)
    (blob,) = read.contents
    assert (picture.mime_type, blob.mime_type) == ("image/jpeg", "image/jpeg")
    assert len(picture.data) < 1_000_000  # or the SDK's own client refuses the message
    assert not encoded_here, "encoding holds up everybody in its process"


async def test_what_is_refused_is_said_in_a_few_words(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        long = "x" * 900_000
        wrong: dict[str, dict[str, Any]] = {
            "find_nodes": {"character": long, "story": "story.arrow"},
            "outline": {"story": long},
            "search_documents": {"query": "lamp", "project": long},
        }
        for tool, arguments in wrong.items():
            answer = await scribe.call(tool, **arguments)
            assert answer.is_error, tool
            assert len(text_of(answer)) < 3_000, tool


async def test_what_fails_unexpectedly_is_not_told(home: House, monkeypatch: pytest.MonkeyPatch, era: Era) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret is 4711")

    monkeypatch.setattr(home.retriever, "answer", fail)
    monkeypatch.setattr(home.retriever, "read_pages", fail)
    async with assistant(home.url, era) as scribe:
        answer = await scribe.call("search_documents", query="lamp")
        with pytest.raises(MCPError) as refused:
            await scribe.client.read_resource("fletcher://projects/1/documents/people.md")

    assert answer.structured_content["error"]["code"] == "INTERNAL"
    assert "4711" not in text_of(answer)
    assert str(refused.value).startswith("INTERNAL")
    assert "4711" not in str(refused.value)


async def test_documents_are_listed(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        listed = await scribe.ok("list_documents")
        none = await scribe.ok("list_documents", name="no such part")

    assert [document["name"] for document in listed["documents"]] == ["people.md"]
    assert none["documents"] == []


async def test_many_documents_are_listed_beside_the_event_loop(
    home: House, monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    beside, as_dict = list[bool](), DocumentReport.as_dict

    def noted(report: DocumentReport) -> dict[str, Any]:
        beside.append(is_beside_the_event_loop())
        return as_dict(report)

    monkeypatch.setattr(DocumentReport, "as_dict", noted)
    async with assistant(home.url, era) as scribe:
        await scribe.ok("list_documents")
        await scribe.ok("add_documents", paths=["story.arrow"])

    assert beside == [True, True]


async def test_a_story_in_a_file_is_read(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        outlined = await scribe.ok("outline", story="story.arrow")
        scene = await scribe.ok("get_scene", scene_id=0, story="story.arrow")
        node = await scribe.ok("get_node", node_id=2, story="story.arrow")
        found = await scribe.ok("find_nodes", text="pier", story="story.arrow")
        checked = await scribe.ok("check_story", story="story.arrow")
        continuity = await scribe.ok("check_continuity", scene_id=0, story="story.arrow")

    assert "The lamp is cold." in outlined["outline"]
    assert scene["name"] == "harbour"
    assert node["data"]["lines"] == ["The lamp is cold."]
    assert found["total"] == 1
    assert checked["errors"] == 0
    assert continuity["note"] == MATERIAL


async def test_no_more_of_a_story_is_read_than_there_was_room_for(
    home: House, folder: Path, monkeypatch: pytest.MonkeyPatch, era: Era
) -> None:
    size = (folder / "story.arrow").stat().st_size
    monkeypatch.setattr("mcp_server.stories.FileStory._size", lambda _: size - 1)
    async with assistant(home.url, era) as scribe:
        assert await scribe.code("outline", story="story.arrow") == "CONFLICT"


async def test_every_answer_about_texts_says_that_they_are_material(home: House, era: Era) -> None:
    reading: dict[str, dict[str, Any]] = {
        "search_documents": {"query": "lamp"},
        "read_document": {"document": "people.md"},
        "list_documents": {},
        "outline": {"story": "story.arrow"},
        "get_scene": {"story": "story.arrow", "scene_id": 0},
        "get_node": {"story": "story.arrow", "node_id": 2},
        "find_nodes": {"story": "story.arrow"},
        "check_story": {"story": "story.arrow"},
        "check_continuity": {"story": "story.arrow", "scene_id": 0},
    }
    async with assistant(home.url, era) as scribe:
        for tool, arguments in reading.items():
            answer = await scribe.call(tool, **arguments)
            assert text_of(answer).startswith(MATERIAL), tool
            assert answer.structured_content["note"] == MATERIAL, tool


async def test_what_is_not_there_is_a_tool_error_that_helps(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        assert await scribe.code("search_documents", query="x", project="77") == "PROJECT_NOT_FOUND"
        assert await scribe.code("read_document", document="none.md") == "DOCUMENT_NOT_FOUND"
        assert await scribe.code("page_picture", document="people.md", page=1) == "NO_PAGES"
        assert await scribe.code("get_node", node_id=999, story="story.arrow") == "INVALID_NODE_ID"
        assert await scribe.code("get_scene", scene_id=999, story="story.arrow") == "INVALID_SCENE_ID"
        assert await scribe.code("outline") == "STORY_NEEDED"
        assert await scribe.code("no_such_tool") == "UNKNOWN_TOOL"


async def test_arguments_have_to_fit_the_schema(home: House, era: Era) -> None:
    async with assistant(home.url, era) as scribe:
        assert await scribe.code("search_documents") == "INVALID_ARGUMENTS"
        assert await scribe.code("search_documents", query=3) == "INVALID_ARGUMENTS"
        assert await scribe.code("search_documents", query="lamp", limit=3) == "INVALID_ARGUMENTS"
        assert await scribe.code("page_picture", document="people.md", page=0) == "INVALID_ARGUMENTS"
