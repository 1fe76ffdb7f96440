"""Every pattern of the product, on long texts of its own characters: none takes four times as long for twice the text.

One that looks at each part of a text again for every other part holds the interpreter for minutes, and no thread helps.
New ones are found without being listed: those of all modules, and those that stand in a call of `re`.
"""

import ast
import os
import re
import sys
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from re import _compiler as compiler  # pyright: ignore
from re import _constants as constants  # pyright: ignore
from re import _parser as parser  # pyright: ignore
from time import process_time
from typing import Any

import pytest

from tests.forked import finished

ROOT = Path(__file__).parents[2]
PACKAGES = ("agent", "arrow_project", "corpora", "fletcher", "ingest", "mcp_server", "retrieval", "server", "workbench")
# What gets a few characters, or what no user writes.
SHORT = {
    "agent/continuity/naming.py _BEGINS",  # the twelve characters before a word
    "agent/local/parsing.py _HIDDEN",  # 4,000 characters
    "ingest/readers/pdf/hyphens.py _BROKEN",  # the end of a line, at most sixty characters of it
    "corpora/samples/_bible.py",  # a document of our own
}
# A pattern that is made elsewhere while the product runs is not found here; those in these files have been looked at.
BUILT = {
    "agent/questions/parameters.py",
    "arrow_project/node_types/patterns.py",
}
SEARCHING = {"search", "finditer", "findall", "sub", "subn", "split"}
READING = SEARCHING | {"match", "fullmatch"}
USUAL = "aA1 \n.-'(_,"
LENGTH = 600
SUSPECT_S = 0.00015  # for a text of this length; most take a twentieth of it, `<[^>]*>` on `<<<` nearly twice as long
REPEATS = (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT)

Nodes = list[tuple[Any, Any]]


# --- the patterns ---------------------------------------------------------------------------------------------------


def sources() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if re.search(r"^import re$|^from re import", text := path.read_text("utf-8"), re.MULTILINE):
            yield path.relative_to(ROOT).as_posix(), ast.parse(text)


def compiled(value: Any) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | list | tuple | set | frozenset):
        for one in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from compiled(one)


def calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """`re.sub(…)` and the like wherever it stands, and `re.compile(…)` within a function."""
    within = {id(node) for one in ast.walk(tree) if isinstance(one, ast.FunctionDef) for node in ast.walk(one)}
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name("re"), attr=name)) if name in READING or (
                name == "compile" and id(node) in within
            ):
                yield name, node
            case _:
                pass


def _written(pattern: ast.expr) -> Iterator[str]:
    """A pattern as it stands in the call, with a letter for each value; nothing where it is made elsewhere."""
    for part in pattern.values if isinstance(pattern, ast.JoinedStr) else [pattern]:
        if isinstance(part, ast.Constant):
            yield str(part.value)
        elif isinstance(part, ast.FormattedValue):
            yield "x"


def patterns() -> Iterator[tuple[str, re.Pattern[Any], set[str]]]:
    """Where each is, and what it is used for."""
    for path, tree in sources():
        uses: dict[str, set[str]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in READING:
                uses.setdefault(node.value.id, set()).add(node.attr)
        module = import_module(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
        held = {name: list(compiled(value)) for name, value in vars(module).items()}
        # What a function is given, by another name; a text can be split too.
        passed_on = {use for name in uses if not held.get(name) and name != "re" for use in uses[name] - {"split"}}
        for name, found in held.items():
            for pattern in found:
                yield f"{path} {name}", pattern, uses.get(name) or passed_on or READING
        for use, call in calls(tree):
            if written := "".join(_written(call.args[0])):
                flags = [eval(ast.unparse(one.value)) for one in call.keywords if one.arg == "flags"]
                flags += [eval(ast.unparse(one)) for one in call.args if ast.unparse(one).startswith("re.")]
                yield path, re.compile(written, *flags), {use}
    grammar: Any = import_module("agent.local.parsing")
    for terminal in grammar._parser().terminals:
        yield f"agent/local/grammar.lark {terminal.name}", re.compile(terminal.pattern.to_regexp()), {"match"}


# --- texts of their own characters ----------------------------------------------------------------------------------


class Texts:
    """What a pattern is tried with: texts that it takes parts of again and again."""

    def __init__(self, pattern: re.Pattern[Any]) -> None:
        self._flags = pattern.flags
        self._tree = parser.parse(pattern.pattern, pattern.flags)
        self._usual = list(dict.fromkeys(USUAL + "".join(map(chr, self._literals(list(self._tree))))))
        self._levels = list(self._within(list(self._tree)))
        self.goes_on = any(op in REPEATS and value[1] >= LENGTH for level in self._levels for op, value in level)

    def all(self) -> Iterator[tuple[str, str]]:
        """How each begins, and what comes then over and over."""
        whole = self._levels[0]
        begins = _some(dict.fromkeys(one for end in range(len(whole) + 1) for one in self._taken(whole[:end])), 7)
        singles = _some({one: None for level in self._levels for node in level for one in self._characters(*node)}, 12)
        parts = [
            one
            for level in self._levels
            for start, end in product(range(len(level)), range(len(level) + 1))
            for one in self._taken(level[start:end])
        ]
        pumps = [*singles, *map("".join, product(singles[:8], singles[:8])), *_some(dict.fromkeys(parts), 60)]
        pumps += [f"{one} " for one in _some(dict.fromkeys(parts), 20)]
        yield from ((begin, pump) for begin in begins for pump in dict.fromkeys(pumps) if pump)

    def _literals(self, nodes: Nodes) -> Iterator[int]:
        for level in self._within(nodes):
            for op, value in level:
                inside = value if op is constants.IN else [(op, value)]
                yield from (code for kind, code in inside if kind is constants.LITERAL)

    def _within(self, nodes: Nodes) -> Iterator[Nodes]:
        """The nodes, and those of each group in them."""
        yield nodes
        for op, value in nodes:
            match op:
                case constants.BRANCH:
                    inner = value[1]
                case constants.ATOMIC_GROUP:
                    inner = [value]
                case constants.SUBPATTERN | constants.ASSERT | constants.ASSERT_NOT:
                    inner = [value[-1]]
                case _:
                    inner = [value[2]] if op in REPEATS else []
            for one in inner:
                yield from self._within(list(one))

    def _characters(self, op: Any, value: Any) -> list[str]:
        """Some that a place of one character takes."""
        if op is constants.LITERAL:
            return [chr(value)]
        if op not in (constants.NOT_LITERAL, constants.ANY, constants.IN):
            return []
        place = compiler.compile(parser.SubPattern(self._tree.state, [(op, value)]), self._flags)
        return [one for one in self._usual if place.fullmatch(one)][:8]

    def _taken(self, nodes: Iterable[tuple[Any, Any]]) -> list[str]:
        """Some texts that the nodes take."""
        found = [""]
        for op, value in nodes:
            if op is constants.BRANCH:
                more = [one for branch in value[1] for one in self._taken(branch)[:1]]
            elif op is constants.SUBPATTERN:
                more = self._taken(value[-1])
            elif op is constants.ATOMIC_GROUP:
                more = self._taken(value)
            elif op in REPEATS:
                more = [one * max(value[0], 1) for one in self._taken(value[2])] + [""] * (value[0] == 0)
            else:
                more = self._characters(op, value)[:3] or [""]
            found = _some([before + one for before in found for one in more], 3)
        return found


def _some(items: Iterable[str], most: int) -> list[str]:
    """At most so many, from the first to the last."""
    listed = list(items)
    return [listed[place * len(listed) // most] for place in range(most)] if len(listed) > most else listed


# --- how long it takes ----------------------------------------------------------------------------------------------


def seconds(pattern: re.Pattern[Any], use: str, text: str) -> float:
    given = text.encode("utf-8", "replace") if isinstance(pattern.pattern, bytes) else text
    began = process_time()
    if use in SEARCHING:
        for _ in pattern.finditer(given):
            pass
    else:
        getattr(pattern, use)(given)
    return process_time() - began


def grows(pattern: re.Pattern[Any], use: str, begin: str, pump: str) -> bool:
    """Whether four times the text takes nine times as long or more (it should take four), whenever it is tried."""

    def took(length: int) -> float:
        return seconds(pattern, use, begin + pump * (length // len(pump)) + "\0")

    first = took(LENGTH)
    if first < SUSPECT_S:
        return False
    # The third or fourth power of a long text would not come to an end.
    length = LENGTH if first < 60 * SUSPECT_S else LENGTH // 10
    for _ in range(3):
        least = max(9 * min(took(length) for _ in range(3)), SUSPECT_S)
        if any(took(4 * length) < least for _ in range(5)):
            return False
    return True


def growing() -> Iterator[str]:
    """Each pattern that grows, with the text that shows it."""
    for where, pattern, uses in patterns():
        texts = Texts(pattern)
        if where in SHORT or not texts.goes_on:
            continue
        kinds = sorted({"search" if use in SEARCHING else use for use in uses})
        shown = ((begin, pump) for begin, pump in texts.all() for use in kinds if grows(pattern, use, begin, pump))
        if (text := next(shown, None)) is not None:
            yield f"{where}: {text[0]!r}, then {text[1]!r} again and again"


@pytest.mark.long
def test_none_grows_faster_than_its_text() -> None:
    # In a process of its own: nothing else is to be imported because of this.
    command = [sys.executable, "-m", "tests.attack.test_patterns"]
    child = finished(command, ROOT, os.environ)
    assert child.returncode == 0, child.stderr
    assert child.stdout == ""


def test_what_grows_is_found() -> None:
    names = re.compile(r"\b(?P<name>[A-Z][\w’'-]+?)(?:['’]s|\s+is)\s+the")
    assert any(grows(names, "search", *text) for text in Texts(names).all())


def test_no_group_is_repeated_possessively() -> None:
    """Before 3.11.5 Python matches such a group wrongly (python/cpython#106052); an atomic one it matches well."""
    possessive = re.compile(r"\)(?:[*+?]|\{[\d,]+\})\+")
    nodes = ((path, node) for path, tree in sources() for node in ast.walk(tree))
    texts = ((path, str(node.value)) for path, node in nodes if isinstance(node, ast.Constant))
    assert [path for path, text in texts if possessive.search(text)] == []


def test_it_is_known_where_patterns_are_built() -> None:
    built = {path for path, tree in sources() for _, one in calls(tree) if not [*_written(one.args[0])]}
    assert built == BUILT


if __name__ == "__main__":
    for found in growing():
        sys.stdout.write(f"{found}\n")
        sys.stdout.flush()
