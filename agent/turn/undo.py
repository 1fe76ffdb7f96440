"""Taking a turn back: what asks for it, and what it comes to."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from arrow_project import ArrowProject, Diff, GoOn, Operation, Selection, diff, parse, restore

UNDO = "undo"

_LAST = r"(?:the|your|my) last (?:turn|changes?|edits?|steps?|operation|command)"
_ASKED = re.compile(
    rf"(?:(?:please|can you|could you) )*"
    rf"(?:undo(?: (?:that|this|it|{_LAST}))?|take (?:that|this|it|{_LAST}) back|take back {_LAST}"
    rf"|(?:revert|reverse) (?:that|this|it|{_LAST}))(?:,? (?:please|for me|now))*[.!?]*".replace(" ", r"\s+"),
    re.IGNORECASE,
)


def asks_for_undo(message: str) -> bool:
    """Whether the words ask for the last turn to be taken back, and for nothing else."""
    return _ASKED.fullmatch(message.strip()) is not None


@dataclass(frozen=True)
class WayBack:
    """What takes a turn back.

    Attributes:
        now: The story as it is.
        before: As it was.
        operations: What leads back to it; ids of what they make again are new.
        changes: What that changes, a line for each.
        new_ids: The ids that things come back under, by those that they had.
        remaining: What would still differ.
    """

    now: ArrowProject
    before: ArrowProject
    operations: tuple[Operation, ...]
    changes: str
    new_ids: dict[int, int]
    remaining: tuple[str, ...]


Places = Mapping[int, Sequence[float]]
"""Offsets of nodes on their scenes' maps."""


def places_left(done: Iterable[Operation], after: ArrowProject) -> Places:
    """Where the nodes are in `after` that these operations have moved."""
    moved = {
        operation.arguments["node_id"]
        for operation in done
        if operation.function == "update_node_map" and "offset" in (operation.arguments.get("modifications") or {})
    }
    maps = [scene["map"] for scene in after.data.scenes.values()]
    return {node: place["offset"] for places in maps for node, place in places.items() if node in moved}


def way_back(now: ArrowProject, content: str, left: Places, selection: Selection, go_on: GoOn) -> WayBack:
    """How `now` becomes the `.arrow` text `content` again; what is no more where the turn has `left` it stays there."""
    before = parse(content)
    _keep_places(now, before, left)
    way = restore(now, before, selection, go_on)
    return WayBack(now, before, way.operations, str(diff(now, before)), way.ids, way.remaining)


def _keep_places(now: ArrowProject, before: ArrowProject, left: Places) -> None:
    """A layout made by hand since is the user's: no fingerprint knows of it, so nothing else would keep it."""
    for key, scene in before.data.scenes.items():
        places = now.data.scenes.get(key, {}).get("map", {})
        for node, place in scene["map"].items():
            offset = places.get(node, place)["offset"]
            if offset not in (place["offset"], left.get(node)):
                place["offset"] = list(offset)


def content_with_ids(content: str, ids: Mapping[int, int], now: ArrowProject) -> str:
    """The `.arrow` text of an earlier story, with the ids under which its parts are in the story `now`."""
    if not ids:
        return content
    earlier = parse(content).renumbered(ids)
    # The seeds of ids never go back, or an id would be given twice.
    earlier.data.raw["meta"] = {**earlier.data.raw["meta"], "authors": now.data.raw["meta"]["authors"]}
    return earlier.to_text()


def report(way: WayBack, *, exactly: bool) -> str:
    """What the user is told once it is done; `exactly`: the content itself was put back, so no id is new."""
    parts = [f"The last turn is taken back:\n{way.changes}" if way.changes else "The last turn is taken back."]
    if way.new_ids and not exactly:
        changed = ", ".join(f"{old} is now {new}" for old, new in list(way.new_ids.items())[:12])
        parts.append(f"Arrow gives no id twice, so what was deleted has come back under a new one: {changed}.")
    if way.remaining and not exactly:
        parts.append(f"This could not be taken back:\n{Diff(way.remaining)}")
    return "\n".join(parts)
