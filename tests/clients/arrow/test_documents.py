"""The design documents: many of them, and from a citation to its page."""

import json
from pathlib import Path

from corpora.samples import SAMPLE
from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor
from tests.end_to_end.messages_api import Text
from tests.real_client.house import House


def test_fifty_documents(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "documents")
    paths = [tmp_path / f"chapter {number}.md" for number in range(50)]
    for number, path in enumerate(paths):
        path.write_text(f"# Chapter {number}\n\nThe keeper of lamp {number} is called Ann{number}.\n")
    reports = editor.call("corpus", "add", [f"/host{path}" for path in paths])

    assert {report["status"] for report in reports} <= {"searchable", "indexed"}
    assert len(reports) == 50
    documents = editor.get("corpus", "documents")
    assert sorted(document["name"] for document in documents) == sorted(path.name for path in paths)
    found = editor.call("corpus", "search", "Who keeps lamp 17?", 3)
    assert "Ann17" in json.dumps(found)
    assert editor.call("corpus", "remove", documents[0]["id"]) == ""
    assert len(editor.get("corpus", "documents")) == 49


def test_a_citation_leads_to_its_page(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"), "cited")
    bible = next(SAMPLE.documents.glob("*.pdf"))
    editor.call("corpus", "add", [f"/host{bible}"])
    server.model.play([[Text(["They steer by the two flashes of Pell Light [1]."])]])
    since = editor.mark()

    summary = editor.turn("send", "What do the night carters steer by?")

    citation = summary["citations"][0]
    assert citation["document"] == bible.name
    assert editor.fletcher("open_citation", 1)
    assert editor.wait("citation_requested", since)[0] == citation
    assert not editor.fletcher("open_citation", 99)
    page = int(citation["page_from"])
    picture = editor.call("corpus", "page_picture", citation["document_id"], page, citation["passage_id"])
    assert picture["error"] == ""
    assert picture["image"] is not None
    assert editor.call("corpus", "page_picture", citation["document_id"], 999)["error"]
