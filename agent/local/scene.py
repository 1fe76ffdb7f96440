"""A dialogue as a scene: a node for each line, a choice with its branches, every connection made."""

from dataclasses import dataclass, field
from typing import Any

from agent.local.casting import Cast
from agent.local.desk import Desk, created_id
from agent.local.dialogue import Choice, Dialogue, Direction, Item, Leave, Option, Speech
from agent.local.names import fold
from agent.local.steps import NotDone, Steps
from agent.local.story import shorten

End = tuple[int, int]
"""A node's output slot that still leads nowhere."""


# In canvas units; the widest box that is made here takes 240 x 180.
_STEP = (300, 240)
_FIRST = (100, 100)


@dataclass(frozen=True)
class Cell:
    """A place in the grid of a scene: lines go to the right, branches below each other."""

    column: int
    row: int

    @property
    def position(self) -> list[int]:
        """Its place on the canvas."""
        return [_FIRST[0] + _STEP[0] * self.column, _FIRST[1] + _STEP[1] * self.row]

    def right(self, columns: int) -> "Cell":
        """The cell so many columns further."""
        return Cell(self.column + columns, self.row)

    def below(self, rows: int) -> "Cell":
        """The cell so many rows lower."""
        return Cell(self.column, self.row + rows)


def width(items: tuple[Item, ...]) -> int:
    """How many columns the items take."""
    return sum(
        1 + max((width(option.items) for option in item.options), default=0) if isinstance(item, Choice) else 1
        for item in items
    )


def height(items: tuple[Item, ...]) -> int:
    """How many rows the items take."""
    choices = (item for item in items if isinstance(item, Choice))
    return max((sum(height(option.items) for option in item.options) for item in choices), default=1)


@dataclass
class SceneBuilder:
    """Builds one scene.

    Attributes:
        desk: The story and the tools.
        cast: Who speaks.
        scene_id: The new scene.
        counts: How many nodes of each type were made.
        connections: How many connections were made.
        problems: What could not be placed.
    """

    desk: Desk
    cast: Cast
    scene_id: int = -1
    counts: dict[str, int] = field(default_factory=dict[str, int])
    connections: int = 0
    problems: list[str] = field(default_factory=list[str])

    def build(self, dialogue: Dialogue, name: str) -> Steps[None]:
        """Creates the scene and everything in it.

        Raises:
            NotDone: The scene itself was refused.
        """
        arguments: dict[str, Any] = {"name": name, "is_macro": False}
        if dialogue.facts:
            arguments["notes"] = "\n".join(dialogue.facts)
        answer = yield from self.desk.call("create_scene", arguments)
        self.scene_id = created_id(answer)
        entry = answer.get("entry_node_id")
        if not isinstance(entry, int):
            entry = self.desk.story().scenes[self.scene_id].entry
        yield from self._place(dialogue.items, [(entry, 0)], Cell(1, 0))

    def _place(self, items: tuple[Item, ...], ends: list[End], cell: Cell) -> Steps[list[End]]:
        """Adds the items after `ends`, which all lead to the first of them; ends with the new loose ends."""
        for item in items:
            if isinstance(item, Leave):
                yield from self._leave(item, ends, cell)
                return []
            if isinstance(item, Choice):
                ends = yield from self._choice(item, ends, cell)
            else:
                ends = yield from self._line(item, ends, cell)
            cell = cell.right(width((item,)))
        return ends

    def _line(self, item: Speech | Direction, ends: list[End], cell: Cell) -> Steps[list[End]]:
        if isinstance(item, Direction):
            node = yield from self._node("content", {"content": item.text}, ends, cell)
        else:
            preset = {"character": self.cast.ids[item.speaker], "text": item.words}
            node = yield from self._node("monolog", preset, ends, cell, item.manner)
        return ends if node is None else [(node, 0)]

    def _choice(self, item: Choice, ends: list[End], cell: Cell) -> Steps[list[End]]:
        preset = {"actions": [option.text for option in item.options]}
        node = yield from self._node("interaction", preset, ends, cell)
        if node is None:
            return ends
        merged: list[End] = []
        branch = cell.right(1)
        for slot, option in enumerate(item.options):
            self._remark(option)
            merged += yield from self._place(option.items, [(node, slot)], branch)
            branch = branch.below(height(option.items))
        return merged

    def _leave(self, item: Leave, ends: list[End], cell: Cell) -> Steps[None]:
        """A jump to the scene of that name, if there is one; an end needs nothing."""
        if not item.target:
            return
        scenes = [scene for scene in self.desk.story().scenes.values() if fold(scene.name) == fold(item.target)]
        if len(scenes) == 1:
            yield from self._node("jump", {"target": {"type": "scene", "id": scenes[0].id}}, ends, cell)
        else:
            self.problems.append(f"“-> {item.target}”: there is no scene of that name to jump to, so the branch ends")

    def _node(
        self, kind: str, preset: dict[str, Any], ends: list[End], cell: Cell, notes: str = ""
    ) -> Steps[int | None]:
        """A node to which all the ends lead; None when the editor refuses it."""
        arguments: dict[str, Any] = {"type": kind, "preset": preset, "scene_id": self.scene_id}
        arguments["position"] = cell.position
        if notes:
            arguments["notes"] = notes
        try:
            node = yield from self.desk.create_node(arguments)
        except NotDone as problem:
            self.problems.append(f"a {kind} “{shorten(_text(preset))}”: {problem}")
            return None
        self.counts[kind] = self.counts.get(kind, 0) + 1
        for origin, slot in ends:
            yield from self._connect(origin, slot, node)
        return node

    def _connect(self, origin: int, slot: int, node: int) -> Steps[None]:
        try:
            yield from self.desk.connect(origin, slot, node)
            self.connections += 1
        except NotDone as problem:
            self.problems.append(f"the connection from {origin} (slot {slot}) to {node}: {problem}")

    def _remark(self, option: Option) -> None:
        if option.condition:
            self.problems.append(
                f"the condition “{option.condition}” on “{shorten(option.text)}”, which is now always offered"
            )


def _text(preset: dict[str, Any]) -> str:
    return " / ".join(
        str(text) for value in preset.values() for text in (value if isinstance(value, list) else [value])
    )
