"""Scripts in markup: Yarn 1 and 2, Twee (SugarCube), and Ink, each passage of which is one dialogue.

Yarn and Twee: yarnspinner.dev/docs, github.com/iftechfoundation/twine-specs. Ink: github.com/inkle/ink. What has no
counterpart in an Arrow story is the problem of its dialogue, so that nothing is lost on the way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from agent.scripts.dialogue import (
    Branch,
    Choice,
    Command,
    Comparison,
    Dialogue,
    Direction,
    Item,
    Leave,
    Option,
    ScriptError,
    Speech,
    VariableChange,
)
from agent.scripts.lines import (
    LONGEST_LINE,
    NESTED_TOO_DEEP,
    ScriptLine,
    as_speech,
    is_narrator,
    read_lines,
    require_readable,
    title_case,
)

_TWEE = re.compile(r"::[ \t]*(?P<title>[^\s\[{][^\[{]*)(?:[\[{].*)?")
_INK = re.compile(r"={2,}\s*(?P<title>\w+)\s*=*")
_DECLARED = re.compile(r"<<\s*declare\s+\$(\w+)\s*=\s*(.*?)\s*(?:as\s+\w+\s*)?>>|^VAR\s+(\w+)\s*=\s*(.+)")
_MACRO = re.compile(r"<<\s*(?P<name>/?\w+)\s*(?P<rest>.*?)\s*>>")
_OPTION = re.compile(r"->\s*(?P<text>.*)")
_LINK = re.compile(r"\[\[\s*(?P<body>[^\]]+?)\s*\]\]")
_HASHTAG = re.compile(r"\s+#\w[\w:.-]*(?=\s|$)|\s*(?<!:)//.*$")
_COMPARISON = re.compile(
    r"(?P<not>(?:not\b|!)\s*)?\$?(?P<name>[^\W\d]\w*)\s*"
    r"(?:(?P<sign>>=|<=|==|!=|>|<|\b(?:gte|lte|gt|lt|eq|neq|is not|isnot|is)\b)"
    r"\s*(?P<value>\$?\w+|\"[^\"]*\"|-?\d+))?"
)
_CHANGE = re.compile(r"\$?(?P<name>[^\W\d]\w*)\s*(?P<operator>[+*/-]?=|\bto\b|\+\+|--)\s*(?P<value>.*)")
_WORD_SIGNS = {
    "gte": ">=",
    "lte": "<=",
    "gt": ">",
    "lt": "<",
    "eq": "==",
    "neq": "!=",
    "is": "==",
    "is not": "!=",
    "isnot": "!=",
}
_IF, _ELSE_IF, _ELSE, _END_IF = ("if",), ("elseif", "elif"), ("else",), ("endif", "/if")
_NOT_PLAYED = frozenset({"storytitle", "storydata", "storyinit", "storycaption", "storyauthor", "storymenu"})
_INK_CHOICE = re.compile(r"(?P<stars>[*+](?:\s*[*+])*)\s*(?P<text>.*)")
_INK_GATHER = re.compile(r"(?P<dashes>-(?!>)(?:\s*-(?!>))*)\s*(?P<text>.*)")
_INK_DIVERT = re.compile(r"(?P<before>.*?)\s*->\s*(?P<target>[\w.]+)\s*$")
_INK_BRACKETS = re.compile(r"(?P<before>[^\[]*)\[(?P<inside>[^\]]*)\](?P<after>.*)")
_INK_UNKNOWN = re.compile(r"\{|\}|<-|->->|<>|^\s*(?:EXTERNAL|INCLUDE|LIST|CONST|TODO)\b")


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
        return _declared([_read(_knot, *one) for one in passages], lines)
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
                declared[yarn or ink] = value or given
    return [replace(one, declared=declared) for one in dialogues]


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
                found.append(self._branch(macro["rest"]))
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
        name, rest = (macro["name"].casefold(), macro["rest"]) if macro else ("", "")
        if name in _ELSE_IF or (name in _ELSE and rest.startswith("if ")):
            return Branch(read_comparison(condition), then, (self._branch(rest.removeprefix("if ")),))
        self.index += 1
        if name in _ELSE:
            otherwise = tuple(self.items(-1))
            self.index += 1
        return Branch(read_comparison(condition), then, otherwise)


def read_comparison(words: str) -> Comparison:
    """A condition on one variable.

    Raises:
        ScriptError: It is more than that.
    """
    found = _COMPARISON.fullmatch(words.strip().strip("()").strip())
    if found is None:
        raise ScriptError(f"The condition “{words}” is more than a comparison of one variable.")
    sign = _WORD_SIGNS.get(found["sign"] or "", found["sign"] or "")
    return Comparison(found["name"], sign, (found["value"] or "").strip('"'), bool(found["not"]))


def _read_change(words: str) -> VariableChange:
    found = _CHANGE.fullmatch(words.strip())
    value = "" if found is None else found["value"].strip()
    if (
        found is None
        or not re.fullmatch(r"\$?\w+|-?\d+|\"[^\"]*\"|", value)
        or (not value and found["operator"] not in ("++", "--"))
    ):
        raise ScriptError(f"The change “{words}” is more than one value for one variable.")
    operator = {"to": "=", "++": "+=", "--": "-="}.get(found["operator"], found["operator"])
    return VariableChange(found["name"], operator, value.strip('"') or "1")


def _macro(found: re.Match[str]) -> list[Item]:
    name, rest = found["name"].casefold(), found["rest"]
    if name == "declare":
        return []
    if name == "set":
        return [_read_change(rest)]
    if name in ("jump", "goto", "detour"):
        return [Leave(rest.strip("\"'").replace("_", " "))]
    return [Leave()] if name in ("stop", "return") else [Command(found[0])]


def _line(text: str) -> list[Item]:
    """What a line without macros is; links stand as choices of one, and are joined afterwards."""
    links = [_link(found["body"]) for found in _LINK.finditer(text)]
    rest = _plain(_LINK.sub("", text))
    return [*([_spoken(rest)] if rest else []), *links]


def _link(body: str) -> Item:
    for sign, text, target in (("->", 0, 1), ("<-", 1, 0), ("|", 0, 1)):
        if sign in body:
            parts = body.split(sign, 1)
            return Choice((Option(parts[text].strip(), (Leave(parts[target].strip().replace("_", " ")),)),))
    return Leave(body.strip().replace("_", " "))


def _with_links(items: list[Item]) -> list[Item]:
    """Links after each other are one choice; a link without words beside others is a choice of that name."""
    found: list[Item] = []
    for place, item in enumerate(items):
        beside = place + 1 < len(items) or (found and isinstance(found[-1], Choice))
        if (
            isinstance(item, Leave)
            and item.target
            and beside
            and any(isinstance(one, Choice | Leave) for one in items[place + 1 :] + found[-1:])
        ):
            item = Choice((Option(item.target, (item,)),))
        if (
            isinstance(item, Choice)
            and found
            and isinstance(found[-1], Choice)
            and _is_link(item)
            and all(map(_leaves, found[-1].options))
        ):
            found[-1] = Choice((*found[-1].options, *item.options))
        else:
            found.append(item)
    return found


def _is_link(item: Choice) -> bool:
    return len(item.options) == 1 and _leaves(item.options[0])


def _leaves(option: Option) -> bool:
    return len(option.items) == 1 and isinstance(option.items[0], Leave)


def _plain(text: str) -> str:
    """Values of variables as Arrow's texts show them."""
    return re.sub(r"\{\$(\w+)\}|(?<![\w$])\$(\w+)\b", lambda found: f"{{{found[1] or found[2]}}}", text).strip()


def _spoken(text: str) -> Item:
    spoken = as_speech(text)
    if spoken is None or not spoken.words or is_narrator(spoken.name):
        return Direction(spoken.words if spoken is not None and spoken.words else text)
    return Speech(title_case(spoken.name), spoken.words, spoken.manner)


# --- Ink -------------------------------------------------------------------------------------------------------------


def _knot(title: str, body: str) -> Dialogue:
    lines = [line for line in (re.sub(r"//.*", "", one).strip() for one in body.splitlines()) if line]
    items, rest = _woven(lines, 1)
    assert not rest
    return Dialogue(title.replace("_", " "), "", tuple(items))


def _woven(lines: list[str], depth: int) -> tuple[list[Item], list[str]]:
    """The weave of one depth, and the lines that belong further out."""
    items: list[Item] = []
    while lines:
        choice, gather = _INK_CHOICE.fullmatch(lines[0]), _INK_GATHER.fullmatch(lines[0])
        mark = choice["stars"] if choice else gather["dashes"] if gather else ""
        marks = len(re.sub(r"\s", "", mark))
        if mark and marks < depth:
            break
        if choice and marks == depth:
            option, lines = _ink_option(choice["text"], lines[1:], depth)
            joins = items and isinstance(items[-1], Choice) and not gather
            items[-1:] = (
                [Choice((*items[-1].options, option))]
                if joins and isinstance(items[-1], Choice)
                else [*items[-1:], Choice((option,))]
            )
        elif mark and marks > depth:
            inner, lines = _woven(lines, depth + 1)
            items += inner
        else:
            items += _ink_line(gather["text"] if gather else lines[0])
            lines = lines[1:]
            if gather and not items:
                continue
    return items, lines


def _ink_option(text: str, lines: list[str], depth: int) -> tuple[Option, list[str]]:
    condition = re.match(r"\{\s*([^{}:|]+?)\s*\}\s*", text)
    text = text[condition.end() :] if condition else text
    divert = _INK_DIVERT.fullmatch(text)
    words = divert["before"] if divert else text
    brackets = _INK_BRACKETS.fullmatch(words)
    shown = (brackets["before"] + brackets["inside"]).strip() if brackets else words.strip()
    echo = (brackets["before"] + brackets["after"]).strip() if brackets and brackets["after"].strip() else ""
    inner: list[Item] = [*(_ink_line(echo) if echo else []), *([_divert(divert["target"])] if divert else [])]
    own: list[str] = []
    while lines and not (found := _INK_CHOICE.fullmatch(lines[0]) or _INK_GATHER.fullmatch(lines[0])):
        own, lines = [*own, lines[0]], lines[1:]
    inner += [item for line in own for item in _ink_line(line)]
    if lines and (found := _INK_CHOICE.fullmatch(lines[0])) and len(re.sub(r"\s", "", found["stars"])) > depth:
        nested, lines = _woven(lines, depth + 1)
        inner += nested
    return Option(shown, tuple(inner), read_comparison(condition[1]) if condition else None), lines


def _ink_line(text: str) -> list[Item]:
    if change := re.fullmatch(r"~\s*(?:temp\s+)?(.+)", text):
        return [_read_change(change[1])]
    if re.match(r"VAR\s", text):
        return []
    divert = _INK_DIVERT.fullmatch(text)
    words = re.sub(r"\s*#.*$", "", divert["before"] if divert else text).strip()
    shown = re.sub(r"\{(\w+)\}", "", words)
    if _INK_UNKNOWN.search(shown) or re.match(r"=\s*\w", words):
        raise ScriptError(f"“{text}” is a part of Ink that a story in Arrow has no nodes for.")
    return [*([_spoken(words)] if words else []), *([_divert(divert["target"])] if divert else [])]


def _divert(target: str) -> Leave:
    return Leave("" if target in ("END", "DONE") else target.replace("_", " "))
