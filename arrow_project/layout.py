"""Where a new node goes: to the right in reading order, branches fanned out, nothing covered."""

from arrow_project.node_types import NODE_TYPES
from arrow_project.project_data import ProjectData
from arrow_project.values import Record, integer, sequence, text

Point = tuple[int, int]

_FIRST: Point = (100, 100)
_GAP_X, _GAP_Y = 60, 40
_WIDTHS = {"content": 240, "dialog": 240, "monolog": 240, "interaction": 200, "condition": 220}
_WIDTH, _HEAD, _ROW = 180, 64, 28
_TEXT_ROWS = 3
_WIDEST = max(_WIDTH, *_WIDTHS.values())
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
    project: ProjectData, scene_id: int, type_name: str, data: Record, anchor: int | None, *, below: bool = False
) -> Point:
    """The position of a new node beside the anchor (or after everything), covering nothing.

    Args:
        project: the project.
        scene_id: the scene that gets the node.
        type_name: the new node's type.
        data: its data, which decides its size.
        anchor: the node it belongs to.
        below: under the anchor instead of to its right.
    """
    places = _places(project, scene_id)
    if not places:
        return _FIRST
    if anchor not in places:
        anchor = max(places, key=lambda n: places[n])
    (x, y), (width, height) = places[anchor], _extent(project, anchor)
    start = (x, y + height + _GAP_Y) if below else (x + width + _GAP_X, y)
    return _free(project, places, start, size(type_name, data))


def _places(project: ProjectData, scene_id: int) -> dict[int, Point]:
    """Where the nodes are; frames aside, which lie behind other nodes on purpose."""
    entries = project.scene_map(scene_id).items()
    return {n: project.offset(e) for n, e in entries if n in project.nodes and project.nodes[n]["type"] != "frame"}


def _extent(project: ProjectData, node_id: int) -> Point:
    return size(text(project.nodes[node_id]["type"]), project.data(node_id))


def _is_sized(project: ProjectData, node_id: int) -> bool:
    """Whether a writer gave the box a size."""
    return "rect" in project.data(node_id)


def _free(project: ProjectData, places: dict[int, Point], start: Point, extent: Point) -> Point:
    """The first free place from here downwards."""
    x, y = start
    width, height = extent
    near = [n for n, (left, _) in places.items() if left < x + width and (left + _WIDEST > x or _is_sized(project, n))]
    for node_id in sorted(near, key=lambda n: places[n][1]):
        left, top = places[node_id]
        wide, tall = _extent(project, node_id)
        if x < left + wide and top < y + height and y < top + tall:
            y = top + tall + _GAP_Y
    return x, y
