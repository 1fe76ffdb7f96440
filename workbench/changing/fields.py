"""Fields of a form, made from JSON schemas: each says what was written, or what is wrong with it."""

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol

from nicegui import ui

from agent import read_json
from arrow_project import shorten
from workbench.changing.resources import Choices, Resources
from workbench.frame.bounded import MOST_FIELDS
from workbench.frame.notice import notify

Schema = Mapping[str, Any]
_LONGEST_ID = 100  # in digits
_LONGEST_JSON = 100_000  # characters, which are read on the event loop
_SHOWN = 100  # characters of what is written, in what is said of it
Given = Literal["changes", "all", "all_if_changed"]

# What a form has another way to say: resources are chosen by their names, places are Arrow's to find.
LEFT_OUT = frozenset({"by_name", "position", "offset", "io"})

# What a writer calls an argument, where that is something else.
_CALLED = {
    "connect_from": "comes after",
    "from_node_id": "from",
    "to_node_id": "to",
    "from_slot": "exit",
    "to_slot": "way in",
    "is_macro": "a macro, played from other scenes",
    "force": "remove it also where it is used",
    "brief": "characters shown on the box",
    "auto_play": "go on by itself",
    "clear": "clear what was shown before",
}

_PAIR: Schema = {"properties": {"name": {"type": "string"}, "value": {"type": "string"}}, "required": ["name"]}


class Field(Protocol):
    """What is filled in for one argument."""

    def read(self, type_name: str) -> Any:
        """The argument; None where nothing is given that is not so already.

        Args:
            type_name: `num`, `str` or `bool` for a value of a variable's type, `variable` for another variable in its
                place; empty where none is known.

        Raises:
            ValueError: What is written cannot be the argument; it is said at the field too.
        """
        ...

    @property
    def is_changed(self) -> bool:
        """Whether something else is there than at first."""
        ...


class Entry:
    """One element of the page.

    Args:
        label: What it is called.
        element: Where the value is written or chosen.
        convert: The argument that is meant by what is written, given the type of a variable's value.
        unchanged: What need not be given, as it is so already; None where nothing is.
        is_required: Nothing is no argument.
        keeps_empty: Left empty, it is an empty text.
    """

    def __init__(
        self, label: str, element: Any, convert: Callable[[Any, str], Any], *, unchanged: Any, is_required: bool,
        keeps_empty: bool,
    ) -> None:  # fmt: skip
        self.element = element
        self._at_first = element.value
        self._label = label
        self._convert = convert
        self._unchanged = unchanged
        self._is_required = is_required
        self._keeps_empty = keeps_empty
        element.on_value_change(self._forget_error)

    def _forget_error(self) -> None:
        self.element.error = None

    def read(self, type_name: str) -> Any:
        """See `Field`."""
        try:
            return self._argument(self.element.value, type_name)
        except ValueError as error:
            self.element.error = str(error)
            raise ValueError(f"{self._label}: {error}") from None

    def _argument(self, written: Any, type_name: str) -> Any:
        is_empty = written in (None, "")
        if is_empty and self._keeps_empty:
            return ""
        if is_empty and self._is_required:
            raise ValueError("This is needed.")
        if written == self._unchanged or (is_empty and self._unchanged in (None, "")):
            return None
        return self._convert(written, type_name)

    @property
    def is_changed(self) -> bool:
        """See `Field`."""
        return self.element.value != self._at_first


class Several:
    """Any number of the same, one below the other.

    Args:
        label: What they are called.
        draw: Makes the field of one of them, from its label and what is in it.
        values: What is there already.
        least: How many are drawn, though nothing is in them yet.
    """

    def __init__(self, label: str, draw: Callable[[str, Any], Field], values: Sequence[Any], least: int = 0) -> None:
        self._label = label
        self._draw = draw
        self._before = list(values)
        self._drawn = 0
        self.fields: list[Field] = []
        with _group(label):
            self._rows = ui.column().classes("list")
            ui.button(f"Add to {label}", icon="add", on_click=lambda: self._add(None)).props("flat no-caps dense")
        for value in self._before or [None] * least:
            self._add(value)
        self._at_first = list(self.fields)

    def _add(self, value: Any) -> None:
        if len(self.fields) >= max(MOST_FIELDS, len(self._before)):
            notify(f"A form has {MOST_FIELDS} of a kind at most. Apply these, and add more afterwards.")
            return
        self._drawn += 1
        name = f"{self._label} {self._drawn}"
        with self._rows, ui.row().classes("line one-of-several") as row:
            field = self._draw(name, value)
            remove = ui.button(icon="close", on_click=lambda: self._remove(row, field)).props("flat round dense")
            remove.props["aria-label"] = f"Remove {name}"
        self.fields.append(field)

    def _remove(self, row: ui.row, field: Field) -> None:
        self.fields.remove(field)
        row.delete()

    def read(self, type_name: str) -> Any:
        """See `Field`."""
        if not self.is_changed:
            return None
        items = [item for field in self.fields if (item := field.read(type_name)) is not None]
        return None if items == self._before else items

    @property
    def is_changed(self) -> bool:
        """See `Field`."""
        return self.fields != self._at_first or any(field.is_changed for field in self.fields)


def read_all(fields: Mapping[str, Field], type_name: str) -> dict[str, Any]:
    """What is given in fields, by their names; see `Field`.

    Raises:
        ValueError: All that is wrong, which is said at each place too.
    """
    given: dict[str, Any] = {}
    problems: list[str] = []
    for name, field in fields.items():
        try:
            value = field.read("variable" if given.get("type") == "variable" else type_name)
        except ValueError as error:
            problems.append(str(error))
        else:
            given |= {} if value is None else {name: value}
    if problems:
        raise ValueError(" ".join(problems))
    return given


class Group:
    """The fields of an object.

    Args:
        schema: The object's.
        resources: What can be named in it.
        values: What is there already.
        gives: Only the fields that are others than before, or all of them, always or where one is another.
    """

    def __init__(self, schema: Schema, resources: Resources, values: Schema, gives: Given = "changes") -> None:
        self._gives = gives
        self.fields = {
            name: draw(
                name, one, resources, values.get(name),
                is_present=gives == "changes" and name in values, is_required=name in schema.get("required", ()),
            )
            for name, one in schema.get("properties", {}).items()
            if name not in LEFT_OUT
        }  # fmt: skip

    def read(self, type_name: str) -> Any:
        """See `Field`; whatever is wrong is said at its place."""
        if self._gives == "all_if_changed" and not self.is_changed:
            return None
        return read_all(self.fields, type_name) or None

    @property
    def is_changed(self) -> bool:
        """See `Field`."""
        return any(field.is_changed for field in self.fields.values())


class Pairs:
    """Texts by name: a character's tags."""

    def __init__(self, label: str, resources: Resources, values: Mapping[str, str]) -> None:
        def draw_pair(_label: str, pair: Any) -> Field:
            return Group(_PAIR, resources, pair or {}, "all")

        self.several = Several(label, draw_pair, [{"name": name, "value": text} for name, text in values.items()])

    def read(self, type_name: str) -> Any:
        """See `Field`."""
        pairs = self.several.read(type_name)
        return None if pairs is None else {pair["name"]: pair.get("value", "") for pair in pairs}

    @property
    def is_changed(self) -> bool:
        """See `Field`."""
        return self.several.is_changed


def draw(
    name: str, schema: Schema, resources: Resources, value: Any = None, *, is_present: bool = False,
    is_required: bool = False, label: str = "", has_place: bool = False,
) -> Field:  # fmt: skip
    """The field of an argument, drawn where the page is being drawn.

    Args:
        name: The argument's; some name what the story has.
        schema: The argument's.
        resources: What the story has.
        value: What is shown at first.
        is_present: The value is so already, and need not be given.
        is_required: An empty field is an error.
        label: Instead of the name.
        has_place: It is one of several texts that are there; emptied it stays one of them, as a slot may be its own.
    """
    label = label or _CALLED.get(name) or name.removesuffix("_id").replace("_", " ")
    types = _types(schema)
    choices = resources.named_by(name)
    if "properties" in schema and choices is None:
        with _group(label):
            return Group(schema, resources, value if isinstance(value, Mapping) else {}, "all_if_changed")
    is_short = not hasattr(value, "__len__") or len(value) <= MOST_FIELDS
    if is_short and "additionalProperties" in schema:
        return Pairs(label, resources, value or {})
    item = schema.get("items", {})
    if is_short and "array" in types and (item.get("type") == "string" or "properties" in item):
        return Several(
            label,
            lambda its_label, one: _one_of(its_label, item, resources, one),
            value or [],
            schema.get("minItems", 0),
        )
    element, convert = _element(f"{label} (needed)" if is_required else label, schema, choices, value)
    if not isinstance(element, ui.checkbox):
        element.props("dense outlined hide-bottom-space").classes("wide")
        # What is chosen by name needs no word on ids.
        element.props["hint"] = None if choices is not None else schema.get("description")
    return Entry(
        label, element, convert,
        unchanged=element.value if is_present else None,
        is_required=is_required,
        keeps_empty=has_place or (value == "" and not is_present),
    )  # fmt: skip


def _one_of(label: str, schema: Schema, resources: Resources, value: Any) -> Field:
    if "properties" in schema:
        with _group(label):
            return Group(schema, resources, value or {}, "all")
    return draw("", schema, resources, value, label=label, has_place=value is not None)


def _element(label: str, schema: Schema, choices: Choices | None, value: Any) -> tuple[Any, Callable[[Any, str], Any]]:
    """Where an argument is written, and how what is written there is read."""
    types = _types(schema)
    if choices is None and "enum" in schema:
        choices = {one: one for one in schema["enum"]}
    if choices is None and types == ["boolean"] and value is None:
        choices = {True: "yes", False: "no"}
    if choices is not None:
        shown = value.get("id") if isinstance(value, Mapping) else value
        shown = shown if isinstance(shown, Hashable) and shown in choices else None  # a story may have a list there
        return ui.select(dict(choices), label=label, value=shown, with_input=len(choices) > 8, clearable=True), _chosen
    if types == ["boolean"]:
        return ui.checkbox(label, value=value), _as_it_is
    if types == ["integer"]:
        return ui.number(label, value=value, precision=0, **_limits(schema, value)), _whole
    match types:
        case ["string"]:
            convert = _as_it_is
        case ["integer", "string"]:
            convert = _named
        case _:
            convert = _typed if "number" in types else _as_json
    text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
    return ui.textarea(label, value=text).props("autogrow rows=1"), convert


def _limits(schema: Schema, value: Any) -> dict[str, Any]:
    """Of a whole number; none where what is there is beyond them, as it would be moved to the nearest by being left."""
    least, most = schema.get("minimum"), schema.get("maximum")
    is_number = isinstance(value, int | float)  # a story may have anything there
    is_beyond = is_number and ((least is not None and value < least) or (most is not None and value > most))
    return {} if is_beyond else {"min": least, "max": most}


def _whole(written: Any, _type_name: str) -> int:
    if written is None:
        raise ValueError("A whole number is needed.")
    return int(written)


def _types(schema: Schema) -> list[str]:
    kind = schema.get("type", "object")
    return [kind] if isinstance(kind, str) else list(kind)


def _chosen(chosen: Any, _type_name: str) -> Any:
    return {"node_id": chosen[0], "slot": chosen[1]} if isinstance(chosen, tuple) else chosen


def _as_it_is(written: Any, _type_name: str) -> Any:
    return written


def _typed(written: str, type_name: str) -> Any:
    """A value of a variable's type, or the name or id of another variable."""
    if type_name == "variable":
        return int(written) if written.isdecimal() else written
    if type_name == "num":
        try:
            return int(written)
        except ValueError:
            raise ValueError(f"A number is needed, without a fraction, not “{shorten(written, _SHOWN)}”.") from None
    if type_name == "bool":
        said = {"true": True, "yes": True, "false": False, "no": False}.get(written.strip().lower())
        if said is None:
            raise ValueError(f"true or false is needed, not “{shorten(written, _SHOWN)}”.")
        return said
    return written


def as_id(written: Any) -> Any:
    """The id that is written where there are too many to choose from; anything else as it is."""
    is_id = isinstance(written, str) and written.isdecimal() and len(written) <= _LONGEST_ID
    return int(written) if is_id else written


def _named(written: Any, _type_name: str) -> Any:
    return as_id(written)


def _as_json(written: str, _type_name: str) -> Any:
    try:
        if len(written) <= _LONGEST_JSON:
            return read_json(written)
    except (ValueError, RecursionError):
        pass
    raise ValueError(f'JSON is needed, such as [1, 2] or {{"min": 1}}, not “{shorten(written, _SHOWN)}”.')


def _group(label: str) -> AbstractContextManager[Any]:
    """What is drawn inside belongs together, for screen readers too."""
    with ui.element("div").props("role=group").classes("fields") as group:
        group.props["aria-label"] = label
        ui.label(label).classes("hint")
    return group
