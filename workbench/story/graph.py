"""A scene as a drawing: nodes where Arrow has them, in their colours, and what a change has marked."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import chain, islice
from typing import Literal

from arrow_project import Link, Node, Story, shorten
from workbench.frame.bounded import MOST_ELEMENTS, MOST_LINKS, MOST_NODES
from workbench.story.open_story import OpenStory

Mark = Literal["new", "changed", "removed"]

_WIDTH, _HEAD, _ROW = 150, 24, 16
_NARROW = 110
_FRAME = 128, 128  # where it does not say
_MARGIN = 40
_LONGEST = 21  # characters of a line in a node
_LONGEST_ID = 6
_LONGER = 1.1
_FARTHEST = 100_000  # where a node may be; a drawing has to end somewhere
_GREY = "#5e5e5e"  # of Arrow's nodes, which have no colour of their own
_SPOKEN = ("dialog", "monolog")  # of which one sees who speaks, and at the lines what they are
_PORTS = {"true": "#00c792", "false": "#e60000"}


@dataclass(frozen=True)
class Box:
    """A node of the drawing, in Arrow's units; `said` is all of it, for who does not see it."""

    node: Node
    x: int
    y: int
    width: int
    height: int
    colour: str
    title: str
    lines: tuple[str, ...]
    outputs: tuple[str, ...]
    said: str
    mark: Mark | None = None


def marks(old: Story, new: Story) -> dict[int, Mark]:
    """What a change does to the nodes, by id."""
    marked: dict[int, Mark] = dict.fromkeys(new.nodes.keys() - old.nodes.keys(), "new")
    marked |= dict.fromkeys(old.nodes.keys() - new.nodes.keys(), "removed")
    for key in old.nodes.keys() & new.nodes.keys():
        if old.nodes[key] != new.nodes[key] or old.leaving(key) != new.leaving(key):
            marked[key] = "changed"
    return marked


def scene_drawing(shown: OpenStory, scene_id: int, before: OpenStory | None = None) -> str:
    """The scene as SVG.

    Args:
        shown: The story.
        scene_id: A scene of it, or one that was in `before` and is gone.
        before: The story before a change that is to be marked; what is gone is drawn where it was.
    """
    marked = marks(before.story, shown.story) if before is not None else {}
    boxes = {box.node.id: box for box in _boxes(shown, scene_id, marked)}
    links = _links(shown.story, boxes)
    if before is not None:
        gone = [box for box in _boxes(before, scene_id, marked) if box.mark == "removed"]
        boxes |= {box.node.id: box for box in gone}
        links = chain(links, _links(before.story, boxes, {box.node.id for box in gone}))
    drawing = "".join(_svg(boxes, islice(links, MOST_LINKS)))
    # A few emoji make each of millions of characters take four bytes. Of many the escapes would be too long to be sent.
    escaped = drawing.encode("ascii", "xmlcharrefreplace").decode("ascii")
    return escaped if len(escaped) < _LONGER * len(drawing) else drawing


def _boxes(shown: OpenStory, scene_id: int, marked: Mapping[int, Mark]) -> Iterator[Box]:
    story = shown.story
    if scene_id not in story.scenes:
        return
    places = shown.project.data.scene_map(scene_id)
    # Frames first: whatever is drawn later lies above them.
    nodes = story.nodes_of(scene_id)[:MOST_NODES]
    is_crowded = sum(len(node.outputs[:MOST_ELEMENTS]) for node in nodes) > MOST_LINKS
    most_outputs = max(1, MOST_LINKS // len(nodes)) if is_crowded else MOST_ELEMENTS
    for node in sorted(nodes, key=lambda node: node.type != "frame"):
        x, y = map(_coordinate, places[node.id]["offset"])
        yield _box(story, node, x, y, node.outputs[:most_outputs], marked.get(node.id))


def _box(story: Story, node: Node, x: int, y: int, outputs: tuple[str, ...], mark: Mark | None) -> Box:
    width = _NARROW if node.type == "hub" else _WIDTH  # as in Arrow, where others are put close to it
    height = _HEAD + _ROW * max(len(outputs), 2) + 6
    if node.type == "frame":
        width, height = _sides(node.data.get("rect"))
    named = shorten(f"{_short(node.id)} {(node.type in _SPOKEN and story.speaker(node)) or node.type}", _LONGEST)
    described = story.describe(node.id)
    does = described.partition(": ")[2].removesuffix(")")
    lines = outputs if any(outputs) else _wrapped(" ".join(node.texts) or does or node.name)
    lines = tuple(shorten(line, _LONGEST) for line in lines)
    # What is seen comes first: whoever speaks to the computer says it.
    said = " ".join(filter(None, [named, *lines, described.partition(" ")[2]]))
    return Box(node, x, y, width, height, _colour(story, node), named, lines, outputs, said, mark)


def _short(node_id: int) -> str:
    """The id; of the long ones that Arrow gives where several write, the end, which tells them apart."""
    digits = str(node_id)
    return digits if len(digits) <= _LONGEST_ID else f"…{digits[-4:]}"


def _coordinate(value: object) -> int:
    """Of a place in the scene; what is no number, as a story by hand may have it, is at the edge."""
    return int(max(-_FARTHEST, min(_FARTHEST, value))) if isinstance(value, int | float) else 0


def _sides(rect: object) -> tuple[int, int]:
    """A frame's, of which Arrow takes no other than two numbers; a story by hand may have anything there."""
    match rect:
        case [int() | float() as width, int() | float() as height]:
            return int(max(0, min(_FARTHEST, width))), int(max(0, min(_FARTHEST, height)))
        case _:
            return _FRAME


def _wrapped(words: str) -> tuple[str, ...]:
    """The beginning of a text, on two lines."""
    text = shorten(words, 2 * _LONGEST)
    cut = text.rfind(" ", 0, _LONGEST) if len(text) > _LONGEST else len(text)
    cut = cut if cut > 0 else _LONGEST
    return (text[:cut], text[cut:].strip())


def _colour(story: Story, node: Node) -> str:
    own = node.data.get("color") if node.type in ("frame", "marker") else None
    character = story.characters.get(node.speaker_id if node.speaker_id is not None else -1)
    colour = own if isinstance(own, str) else character.color if character else ""
    digits = colour.lstrip("#")[:6]
    is_colour = len(digits) == 6 and all(digit in "0123456789abcdefABCDEF" for digit in digits)
    return f"#{digits}" if is_colour else _GREY


def _links(story: Story, boxes: Mapping[int, Box], only: set[int] | None = None) -> Iterator[Link]:
    for key in boxes:
        for link in story.leaving(key) if key in story.nodes else ():
            if (
                link.to_id in boxes
                and link.from_slot < MOST_ELEMENTS
                and link.from_slot not in range(len(boxes[key].outputs), len(boxes[key].node.outputs))
                and (only is None or link.from_id in only or link.to_id in only)
            ):
                yield link


def _svg(boxes: Mapping[int, Box], links: Iterable[Link]) -> Iterator[str]:
    left = min((box.x for box in boxes.values()), default=0) - _MARGIN
    top = min((box.y for box in boxes.values()), default=0) - _MARGIN
    width = max((box.x + box.width for box in boxes.values()), default=0) + _MARGIN - left
    height = max((box.y + box.height for box in boxes.values()), default=0) + _MARGIN - top
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left} {top} {width} {height}" '
    yield f'style="--width: {width}px; --height: {height}px" role="group" aria-label="Nodes of the scene">'
    first = next((box for box in boxes.values() if box.node.type == "entry"), next(iter(boxes.values()), None))
    frames = [box for box in boxes.values() if box.node.type == "frame"]
    yield from (_drawn(box, is_first=box is first) for box in frames)
    yield from (_edge(boxes[link.from_id], boxes[link.to_id], link) for link in links)
    yield from (_drawn(box, is_first=box is first) for box in boxes.values() if box.node.type != "frame")
    yield "</svg>"


def _edge(start: Box, end: Box, link: Link) -> str:
    x1, y1 = start.x + start.width, start.y + _HEAD + _ROW * link.from_slot + _ROW // 2
    x2, y2 = end.x, end.y + _HEAD + _ROW * link.to_slot + _ROW // 2
    bend = max(40, abs(x2 - x1) // 2)
    return f'<path class="edge" d="M{x1} {y1}C{x1 + bend} {y1} {x2 - bend} {y2} {x2} {y2}"/>'


def _drawn(box: Box, *, is_first: bool) -> str:
    mark = f" {box.mark}" if box.mark else ""
    said = escape(" ".join(filter(None, [box.said, box.mark])))
    kind = " frame" if box.node.type == "frame" else ""
    body = (
        f'<g class="node{kind}{mark}" data-node="{box.node.id}" transform="translate({box.x} {box.y})" '
        f'tabindex="{0 if is_first else -1}" role="button" aria-label="{said}">'
        f'<rect class="body" width="{box.width}" height="{box.height}" rx="5"/>'
        f'<rect class="head" width="{box.width}" height="{_HEAD}" rx="5" fill="{box.colour}"/>'
        f'<text class="title" x="8" y="16" fill="{_readable(box.colour)}">{escape(box.title)}</text>\n'
    )
    rows = "\n".join(
        f'<text x="8" y="{_HEAD + _ROW * row + 13}">{escape(line)}</text>' for row, line in enumerate(box.lines)
    )
    ports = "".join(_port(box, slot, means) for slot, means in enumerate(box.outputs))
    word = f'<text class="mark" x="{box.width}" y="-5" text-anchor="end">{box.mark}</text>' if box.mark else ""
    return f"{body}{rows}\n{ports}{word}</g>"


def _port(box: Box, slot: int, means: str) -> str:
    colour = _PORTS.get(means, "currentColor") if box.node.type in ("condition", "tag_pass") else "currentColor"
    return f'<circle cx="{box.width}" cy="{_HEAD + _ROW * slot + _ROW // 2}" r="4" fill="{colour}"/>'


def _readable(colour: str) -> str:
    """Black or white, whichever is told better from the colour."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in (red, green, blue)]
    return "#000" if 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2] > 0.179 else "#fff"
