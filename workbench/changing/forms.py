"""Functions as forms that are made from their schemas and from the story: for edits without a model."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from nicegui import ui

from arrow_project import OPERATIONS, is_within, node_data, node_data_schema
from workbench.changing.fields import LEFT_OUT, Entry, Field, Group, as_id, draw, read_all
from workbench.changing.resources import Resources
from workbench.frame.bounded import LONGEST_FORM
from workbench.frame.giving_up import ask_to_give_up
from workbench.story.open_story import OpenStory
from workbench.story.shown_story import ShownStory

Run = Callable[[str, dict[str, Any]], Awaitable[bool]]

# They copy what an editor has selected; what they do, others here do node by node.
_FOR_EDITORS = frozenset({"node_connection_replacement", "quick_insert_node"})
# What the other fields follow from: it is chosen first.
_CHOSEN_FIRST = {
    "create_insert_node": "type",
    "update_node": "node_id", "update_node_map": "node_id",
    "update_variable": "variable_id", "update_character": "character_id", "update_scene": "scene_id",
    "create_connection": "from_node_id", "delete_connection": "from",
}  # fmt: skip
_NODE_DATA = ("preset", "data")
# What a writer wants to know of a function; its description is written for models.
_HINTS = {
    "create_insert_node": "A node that comes after none is never played.",
    "create_connection": "One node follows each exit; an exit that is taken is freed by removing its connection.",
    "create_variable": "Texts show its value where they say {name}.",
    "update_variable": "Texts that show it follow a new name.",
    "update_character": "Texts that name it follow a new name.",
    "delete_character": "Nodes that use it keep it from being removed, unless you say otherwise.",
    "delete_node": "Jumps that lead to it keep it from being removed, unless you say otherwise.",
    "delete_scene": "The scene where the story begins stays; so does one that others use, unless you say otherwise.",
    "delete_variable": "Nodes that use it keep it from being removed, unless you say otherwise.",
}
# A variable's type cannot change.
_SENSELESS = frozenset({("update_variable", "type")})


@dataclass(frozen=True)
class _OfType:
    """What is written of a new node as one type: where it is drawn, its fields, and what can be named in them."""

    drawn: ui.column
    group: Group
    named: Resources


class FunctionForm:
    """Lets one be chosen, filled in, and previewed.

    Attributes:
        problem: Says what keeps the function from being previewed.
        previewed: The arguments that have become a preview, or a question; None of what has not.

    Args:
        shown: The story whose nodes, characters and variables can be chosen.
        run: Previews a function with its arguments; whether it came to anything.
    """

    def __init__(self, shown: ShownStory, run: Run) -> None:
        self._shown = shown
        self._run = run
        self._story: OpenStory | None = None
        self._first: Entry | None = None
        self._named: Resources | None = None  # what the fields hold of the story
        self._fields: dict[str, Field] = {}
        self._of_types: dict[object, _OfType] = {}  # what is written of a new node, as each type that was chosen
        self.previewed: dict[str, Any] | None = None
        names = {name: f"{_sentence(name)} ({name})" for name in sorted(OPERATIONS.keys() - _FOR_EDITORS)}
        self._function = ui.select(names, label="Function", on_change=self._choose).classes("wide")
        self._function.props("dense outlined")
        self._drawn = ""  # the function whose form is there
        self._chosen: Any = None  # what it is about
        self._form = ui.column().classes("list function")
        self._asking = ui.element("div").classes("hidden")  # its dialogs are shown elsewhere
        self.problem = ui.label().props('role="alert"').classes("problem")
        shown.was_opened.subscribe(self._draw)
        shown.was_changed.subscribe(self._follow)
        shown.on_close.append(self._forget)
        shown.unfinished.append(lambda: self._is_written)

    def choose(self, function: str) -> None:
        """Shows the form of a function, anew where it is shown already."""
        selected = next(iter(self._shown.selected), None)
        if self._function.value != function:
            self._function.set_value(function)
        elif self._first is None or as_id(self._first.element.value) != selected:
            self._unless_written(self._draw)

    def _choose(self) -> None:
        chosen = self._function.value
        if chosen and chosen != self._drawn:
            self._unless_written(partial(self._draw, chosen))

    def _choose_first(self) -> None:
        assert self._first is not None
        chosen = self._first.element.value
        if chosen == self._chosen:
            return
        if self._drawn == "create_insert_node":  # what is written as one type stays beside another
            self._draw_of(chosen)
        else:
            self._unless_written(partial(self._draw_of, chosen))

    def _draw_of(self, chosen: Any) -> None:
        assert self._first is not None
        self._chosen = chosen
        self._first.element.set_value(chosen)
        self._draw_rest()

    def _unless_written(self, draw: Callable[[], object]) -> None:
        """Draws another form, or asks first where something is written in this one that the story does not have."""
        if not self._is_written:
            draw()
            return
        self._function.set_value(self._drawn or None)
        if self._first is not None:  # behind its own event, in which the library sends nothing back
            asyncio.get_running_loop().call_soon(self._first.element.set_value, self._chosen)
        what = "What is written in the form of this function is not in the story yet. Give it up?"
        with self._asking.clear():
            ask_to_give_up(what, "Another form", "Give it up", draw)

    @property
    def _is_written(self) -> bool:
        """Whether something is written that is not in the story: a preview is nowhere but on this page."""
        written = [*self._fields.values(), *(of_type.group for of_type in self._of_types.values())]
        return any(field.is_changed for field in written)

    def is_applied(self) -> None:
        """The story has what was previewed: it stands in the form no more, unless something was written since."""
        if self.previewed is None or self.previewed != self._written():
            return
        if (of_type := self._of_types.pop(self._chosen, None)) is not None:
            of_type.drawn.delete()
            of_type.named.forget()
        self._fields = {}
        if self._is_written:  # as another type of node
            self._draw_rest()
        else:
            self._draw()

    def _follow(self) -> None:
        """What a change has made of the story can be chosen too; what is written for another one stays."""
        now, known = self._shown.story, self._story
        if self._shown.preview is not None or now is known:
            return
        if now is not None and known is not None and now.project is known.project:  # it is saved
            self._story = now
        elif not self._is_written:
            self._draw()

    def _forget(self) -> None:
        """Neither the story is held any more, nor by the elements of fields that are gone."""
        if self._named is not None:
            self._named.forget()
        for of_type in self._of_types.values():
            of_type.named.forget()
        self._of_types = {}
        self._story = self._first = self._named = None
        self._fields = {}

    def _draw(self, function: str | None = None) -> None:
        """Draws the form of a function, anew where it is drawn already and none is named."""
        self._shown.form_is_drawn.emit()
        self._drawn = self._drawn if function is None else function
        self._function.set_value(self._drawn or None)
        self._form.clear()
        self._forget()
        self.previewed = None
        self.problem.set_text("")
        self._story = self._shown.story
        if not self._drawn or self._story is None:
            return
        spec = OPERATIONS[self._drawn]
        with self._form:
            if hint := _HINTS.get(spec.name):
                ui.label(hint).classes("hint")
            first = _CHOSEN_FIRST.get(spec.name)
            if first is not None:
                self._first = self._draw_first(first, spec.parameters["properties"][first])
                self._chosen = self._first.element.value
            self._data = ui.column().classes("list")
            self._rest = ui.column().classes("list")
            ui.button("Preview this function", on_click=self.preview).props("no-caps outline")
        self._draw_rest()

    def _draw_first(self, name: str, schema: Mapping[str, Any]) -> Entry:
        resources = self._resources()
        field = draw(name, schema, resources, self._suggested(name, resources), is_required=True)
        assert isinstance(field, Entry)
        field.element.on_value_change(self._choose_first)
        return field

    def _resources(self) -> Resources:
        assert self._story is not None
        chosen = as_id(self._first.element.value) if self._first is not None else None
        return Resources(self._story.story, self._shown.scene, chosen, next(iter(self._shown.selected), None))

    def _suggested(self, name: str, resources: Resources) -> Any:
        """What is most likely meant: what is being looked at."""
        selected = self._shown.selected[0] if self._shown.selected else None
        match name:
            case "node_id" | "from_node_id" | "from":
                return selected
            case "scene_id":
                return self._shown.scene
            case "connect_from":
                return next((output for output in resources.free_outputs if output[0] == selected), None)
            case _:
                return None

    def _draw_rest(self) -> None:
        """What follows from what was chosen first, with what is so at present."""
        function = self._drawn
        self._story = story = self._shown.story or self._story  # it may have stayed as the story was changed
        assert story is not None
        first = as_id(self._first.element.value) if self._first is not None else None
        schema = OPERATIONS[function].parameters
        present, needed = _present(story, function, first), schema.get("required", [])
        entries = {name: field for name, field in self._fields.items() if isinstance(field, Entry) and field.is_changed}
        # What is written of a new node may be of any type; what is written of a node is not another's.
        written = {name: one.element.value for name, one in entries.items() if function == "create_insert_node"}
        before, self._named = self._named, self._resources()
        resources = self._named
        for of_type in self._of_types.values():
            of_type.named.follow(resources)
        if "by_name" in schema["properties"]:
            needed = [*needed, next(iter(schema["properties"]))]
        self._rest.clear()
        if not self._of_types:
            self._data.clear()
        if before is not None:
            before.forget()
        self._fields = {}
        with self._rest:
            for name, one in schema["properties"].items():
                if name in LEFT_OUT or name == _CHOSEN_FIRST.get(function) or (function, name) in _SENSELESS:
                    continue
                known = present.get(name, one.get("default"))
                if not is_within(known, LONGEST_FORM):
                    ui.label(f"There is more in its {name} than a form shows: change it in Arrow.").classes("hint")
                elif name in _NODE_DATA:
                    self._draw_node_data(name, known or {}, resources)
                else:
                    is_open = known is None and name in (*needed, "connect_from")
                    value = self._suggested(name, resources) if is_open else known
                    field = draw(name, one, resources, value, is_present=known is not None, is_required=name in needed)
                    if name in written and isinstance(field, Entry):
                        field.element.set_value(written[name])
                    self._fields[name] = field

    def _draw_node_data(self, name: str, data: Mapping[str, Any], resources: Resources) -> None:
        """The fields of the type of node that is made or changed."""
        chosen = as_id(self._first.element.value) if self._first is not None else None
        nodes = self._story.story.nodes if self._story is not None else {}
        node_type = nodes[chosen].type if chosen in nodes else chosen
        schema = node_data_schema(node_type) if isinstance(node_type, str) else None
        for of_type in self._of_types.values():
            of_type.drawn.set_visibility(False)
        if (known := self._of_types.get(chosen)) is not None:
            known.drawn.set_visibility(True)
            self._fields[name] = known.group
        elif schema is not None:
            with self._data, ui.column().classes("list") as drawn:
                self._fields[name] = group = Group(schema, resources, data)
            if self._drawn == "create_insert_node":  # another type may be chosen, and this one again
                self._of_types[chosen] = _OfType(drawn, group, resources)
                self._named = None

    async def preview(self) -> None:
        """Previews the function with what is written, or says what is missing or wrong."""
        problem = ""
        arguments: dict[str, Any] = {}
        try:
            arguments = self._arguments()
        except ValueError as error:
            problem = str(error)
        else:
            if self._drawn.startswith("update_") and arguments.keys() <= self._chosen_first.keys():
                problem = "Nothing is changed yet."
        self.problem.set_text(problem)
        if not problem:
            self.previewed = arguments if await self._run(self._drawn, arguments) else None

    @property
    def _chosen_first(self) -> dict[str, Field]:
        return {} if self._first is None else {_CHOSEN_FIRST[self._drawn]: self._first}

    def _arguments(self) -> dict[str, Any]:
        return read_all(self._chosen_first | self._fields, self._type_of_values())

    def _written(self) -> dict[str, Any] | None:
        try:
            return self._arguments()
        except ValueError:
            return None

    def _type_of_values(self) -> str:
        """The type of the variable that the form is about; empty where it is about none."""
        data = next((self._fields[name] for name in _NODE_DATA if name in self._fields), None)
        own = data.fields.get("variable") if isinstance(data, Group) else self._first
        variables = self._story.story.variables if self._story is not None else {}
        named = as_id(own.element.value) if isinstance(own, Entry) else None
        if self._drawn != "update_node_map" and named in variables:
            return variables[named].type
        kind = self._fields.get("type")
        return kind.element.value or "" if isinstance(kind, Entry) else ""


def _present(opened: OpenStory, function: str, first: Any) -> Mapping[str, Any]:
    """The arguments as they are now, of what a function changes; nothing else of it is looked at."""
    story, project = opened.story, opened.project
    match function:
        case "update_node" if first in story.nodes:
            node = story.nodes[first]
            data = node_data(project, first) if is_within(node.data, LONGEST_FORM) else node.data
            return {"name": node.name, "notes": node.notes or None, "data": data}
        case "update_node_map" if first in story.nodes:
            place = project.data.scene_map(story.nodes[first].scene_id)[first]
            return {"modifications": {"skip": place.get("skip") is True}}
        case "update_variable" if first in story.variables:
            variable = story.variables[first]
            return {"name": variable.name, "initial_value": variable.initial, "notes": variable.notes}
        case "update_character" if first in story.characters:
            character = story.characters[first]
            color = f"#{character.color[:6]}"
            return {"name": character.name, "color": color, "tags": character.tags, "notes": character.notes}
        case "update_scene" if first in story.scenes:
            scene = story.scenes[first]
            entry = story.nodes.get(scene.entry)
            return {"name": scene.name, "notes": (entry.notes if entry else "") or None}
        case _:
            return {}


def _sentence(function: str) -> str:
    """What a function does, in its description's first words."""
    return OPERATIONS[function].description.partition(".")[0].partition(":")[0]
