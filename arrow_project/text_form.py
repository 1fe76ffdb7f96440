"""The text of a document: Godot's reading of JSON, Arrow's writing of it."""

import json
import re
from collections.abc import Iterator
from typing import Any, NoReturn, cast

from arrow_project.errors import ParseError

_TRAILING_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MUST_ESCAPE = re.compile(r'["\\\x08\x0b\x0c\n\r\t]')
# Godot writes U+000B as backslash-v, which nothing can read back; so do we, and a check reports it.
_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\b": "\\b", "\v": "\\v", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t",
}  # fmt: skip


def decode(text: str | bytes) -> object:
    """The JSON value in the text, read as leniently as Godot does: a byte order mark, raw control
    characters inside texts and trailing commas pass.

    Raises:
        ParseError: rule 1.
    """
    text = _characters(text)
    try:
        value = _loads(text)
    except json.JSONDecodeError as error:
        value = _without_trailing_commas(text, error)
    except RecursionError:
        raise ParseError("The text nests too deeply to be an Arrow document.", 1) from None
    return value


def encode(document: object) -> str:
    """The text that Arrow writes for a document: tabs, one array element per line, no final newline."""
    return "".join(_written(document, "\n"))


def _characters(text: str | bytes) -> str:
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        decoded.encode("utf-8")
    except UnicodeError:
        raise ParseError("The file is not UTF-8 text; save it again with Arrow 3 as .arrow.", 1) from None
    return decoded.removeprefix("\ufeff")


def _loads(text: str) -> object:
    value = json.loads(text, strict=False, parse_constant=_refuse_constant)
    if "\\ud" in text or "\\uD" in text:
        _refuse_lone_surrogates(value)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(f"{name} is not a number in JSON; write a whole number.", 1)


def _refuse_lone_surrogates(value: object) -> None:
    if _LONE_SURROGATE.search(json.dumps(value, ensure_ascii=False)):
        raise ParseError("A \\u escape is half of a character; both halves must be there.", 1)


def _without_trailing_commas(text: str, error: json.JSONDecodeError) -> object:
    tidy = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", text)
    if tidy != text:
        try:
            return _loads(tidy)
        except json.JSONDecodeError:
            pass
        except RecursionError:
            raise ParseError("The text nests too deeply to be an Arrow document.", 1) from None
    place = f"line {error.lineno}, column {error.colno}"
    message = f"Not one JSON value: {error.msg} at {place}. An .arrow file is one JSON object."
    raise ParseError(message, 1, place) from None


def _written(value: object, line: str) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _written_object(cast("dict[Any, Any]", value), line)
    elif isinstance(value, list):
        yield from _written_array(cast("list[Any]", value), line)
    else:
        yield _scalar(value)


def _written_object(value: dict[Any, Any], line: str) -> Iterator[str]:
    if not value:
        yield "{\n" + line + "}"
        return
    inner = line + "\t"
    opening = "{" + inner
    for key, item in value.items():
        if isinstance(item, str):
            yield f'{opening}"{_escaped(str(key))}": "{_escaped(item)}"'
        else:
            yield f'{opening}"{_escaped(str(key))}": '
            yield from _written(item, inner)
        opening = "," + inner
    yield line + "}"


def _written_array(value: list[Any], line: str) -> Iterator[str]:
    if not value:
        yield "[]"
        return
    inner = line + "\t"
    opening = "[" + inner
    for item in value:
        yield opening
        yield from _written(item, inner)
        opening = "," + inner
    yield line + "]"


def _scalar(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{_escaped(value)}"'
    return str(value)


def _escaped(text: str) -> str:
    if _MUST_ESCAPE.search(text):
        return _MUST_ESCAPE.sub(lambda match: _ESCAPES[match.group()], text)
    return text
