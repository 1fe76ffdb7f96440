"""Where a node is put: by word or by coordinates."""

from typing import cast

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.layout import Layout
from arrow_project.node_types import Part
from arrow_project.operations.editing import Editing
from arrow_project.values import Record, shown

POSITIONS = ("auto", "below_previous", "right_of_previous")


def offset_for(
    editing: Editing, layout: Layout, part: Part, scene_id: int, position: object, anchor: int | None
) -> list[int]:
    """The place of a new node in a scene of that layout; the anchor is the node it belongs to.

    Raises:
        OperationError: INVALID_POSITION.
    """
    if isinstance(position, dict):
        given = cast("Record", position)
        position = [given.get("x"), given.get("y")]
    if isinstance(position, list):
        return explicit(cast("list[object]", position))
    if position not in POSITIONS:
        raise _bad_position(position)
    if anchor is None or position != "auto":
        anchor = _previous(editing, scene_id) if anchor is None else anchor
    below = position == "below_previous"
    return list(layout.place(part.type, part.data, anchor, below=below))


def explicit(position: list[object]) -> list[int]:
    """Coordinates as whole numbers.

    Raises:
        OperationError: INVALID_POSITION.
    """
    if len(position) != 2 or any(isinstance(c, bool) or not isinstance(c, int | float) for c in position):
        raise _bad_position(position)
    coordinates = [int(cast("float", c)) for c in position if abs(cast("float", c)) < 2**31]
    if len(coordinates) != 2:
        raise _bad_position(position)
    return coordinates


def _bad_position(position: object) -> OperationError:
    return OperationError(
        ErrorCode.INVALID_POSITION,
        f"{shown(position)} is no position; possible: {', '.join(POSITIONS)}, or [x, y].",
    )


def _previous(editing: Editing, scene_id: int) -> int | None:
    """What the writer would call the previous node: last created, else last selected, in this scene."""
    selected = editing.selection.node_ids[-1:]
    candidates = [*editing.created[-1:], editing.selection.last_created, *selected]
    in_scene = editing.project.scene_map(scene_id)
    return next((n for n in candidates if n is not None and n in in_scene), None)
