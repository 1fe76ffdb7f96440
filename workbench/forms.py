"""Functions as forms that are made from their schemas: for edits without a model."""

import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from arrow_project import OPERATIONS

Run = Callable[[str, dict[str, Any]], Awaitable[None]]


class FunctionForm:
    """Lets one be chosen, filled in, and previewed.

    Args:
        run: Previews a function with its arguments.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._fields: dict[str, Any] = {}
        self._function = ui.select(sorted(OPERATIONS), label="Function", on_change=self._draw).classes("wide")
        self._function.props("dense outlined")
        self._form = ui.column().classes("list")
        self._problem = ui.label().props('role="alert"').classes("problem")

    def _draw(self) -> None:
        spec = OPERATIONS[self._function.value]
        self._form.clear()
        self._problem.set_text("")
        properties: Mapping[str, Any] = spec.parameters["properties"]
        required = spec.parameters.get("required", [])
        with self._form:
            ui.label(spec.description).classes("hint")
            self._fields = {name: _field(name, schema, name in required) for name, schema in properties.items()}
            ui.button("Preview this function", on_click=self._preview).props("no-caps outline")

    async def _preview(self) -> None:
        spec = OPERATIONS[self._function.value]
        properties: Mapping[str, Any] = spec.parameters["properties"]
        try:
            given = {name: _value(field.value, properties[name], name) for name, field in self._fields.items()}
        except ValueError as error:
            self._problem.set_text(str(error))
            return
        self._problem.set_text("")
        await self._run(self._function.value, {name: value for name, value in given.items() if value is not None})


def _types(schema: Mapping[str, Any]) -> list[str]:
    kind = schema.get("type", "object")
    return [kind] if isinstance(kind, str) else list(kind)


def _field(name: str, schema: Mapping[str, Any], is_required: bool) -> Any:
    label = f"{name} (needed)" if is_required else name
    if "enum" in schema:
        field = ui.select(schema["enum"], label=label, clearable=True)
    elif _types(schema) == ["boolean"]:
        return ui.checkbox(label, value=bool(schema.get("default")))
    elif {"object", "array"} & set(_types(schema)):
        field = ui.textarea(f"{label}, as JSON")
    else:
        field = ui.input(label)
    field.props("dense outlined").classes("wide")
    if description := schema.get("description"):
        field.props["hint"] = description
    return field


def _value(written: Any, schema: Mapping[str, Any], name: str) -> Any:
    """The argument that was written; None where the field is empty."""
    if written is None or written == "" or isinstance(written, bool):
        return written if isinstance(written, bool) and written != bool(schema.get("default")) else None
    types = _types(schema)
    if types == ["string"] or "enum" in schema:
        return written
    try:
        value = json.loads(written)
    except ValueError:
        if "string" in types:
            return written
        raise ValueError(f"{name}: {written} is no {' or '.join(types)}.") from None
    is_text = isinstance(value, str) or (isinstance(value, bool) and "boolean" not in types)
    return written if is_text and "string" in types else value
