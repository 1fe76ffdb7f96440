"""A document's text read as the dialogues that it holds."""

import re
from collections.abc import Sequence
from dataclasses import replace

from arrow_project.scripts.dialogue import (
    Choice,
    Comparison,
    Dialogue,
    Direction,
    Item,
    Leave,
    Option,
    ScriptError,
    Speech,
)
from arrow_project.scripts.lines import (
    LONGEST_LINE,
    NESTED_TOO_DEEP,
    ScriptLine,
    Spoken,
    as_bullet,
    as_leave,
    as_name_alone,
    as_speech,
    as_title,
    is_direction,
    is_fact,
    looks_like_name,
    read_lines,
    require_readable,
    title_case,
    without_marks,
)
from arrow_project.scripts.variables import read_comparison

# A line of at least this length was probably wrapped.
_WRAPPED = 50
_NESTED = re.compile(r"(?:[*+]\s*){2,}\s\S")
_INK = re.compile(r"(?:(?P<stars>(?:[*+]\s*)+)|(?P<gather>(?:-\s*)+(?!>)))\s(?P<text>\S.*)")
_RULED = re.compile(r"={3,}|-{3,}|\*{3,}|_{3,}")
# Blanks are looked through from their beginning, and brackets hold none that open: nothing is read twice.
_ARROW = re.compile(r"(?<!\s)\s*(?:->|→|=>)\s*")
_CONDITION = re.compile(
    r"(?<!\s)\s*+[\[({]\s*+(?=(?:if|when|requires?|needs?|only)\b|[^\[({\])}<>=]*+[<>=])(?P<words>[^\[({\])}]++)[\])}]\s*+",
    re.IGNORECASE,
)
_GUESSED = "the indentation under its choices is lost, so I guessed which lines follow from which choice"


def read_plain(text: str) -> list[Dialogue]:
    """Every dialogue in a text, in order; a text without headings is at most one."""
    dialogues: list[Dialogue] = []
    title, number, body = "", "", list[ScriptLine]()
    lines = read_lines(text)
    for index, line in enumerate(lines):
        heading = _heading(lines, index)
        if heading is None:
            body.append(line)
            continue
        dialogues.append(read_dialogue(body, title, number))
        (number, title), body = heading, []
    dialogues.append(read_dialogue(body, title, number))
    return [dialogue for dialogue in dialogues if dialogue.is_played]


def read_dialogue(lines: Sequence[ScriptLine], title: str = "", number: str = "") -> Dialogue:
    """The lines below one heading."""
    try:
        require_readable(lines)
        return _dialogue(lines, title_case(title.strip()), number)
    except ScriptError as problem:
        return Dialogue(title_case(title.strip()), number, (), problem=str(problem))
    except RecursionError:
        return Dialogue(title_case(title.strip()), number, (), problem=NESTED_TOO_DEEP)


def _dialogue(lines: Sequence[ScriptLine], title: str, number: str) -> Dialogue:
    facts = [line.text for line in lines if _is_fact(line)]
    rest = [line for line in lines if not _is_fact(line) and not _RULED.fullmatch(line.text)]
    reader = _PlainReader(_indent_ink(rest))
    items = tuple(reader.read(0, len(rest)))
    remarks = (_GUESSED,) if reader.guessed else ()
    return Dialogue(title, number, items, tuple(facts), remarks)


def _is_fact(line: ScriptLine) -> bool:
    return line.indent == 0 and is_fact(line.text)


def _heading(lines: Sequence[ScriptLine], index: int) -> tuple[str, str] | None:
    """Number and title if the line is a heading."""
    line = lines[index]
    if line.is_blank or line.indent or len(line.text) > LONGEST_LINE or as_bullet(line):
        return None
    if titled := as_title(line.text):
        return titled
    if line.text.startswith("#"):
        return "", line.text.strip("# *_")
    after = lines[index + 1] if index + 1 < len(lines) else ScriptLine(0, "")
    if _RULED.fullmatch(after.text):
        return "", line.text
    return ("", line.text.strip("*_ ")) if _is_capital_heading(lines, index, after) else None


def _is_capital_heading(lines: Sequence[ScriptLine], index: int, after: ScriptLine) -> bool:
    """Capitals after a blank line, and not a screenplay's name, which its speech follows at once."""
    text = lines[index].text
    alone = index == 0 or lines[index - 1].is_blank
    if (
        not (alone and text.isupper() and len(text) < 80)
        or as_speech(text)
        or is_direction(text)
        or as_leave(text) is not None
    ):
        return False
    return after.is_blank or is_fact(after.text) or as_speech(after.text) is not None


class _PlainReader:
    """Reads lines into items; what is indented under a bullet belongs to it."""

    def __init__(self, lines: Sequence[ScriptLine]) -> None:
        self._lines = lines
        self.guessed = _is_flat(lines)

    def read(self, start: int, end: int) -> list[Item]:
        """The items of `lines[start:end]`."""
        items: list[Item] = []
        index = start
        while index < end:
            line = self._lines[index]
            if line.is_blank:
                index += 1
            elif as_bullet(line):
                item, index = self._choice(index, end)
                items.extend(item)
            else:
                index = self._plain_line(items, index, start, end)
        return items

    def _choice(self, start: int, end: int) -> tuple[list[Item], int]:
        options: list[Option] = []
        first = as_bullet(self._lines[start])
        index = start
        while first and index < end and (bullet := as_bullet(self._lines[index])) and bullet.depth == first.depth:
            below = self._end_of_option(index + 1, end, bullet.depth)
            options.append(_option(bullet.text, tuple(self.read(index + 1, below))))
            index = self._skip_blanks(below, end)
        return _as_items(options), index

    def _end_of_option(self, index: int, end: int, depth: int) -> int:
        """Where what belongs to an option ends."""
        if self.guessed:
            return self._guessed_end(index, end)
        while index < end:
            following = self._skip_blanks(index, end)
            if following >= end or _depth(self._lines[following]) <= depth:
                return index
            index = following + 1
        return end

    def _guessed_end(self, index: int, end: int) -> int:
        """Without indentation: up to the next bullet or blank line; of the last option, one line."""
        stop = index
        while stop < end and not self._lines[stop].is_blank and not as_bullet(self._lines[stop]):
            stop += 1
        more = stop < end and (as_bullet(self._lines[stop]) or self._lines[stop].is_blank)
        return stop if more else min(index + 1, end)

    def _skip_blanks(self, index: int, end: int) -> int:
        while index < end and self._lines[index].is_blank:
            index += 1
        return index

    def _plain_line(self, items: list[Item], index: int, start: int, end: int) -> int:
        """Adds what one line is; a screenplay's speech takes the lines after the name."""
        line = self._lines[index]
        goes_on = index > start and not self._lines[index - 1].is_blank and not as_bullet(self._lines[index - 1])
        spoken = as_speech(line.text)
        if (spoken and not spoken.words) or (spoken is None and self._is_screenplay_name(index, end)):
            spoken = spoken or as_name_alone(line.text)
            return self._block_speech(items, spoken, index + 1, end) if spoken else index + 1
        if spoken is None and goes_on and items and self._continues(items[-1], index):
            items[-1] = _continued(items[-1], line.text)
        else:
            items.append(_item(line.text, spoken))
        return index + 1

    def _is_screenplay_name(self, index: int, end: int) -> bool:
        name = as_name_alone(self._lines[index].text)
        after = self._lines[index + 1] if index + 1 < end else ScriptLine(0, "")
        return name is not None and not after.is_blank and as_speech(after.text) is None and not as_bullet(after)

    def _block_speech(self, items: list[Item], spoken: Spoken, index: int, end: int) -> int:
        words: list[str] = []
        manner = spoken.manner
        while index < end and not (line := self._lines[index]).is_blank:
            if as_bullet(line) or as_speech(line.text) or as_leave(line.text) is not None:
                break
            if is_direction(line.text) and not words:
                manner = without_marks(line.text)
            else:
                words.append(line.text)
            index += 1
        if words:
            items.append(replace(spoken, words=" ".join(words), manner=manner).item)
        return index

    def _continues(self, item: Item, index: int) -> bool:
        line, before = self._lines[index], self._lines[index - 1]
        if not isinstance(item, Speech | Direction) or is_direction(line.text) or as_leave(line.text) is not None:
            return False
        if isinstance(item, Direction):
            return not is_direction(before.text)
        open_end = not item.words.rstrip("\"”’'*_").endswith((".", "!", "?", "…"))
        return open_end or line.text[0].islower() or len(before.text) >= _WRAPPED or line.indent > before.indent


def _item(text: str, spoken: Spoken | None) -> Item:
    if spoken is not None:
        return spoken.item
    target = as_leave(text)
    return Direction(without_marks(text)) if target is None else Leave(target)


def _continued(item: Item, text: str) -> Item:
    if isinstance(item, Speech):
        return replace(item, words=f"{item.words} {text}")
    return Direction(f"{item.text} {text}") if isinstance(item, Direction) else item


def _option(text: str, items: tuple[Item, ...]) -> Option:
    """A choice's words, its condition, and the consequence written behind an arrow."""
    condition = _CONDITION.search(text)
    if condition:
        text = f"{text[: condition.start()]} {text[condition.end() :]}".strip()
    words, _, consequence = _ARROW.sub("\0", text, count=1).partition("\0")
    following = (_consequence(consequence),) if consequence else ()
    return Option(_answer(words), (*following, *items), _comparison(condition["words"]) if condition else None)


def _comparison(words: str) -> Comparison:
    """A condition in brackets; one in free words has the sign `?`."""
    plain = re.sub(r"^(?:only\s+)?(?:if|when|requires?|needs?)\s+", "", words.strip(), flags=re.IGNORECASE)
    try:
        return read_comparison(plain)
    except ScriptError:
        return Comparison(plain, "?")


def _consequence(text: str) -> Item:
    """What stands behind a choice's arrow: a speech, what happens, or the name of where to go on."""
    target = as_leave(f"-> {text}")
    spoken = as_speech(text)
    is_name = looks_like_name(text) and not text.endswith((".", "!", "?", "…"))
    return Leave(target) if target is not None and spoken is None and (is_name or not target) else _item(text, spoken)


def _answer(words: str) -> str:
    """The option without brackets, quotation marks or emphasis around the whole of it."""
    plain = re.sub(r"^(?:\*\*|__)(.*)(?:\*\*|__)$", r"\1", words.strip())
    return re.sub(r"^[\[\"“'‘](.*)[\]\"”'’]\.?$", r"\1", plain.strip()).strip() or plain


def _as_items(options: list[Option]) -> list[Item]:
    """A choice; but a list in which several people speak is a conversation written with bullets."""
    spoken = [as_speech(option.text) for option in options]
    speeches = [line for line in spoken if line is not None]
    names = {line.name for line in speeches}
    if len(speeches) == len(options) and len(names) > 1 and not any(option.items for option in options):
        return [line.item for line in speeches]
    if len(names) == 1 and len(speeches) == len(options):
        options = [replace(option, text=line.words) for option, line in zip(options, speeches, strict=True)]
    return [Choice(tuple(options))] if options else []


def _depth(line: ScriptLine) -> int:
    bullet = as_bullet(line)
    return bullet.depth if bullet else line.indent


def _indent_ink(lines: Sequence[ScriptLine]) -> Sequence[ScriptLine]:
    """Ink nests by the number of stars, and a dash gathers the branches; here both become indentation."""
    if not any(_NESTED.match(line.text) for line in lines) or any(line.indent for line in lines):
        return lines
    indented: list[ScriptLine] = []
    depth = 0
    for line in lines:
        mark = _INK.fullmatch(line.text)
        if mark is None:
            indented.append(replace(line, indent=2 * depth))
        elif mark["gather"]:
            depth = len(mark["gather"].replace(" ", "")) - 1
            indented.append(ScriptLine(2 * depth, mark["text"]))
        else:
            depth = len(mark["stars"].replace(" ", ""))
            indented.append(ScriptLine(2 * (depth - 1), f"* {mark['text']}"))
    return indented


def _is_flat(lines: Sequence[ScriptLine]) -> bool:
    """Whether lines stand between bullets but none is indented below one: the indentation was lost on the way here."""
    lonely = 0
    for index, line in enumerate(lines[:-1]):
        bullet = as_bullet(line)
        after = lines[index + 1]
        if bullet is None or after.is_blank or as_bullet(after):
            continue
        if _depth(after) > bullet.depth:
            return False
        lonely += 1
    return lonely > 1
