"""The text of a document: Godot's reading of JSON, Arrow's writing of it."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from io import StringIO
from itertools import chain, groupby, pairwise
from typing import Any, NoReturn, cast

from arrow_project.colliding import refuse_colliding
from arrow_project.errors import ParseError
from arrow_project.long_texts import MOST_CHARACTERS, MOST_VALUES, is_crowded, pieces, with_signs
from arrow_project.values import LONGEST_KEY, LONGEST_TEXT, TOO_LONG, inner, place_of, shown, too_long

_TRAILING_COMMA = re.compile(r",\s*+[}\]]")
# What is between, in few steps. A text that does not end is taken to the end: else it would be looked through again
# from each of its quotes.
_BETWEEN_COMMAS = re.compile(r'"[^"]*+"?|[^",]++|(,)(?=\s*+[}\]])')
_INTEGER = re.compile(r"(?:-?[1-9][0-9]*|0)\Z")
_LONGEST_INTEGER = 19
_MOST_FIELDS = 100_000  # beside ids: to sort them is one step
# Arrow's own documents have seven levels
_DEEPEST = 64
_LONGER = (str, dict, list)
_BREAKS = "\t\n\r"
_CONTROLS = bytes(set(range(32)) - set(_BREAKS.encode()))
_EXACT_DIGITS = 15
_ZERO_FOR_DIGITS = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else ord(" ") for byte in range(256))
# Python's tables look for a number by its digits alone: of numbers that somebody has chosen for that, each is looked
# for among all others. Those of which most are there have places of their own, and of few none waits for long.
_SHORTEST_ID = 5
_LARGE = 10.0 ** (_SHORTEST_ID - 1)
_ID = re.compile(rf"-?[0-9]{{{_SHORTEST_ID},{_LONGEST_INTEGER}}}")
_MANY_IDS, _VERY_MANY_IDS, _MOST_IDS = 8_000, 20_000, 100_000
# Of the numbers between the ids of an author: what is deleted leaves gaps, in a larger story fewer of them.
_MOST_LACKING, _MOST_LACKING_OF_VERY_MANY = 0.5, 0.25
_FAR = 64  # where another author begins, or what is no id: a hundred such numbers are nothing
_NO_IDS = ("offset", "rect")  # the lists whose numbers are not ids
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MUST_ESCAPE = re.compile(r'["\\\0\x08\x0b\x0c\n\r\t]')
# Godot writes U+000B as backslash-v, which it cannot read back, and ends a file at U+0000, which it reads escaped as
# U+FFFD: the two characters we write differently.
_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\v": "\\u000b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
    "\0": "\\u0000",
}  # fmt: skip


def decode(text: str | bytes) -> tuple[object, bool]:
    """The JSON value in the text as Arrow has it after loading, and whether a fraction was dropped for that.

    It is read as leniently as Godot does: a byte order mark, raw control characters inside texts and trailing commas
    pass. Numbers become whole, and keys that look like integers become integers.

    Raises:
        ParseError: rule 1, or 63 for a number that does not fit into 64 bits.
        TypeError: it is no text at all.
    """
    text, raw = _characters(text)
    if is_crowded(text):
        message = f"The text has more than {MOST_VALUES:,} values, bars or braces; divide the story into several files."
        raise ParseError(message, 1)
    digits = raw.translate(_ZERO_FOR_DIGITS)
    # no number can be so long that a double would change it
    read_integer = int if b"0" * (_EXACT_DIGITS + 1) not in digits else _integer
    has_many_ids = digits.count(b" " + b"0" * _SHORTEST_ID) > _MANY_IDS and _has_many_ids(text)
    has_many_ids |= raw.count(rb"\u003") > _MANY_IDS  # only a key's digits can be escaped
    try:
        value, dropped = _loads(text, read_integer, has_many_ids)
    except json.JSONDecodeError as error:
        value, dropped = _loads_tidied(text, read_integer, has_many_ids, error)
    except RecursionError:
        raise _too_deep() from None
    levels = _levels(value)
    if len(text) > LONGEST_TEXT and (found := too_long(value)):
        raise ParseError(f"The text {shown(found)} has {TOO_LONG}", 1)
    if len(raw) * most_times(levels) > MOST_CHARACTERS and length_as_text(value, raw) > MOST_CHARACTERS:
        raise _too_long()
    return value, dropped


def most_times(levels: int) -> float:
    """How many times longer ``length_as_text`` at most is than what was read, which nests so deeply."""
    return 10 + 1.5 * levels  # an empty object in a list: three characters, and two lines


def length_as_text(value: object, raw: bytes) -> int:
    """As many characters as a document has at most once Arrow has written it and JSON has it as a text.

    Both make a text longer, of indentation and of what has to be escaped.

    Args:
        value: The document, of not many levels.
        raw: What it was read from; its numbers are as they stand there.
    """
    kept = raw.translate(None, _BREAKS.encode())
    escaped = kept.count(b'"') + kept.count(b"\\") + 6 * (len(kept) - len(kept.translate(None, _CONTROLS)))
    return len(kept) + escaped + _whitespace(value, 2)


def _whitespace(value: object, line: int) -> int:
    """What a value has of it in its texts and between its items; `line` is the length of a line break as deep."""
    if isinstance(value, str):
        return 0 if value.isprintable() else 3 * sum(map(value.count, _BREAKS))
    if isinstance(value, dict):
        table = cast("dict[Any, Any]", value)
        return sum(_whitespace(key, line) for key in table) + _between(table.values(), line)
    if isinstance(value, list):
        return _between(cast("list[Any]", value), line)
    return 0


def _between(items: Collection[Any], line: int) -> int:
    inner = line + 2
    return sum(_whitespace(item, inner) for item in items if isinstance(item, _LONGER)) + (inner + 1) * (len(items) + 1)


def fractions(text: str | bytes) -> Iterator[str]:
    """Where in a document that ``decode`` reads numbers have fractions."""
    tidy = _without_trailing_commas(_characters(text)[0])
    return map(place_of, _fractions(json.loads(tidy, strict=False, parse_float=_number)))


def _number(digits: str) -> float:
    """In Python, where other threads have their turn: to read very many with very many digits takes seconds."""
    return float(digits)


def _fractions(value: object) -> Iterator[tuple[object, ...]]:
    if isinstance(value, float) and not value.is_integer():
        yield ()
    items: Iterable[tuple[object, object]] = ()
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
    elif isinstance(value, list):
        items = enumerate(cast("list[Any]", value))
    for key, item in items:
        yield from ((key, *path) for path in _fractions(item))


def encode(document: object) -> str:
    """The text that Arrow writes for a document: tabs, one array element per line, no final newline."""
    text = StringIO()
    _write(document, "\n", text.write)
    return text.getvalue()


def _characters(text: str | bytes) -> tuple[str, bytes]:
    if not isinstance(cast("object", text), str | bytes):
        raise TypeError(f"A document is read from str or bytes, not from {type(text).__name__}.")
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        raw = decoded.encode("utf-8")
    except UnicodeError:
        raise ParseError("The file is not UTF-8 text; save it again with Arrow 3 as .arrow.", 1) from None
    return decoded.removeprefix("\ufeff"), raw


def _has_many_ids(text: str) -> bool:
    """Whether so many numbers stand anywhere in the text, each counted once."""
    found = set[str]()
    for piece in pieces(text, _LONGEST_INTEGER):
        found.update(match[0] for match in _ID.finditer(piece))
        if len(found) > _MANY_IDS:
            return True
    return False


def _refuse_scattered(text: str) -> None:
    """Refuse so many ids of which most do not follow upon others, before there is a table of them.

    Raises `ParseError`, and what `json.loads` raises.
    """
    found = set[str]()

    def gather(table: dict[str, Any]) -> None:
        values = (value for name, value in table.items() if name not in _NO_IDS)
        for each in chain(table, _texts(values)):
            if each[-1:] <= "9" and _ID.fullmatch(each):
                found.add(each)
                if len(found) > _MOST_IDS:
                    raise _scattered()

    def whole(digits: str) -> str:
        return str(_truncated(float(digits)))

    json.loads(text, strict=False, object_hook=gather, parse_int=str, parse_float=whole)
    different = [each for each, _ in groupby(sorted(map(int, found)))]
    reach = sum(min(after - before, _FAR) for before, after in pairwise([0, *different]))
    most = _MOST_LACKING_OF_VERY_MANY if len(different) > _VERY_MANY_IDS else _MOST_LACKING
    if len(different) > _MANY_IDS and reach - len(different) > most * reach:
        raise _scattered()


def _texts(values: Iterable[Any]) -> Iterator[str]:
    """Those among the values themselves, and in lists of them."""
    for item in values:
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            yield from _texts(cast("list[Any]", item))


def _scattered() -> ParseError:
    return ParseError(
        f"The text has more than {_MANY_IDS:,} ids that lie far apart, or more than {_MOST_IDS:,}; save a copy from "
        "Arrow 3, and divide a story that is so large into several files.",
        63,
    )


def _levels(value: object) -> int:
    """How deeply the value nests; raises `ParseError` if that is too deeply."""
    levels, level = 0, [value]
    while level := [item for item in level if isinstance(item, (dict, list))]:
        levels += 1
        if levels > _DEEPEST:
            raise _too_deep()
        level = chain.from_iterable(map(inner, level))
    return levels


def _too_deep() -> ParseError:
    return ParseError("The text nests too deeply to be an Arrow document.", 1)


def _too_long() -> ParseError:
    return ParseError(
        f"Written out, the text would have more than {MOST_CHARACTERS:,} characters; divide the story into several "
        "files.",
        1,
    )


def _loads(text: str, read_integer: Callable[[str], int], has_many_ids: bool) -> tuple[object, bool]:
    if has_many_ids:
        _refuse_scattered(text)
    dropped, large = False, 0

    def whole(digits: str) -> int:
        nonlocal dropped, large
        number = float(digits)
        dropped = dropped or not number.is_integer()
        if abs(number) >= _LARGE:
            large += 1
            if large == _MANY_IDS:
                _refuse_scattered(text)
        return _truncated(number)

    value = json.loads(
        text,
        strict=False,
        parse_float=whole,
        parse_int=read_integer,
        parse_constant=_refuse_constant,
        object_hook=_with_integer_keys,
    )
    # the single character is found far faster
    if "\\" in text and ("\\ud" in text or "\\uD" in text):
        _refuse_lone_surrogates(value)
    return value, dropped


def _integer(digits: str) -> int:
    # every number passes through a double when Godot reads it
    return int(digits) if len(digits) <= _EXACT_DIGITS else _truncated(float(digits))


def _truncated(number: float) -> int:
    if not -(2.0**63) <= number < 2.0**63:
        raise ParseError(f"The number {number} does not fit into 64 bits.", 63)
    return int(number)


def _with_integer_keys(table: dict[Any, Any]) -> dict[Any, Any]:
    if table and max(map(len, table)) > LONGEST_KEY:
        raise ParseError(f"A key has more than {LONGEST_KEY:,} characters, as none of Arrow's has; shorten it.", 1)
    for key in table:
        # digits and the minus sign sort before the colon, letters after it
        if key < ":" and _INTEGER.match(key):
            table = {int(key) if _is_integer(key) else key: item for key, item in table.items()}
            refuse_colliding([key for key in table if isinstance(key, int)])
            break
    if len(table) > _MOST_FIELDS and sum(isinstance(key, str) for key in table) > _MOST_FIELDS:
        raise ParseError(f"An object has more than {_MOST_FIELDS:,} fields, as none of Arrow's has; divide it.", 1)
    return table


def _is_integer(key: str) -> bool:
    return len(key) <= _LONGEST_INTEGER and _INTEGER.match(key) is not None


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is not a number in JSON; write a whole number.", 1)


def _refuse_lone_surrogates(value: object) -> None:
    if isinstance(value, str) and any(map(_LONE_SURROGATE.search, pieces(value))):
        raise ParseError("A \\u escape is half of a character; both halves must be there.", 1)
    if isinstance(value, dict):
        _refuse_lone_surrogates(list(cast("dict[Any, Any]", value)))
    for item in inner(value):
        _refuse_lone_surrogates(item)


def _loads_tidied(
    text: str, read_integer: Callable[[str], int], has_many_ids: bool, error: json.JSONDecodeError
) -> tuple[object, bool]:
    tidy = _without_trailing_commas(text)
    if tidy != text:
        try:
            return _loads(tidy, read_integer, has_many_ids)
        except json.JSONDecodeError:
            pass
        except RecursionError:
            raise _too_deep() from None
    place = f"line {error.lineno}, column {error.colno}"
    message = f"Not one JSON value: {error.msg} at {place}. An .arrow file is one JSON object."
    raise ParseError(message, 1, place) from None


def _without_trailing_commas(text: str) -> str:
    if not _has_trailing_comma(text):
        return text
    # Not a list of what stays: millions of short texts take ten times their length.
    tidy, start = StringIO(), 0
    # A quotation mark behind a backslash ends no text.
    plain = "".join(piece.replace("\\\\", "__").replace('\\"', "__") for piece in pieces(text))
    for match in _BETWEEN_COMMAS.finditer(plain):
        if match[1]:
            tidy.write(text[start : match.start()])
            start = match.end()
    tidy.write(text[start:])
    return tidy.getvalue()


def _has_trailing_comma(text: str) -> bool:
    """Whether a comma stands before a bracket that closes, in texts as well."""
    comma = ""  # behind which only blanks have come
    for piece in pieces(text):
        if _TRAILING_COMMA.search(comma + piece):
            return True
        comma = "," if (comma + piece).rstrip().endswith(",") else ""
    return False


def _write(value: object, line: str, write: Callable[[str], object]) -> None:
    """Writes a value; `line` is the line break before whatever stands as deep as it does.

    One after the other: to put together at each level what is within would copy the innermost again and again.
    """
    inner = line + "\t"
    if isinstance(value, str):
        write(f'"{_escaped(value)}"')
    elif isinstance(value, dict):
        start = f"{{{inner}"
        for key, item in cast("dict[Any, Any]", value).items():
            write(f'{start}"{_escaped(str(key))}": ')
            _write(item, inner, write)
            start = f",{inner}"
        write(f"{line}}}" if value else f"{{\n{line}}}")
    elif isinstance(value, list):
        start = f"[{inner}"
        for item in cast("list[Any]", value):
            write(start)
            _write(item, inner, write)
            start = f",{inner}"
        write(f"{line}]" if value else "[]")
    elif value is None:
        write("null")
    elif isinstance(value, bool):
        write("true" if value else "false")
    else:
        write(str(value))


def _escaped(text: str) -> str:
    if not _MUST_ESCAPE.search(text):
        return text
    return with_signs(_MUST_ESCAPE, lambda match: _ESCAPES[match.group()], text)
