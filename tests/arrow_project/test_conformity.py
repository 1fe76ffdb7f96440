"""Edits recorded from the real Arrow editor: ours must come to the same bytes."""

import hashlib
import json
from pathlib import Path
from typing import Any

from arrow_project import Operation, check, parse
from tests.arrow_project.conform.starts import text_of

GOLDEN = Path(__file__).parent / "conform" / "golden.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]


def test_there_are_enough_cases_and_they_use_everything() -> None:
    functions = {function for case in CASES for function, _ in case["operations"]}
    types = {node["type"] for case in CASES for node in case["document"]["resources"]["nodes"].values()}
    assert len(CASES) >= 300
    assert len(functions) == 19
    assert len(types) == 19


def test_our_document_is_arrow_s() -> None:
    for case in CASES:
        project = parse(text_of(case["start"]))
        for function, arguments in case["operations"]:
            project.apply(Operation(function, arguments))
        text = project.to_text()
        assert json.loads(text) == case["document"], case["name"]
        assert hashlib.sha256(text.encode()).hexdigest() == case["sha256"], case["name"]
        assert [finding for finding in check(project) if finding.severity == "error"] == [], case["name"]
