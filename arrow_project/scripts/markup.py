"""Scripts in markup: Yarn 1 and 2, Twee (SugarCube), and Ink, each passage of which is one dialogue.

See yarnspinner.dev/docs and github.com/iftechfoundation/twine-specs. What has no counterpart in an Arrow story is the
problem of its dialogue, so that nothing is lost on the way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from arrow_project.scripts.dialogue import Branch, Choice, Command, Dialogue, Item, Leave, Option, ScriptError
from arrow_project.scripts.ink import read_knot
from arrow_project.scripts.lines import LONGEST_LINE, NESTED_TOO_DEEP, ScriptLine, as_item, read_lines, require_readable
from arrow_project.scripts.variables import read_change, read_comparison

_TWEE = re.compile(r"::[ \t]*(?P<title>[^\s\[{][^\[{]*)(?:[\[{].*)?")
_INK = re.compile(r"={2,}\s*(?P<title>\w+)\s*=*")
# What does not end is looked through once: it holds no second beginning, and no blank may be of either of two parts.
_INSIDE = r"(?>(?:(?!<<|>>).)*)"
_DECLARED = re.compile(rf"<<\s*+declare\s++\$(\w++)\s*+=\s*+({_INSIDE})>>|^VAR\s++(\w++)\s*+=\s*+(.+)")
_MACRO = re.compile(rf"<<\s*+(?P<name>/?\w++)\s*+(?P<rest>{_INSIDE})>>")
_OPTION = re.compile(r"->\s*(?P<text>.*)")
_LINK = re.compile(r"\[\[(?P<body>[^\[\]]++)\]\]")
_HASHTAG = re.compile(r"(?<!\s)(?:\s+#\w[\w:.-]*(?=\s|$)|\s*(?<!:)//.*$)")
_IF, _ELSE_IF, _ELSE, _END_IF = ("if",), ("elseif", "elif"), ("else",), ("endif", "/if")
_NOT_PLAYED = frozenset({"storytitle", "storydata", "storyinit", "storycaption", "storyauthor", "storymenu"})


def read_markup(text: str) -> list[Dialogue] | None:
    """The passages of a script in one of these languages; None where it is in none of them.

    Line by line: a pattern that looks for the end of a passage would look through all of a text for each beginning.
    """
    lines = text.split("\n")
    if (passages := _yarn_nodes(lines)) is not None:
        return _declared([_read(_passage, *one) for one in passages], lines)
    if passages := _below(lines, _TWEE):
        return _declared([_read(_passage, *one) for one in passages if one[0].casefold() not in _NOT_PLAYED], lines)
    is_ink = any("->" in line or line.lstrip().startswith(("*", "+")) for line in lines)
    if is_ink and (passages := _below(lines, _INK)):
        return _declared([_read(read_knot, *one) for one in passages], lines)
    return None


def _yarn_nodes(lines: Sequence[str]) -> list[tuple[str, str]] | None:
    """Title and body of each node; None where no node has an end. The last one may lack it."""
    nodes: list[tuple[str, str]] = []
    title, body, ended = "", list[str](), False
    is_head = True
    for line in (*lines, None):
        if is_head and line is not None:
            title = title or (line[6:].strip() if line.startswith("title:") else "")
            is_head = line.rstrip() != "---"
        elif not is_head and (line is None or line.rstrip() == "==="):
            ended = ended or line is not None
            nodes += [(title, "\n".join(body))] if title else []
            title, body, is_head = "", [], True
        elif line is not None:
            body.append(line)
    return nodes if ended else None


def _below(lines: Sequence[str], mark: re.Pattern[str]) -> list[tuple[str, str]]:
    """Title and body of each passage that begins with such a line."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        if len(line) <= LONGEST_LINE and (begun := mark.fullmatch(line.rstrip())):
            found.append((begun["title"].strip(), []))
        elif found:
            found[-1][1].append(line)
    return [(title, "\n".join(body)) for title, body in found]


def _read(read: Callable[[str, str], Dialogue], title: str, body: str) -> Dialogue:
    try:
        require_readable(read_lines(body))
        return read(title, body)
    except ScriptError as problem:
        return Dialogue(title.replace("_", " "), "", (), problem=str(problem))
    except RecursionError:
        return Dialogue(title.replace("_", " "), "", (), problem=NESTED_TOO_DEEP)


def _declared(dialogues: list[Dialogue], lines: Sequence[str]) -> list[Dialogue]:
    declared: dict[str, str] = {}
    for line in lines:
        if len(line) <= LONGEST_LINE:
            for yarn, value, ink, given in _DECLARED.findall(line.strip()):
                declared[yarn or ink] = _untyped(value) or given
    return [replace(one, declared=declared) for one in dialogues]


def _untyped(value: str) -> str:
    """The value of `= 5 as number`."""
    parts = value.rsplit(None, 2)
    return parts[0] if len(parts) == 3 and parts[1] == "as" else value.rstrip()


def _passage(title: str, body: str) -> Dialogue:
    lines = [ScriptLine(line.indent, _HASHTAG.sub("", line.text).strip()) for line in read_lines(body)]
    reader = _MarkupReader([one for line in lines for one in _parted(line) if not one.is_blank])
    items = tuple(reader.items(-1))
    if reader.index < len(reader.lines):
        raise ScriptError(f"“{title}”: “{reader.lines[reader.index].text}” ends what was not begun.")
    return Dialogue(title.replace("_", " "), "", items)


def _parted(line: ScriptLine) -> Iterator[ScriptLine]:
    """A line with each macro on a line of its own, but for the condition of an option."""
    if line.text.startswith("->") or not _MACRO.search(line.text):
        yield line
        return
    position = 0
    for found in _MACRO.finditer(line.text):
        yield ScriptLine(line.indent, line.text[position : found.start()].strip())
        yield ScriptLine(line.indent, found[0])
        position = found.end()
    yield ScriptLine(line.indent, line.text[position:].strip())


class _MarkupReader:
    """Reads lines into items; what is indented under an option belongs to it."""

    def __init__(self, lines: Sequence[ScriptLine]) -> None:
        self.lines = lines
        self.index = 0

    def items(self, above: int) -> list[Item]:
        """The items that are indented more than `above`, up to a macro that ends a branch."""
        found: list[Item] = []
        while self.index < len(self.lines) and (line := self.lines[self.index]).indent > above:
            macro = _MACRO.fullmatch(line.text)
            if macro and macro["name"].casefold() in (*_ELSE_IF, *_ELSE, *_END_IF):
                break
            if _OPTION.match(line.text):
                found.append(self._options(line.indent))
            elif macro and macro["name"].casefold() in _IF:
                found.append(self._branch(macro["rest"].rstrip()))
            else:
                self.index += 1
                found += _macro(macro) if macro else _line(line.text)
        return _with_links(found)

    def _options(self, indent: int) -> Choice:
        options: list[Option] = []
        while self.index < len(self.lines) and (found := _OPTION.match(self.lines[self.index].text)):
            if self.lines[self.index].indent != indent:
                break
            self.index += 1
            macro = _MACRO.search(found["text"])
            condition = read_comparison(macro["rest"]) if macro and macro["name"].casefold() in _IF else None
            if macro and condition is None:
                raise ScriptError(f"“{found[0]}” has a command that an option cannot have.")
            options.append(Option(_plain(_MACRO.sub("", found["text"])), tuple(self.items(indent)), condition))
        return Choice(tuple(options))

    def _branch(self, condition: str) -> Branch:
        """From behind an `if` to behind its `endif`."""
        self.index += 1
        then, otherwise = tuple(self.items(-1)), tuple[Item, ...]()
        if self.index >= len(self.lines):
            raise ScriptError(f"“if {condition}” is never ended.")
        macro = _MACRO.fullmatch(self.lines[self.index].text)
        name, rest = (macro["name"].casefold(), macro["rest"].rstrip()) if macro else ("", "")
        if name in _ELSE_IF or (name in _ELSE and rest.startswith("if ")):
            return Branch(read_comparison(condition), then, (self._branch(rest.removeprefix("if ")),))
        self.index += 1
        if name in _ELSE:
            otherwise = tuple(self.items(-1))
            self.index += 1
        return Branch(read_comparison(condition), then, otherwise)


def _macro(found: re.Match[str]) -> list[Item]:
    name, rest = found["name"].casefold(), found["rest"].rstrip()
    if name == "declare":
        return []
    if name == "set":
        return [read_change(rest)]
    if name in ("jump", "goto", "detour"):
        return [Leave(rest.strip("\"'").replace("_", " "))]
    return [Leave()] if name in ("stop", "return") else [Command(found[0])]


def _line(text: str) -> list[Item]:
    """What a line without macros is; links stand as choices of one, and are joined afterwards."""
    links = [_link(found["body"]) for found in _LINK.finditer(text)]
    rest = _plain(_LINK.sub("", text))
    return [*([as_item(rest)] if rest else []), *links]


def _link(body: str) -> Item:
    for sign, text, target in (("->", 0, 1), ("<-", 1, 0), ("|", 0, 1)):
        if sign in body:
            parts = body.split(sign, 1)
            return Choice((Option(parts[text].strip(), (Leave(parts[target].strip().replace("_", " ")),)),))
    return Leave(body.strip().replace("_", " "))


def _with_links(items: list[Item]) -> list[Item]:
    """Links after each other are one choice; a link without words beside others is a choice of that name."""
    found: list[Item | list[Option]] = []  # a list is a choice
    last = max((place for place, item in enumerate(items) if isinstance(item, Choice | Leave)), default=-1)
    links: list[Option] | None = None  # the choice before, if all of it leaves
    for place, item in enumerate(items):
        before = found[-1] if found else None
        is_beside = isinstance(before, list) or (place + 1 < len(items) and (place < last or isinstance(before, Leave)))
        if isinstance(item, Leave) and item.target and is_beside:
            item = Choice((Option(item.target, (item,)),))
        if not isinstance(item, Choice):
            found.append(item)
            links = None
            continue
        options = list(item.options)
        if links is not None and _is_link(item):
            links += options
        else:
            found.append(options)
            links = options if all(map(_leaves, options)) else None
    return [Choice(tuple(one)) if isinstance(one, list) else one for one in found]


def _is_link(item: Choice) -> bool:
    return len(item.options) == 1 and _leaves(item.options[0])


def _leaves(option: Option) -> bool:
    return len(option.items) == 1 and isinstance(option.items[0], Leave)


def _plain(text: str) -> str:
    """Values of variables as Arrow's texts show them."""
    return re.sub(r"\{\$(\w+)\}|(?<![\w$])\$(\w+)\b", lambda found: f"{{{found[1] or found[2]}}}", text).strip()
