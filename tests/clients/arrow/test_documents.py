"""The design documents: many of them, and from a citation to its page."""

import base64
import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from corpora.samples import SAMPLE
from ingest.source import MAX_DOCUMENT_BYTES
from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor, Godot, running
from tests.clients.arrow.relay import relaying
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


def _add(editor: Editor, *paths: Path) -> list[dict[str, Any]]:
    return editor.call("corpus", "add", [f"/host{path}" for path in paths])


def test_what_becomes_of_a_document_is_told_step_by_step(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "steps")
    path = tmp_path / "lamp.md"
    path.write_text("# The lamp\n\nElena keeps the lamp on the pier.", "utf-8")
    since = editor.mark()
    (report,) = _add(editor, path)
    assert report["status"] in ("searchable", "indexed")
    phases = [args[1] for name, args in editor.signals[since:] if name == "corpus_progress"]
    assert phases[:2] == ["sending", "queued"]
    assert "searchable" in phases
    editor.wait("corpus_changed", since, lambda documents: [each["status"] for each in documents] == ["indexed"])


def test_a_document_that_is_longer_than_a_frame_comes_over_http(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "long")
    text = "# The lamp\n\nElena keeps the lamp on the pier.\n" + "\n" * 1_000_000
    path = tmp_path / 'the "long" one.md'
    path.write_text(text, "utf-8")
    since = editor.mark()
    assert _add(editor, path)[0]["error"] is None
    assert "queued" not in [args[1] for name, args in editor.signals[since:] if name == "corpus_progress"]
    assert [each["name"] for each in editor.get("corpus", "documents")] == [path.name]
    other = tmp_path / f"x\r\nContent-Disposition: form-data; name=files; filename={path.name}\r\nX: y.md"
    other.write_text(text.replace("Elena", "Tomas"), "utf-8")
    assert _add(editor, other)[0]["error"]["code"] == "INVALID_NAME"
    assert [each["name"] for each in editor.get("corpus", "documents")] == [path.name]


def test_what_cannot_be_taken_is_told_and_the_rest_is_taken(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "wrong")
    (tmp_path / "lamp.md").write_text("Elena keeps the lamp.", "utf-8")
    (tmp_path / "empty.md").touch()
    (tmp_path / "bad.pdf").write_bytes(b"no pdf")
    (tmp_path / "folder").mkdir()
    since = editor.mark()
    names = ("missing.md", "folder", "empty.md", "bad.pdf", "lamp.md")
    reports = _add(editor, *(tmp_path / name for name in names))
    assert [report["status"] for report in reports[:4]] == ["failed"] * 4
    assert reports[4]["error"] is None
    told = [args[1] for name, args in editor.signals[since:] if name == "failed"]
    assert [name for name in names if any(name in words for words in told)] == list(names[:4])
    assert [each["name"] for each in editor.get("corpus", "documents")] == ["lamp.md"]


def test_a_file_that_is_too_large_is_refused_unread(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "large")
    (tmp_path / "atlas.pdf").touch()
    os.truncate(tmp_path / "atlas.pdf", MAX_DOCUMENT_BYTES + 1)
    since = editor.mark()
    (report,) = _add(editor, tmp_path / "atlas.pdf")
    assert report["error"]["code"] == "FILE_TOO_LARGE"
    assert "atlas.pdf" in report["error"]["message"]
    assert [args[1] for name, args in editor.signals[since:] if name == "corpus_progress"] == ["done"]


def test_two_files_of_the_same_name_are_two_documents(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "names")
    files = [tmp_path / folder / "notes.md" for folder in ("north", "south/new", "west/new")]
    for file in files:
        file.parent.mkdir(parents=True)
        file.write_text(f"The pier of {file.parent}.", "utf-8")
    _add(editor, *files)
    names = [each["name"] for each in editor.get("corpus", "documents")]
    assert names == ["north/notes.md", "south/new/notes.md", "west/new/notes.md"]


def test_a_file_of_another_folder_that_replaces_one_of_the_same_name_is_told(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "replaced")
    notice = "/root/Main/Editor/Center/FletcherPanel/Row/Column/Notice"
    for folder in ("north", "south"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "notes.md").write_text(f"The pier of {folder}.", "utf-8")
    (tmp_path / "south" / "lamp.md").write_text("Elena keeps the lamp.", "utf-8")
    _add(editor, tmp_path / "north" / "notes.md")
    assert editor.get(notice, "text") == ""
    _add(editor, tmp_path / "south" / "lamp.md", tmp_path / "south" / "notes.md")
    assert editor.get(notice, "text") == "There was a document of that name; it has the text of the file now: notes.md."


def test_so_is_one_that_somebody_else_has_added_meanwhile(editor: Editor, server: House, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "replaced by two")
    address = f"{server.url}/projects/{quote(editor.call('project', 'key'))}/corpus"
    httpx.post(address, json={"documents": [{"name": "quay.md", "text": "The pier."}]}, trust_env=False)
    (tmp_path / "quay.md").write_text("The quay.", "utf-8")
    _add(editor, tmp_path / "quay.md")
    notice = "/root/Main/Editor/Center/FletcherPanel/Row/Column/Notice"
    assert str(editor.get(notice, "text")).endswith("quay.md.")


def test_what_is_added_meanwhile_waits_for_its_turn(editor: Editor, tmp_path: Path) -> None:
    editor.open(text_of("lamp"), "queue")
    paths = [tmp_path / f"{number}.md" for number in range(4)]
    for path in paths:
        path.write_text(f"Lamp {path.stem}.", "utf-8")
    since = editor.mark()
    editor.fletcher("add_documents", [f"/host{path}" for path in paths[:2]])
    editor.fletcher("add_documents", [f"/host{path}" for path in paths[2:]])
    editor.wait("corpus_changed", since, lambda documents: len(documents) == 4)
    assert not any(name == "failed" for name, _ in editor.signals[since:])


def test_a_connection_that_is_lost_while_a_document_is_sent_is_named(godot: Godot, tmp_path: Path) -> None:
    with relaying() as relay, running(godot, tmp_path, relay.url) as editor:
        editor.open(text_of("lamp"))
        (tmp_path / "lamp.md").write_text("Elena keeps the lamp.", "utf-8")
        since = editor.mark()
        editor.fletcher("add_documents", [f"/host{tmp_path / 'lamp.md'}"])
        sent = relay.heard("design_doc_sync")
        assert (sent["file_name"], sent["project_id"]) == ("lamp.md", editor.call("project", "key"))
        assert base64.b64decode(sent["file_content"]) == b"Elena keeps the lamp."
        relay.drop()
        assert editor.wait("failed", since)[0] == "CONNECTION_LOST"
        editor.wait_state("idle")

        since, said = editor.mark(), len(relay.said)
        editor.fletcher("add_documents", [f"/host{tmp_path / 'lamp.md'}"])
        relay.heard("design_doc_sync", said)
        relay.say(type="error", code="TOO_MANY_UPLOADS", message="lamp.md: later", document="lamp.md")
        assert editor.wait("failed", since) == ["TOO_MANY_UPLOADS", "lamp.md: later"]
        assert editor.errors() == []
