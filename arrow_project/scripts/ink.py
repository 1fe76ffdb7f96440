"""Ink's weave (github.com/inkle/ink): choices and gathers, nested by how many marks they begin with."""

import re
from collections import deque

from arrow_project.scripts.dialogue import Choice, Dialogue, Item, Leave, Option, ScriptError
from arrow_project.scripts.lines import as_item
from arrow_project.scripts.variables import read_change, read_comparison

_MARKED = re.compile(r"(?P<marks>[*+](?:\s*[*+])*|-(?!>)(?:\s*-(?!>))*)\s*(?P<text>.*)")
_CONDITION = re.compile(r"\{([^{}:|]++)\}\s*")
_DIVERT = re.compile(r"(?P<before>.*)->\s*+(?P<target>[\w.]++)\s*$")
_BRACKETS = re.compile(r"(?P<before>[^\[]*)\[(?P<inside>[^\]]*)\](?P<after>.*)")
_UNKNOWN = re.compile(r"\{|\}|<-|->->|<>|^\s*(?:EXTERNAL|INCLUDE|LIST|CONST|TODO)\b")


def read_knot(title: str, body: str) -> Dialogue:
    """One knot.

    Raises:
        ScriptError: A part of it has no counterpart in a story.
    """
    lines = [line for one in body.splitlines() if (line := re.sub(r"//.*", "", one).strip())]
    return Dialogue(title.replace("_", " "), "", tuple(_woven(deque(lines), 1)))


def _woven(lines: deque[str], depth: int) -> list[Item]:
    """The weave of one depth; what is left of the lines belongs further out."""
    items: list[Item | list[Option]] = []
    while lines:
        marked = _MARKED.fullmatch(lines[0])
        if marked is None or _is_gather(marked, depth):
            items += _line(marked["text"] if marked else lines[0])
            lines.popleft()
        elif _depth(marked) < depth:
            break
        elif _depth(marked) > depth:
            items += _woven(lines, depth + 1)
        else:
            lines.popleft()
            if not (items and isinstance(items[-1], Choice | list)):
                items.append([])
            before = items.pop()
            options = list(before.options) if isinstance(before, Choice) else before
            assert isinstance(options, list)
            options.append(_option(marked["text"], lines, depth))
            items.append(options)
    return [Choice(tuple(one)) if isinstance(one, list) else one for one in items]


def _depth(marked: re.Match[str]) -> int:
    return len(re.sub(r"\s", "", marked["marks"]))


def _is_gather(marked: re.Match[str], depth: int) -> bool:
    return marked["marks"][0] == "-" and _depth(marked) == depth


def _option(text: str, lines: deque[str], depth: int) -> Option:
    """A choice with what follows only from it, of which the next lines are."""
    condition = _CONDITION.match(text)
    text = text[condition.end() :] if condition else text
    divert = _DIVERT.fullmatch(text)
    words = divert["before"] if divert else text
    brackets = _BRACKETS.fullmatch(words)
    shown = brackets["before"] + brackets["inside"] if brackets else words
    items = _line((brackets["before"] + brackets["after"]).strip()) if brackets and brackets["after"].strip() else []
    items += [_leave(divert["target"])] if divert else []
    while lines and not _MARKED.fullmatch(lines[0]):
        items += _line(lines.popleft())
    marked = _MARKED.fullmatch(lines[0]) if lines else None
    if marked and marked["marks"][0] != "-" and _depth(marked) > depth:
        items += _woven(lines, depth + 1)
    return Option(shown.strip(), tuple(items), read_comparison(condition[1]) if condition else None)


def _line(text: str) -> list[Item]:
    if change := re.fullmatch(r"~\s*(?:temp\s+)?(.+)", text):
        return [read_change(change[1])]
    if re.match(r"VAR\s", text):
        return []
    divert = _DIVERT.fullmatch(text)
    words = (divert["before"] if divert else text).partition("#")[0].strip()
    if _UNKNOWN.search(re.sub(r"\{(\w+)\}", "", words)) or re.match(r"=\s*\w", words):
        raise ScriptError(f"“{text}” is a part of Ink that a story in Arrow has no nodes for.")
    return [*([as_item(words)] if words else []), *([_leave(divert["target"])] if divert else [])]


def _leave(target: str) -> Leave:
    return Leave("" if target in ("END", "DONE") else target.replace("_", " "))
