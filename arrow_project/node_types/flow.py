"""Node types that only direct the flow: hub, jump, macro_use, randomizer, sequencer."""

import math
from dataclasses import dataclass
from typing import Any, cast

from arrow_project.node_types.kinds import (
    UNSET,
    Flag,
    Reference,
    Schema,
    Scope,
    Text,
    Texts,
    Whole,
    mismatch,
    only,
    whole,
)
from arrow_project.node_types.node_type import Blueprint, Field, NodeType, Part, none
from arrow_project.values import Record, integer, shown

_LEAST, _MOST = 2, 10
# a project may say any number; nobody can draw or list more than this
_DRAWN = 1000
_COUNT = Whole(_LEAST, _MOST)


def _slots(data: Record) -> int:
    # Arrow draws no dynamic slots below two
    count = integer(data.get("slots"), 0)
    return min(count, _DRAWN) if count >= _LEAST else 0


def _lower_hub(given: Record, scope: Scope) -> Blueprint:
    if "options" not in given:
        return Blueprint((Part("hub", {"slots": _COUNT.lower("inputs", given.get("inputs", _LEAST), scope)}),))
    if given.get("inputs") is not None:
        raise mismatch('A hub has "options" (choices of the player) or "inputs" (ways that come together), not both.')
    options = Texts().lower("options", given["options"], scope)
    scope.remark("Stored as an interaction, Arrow's node for choices: slot i is option i.")
    return Blueprint((Part("interaction", {"actions": options}),))


HUB = NodeType(
    "hub",
    "With options: choices of the player, slot i = option i (stored as Arrow's interaction). With inputs (2 to 10) "
    "instead: merges several ways into one, slot 0 = continue.",
    fields=(),
    said={
        "options": Texts().schema | {"description": "the choices; becomes an interaction"},
        "inputs": _COUNT.schema | {"description": "number of ways that come together here"},
    },
    inputs=_slots,
    counted="slots",
    rewrite=_lower_hub,
    outdated=lambda _said, named, _scope: ("inputs",) if "options" in named else (),
    rewrite_lift=lambda data, _scope: {"inputs": data.get("slots")},
    own_fields=(Field("slots", _COUNT, _LEAST, "inputs", 54),),
)


def _target(value: object, scope: Scope) -> int:
    if value is None or value == UNSET:
        return UNSET
    target = cast("Record", value) if isinstance(value, dict) else {"type": "node", "id": value}
    only('"target"', target, ("type", "id"))
    kind, given = target.get("type", "node"), target.get("id")
    if kind not in ("node", "marker", "scene"):
        raise mismatch(f"A jump leads to a node, a marker or a scene, not to a {shown(kind)}.")
    if kind == "scene":
        entry = scope.scene_entry(scope.find("scene", given))
        scope.remark(f"Arrow jumps to nodes: the jump leads to node {entry}, the scene's entry as it is now.")
        return entry
    if given == UNSET:
        return UNSET
    node_id = scope.find("node", given)
    if kind == "marker" and scope.node_type(node_id) != "marker":
        raise mismatch(
            f"Node {node_id} is of type {scope.node_type(node_id)}, not a marker. A jump may lead there all the same: "
            f'say {{"type": "node", "id": {node_id}}}, or name a marker.'
        )
    return node_id


@dataclass(frozen=True)
class Target(Reference):
    """Where a jump leads: natively the id of a node."""

    to: str = "node"
    description: str = "where to go on: {type: node, marker or scene, id}; a scene means its entry"

    @property
    def schema(self) -> Schema:
        """What kind of place, and its id; or only the id of a node."""
        return {
            "type": ["object", "integer", "string"],
            "description": self.description,
            "properties": {
                "type": {"type": "string", "enum": ["node", "marker", "scene"]},
                "id": {"type": ["integer", "string"]},
            },
        }

    def lower(self, _name: str, value: object, scope: Scope, /) -> Any:
        """The id of the node."""
        return _target(value, scope)

    def lift(self, value: Any) -> Any:
        """The node, as a kind of place."""
        return {"type": "node", "id": value}


JUMP = NodeType(
    "jump",
    "Goes on at another node, in any scene; has no output slot.",
    fields=(
        Field("target", Target(), UNSET, "target", 55),
        Field("reason", Text(), "", "reason", 55, description="a note that shows on the box"),
    ),
    outputs=none,
)

MACRO_USE = NodeType(
    "macro_use",
    "Plays a macro (a scene made for that), then goes on. Slot 0 = after the macro.",
    fields=(Field("macro", Reference("macro", "id or exact name of a macro"), UNSET, "macro", 56),),
    expects="macro",
)


def _lower_randomizer(given: Record, scope: Scope) -> Blueprint:
    paths = _COUNT.lower("paths", given.get("paths", _LEAST), scope)
    weights = given.get("weights")
    if weights is not None:
        counts = shares(weights)
        if given.get("paths") is not None and paths != len(counts):
            raise mismatch(f'"paths" is {paths} and there are {len(counts)} "weights", one per path; leave one out.')
        paths = sum(counts)
    return Blueprint((Part("randomizer", {"slots": paths}),))


def shares(weights: object) -> list[int]:
    """How many of Arrow's slots each weighted path gets: the weights in their lowest terms.

    Raises:
        OperationError: no whole numbers from 1, or more than ten slots.
    """
    given = cast("list[Any]", weights) if isinstance(weights, list) else []
    numbers = [whole("weights", item) for item in given]
    if len(numbers) < _LEAST or min(numbers) < 1:
        raise mismatch('"weights" must be two or more whole numbers of at least 1, one per path.')
    divisor = math.gcd(*numbers)
    reduced = [number // divisor for number in numbers]
    if sum(reduced) > _MOST:
        raise mismatch(
            f"The weights {numbers} need {sum(reduced)} slots and Arrow's randomizer has at most {_MOST}; "
            "round them, e.g. [1, 2, 1]."
        )
    return reduced


def ranges(counts: list[int]) -> list[list[int]]:
    """The slots of each path, given how many it gets."""
    starts = [sum(counts[:i]) for i in range(len(counts))]
    return [list(range(start, start + count)) for start, count in zip(starts, counts, strict=True)]


RANDOMIZER = NodeType(
    "randomizer",
    "Goes one of several ways at random. Slot i = path i. With weights a path gets several consecutive slots, all of "
    "which must lead to the same node; the result says which. Weights given to a node whose paths are connected "
    "already wire them by themselves.",
    said={
        "paths": _COUNT.schema | {"description": "number of ways"},
        "weights": {"type": "array", "items": {"type": "integer"}, "description": "one per path"},
    },
    outputs=_slots,
    counted="slots",
    rewrite=_lower_randomizer,
    outdated=lambda _said, named, _scope: ("paths",) if "weights" in named else (),
    rewrite_lift=lambda data, _scope: {"paths": data.get("slots")},
    own_fields=(Field("slots", _COUNT, _LEAST, "paths", 54),),
)


def _lower_sequencer(given: Record, scope: Scope) -> Blueprint:
    paths = _COUNT.lower("paths", given.get("paths", _LEAST), scope)
    mode = given.get("mode", "cycle" if "reset" in given else "all")
    if mode not in ("all", "cycle"):
        raise mismatch(f'The mode of a sequencer is "all" or "cycle", not {shown(mode)}.')
    if mode == "all":
        if given.get("reset") is not None:
            raise mismatch('"reset" is about mode "cycle"; with mode "all" every path is played at each visit.')
        return Blueprint((Part("sequencer", {"slots": paths}),))
    return _cycle(paths, Flag().lower("reset", given.get("reset", True), scope), scope)


def _cycle(paths: int, reset: bool, scope: Scope) -> Blueprint:
    """One way per visit: count the visit, then ask for its number."""
    counter = scope.helper("visit")
    parts = [Part("variable_update", {"variable": counter, "operator": "add", "with": [0, 1]})]
    parts += [
        Part("condition", {"variable": counter, "operator": "eq", "with": [0, visit]}) for visit in range(1, paths)
    ]
    links = [(0, 0, 1), *((i, 0, i + 1) for i in range(1, paths - 1))]
    exits = [(i, 0) for i in range(1, paths)]
    if reset:
        parts.append(Part("variable_update", {"variable": counter, "operator": "set", "with": [0, 0]}))
        links.append((paths - 1, 0, paths))
        exits.append((paths, 0))
    else:
        exits.append((paths - 1, 1))
        scope.remark("After the last path every further visit takes the last path again.")
    scope.remark(
        f"Arrow has no node that takes another way at each visit, so variable {counter} counts the visits and "
        'conditions ask for its value; "paths" in the result says where each path leaves.'
    )
    return Blueprint(tuple(parts), tuple(links), tuple(exits))


SEQUENCER = NodeType(
    "sequencer",
    'mode "all" (Arrow\'s own): on one visit plays every path in order, slot i = path i. mode "cycle": another path '
    "at each visit, made of several nodes; the result says where each path leaves.",
    said={
        "paths": _COUNT.schema | {"description": "number of ways"},
        "mode": {"type": "string", "enum": ["all", "cycle"]},
        "reset": {"type": "boolean", "description": "cycle: begin again after the last path"},
    },
    outputs=_slots,
    counted="slots",
    rewrite=_lower_sequencer,
    outdated=lambda _said, named, _scope: ("mode",) if "reset" in named else (),
    rewrite_lift=lambda data, _scope: {"paths": data.get("slots"), "mode": "all"},
    own_fields=(Field("slots", _COUNT, _LEAST, "paths", 54),),
)
