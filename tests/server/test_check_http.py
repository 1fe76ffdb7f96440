"""What is wrong with a story, over HTTP: no model is asked, and what Arrow would not load is a finding."""

import json
from pathlib import Path

import httpx
import pytest

from arrow_project import check_text
from tests.arrow_project.conform.starts import NAMES, text_of
from tests.server.house import house


@pytest.fixture
def http(tmp_path: Path):
    with house(tmp_path) as home, home.http() as client:
        yield client


@pytest.mark.parametrize("name", NAMES)
def test_the_findings_are_those_of_the_command(name: str, http: httpx.Client) -> None:
    answer = http.post("/projects/1/check", json={"arrow_content": text_of(name)})
    assert answer.json() == {"findings": [vars(finding) for finding in check_text(text_of(name))]}


def test_broken_rules_are_named_with_their_place(http: httpx.Client) -> None:
    document = json.loads(text_of("lamp"))
    node_id = next(iter(document["resources"]["nodes"]))
    document["resources"]["nodes"][node_id]["type"] = "bogus"
    (first, *_) = http.post("/projects/1/check", json={"arrow_content": json.dumps(document)}).json()["findings"]
    assert first["severity"] == "error"
    assert f"node {node_id}" in first["place"]


def test_what_arrow_would_not_load_is_one_finding(http: httpx.Client) -> None:
    (finding,) = http.post("/projects/1/check", json={"arrow_content": "no story"}).json()["findings"]
    assert finding["severity"] == "error"


@pytest.mark.parametrize("body", [{}, {"arrow_content": 3}, {"arrow_content": "", "message": ""}])
def test_what_is_no_request_is_refused(body: object, http: httpx.Client) -> None:
    answer = http.post("/projects/1/check", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "INVALID_REQUEST")
