"""Where a new node goes: to the right in reading order, branches fanned out, nothing covered."""

from bisect import bisect_left, insort
from collections.abc import Callable
from functools import partial

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


class Layout:
    """Where a scene's nodes are, looked at once for all that an operation inserts, and only if it asks for a place.

    Frames are left out, which lie behind other nodes on purpose.
    """

    def __init__(self, project: ProjectData, scene_id: int) -> None:
        self._project = project
        self._scene_id = scene_id
        self._is_read = False
        self._places: dict[int, Point] = {}
        self._by_left: list[tuple[int, int]] = []  # with the node
        self._sized: list[int] = []  # boxes of which a writer has chosen the size

    def add(self, node_id: int, place: Point) -> None:
        """A node has been inserted."""
        if self._is_read:
            self._note(node_id, place, partial(insort, self._by_left))

    def _read(self) -> None:
        for node_id, entry in self._project.scene_map(self._scene_id).items():
            if node_id in self._project.nodes:
                self._note(node_id, self._project.offset(entry), self._by_left.append)
        self._by_left.sort()
        self._is_read = True

    def _note(self, node_id: int, place: Point, keep: Callable[[tuple[int, int]], None]) -> None:
        if self._project.nodes[node_id]["type"] == "frame":
            return
        self._places[node_id] = place
        keep((place[0], node_id))
        if "rect" in self._project.data(node_id):
            self._sized.append(node_id)

    def place(self, type_name: str, data: Record, anchor: int | None, *, below: bool = False) -> Point:
        """The position of a new node beside the anchor (or after everything), covering nothing.

        Args:
            type_name: the new node's type.
            data: its data, which decides its size.
            anchor: the node it belongs to.
            below: under the anchor instead of to its right.
        """
        if not self._is_read:
            self._read()
        if not self._places:
            return _FIRST
        if anchor not in self._places:
            anchor = max(self._places, key=self._places.__getitem__)
        (x, y), (width, height) = self._places[anchor], self._extent(anchor)
        start = (x, y + height + _GAP_Y) if below else (x + width + _GAP_X, y)
        return self._free(start, size(type_name, data))

    def _extent(self, node_id: int) -> Point:
        return size(text(self._project.nodes[node_id]["type"]), self._project.data(node_id))

    def _free(self, start: Point, extent: Point) -> Point:
        """The first free place from here downwards."""
        x, y = start
        width, height = extent
        first, end = (bisect_left(self._by_left, (left,)) for left in (x - _WIDEST + 1, x + width))
        near = {node_id for _, node_id in self._by_left[first:end]}.union(self._sized)
        for node_id in sorted(near, key=lambda n: (self._places[n][1], n)):
            left, top = self._places[node_id]
            wide, tall = self._extent(node_id)
            if left < x + width and x < left + wide and top < y + height and y < top + tall:
                y = top + tall + _GAP_Y
        return x, y
