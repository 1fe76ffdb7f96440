"""docs/security.md: each promise stands on the page that is named, and each test that holds it exists."""

import ast
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "security.md"
_ROW = re.compile(r"^\| (?P<words>.+) \| (?:here|\[\w+\]\((?P<page>\S+)\)) \| (?P<tests>`.*`) \|$", re.MULTILINE)


class Promise(NamedTuple):
    """A row of a table; `page` is relative to the document's folder."""

    words: str
    page: str | None
    tests: str


def _promises() -> list[Promise]:
    text = DOCUMENT.read_text("utf-8").partition("## Each promise")[2]
    rows = [Promise(row["words"], row["page"], row["tests"]) for row in _ROW.finditer(text)]
    lines = [line for line in text.splitlines() if line.startswith("| ") and line != "| promise | said in | held by |"]
    assert len(rows) == len(lines) > 100, "every line of these tables can be read"
    return rows


@cache
def _functions(file: Path) -> frozenset[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


@cache
def _words(page: Path) -> str:
    return " ".join(page.read_text("utf-8").split())


def test_every_promise_is_made_and_held() -> None:
    problems: list[str] = []
    for promise in _promises():
        if promise.page is not None and promise.words not in _words(DOCUMENT.parent / promise.page):
            problems.append(f"{promise.page} says in other words: {promise.words}")
        path = ""
        for cell in re.findall(r"`([^`]+)`", promise.tests):
            named, _, test = cell.partition("::")
            path = named or path  # `::name` is in the file before
            if not test.startswith("test_") or test not in _functions(ROOT / path):
                problems.append(f"{path} has no {cell}, which is to hold: {promise.words}")
    assert not problems, problems


def test_no_promise_is_listed_twice() -> None:
    places = [(promise.words, promise.page) for promise in _promises()]
    assert len(set(places)) == len(places)
