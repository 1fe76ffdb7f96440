"""A dialogue as a scene: a node for each line, a choice with its branches, every connection made."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from agent.local.draft import Draft
from agent.local.steps import NotDone
from agent.local.values import OPERATORS, STARTS, Value, type_of
from arrow_project import Variable, fold
from arrow_project.scripts import (
    NESTED_TOO_DEEP,
    Branch,
    Choice,
    Command,
    Comparison,
    Dialogue,
    Direction,
    Item,
    Leave,
    Option,
    Speech,
    VariableChange,
)

End = tuple[int, int]
"""A node's output slot that still leads nowhere."""

_Options = tuple[tuple[int, Option], ...]

# In canvas units; the widest box that is made here takes 240 x 180.
_STEP = (300, 240)
_FIRST = (100, 100)
# Each option with a condition doubles the nodes that a choice takes.
_CONDITIONS = 3


def width(items: tuple[Item, ...]) -> int:
    """How many columns the items take."""
    return sum(_width(item) for item in items)


def height(items: tuple[Item, ...]) -> int:
    """How many rows the items take."""
    return max((sum(height(part) for part in _parts(item)) for item in items if _parts(item)), default=1)


@dataclass
class SceneBuilder:
    """Builds one scene.

    Attributes:
        draft: The story.
        cast: Characters by the speaker's name as the script has it.
        scenes: Scenes by folded name, to which the dialogue may lead.
        declared: The values with which the script declares variables.
        counts: How many nodes of each type were made.
    """

    draft: Draft
    cast: Mapping[str, int]
    scenes: Mapping[str, int]
    declared: Mapping[str, str]
    counts: Counter[str] = field(default_factory=Counter[str])
    _scene_id: int = -1
    _notes: list[str] = field(default_factory=list[str])

    def build(self, dialogue: Dialogue, scene_id: int) -> None:
        """Fills a scene that has nothing but its entry.

        Raises:
            NotDone: Something in the dialogue has no counterpart in a story.
        """
        self._scene_id = scene_id
        entry = self.draft.story.scenes[scene_id].entry
        try:
            self._place(dialogue.items, [(entry, 0)], 1, 0)
        except RecursionError:
            raise NotDone(NESTED_TOO_DEEP) from None
        if self._notes:
            last = self.draft.last_created if self.counts else entry
            self.draft.apply("update_node", node_id=last, notes="\n".join(self._notes))
            self._notes = []

    def _place(self, items: tuple[Item, ...], ends: list[End], column: int, row: int) -> list[End]:
        """Adds the items after `ends`, which all lead to the first of them; returns the new loose ends."""
        for place, item in enumerate(items):
            if isinstance(item, Leave):
                self._leave(item, ends, column, row)
                if any(not isinstance(one, Command) for one in items[place + 1 :]):
                    raise NotDone(f"What follows “-> {item.target or 'END'}” would never be played.")
                return []
            if isinstance(item, Choice):
                ends = self._choice(item.options, ends, column, row)
            elif isinstance(item, Branch):
                node = self._node("condition", self._condition(item.condition), ends, column, row)
                ends = self._place(item.then, [(node, 0)], column + 1, row)
                ends += self._place(item.otherwise, [(node, 1)], column + 1, row + height(item.then))
            elif isinstance(item, Command):
                self._notes.append(item.text)
            else:
                ends = [(self._line(item, ends, column, row), 0)]
            column += _width(item)
        return ends

    def _line(self, item: Speech | Direction | VariableChange, ends: list[End], column: int, row: int) -> int:
        if isinstance(item, Direction):
            return self._node("content", {"content": item.text}, ends, column, row)
        if isinstance(item, VariableChange):
            variable = self._variable(item.name, item.value)
            value = self._operand(variable, item.value)
            preset = {"variable": variable.id, "operation": OPERATORS[item.operator], "value": value}
            return self._node("variable_update", preset, ends, column, row)
        if item.manner:
            self._notes.append(item.manner)
        return self._node("monolog", {"character": self.cast[item.speaker], "text": item.words}, ends, column, row)

    def _choice(self, options: tuple[Option, ...], ends: list[End], column: int, row: int) -> list[End]:
        """One interaction for each way in which the conditions of its options may turn out."""
        if sum(one.condition is not None for one in options) > _CONDITIONS:
            raise NotDone(f"A choice has more than {_CONDITIONS} options with conditions; an Arrow choice has none.")
        leading: dict[int, list[End]] = {place: [] for place in range(len(options))}
        after = self._offered(tuple(enumerate(options)), ends, leading, column, row)
        for place, option in enumerate(options):
            after += self._place(option.items, leading[place], column + 1, row)
            row += height(option.items)
        return after

    def _offered(
        self, options: _Options, ends: list[End], leading: dict[int, list[End]], column: int, row: int
    ) -> list[End]:
        """Makes the choice of these options, or asks for the first condition; returns the ways past any choice."""
        if not options:
            return ends
        for index, (place, option) in enumerate(options):
            if option.condition is not None:
                node = self._node("condition", self._condition(option.condition), ends, column, row)
                kept = (*options[:index], (place, replace(option, condition=None)), *options[index + 1 :])
                past = self._offered(kept, [(node, 0)], leading, column, row)
                rest = (*options[:index], *options[index + 1 :])
                return past + self._offered(rest, [(node, 1)], leading, column, row + 1)
        node = self._node("interaction", {"actions": [option.text for _, option in options]}, ends, column, row)
        for slot, (place, _) in enumerate(options):
            leading[place].append((node, slot))
        return []

    def _leave(self, item: Leave, ends: list[End], column: int, row: int) -> None:
        """A jump to the scene of that name; an end needs nothing."""
        if item.target:
            scene = self.scenes.get(fold(item.target))
            if scene is None:
                raise NotDone(f"“-> {item.target}” leads to no scene of the story and to no dialogue of the document.")
            self._node("jump", {"target": {"type": "scene", "id": scene}}, ends, column, row)

    def _node(self, kind: str, preset: dict[str, Any], ends: list[End], column: int, row: int) -> int:
        """A node to which all the ends lead."""
        position = [_FIRST[0] + _STEP[0] * column, _FIRST[1] + _STEP[1] * row]
        notes, self._notes = "\n".join(self._notes), []
        noted = {"notes": notes} if notes else {}
        node = self.draft.create_node(type=kind, preset=preset, scene_id=self._scene_id, position=position, **noted)
        self.counts[kind] += 1
        for origin, slot in ends:
            self.draft.connect(origin, slot, node)
        return node

    def _condition(self, condition: Comparison) -> dict[str, Any]:
        if condition.sign == "?":
            raise NotDone(f"The condition “{condition.name}” is no comparison of one variable, such as “gold >= 10”.")
        variable = self._variable(condition.name, condition.value if condition.sign else "true")
        sign, value = (condition.sign, condition.value) if condition.sign else ("==", "true")
        if condition.negated:
            sign = {"==": "!=", "!=": "==", ">": "<=", "<": ">=", ">=": "<", "<=": ">"}[sign]
        return {"variable": variable.id, "operator": sign, "compare_to": self._operand(variable, value)}

    def _variable(self, name: str, value: str) -> Variable:
        """The variable of that name; one that the story lacks is made, as the script declares or uses it."""
        known = [one for one in self.draft.story.variables.values() if fold(one.name) == fold(name)]
        if known:
            return known[0]
        declared = self.declared.get(name)
        kind = type_of(_read(value if declared is None else declared))
        start = STARTS[kind] if declared is None else _read(declared)
        key = self.draft.create("create_variable", name=name, type=kind, initial_value=start)
        self.draft.told.append(f"Created the variable “{name}”.")
        return self.draft.story.variables[key]

    def _operand(self, variable: Variable, value: str) -> dict[str, Any]:
        others = [one for one in self.draft.story.variables.values() if value == f"${one.name}"]
        if others:
            return {"type": "variable", "value": others[0].id}
        read = value.strip('"') if variable.type == "str" else _read(value)
        if type_of(read) != variable.type:
            raise NotDone(f"“{variable.name}” holds another type than “{value}”.")
        return {"type": "value", "value": read}


def _width(item: Item) -> int:
    return 1 + max((width(part) for part in _parts(item)), default=0)


def _parts(item: Item) -> tuple[tuple[Item, ...], ...]:
    """What lies side by side in an item."""
    if isinstance(item, Branch):
        return item.then, item.otherwise
    return tuple(option.items for option in item.options) if isinstance(item, Choice) else ()


def _read(value: str) -> Value:
    """A value by its looks; what stands in quotation marks is a text."""
    if value.casefold() in ("true", "false"):
        return value.casefold() == "true"
    return int(value) if value.removeprefix("-").isdecimal() else value.strip('"')
