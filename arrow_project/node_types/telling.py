"""Node types that show or ask something by plain text: content, dialog, monolog, interaction, entry, marker, frame."""

from typing import Any

from arrow_project.node_types.kinds import Color, Flag, Rect, Reference, Text, Texts, Whole
from arrow_project.node_types.node_type import Field, NodeType, none
from arrow_project.values import Record, sequence

_CHARACTER = Reference("character", "id or exact name of a character, -1 for nobody")


def _brief() -> Field:
    return Field(
        "brief", Whole(-1), 0, "brief", 61, optional=True,
        description="how many characters the canvas box shows, -1 for all",
    )  # fmt: skip


def _flag(name: str, said: str, description: str) -> Field:
    return Field(name, Flag(), False, said, 61, optional=True, description=description)


def _auto() -> Field:
    return _flag("auto", "auto_play", "go on without waiting for the player")


def _clear() -> Field:
    return _flag("clear", "clear", "remove what was shown before")


def _text(name: str, rule: int, said: str = "", *, default: str = "", **more: Any) -> Field:
    return Field(name, Text(), default, said or name, rule, **more)


def character_field() -> Field:
    """The character a node is about."""
    return Field("character", _CHARACTER, -1, "character", 52, also=("character_id",))


def _texts_slots(name: str) -> Any:
    def slots(data: Record) -> int:
        items = sequence(data.get(name))
        # what is no text gets no port
        return len([item for item in items if isinstance(item, str)])

    return slots


CONTENT = NodeType(
    "content",
    "Text shown to the player. Slot 0 = continue.",
    fields=(
        _text("title", 61, optional=True, exposes=True),
        _text("content", 61, optional=True, exposes=True, also=("text",)),
        _brief(),
        _auto(),
        _clear(),
    ),
)

DIALOG = NodeType(
    "dialog",
    "Spoken lines. Each line is an ALTERNATIVE with its own output slot: slot i = line i. playable true: the "
    "player picks a line; false: one is picked at random. A speech is ONE line with line breaks in it, or several "
    "nodes in a row.",
    fields=(
        character_field(),
        Field("lines", Texts(), ["Hey there!"], "lines", 50, exposes=True),
        _flag("playable", "playable", "the player chooses among the lines"),
    ),
    outputs=_texts_slots("lines"),
    counted="lines",
)

MONOLOG = NodeType(
    "monolog",
    "One character says one text. Slot 0 = continue.",
    fields=(
        character_field(),
        _text("monolog", 61, "text", exposes=True),
        _brief(),
        _auto(),
        _clear(),
    ),
    exposures_first=True,
)

INTERACTION = NodeType(
    "interaction",
    "Choices of the player. Slot i = action i.",
    fields=(Field("actions", Texts(), ["Go ahead!"], "actions", 50, exposes=True, also=("options",)),),
    outputs=_texts_slots("actions"),
    counted="actions",
)

ENTRY = NodeType(
    "entry",
    "Where a scene can begin; has no input. Slot 0 = continue.",
    fields=(_text("plaque", 60, "label"),),
    inputs=none,
)

MARKER = NodeType(
    "marker",
    "A named place, e.g. for jumps. Slot 0 = continue.",
    fields=(_text("label", 59), Field("color", Color("ff"), "4a90e2ff", "color", 59)),
)

FRAME = NodeType(
    "frame",
    "A coloured box behind a group of nodes; has no slots at all.",
    fields=(
        _text("label", 59, "title"),
        Field("color", Color("80"), "4a90e280", "color", 59),
        Field("rect", Rect(128), [128, 128], "rect", 59),
    ),
    inputs=none,
    outputs=none,
)
