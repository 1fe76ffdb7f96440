"""One operation in progress: what it was asked, what it may look up, what it has done so far."""

from collections.abc import Iterable
from typing import Any, cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.mind import Mind
from arrow_project.names import near, safe
from arrow_project.node_types.kinds import mismatch
from arrow_project.node_types.patterns import MAX_PATTERNS, Patterns
from arrow_project.operation import Selection
from arrow_project.project_data import ProjectData
from arrow_project.values import Record, integer, is_id, shortened, shown, text

_CODES = {
    "node": ErrorCode.INVALID_NODE_ID,
    "scene": ErrorCode.INVALID_SCENE_ID,
    "macro": ErrorCode.INVALID_SCENE_ID,
    "variable": ErrorCode.INVALID_VARIABLE_ID,
    "character": ErrorCode.INVALID_CHARACTER_ID,
}
_NODE_WORDS = (
    "last_created", "last_selected", "selected", "first_selected", "current_entry", "project_entry",
)  # fmt: skip
_SHOWN = 8


class Editing:
    """The scope of one operation.

    Attributes:
        project: the project, as it is now.
        mind: the way to change it.
        selection: what the editor shows.
        remarks: sentences for the result, each once.
        created: nodes made so far.
        said: names and words of the arguments that were resolved, by kind, with their ids.
    """

    def __init__(self, project: ProjectData, selection: Selection) -> None:
        self.project = project
        self.mind = Mind(project)
        self.selection = selection
        self.remarks: dict[str, None] = {}
        self.created: list[int] = []
        self.said: dict[tuple[str, str], int] = {}
        self._patterns = Patterns()

    def remark(self, sentence: str) -> None:
        """Tell the caller something."""
        self.remarks[sentence] = None

    @property
    def scene_id(self) -> int:
        """The open scene.

        Raises:
            OperationError: it does not exist, or there is none.
        """
        given = self.selection.scene_id
        if given is not None and given >= 0:
            return self.find("scene", given)
        owner = self.project.owner(self.project.entry)
        scene_id = owner if owner is not None else next(iter(self.project.scenes), None)
        if scene_id is None:
            raise OperationError(_CODES["scene"], "The project has no scene; create_scene makes one.")
        return scene_id

    def find(self, kind: str, given: object) -> int:
        """The id of an existing resource, given by id, by name, or (node, scene) by a special word.

        Raises:
            OperationError: the kind's own code, naming what would be near.
        """
        resource_id = self._resolved(kind, given)
        if isinstance(given, str):
            self.said[kind, given] = resource_id
        if kind == "macro" and not self.project.is_macro(resource_id):
            macros = self._known("macro")
            raise OperationError(_CODES[kind], f"Scene {resource_id} is no macro and cannot be used as one. {macros}")
        return resource_id

    def _resolved(self, kind: str, given: object) -> int:
        number = _as_id(given)
        if number is not None:
            if number in self.project.table(kind):
                return number
            raise self._missing(kind, shown(number), number)
        if not isinstance(given, str) or not given:
            raise OperationError(_CODES[kind], f"{shown(given)} is no id of a {kind}. {self._known(kind)}")
        if kind == "node" and given in _NODE_WORDS:
            return self._special(given)
        if kind == "scene" and given == "current":
            return self.scene_id
        return self._named(kind, given)

    def _named(self, kind: str, name: str) -> int:
        known = self.project.by_name(kind)
        for candidate in (name, safe(name)):
            if candidate in known:
                return known[candidate]
        raise self._missing(kind, shown(name), name)

    def _missing(self, kind: str, what: str, wanted: int | str) -> OperationError:
        message = f"There is no {kind} {what}. {self._known(kind, wanted)}"
        return OperationError(_CODES[kind], message.strip())

    def _known(self, kind: str, wanted: int | str = "") -> str:
        """What would have worked: near names first, otherwise some that exist."""
        table = self.project.table(kind)
        ids = [key for key in table if kind != "macro" or self.project.is_macro(key)]
        if not ids:
            return f"The project has no {kind} yet."
        if kind == "node":
            return self._near_nodes(wanted)
        names = {shortened(self.project.name(kind, key)): key for key in ids}
        alike = near(shortened(wanted), names) if isinstance(wanted, str) else []
        some = [f"{name} ({names[name]})" for name in (alike or list(names)[:_SHOWN])]
        rest = f" and {len(names) - _SHOWN} more" if not alike and len(names) > _SHOWN else ""
        return f"{'Near' if alike else 'There is'}: {', '.join(some)}{rest}."

    def _near_nodes(self, wanted: int | str) -> str:
        ids = sorted(self.project.nodes)
        if isinstance(wanted, int):
            ids = sorted(ids, key=lambda key: abs(key - wanted))
        else:
            names = self.project.by_name("node")
            if alike := near(wanted, names):
                return f"Near: {', '.join(f'{shortened(name)} ({names[name]})' for name in alike)}."
        return f"Nodes that exist: {listed(ids, _SHOWN)}."

    def _special(self, word: str) -> int:
        if word == "project_entry":
            return self.project.entry
        if word == "current_entry":
            entry = self.project.scenes[self.scene_id]["entry"]
            return self._existing(integer(entry), f"the entry of scene {self.scene_id}")
        if word == "last_created":
            last = self.created[-1] if self.created else self.selection.last_created
            return self._existing(-1 if last is None else last, "the last created node")
        selected = [n for n in self.selection.node_ids if n >= 0]
        if not selected:
            raise OperationError(_CODES["node"], f'"{word}": no node is selected; name the node by its id.')
        if word == "selected" and len(selected) > 1:
            listed = ", ".join(str(n) for n in selected)
            raise OperationError(
                _CODES["node"],
                f'"selected" is not clear, {len(selected)} nodes are selected: {listed}; name one by its id.',
                {"selected": selected},
            )
        return self._existing(selected[0 if word == "first_selected" else -1], "the selected node")

    def _existing(self, node_id: int, what: str) -> int:
        if node_id not in self.project.nodes:
            raise OperationError(_CODES["node"], f"There is no node that is {what}; name one by its id.")
        return node_id

    def owner(self, node_id: int) -> int:
        """The scene of a node.

        Raises:
            OperationError: no scene has it.
        """
        scene_id = self.project.owner(node_id)
        if scene_id is None:
            raise OperationError(
                ErrorCode.PERMISSION_DENIED, f"Node {node_id} is in no scene; Arrow cannot change or remove it."
            )
        return scene_id

    def variable_type(self, variable_id: int) -> str:
        """num, str or bool; empty for what is no variable."""
        return self.project.variable_type(variable_id)

    def node_type(self, node_id: int) -> str:
        """The type of an existing node."""
        return text(self.project.nodes[node_id]["type"])

    def scene_entry(self, scene_id: int) -> int:
        """The entry node of an existing scene.

        Raises:
            OperationError: the scene has none.
        """
        return self._existing(integer(self.project.scenes[scene_id]["entry"]), f"the entry of scene {scene_id}")

    def helper(self, stem: str) -> int:
        """A new num variable that a several-node form needs."""
        taken = self.project.by_name("variable")
        number = 1
        while f"{stem}_{number}" in taken:
            number += 1
        return self.create_variable(f"{stem}_{number}", "num", 0)

    def compiles(self, pattern: str) -> bool:
        """Whether a regular expression compiles in Arrow and in browsers.

        Raises:
            OperationError: there are too many to try them all.
        """
        is_one = self._patterns.compiles(pattern)
        if self._patterns.untried:
            raise mismatch(f"The regular expressions have more than {MAX_PATTERNS:,} characters together; give fewer.")
        return is_one

    def create_variable(self, name: str, type_name: str, initial: object, notes: str = "") -> int:
        """A new variable, also referenced by texts that expose its name already."""
        variable_id = self.mind.create_variable(name, type_name, initial, notes)
        self.mind.settle_references(self.project.usage.exposing("variable", name))
        return variable_id


def _as_id(given: object) -> int | None:
    if isinstance(given, float) and given.is_integer():
        return int(given)
    if isinstance(given, str):
        digits = given.strip()
        number = digits.removeprefix("-")
        return int(digits) if number.isascii() and number.isdigit() and len(number) <= 19 else None
    return given if is_id(given) else None


def arguments_record(name: str, value: object) -> Record:
    """An argument that must be an object.

    Raises:
        OperationError: it is something else.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise mismatch(f'"{name}" must be an object, not {shown(value)}.')
    given = cast("dict[Any, Any]", value)
    if any(not isinstance(key, str) for key in given):
        raise mismatch(f'"{name}" must have texts as keys.')
    return cast("Record", given)


def listed(ids: Iterable[int], most: int = 12) -> str:
    """Ids for a sentence."""
    all_ids = list(ids)
    rest = f" and {len(all_ids) - most} more" if len(all_ids) > most else ""
    return ", ".join(str(i) for i in all_ids[:most]) + rest
