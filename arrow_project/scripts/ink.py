"""Ink's weave (github.com/inkle/ink): choices and gathers, nested by how many marks they begin with."""

import re

from arrow_project.scripts.dialogue import Choice, Dialogue, Item, Leave, Option, ScriptError
from arrow_project.scripts.lines import as_item
from arrow_project.scripts.variables import read_change, read_comparison

_MARKED = re.compile(r"(?P<marks>[*+](?:\s*[*+])*|-(?!>)(?:\s*-(?!>))*)\s*(?P<text>.*)")
_CONDITION = re.compile(r"\{\s*([^{}:|]+?)\s*\}\s*")
_DIVERT = re.compile(r"(?P<before>.*?)\s*->\s*(?P<target>[\w.]+)\s*$")
_BRACKETS = re.compile(r"(?P<before>[^\[]*)\[(?P<inside>[^\]]*)\](?P<after>.*)")
_UNKNOWN = re.compile(r"\{|\}|<-|->->|<>|^\s*(?:EXTERNAL|INCLUDE|LIST|CONST|TODO)\b")


def read_knot(title: str, body: str) -> Dialogue:
    """One knot.

    Raises:
        ScriptError: A part of it has no counterpart in a story.
    """
    lines = [line for one in body.splitlines() if (line := re.sub(r"//.*", "", one).strip())]
    items, _ = _woven(lines, 1)
    return Dialogue(title.replace("_", " "), "", tuple(items))


def _woven(lines: list[str], depth: int) -> tuple[list[Item], list[str]]:
    """The weave of one depth, and the lines that belong further out."""
    items: list[Item] = []
    while lines:
        marked = _MARKED.fullmatch(lines[0])
        if marked is None or _is_gather(marked, depth):
            items += _line(marked["text"] if marked else lines[0])
            lines = lines[1:]
        elif _depth(marked) < depth:
            break
        elif _depth(marked) > depth:
            inner, lines = _woven(lines, depth + 1)
            items += inner
        else:
            option, lines = _option(marked["text"], lines[1:], depth)
            before = items.pop() if items and isinstance(items[-1], Choice) else Choice(())
            assert isinstance(before, Choice)
            items.append(Choice((*before.options, option)))
    return items, lines


def _depth(marked: re.Match[str]) -> int:
    return len(re.sub(r"\s", "", marked["marks"]))


def _is_gather(marked: re.Match[str], depth: int) -> bool:
    return marked["marks"][0] == "-" and _depth(marked) == depth


def _option(text: str, lines: list[str], depth: int) -> tuple[Option, list[str]]:
    """A choice with what follows only from it, and the lines after that."""
    condition = _CONDITION.match(text)
    text = text[condition.end() :] if condition else text
    divert = _DIVERT.fullmatch(text)
    words = divert["before"] if divert else text
    brackets = _BRACKETS.fullmatch(words)
    shown = brackets["before"] + brackets["inside"] if brackets else words
    items = _line((brackets["before"] + brackets["after"]).strip()) if brackets and brackets["after"].strip() else []
    items += [_leave(divert["target"])] if divert else []
    while lines and not _MARKED.fullmatch(lines[0]):
        items += _line(lines[0])
        lines = lines[1:]
    marked = _MARKED.fullmatch(lines[0]) if lines else None
    if marked and marked["marks"][0] != "-" and _depth(marked) > depth:
        nested, lines = _woven(lines, depth + 1)
        items += nested
    return Option(shown.strip(), tuple(items), read_comparison(condition[1]) if condition else None), lines


def _line(text: str) -> list[Item]:
    if change := re.fullmatch(r"~\s*(?:temp\s+)?(.+)", text):
        return [read_change(change[1])]
    if re.match(r"VAR\s", text):
        return []
    divert = _DIVERT.fullmatch(text)
    words = re.sub(r"\s*#.*$", "", divert["before"] if divert else text).strip()
    if _UNKNOWN.search(re.sub(r"\{(\w+)\}", "", words)) or re.match(r"=\s*\w", words):
        raise ScriptError(f"“{text}” is a part of Ink that a story in Arrow has no nodes for.")
    return [*([as_item(words)] if words else []), *([_leave(divert["target"])] if divert else [])]


def _leave(target: str) -> Leave:
    return Leave("" if target in ("END", "DONE") else target.replace("_", " "))
