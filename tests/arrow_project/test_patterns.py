"""Whether a pattern is one, told without what makes telling it slow."""

import json
import re

import pytest

from arrow_project import ArrowProject, ErrorCode, OperationError, check, check_text
from arrow_project.node_types.patterns import MAX_PATTERN, MAX_PATTERNS, compiles
from tests.arrow_project.applying import do
from tests.arrow_project.broken_rules import LAMP

_ALL = MAX_PATTERNS // MAX_PATTERN


@pytest.fixture
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What Python compiles."""
    found: list[str] = []
    compile_it = re.compile

    def noted(one: str) -> re.Pattern[str]:
        found.append(one)
        return compile_it(one)

    monkeypatch.setattr(re, "compile", noted)
    return found


def _patterns(number: int) -> list[str]:
    return [f"{index:x<{MAX_PATTERN}}" for index in range(number)]


def _long(patterns: list[str]) -> int:
    return sum(len(one) == MAX_PATTERN for one in patterns)


def _story_with(patterns: list[str]) -> str:
    document = json.loads(LAMP)
    data = {"character": 7, "tag_key": "mood", "patterns": patterns, "regex": True}
    document["resources"]["nodes"]["15"] = {"type": "tag_match", "name": "asks", "data": data, "ref": [7]}
    return json.dumps(document)


@pytest.mark.parametrize(
    ("pattern", "is_one"),
    [
        ("[é-ü]{2}", True), ("[ü-é]", False), (r"[\u0430-\u044f]+", True), (r"[\w-é]", False), ("[é-a]", False),
        ("[^я]", True), (r"[\xc0-ſ]", True), (r"[ſ-\xc0]", False), (r"[\\xff-z]", True),
    ],
)  # fmt: skip
def test_sets_of_any_characters_are_judged_without_their_tables(pattern: str, is_one: bool, tried: list[str]) -> None:
    assert compiles(pattern) == is_one
    assert tried
    assert all(one.isascii() for one in tried), "Python makes a table of 65,536 places for each wide set"


def test_an_escape_that_only_python_knows_is_not_tried(tried: list[str]) -> None:
    assert not any(map(compiles, (r"[\U00000100-\U0010ffff]", r"\U0001f600", r"[^\N{SNOWMAN}]")))
    assert not tried, "Python makes tables for it, two thousandths of a second for each set"


def test_of_very_many_patterns_a_check_tries_the_first_and_says_so(tried: list[str]) -> None:
    findings = check_text(_story_with([*_patterns(_ALL), *_patterns(_ALL), "[", "("]))
    (said,) = [finding for finding in findings if finding.rule == "untried-pattern"]
    assert (said.severity, said.message[:2]) == ("warning", "2 ")
    assert _long(tried) == _ALL, "each is tried once"


def test_a_pattern_that_is_too_long_is_wrong_however_long_it_is(tried: list[str]) -> None:
    findings = check_text(_story_with(["x" * MAX_PATTERNS, "x"]))
    assert 51 in {finding.rule for finding in findings}
    assert "untried-pattern" not in {finding.rule for finding in findings}


def test_an_operation_with_very_many_patterns_is_refused(lamp: ArrowProject, tried: list[str]) -> None:
    preset = {"character": 7, "key": "mood", "regex": True, "patterns": _patterns(_ALL + 1)}
    with pytest.raises(OperationError, match="500,000 characters together") as refused:
        do(lamp, "create_insert_node", type="tag_match", preset=preset)
    assert refused.value.code == ErrorCode.TYPE_MISMATCH
    assert _long(tried) == _ALL


def test_a_check_that_nobody_waits_for_ends_with_the_node_it_is_at(lamp: ArrowProject) -> None:
    calls: list[int] = []

    def go_on() -> None:
        calls.append(1)
        if len(calls) > len(lamp.data.nodes) + 1:  # among what the nodes hold
            raise InterruptedError

    with pytest.raises(InterruptedError):
        check(lamp, go_on)
    assert len(calls) == len(lamp.data.nodes) + 2
