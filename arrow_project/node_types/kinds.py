"""Kinds of fields: how a value is asked for, made native, and shown again."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Protocol, cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.long_texts import with_signs
from arrow_project.names import near
from arrow_project.values import Record, is_id, shortened, shown

Schema = dict[str, Any]
UNSET = -1
MAX_NAME = 1_000


class Scope(Protocol):
    """What a conversion may ask of the project it is made for."""

    def find(self, kind: str, given: object) -> int:
        """The id of an existing node, scene, macro, variable or character, given by id or name."""
        ...

    def variable_type(self, variable_id: int) -> str:
        """num, str or bool; empty for what is no variable."""
        ...

    def helper(self, stem: str) -> int:
        """The id of a new num variable that a several-node form needs."""
        ...

    def node_type(self, node_id: int) -> str:
        """The type of an existing node."""
        ...

    def scene_entry(self, scene_id: int) -> int:
        """The entry node of an existing scene."""
        ...

    def remark(self, sentence: str) -> None:
        """Tell the caller something about how the data was kept."""
        ...

    def compiles(self, pattern: str) -> bool:
        """Whether a regular expression compiles in Arrow and in browsers."""
        ...


def mismatch(message: str) -> OperationError:
    """The error for data of a wrong type or shape."""
    return OperationError(ErrorCode.TYPE_MISMATCH, message)


def only(what: str, given: Record, known: Collection[str]) -> Record:
    """The object, if it has no other keys than the known ones.

    Raises:
        OperationError: it has one; names what may have been meant.
    """
    for name in given:
        if name not in known:
            guess = near(str(name), known)
            hint = f'; did you mean "{guess[0]}"?' if guess else "."
            raise mismatch(f'{what} has no "{shortened(str(name))}"{hint} Possible: {", ".join(known) or "nothing"}.')
    return given


class Kind(Protocol):
    """How one field's value is converted."""

    @property
    def schema(self) -> Schema:
        """JSON schema of the simplified value."""
        ...

    def lower(self, name: str, value: object, scope: Scope, /) -> Any:
        """The native value.

        Raises:
            OperationError: the value is not of this kind.
        """
        ...

    def lift(self, value: Any, /) -> Any:
        """The simplified value of a native one."""
        ...

    def problem(self, value: object, /) -> str:
        """What is wrong with a native value, or nothing."""
        ...


@dataclass(frozen=True)
class Text:
    """A text."""

    schema = cast("Schema", {"type": "string"})

    def lower(self, name: str, value: object, _scope: Scope, /) -> Any:
        """A text; numbers are taken as written."""
        if is_id(value):
            return str(value)
        return own_text(name, value)

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, value: object) -> str:
        """Anything but a text."""
        return "" if isinstance(value, str) else "must be a text"


def own_text(name: str, value: object) -> str:
    """The text without the one character that makes a saved file unreadable.

    Raises:
        OperationError: it is no text.
    """
    if not isinstance(value, str):
        raise mismatch(f'"{name}" must be a text, not {shown(value)}.')
    return clean(value)


def own_name(value: object) -> str:
    """The text as a name, which may be exposed in very many texts.

    Raises:
        OperationError: it is no text, or too long.
    """
    name = own_text("name", value)
    if len(name) > MAX_NAME:
        raise mismatch(f'"name" may have {MAX_NAME:,} characters and has {len(name):,}; choose a shorter one.')
    return name


def clean(value: str) -> str:
    """The text without control characters (other than tab and line feed) and without broken pairs.

    Lines end with a line feed alone: Arrow's fields drop a carriage return, so that a text with one would change as
    soon as it is looked at.
    """
    return with_signs(_CONTROL, "", value.replace("\r\n", "\n").replace("\r", "\n"))


def has_control(value: object) -> bool:
    """Whether a text in the value has such characters."""
    if isinstance(value, str):
        return _CONTROL.search(value) is not None
    if isinstance(value, dict):
        items = cast("dict[object, object]", value).items()
        return any(has_control(key) or has_control(item) for key, item in items)
    return isinstance(value, list) and any(has_control(item) for item in cast("list[object]", value))


_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]")


@dataclass(frozen=True)
class Flag:
    """Yes or no."""

    schema = cast("Schema", {"type": "boolean"})

    def lower(self, name: str, value: object, _scope: Scope, /) -> Any:
        """A boolean, nothing else."""
        if not isinstance(value, bool):
            raise mismatch(f'"{name}" must be true or false, not {shown(value)}.')
        return value

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, value: object) -> str:
        """Anything but a boolean."""
        return "" if isinstance(value, bool) else "must be true or false"


def whole(name: str, value: object) -> int:
    """A whole number; Arrow has no others.

    Raises:
        OperationError: it is none.
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not is_id(value) or abs(value) >= 2**53:
        raise mismatch(f'"{name}" must be a whole number, not {shown(value)}; Arrow knows no fractions.')
    return value


@dataclass(frozen=True)
class Whole:
    """A whole number between two bounds."""

    least: int
    most: int | None = None

    @property
    def schema(self) -> Schema:
        """An integer with the bounds."""
        bounds: Schema = {"type": "integer", "minimum": self.least}
        return bounds if self.most is None else bounds | {"maximum": self.most}

    def lower(self, name: str, value: object, _scope: Scope, /) -> Any:
        """The number, within the bounds."""
        number = whole(name, value)
        if self.problem(number):
            raise mismatch(f'"{name}" {self.problem(number)}, not {number}.')
        return number

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, value: object) -> str:
        """No integer, or out of bounds."""
        if is_id(value) and value >= self.least and (self.most is None or value <= self.most):
            return ""
        upper = "" if self.most is None else f" and at most {self.most}"
        return f"must be a whole number of at least {self.least}{upper}"


@dataclass(frozen=True)
class Texts:
    """One or more texts, each with an output slot."""

    blanks: bool = False

    @property
    def schema(self) -> Schema:
        """An array of texts."""
        return {"type": "array", "items": {"type": "string"}, "minItems": 1}

    def lower(self, name: str, value: object, _scope: Scope, /) -> Any:
        """The texts; a single one may come without its array."""
        given = cast("list[object]", value) if isinstance(value, list) else [value]
        texts = [own_text(name, item) for item in given]
        if self.problem(texts):
            raise mismatch(f'"{name}" {self.problem(texts)}.')
        return texts

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, value: object) -> str:
        """Empty, or something in it that is no text."""
        items = cast("list[object]", value) if isinstance(value, list) else []
        good = all(isinstance(item, str) and (self.blanks or item) for item in items)
        what = "texts" if self.blanks else "non-empty texts"
        return "" if items and good else f"must be an array of one or more {what}"


@dataclass(frozen=True)
class Reference:
    """The id of a resource, or -1 for none."""

    to: str
    description: str

    @property
    def schema(self) -> Schema:
        """An id or the exact name."""
        return {"type": ["integer", "string"], "description": self.description}

    def lower(self, _name: str, value: object, scope: Scope, /) -> Any:
        """The id of an existing resource."""
        if value is None or value == UNSET:
            return UNSET
        return scope.find(self.to, value)

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, value: object) -> str:
        """No id (whether it exists is checked with the references)."""
        return "" if is_id(value) and value >= UNSET else "must be an id, or -1 for none"


@dataclass(frozen=True)
class Color:
    """Red, green, blue and alpha, as hex digits."""

    alpha: str

    schema = cast("Schema", {"type": "string", "description": "#rrggbb"})

    def lower(self, name: str, value: object, _scope: Scope, /) -> Any:
        """Eight lower-case hex digits."""
        digits = hex_digits(name, value, (6, 8))
        return digits if len(digits) == _RGBA else digits + self.alpha

    def lift(self, value: Any) -> Any:
        """With the usual sign in front."""
        return f"#{value}"

    def problem(self, value: object) -> str:
        """Not eight hex digits."""
        good = isinstance(value, str) and re.fullmatch(r"[0-9a-fA-F]{8}", value)
        return "" if good else "must be 8 hex digits (rrggbbaa) without #"


_RGBA = 8


def hex_digits(name: str, value: object, lengths: tuple[int, ...]) -> str:
    """A colour without its sign, in lower case.

    Raises:
        OperationError: it is no colour.
    """
    digits = value.removeprefix("#").lower() if isinstance(value, str) else ""
    if len(digits) == 3:
        digits = "".join(digit * 2 for digit in digits)
    if len(digits) not in lengths or not re.fullmatch(r"[0-9a-f]+", digits):
        raise mismatch(f'"{name}" must be a colour like "#4a90e2", not {shown(value)}.')
    return digits


@dataclass(frozen=True)
class Rect:
    """Width and height of a box."""

    least: int = 1

    schema = cast(
        "Schema",
        {"type": "array", "items": {"type": "integer"}, "description": "[width, height] of the box"},
    )

    def lower(self, name: str, value: object, _scope: Scope, /) -> Any:
        """Two whole numbers."""
        items = cast("list[object]", value) if isinstance(value, list) else []
        size = [whole(name, item) for item in items]
        if self.problem(size):
            raise mismatch(f'"{name}" {self.problem(size)}.')
        return size

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, value: object) -> str:
        """Not two numbers, or too small."""
        items = cast("list[object]", value) if isinstance(value, list) else []
        good = len(items) == 2 and all(is_id(item) and item >= self.least for item in items)
        return "" if good else f"must be [width, height], each at least {self.least}"


@dataclass(frozen=True)
class Made:
    """A native value that only makes sense together with others; its type converts and checks it."""

    schema = cast("Schema", {})

    def lower(self, _name: str, value: object, _scope: Scope, /) -> Any:
        """The same."""
        return value

    def lift(self, value: Any) -> Any:
        """The same."""
        return value

    def problem(self, _value: object, /) -> str:
        """Nothing by itself."""
        return ""
