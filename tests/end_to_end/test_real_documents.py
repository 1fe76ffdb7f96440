"""Real game design documents, where they lie beside the repository: in, found with the right page, not read twice."""

import json
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from tests.end_to_end.conftest import Run
from tests.server_process import PATIENCE_S

ROOT = Path(__file__).parents[2]
DOCUMENTS = ROOT.parent / "shared" / "data" / "documents" / "game-design"
QUESTIONS = ROOT / "tests" / "retrieval" / "game_design_questions.jsonl"

pytestmark = pytest.mark.skipif(not DOCUMENTS.is_dir(), reason="the real documents (../shared) are not here")


def test_real_documents_go_in_and_ten_facts_are_found_on_their_pages(
    run: Run, data_dir: Path, serve: Callable[..., str]
) -> None:
    first = run("ingest", DOCUMENTS, "--project", "1", "--json")
    assert first.code == 0, first.err
    statuses = {document["name"]: document["status"] for document in first.json["documents"]}
    assert {name for name, status in statuses.items() if status == "indexed"} == {
        name for name in statuses if not name.endswith(".LICENSE")
    }
    assert len([status for status in statuses.values() if status == "indexed"]) == 6
    pictures = {document["name"]: document["pages_without_text"] for document in first.json["documents"]}
    assert pictures["nightmarevania.pdf"] == [14]

    second = run("ingest", DOCUMENTS, "--project", "1", "--json")
    assert {document["status"] for document in second.json["documents"]} == {"unchanged", "skipped"}

    questions = [json.loads(line) for line in QUESTIONS.read_text("utf-8").splitlines()]
    facts = [question for question in questions if question["style"] == "plain" and question["pages"]]
    missed = []
    with httpx.Client(base_url=serve(data_dir), trust_env=False, timeout=PATIENCE_S) as client:
        for fact in facts:
            found = client.get("/projects/1/search", params={"q": fact["question"], "k": 3}).json()["passages"]
            if not any(_is_on_its_page(passage, fact) for passage in found):
                missed.append(fact["question"])
    assert len(facts) >= 10
    assert missed == []


def _is_on_its_page(passage: dict[str, object], fact: dict[str, object]) -> bool:
    pages = fact["pages"]
    assert isinstance(pages, list)
    return passage["document"] == fact["document"] and (passage["page_from"] in pages or passage["page_to"] in pages)
