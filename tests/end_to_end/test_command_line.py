"""The command line as a user types it."""

import json
from pathlib import Path

import pymupdf
import pytest

from corpora.samples import SAMPLE
from tests.end_to_end.conftest import Run

DOCUMENT_FIELDS = {"name", "id", "status", "pages", "pages_without_text", "passages", "embedded", "error"}
PASSAGE_FIELDS = {
    "id",
    "document",
    "document_id",
    "page_from",
    "page_to",
    "heading",
    "char_from",
    "char_to",
    "score",
    "text",
}


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    (folder / "people").mkdir(parents=True)
    (folder / "harbour.md").write_text(
        "# Harbour\n\nThe ferry leaves at six.\n\n# Market\n\nEels cost four coins.\n", "utf-8"
    )
    (folder / "people" / "odile.txt").write_text("Odile keeps the toll bridge and hates geese.\n", "utf-8")
    (folder / "LICENSE.bin").write_bytes(b"\0\1")
    return folder


def test_a_folder_goes_in_and_what_changed_is_told(run: Run, notes: Path) -> None:
    first = run("ingest", notes, "--project", "1", "--json")
    assert first.code == 0, first.err
    report = first.json
    assert set(report) == {"project", "documents", "seconds"}
    assert report["project"] == "1"
    assert all(set(document) == DOCUMENT_FIELDS for document in report["documents"])
    assert {document["name"]: document["status"] for document in report["documents"]} == {
        "LICENSE.bin": "skipped",
        "harbour.md": "indexed",
        "people/odile.txt": "indexed",
    }

    (notes / "harbour.md").write_text("# Harbour\n\nThe ferry leaves at seven.\n", "utf-8")
    (notes / "people" / "odile.txt").unlink()
    second = run("ingest", notes, "--project", "1", "--sync", "--json")
    assert {document["name"]: document["status"] for document in second.json["documents"]} == {
        "LICENSE.bin": "skipped",
        "harbour.md": "updated",
        "people/odile.txt": "removed",
    }

    listed = run("documents", "--project", "1", "--json").json["documents"]
    assert [document["name"] for document in listed] == ["harbour.md"]


def test_readers_run_nothing_of_the_folder_that_they_are_started_in(run: Run, notes: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for module in ("multiprocessing", "pymupdf"):
        (tmp_path / f"{module}.py").write_text(f"open({str(ran)!r}, 'w')\nraise SystemExit", "utf-8")
    assert run("ingest", notes, "--project", "1").code == 0
    assert not ran.exists()


def test_what_sync_does_not_believe(run: Run, notes: Path, tmp_path: Path) -> None:
    """A file says nothing about what is gone, and an empty folder may be a drive that is not there."""
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "LICENSE.bin").write_bytes(b"\0\1")
    new = run("ingest", empty, "--project", "1", "--sync")
    assert "would remove" not in new.err, "there is nothing to lose yet"
    assert run("ingest", notes, "--project", "1").code == 0

    file = run("ingest", notes / "harbour.md", "--project", "1", "--sync")
    assert (file.code, "--sync" in file.err) == (2, True)
    for paths in ([empty], [notes / "harbour.md", empty]):
        for watch in ([], ["--watch"]):
            refused = run("ingest", *paths, "--project", "1", "--sync", *watch)
            assert (refused.code, "fletcher remove NAME" in refused.err, str(empty) in refused.err) == (1, True, True)
    listed = run("documents", "--project", "1", "--json").json["documents"]
    assert [document["name"] for document in listed] == ["harbour.md", "people/odile.txt"]
    assert run("ingest", notes, empty, "--project", "1", "--sync").code == 0, "nothing would be lost"


def test_search_finds_the_passage_with_its_place(run: Run, sample_data_dir: Path) -> None:
    found = run("search", SAMPLE.question, "--project", "1", "-k", "3", "--json")
    assert found.code == 0, found.err
    assert set(found.json) == {"query", "relevance", "confidence", "passages"}
    assert len(found.json["passages"]) == 3
    assert all(set(passage) == PASSAGE_FIELDS for passage in found.json["passages"])
    best = found.json["passages"][0]
    assert best["text"]
    with pymupdf.open(SAMPLE.documents / best["document"]) as pages:
        assert 1 <= best["page_from"] <= best["page_to"] <= len(pages)


def test_a_removed_document_is_gone(run: Run, sample_data_dir: Path) -> None:
    name = run("documents", "--project", "1", "--json").json["documents"][0]["name"]
    assert run("remove", name, "--project", "1").code == 0
    again = run("remove", name, "--project", "1")
    assert again.code == 1
    assert name in again.err
    assert name not in {document["name"] for document in run("documents", "--project", "1", "--json").json["documents"]}


def test_errors_name_the_thing_and_leave_standard_output_empty(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.arrow"
    broken.write_text("{", "utf-8")
    for arguments, code, said in (
        (("search", "ferry", "--project", "99"), 1, "99"),
        (("documents", "--project", "99", "--json"), 1, "99"),
        (("ingest", tmp_path / "nowhere", "--project", "1"), 1, "nowhere"),
        (("outline", broken), 1, "broken.arrow"),
        (("search", "ferry", "--project", "../1"), 2, "project"),
        (("search",), 2, "QUERY"),
        (("search", " ", "--project", "99"), 2, "empty"),
        (("dance",), 2, "dance"),
    ):
        done = run(*arguments)
        assert (done.code, done.out) == (code, ""), done
        assert said in done.err
        assert "Traceback" not in done.err


def test_only_documents_that_cannot_be_read_is_a_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bible.pdf").write_bytes(b"MZ\x90\0 this is a program")
    done = run("ingest", tmp_path / "bible.pdf", "--project", "1", "--json")
    assert done.code == 1
    (document,) = json.loads(done.out)["documents"]
    assert document["status"] == "failed"
    assert "bible.pdf" in document["error"]["message"]


def test_a_turn_changes_the_file_and_undo_takes_it_back(run: Run, story: Path) -> None:
    before = story.read_bytes()
    planned = run("chat", story, "-m", "create a variable lanterns = 3", "--dry-run", "--json", FLETCHER_MODEL="local")
    assert planned.code == 0, planned.err
    assert planned.json["changed"]
    assert story.read_bytes() == before

    done = run("chat", story, "-m", "create a variable lanterns = 3", FLETCHER_MODEL="local")
    assert done.code == 0, done.err
    variables = json.loads(story.read_text("utf-8"))["resources"]["variables"].values()
    assert ("lanterns", 3) in {(variable["name"], variable["init"]) for variable in variables}

    assert run("undo", story).code == 0
    assert story.read_bytes() == before
    assert run("undo", story).code == 1


def test_a_question_changes_nothing_until_it_is_answered(run: Run, story: Path) -> None:
    before = story.read_bytes()
    node_id = next(
        node_id for node_id, node in json.loads(before)["resources"]["nodes"].items() if node["type"] == "content"
    )
    asked = run("chat", story, "-m", f"delete node {node_id}", "--json", FLETCHER_MODEL="local")
    assert asked.code == 1
    assert asked.json["question"]["kind"] == "confirmation"
    assert story.read_bytes() == before

    done = run("chat", story, "-m", "yes", FLETCHER_MODEL="local")  # it is the only one that is open about this file
    assert done.code == 0, done.err
    assert node_id not in json.loads(story.read_text("utf-8"))["resources"]["nodes"]


def test_outline_and_check_of_the_sample(run: Run) -> None:
    outline = run("outline", SAMPLE.arrow_file)
    assert outline.code == 0, outline.err
    for node_id in json.loads(SAMPLE.arrow_file.read_text("utf-8"))["resources"]["nodes"]:
        assert node_id in outline.out
    assert run("check", SAMPLE.arrow_file, "--json").code == 0
    unknown = run("outline", SAMPLE.arrow_file, "--scene", "999", "--select", "998")
    assert unknown.code == 1
    assert "no scene 999 and no node 998" in unknown.err
    for command in ("/nonsense {}", '/create_variable {"name": ', "/create_variable [1]"):
        assert run("chat", SAMPLE.arrow_file, "-m", command, "--dry-run").code == 1
