"""Operations on characters."""

import colorsys
from typing import Any

from arrow_project.merging import replaced
from arrow_project.node_types.kinds import hex_digits, mismatch, own_text
from arrow_project.node_types.tagging import tag_key, tag_value
from arrow_project.operations.detaching import release
from arrow_project.operations.editing import Editing, arguments_record
from arrow_project.operations.function import Function, function, schema
from arrow_project.operations.variables import find, free_name, refuse_too_much_text
from arrow_project.values import Record, record, shown

_GOLDEN = 0.618034
_RGB = 6
_BY: Record = {
    "character_id": {"type": ["integer", "string"]},
    "by_name": {"type": "string", "description": "instead of the id"},
}
_TAGS: Record = {
    "type": "object",
    "additionalProperties": {"type": "string"},
    "description": "the character's state as texts, e.g. {mood: calm}; texts show {Name.mood}",
}


def _create_character(editing: Editing, arguments: Record) -> Record:
    name = free_name(editing, "character", arguments["name"])
    color = _color(arguments.get("color")) or _distinct_color(len(editing.project.characters))
    tags = _tags(arguments.get("tags"))
    notes = _notes(editing, arguments) or ""
    character_id = editing.mind.create_character(name, color, tags, notes)
    editing.mind.settle_references(editing.project.usage.exposing("character", name))
    return {"character_id": character_id, "name": name, "color": f"#{color}"}


def _color(given: object) -> str | None:
    return hex_digits("color", given, (_RGB, 8))[:_RGB] if given else None


def _distinct_color(count: int) -> str:
    """A colour far from the previous ones, always the same for the same place in the list."""
    rgb = colorsys.hsv_to_rgb(count * _GOLDEN % 1, 0.8, 0.9)
    return "".join(f"{round(part * 255):02x}" for part in rgb)


def _tags(given: object) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in arguments_record("tags", given).items():
        key = tag_key(name)
        if key in kept:
            raise mismatch(f"{shown(name)} and another tag would both have the key {shown(key)}; name one otherwise.")
        kept[key] = tag_value(value)
    return kept


def _notes(editing: Editing, arguments: Record) -> str | None:
    if "notes" not in arguments:
        return None
    editing.remark("The notes are kept in the file; Arrow itself shows notes of nodes only.")
    return own_text("notes", arguments["notes"])


def _update_character(editing: Editing, arguments: Record) -> Record:
    character_id = find(editing, "character", arguments)
    project = editing.project
    old = project.name("character", character_id)
    name = None
    if arguments.get("name") and arguments["name"] != old:
        name = free_name(editing, "character", arguments["name"], character_id)
        refuse_too_much_text(editing, "character", character_id, name)
        editing.mind.settle_references(project.usage.users("character", character_id))
    tags = _replacement(editing, character_id, arguments)
    color = _color(arguments.get("color"))
    editing.mind.update_character(character_id, name, color, tags, _notes(editing, arguments))
    if name is not None:
        _rename_other_tags(editing, old, name)
        editing.mind.settle_references(project.usage.exposing("character", name))
    return {"character_id": character_id, "name": project.name("character", character_id)}


def _replacement(editing: Editing, character_id: int, arguments: Record) -> dict[str, str | None] | None:
    """The given tags, and null for each one that they do not mention."""
    if "tags" not in arguments:
        return None
    tags = _tags(arguments["tags"])
    before = record(editing.project.characters[character_id].get("tags"))
    gone = [key for key in before if key not in tags]
    if gone:
        editing.remark(f"Removed the tags {', '.join(str(key) for key in gone)}: tags are replaced as a whole.")
    removed: dict[Any, str | None] = dict.fromkeys(gone)
    return removed | tags


def _rename_other_tags(editing: Editing, old: str, new: str) -> None:
    """Arrow renames exposures of the tags a character begins with; texts may expose others too."""
    project = editing.project
    for node_id in project.usage.exposing("character", old):
        data = project.data(node_id)
        renamed: Record = replaced(data, {f"{{{old}.": f"{{{new}."})
        changed = {key: value for key, value in renamed.items() if value != data[key]}
        editing.mind.update_node(node_id, data=changed)


def _delete_character(editing: Editing, arguments: Record) -> Record:
    character_id = find(editing, "character", arguments)
    users = editing.project.usage.users("character", character_id)
    release(editing, "character", character_id, force=arguments.get("force") is True, users=users)
    editing.mind.delete_character(character_id)
    return {"removed_id": character_id}


FUNCTIONS: tuple[Function, ...] = (
    function(
        "create_character",
        _create_character,
        "Make a character who can speak and carry tags. Look first whether there is one of that name.",
        schema(
            {
                "name": {"type": "string", "description": "unique; blanks and dots become underscores"},
                "color": {"type": "string", "description": "#rrggbb"},
                "tags": _TAGS,
                "notes": {"type": "string"},
            },
            "name",
        ),
        asks_for_users=True,
    ),
    function(
        "update_character",
        _update_character,
        "Change a character's name (texts follow), colour, notes, or tags: tags are replaced as a whole.",
        schema(
            _BY
            | {
                "name": {"type": "string"},
                "color": {"type": "string"},
                "tags": _TAGS,
                "notes": {"type": "string"},
            }
        ),
        asks_for_users=True,
    ),
    function(
        "delete_character",
        _delete_character,
        "Remove a character. Refused while nodes use it, unless force is true: then they lose it.",
        schema(_BY | {"force": {"type": "boolean", "default": False}}),
        destructive=True,
        aliases={"forced": "force"},
        asks_for_users=True,
    ),
)
