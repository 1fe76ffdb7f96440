"""Where a new node goes: to the right in reading order, branches fanned out, nothing covered."""

from arrow_project.document import Document
from arrow_project.node_types import NODE_TYPES
from arrow_project.values import Record, integer, sequence, text

Point = tuple[int, int]
Box = tuple[int, int, int, int]

_FIRST: Point = (100, 100)
_GAP_X, _GAP_Y = 60, 40
_WIDTHS = {"content": 240, "dialog": 240, "monolog": 240, "interaction": 200, "condition": 220}
_WIDTH, _HEAD, _ROW = 180, 64, 28
_TEXT_ROWS = 3
_SHOWING = ("content", "monolog", "dialog")


def size(type_name: str, data: Record) -> Point:
    """About how large Arrow draws the node, in canvas units."""
    rect = sequence(data.get("rect"))
    if len(rect) == 2:
        return max(integer(rect[0], _WIDTH), 1), max(integer(rect[1], _HEAD), 1)
    node_type = NODE_TYPES.get(type_name)
    rows = max(node_type.inputs(data), node_type.outputs(data), 1) if node_type else 1
    rows += _TEXT_ROWS if type_name in _SHOWING else 0
    return _WIDTHS.get(type_name, _WIDTH), _HEAD + _ROW * rows


def place(
    document: Document, scene_id: int, type_name: str, data: Record, anchor: int | None, *, below: bool = False
) -> Point:
    """The position of a new node beside the anchor (or after everything), covering nothing.

    Args:
        document: the document.
        scene_id: the scene that gets the node.
        type_name: the new node's type.
        data: its data, which decides its size.
        anchor: the node it belongs to.
        below: under the anchor instead of to its right.
    """
    boxes = _boxes(document, scene_id)
    if not boxes:
        return _FIRST
    if anchor not in boxes:
        anchor = max(boxes, key=lambda n: boxes[n][0])
    x, y, width, height = boxes[anchor]
    start = (x, y + height + _GAP_Y) if below else (x + width + _GAP_X, y)
    return _free(start, size(type_name, data), list(boxes.values()))


def _boxes(document: Document, scene_id: int) -> dict[int, Box]:
    boxes: dict[int, Box] = {}
    for node_id, entry in document.scene_map(scene_id).items():
        node = document.nodes.get(node_id)
        # frames lie behind other nodes on purpose
        if node is not None and node["type"] != "frame":
            boxes[node_id] = (*document.offset(entry), *size(text(node["type"]), node["data"]))
    return boxes


def _free(start: Point, extent: Point, taken: list[Box]) -> Point:
    """The first free place from here downwards."""
    x, y = start
    width, height = extent
    column = sorted((box for box in taken if box[0] < x + width and x < box[0] + box[2]), key=lambda box: box[1])
    for _x, top, _width, tall in column:
        if top < y + height and y < top + tall:
            y = top + tall + _GAP_Y
    return x, y
