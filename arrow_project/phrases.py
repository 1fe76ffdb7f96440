"""What a node says and does, in the few words of an outline."""

import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any

from arrow_project.long_texts import pieces
from arrow_project.node_types.kinds import Scope
from arrow_project.project_data import ProjectData
from arrow_project.values import Record, integer, record, sequence, text

_EXITS = {
    "condition": ("true", "false"),
    "tag_pass": ("true", "false"),
}
# What a writer may call something and still be read as it stands; and the operators.
_BARE = re.compile(r"\w(?:[\w .,'’&-]*\w)?|[<>=!+*/%^-]{1,2}")
# JSON leaves these as they are: what ends a line for some reader, what turns the direction of writing, and what is not
# seen; but for the joiners U+200C and U+200D, which Persian, the scripts of India and emoji are spelt with.
_UNSEEN = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


_LONGEST_NAME = 100  # where it only says whose id it is: very many nodes may name one resource


class Reading(Scope):
    """The scope of showing a project: it looks up, and changes nothing."""

    def __init__(self, project: ProjectData) -> None:
        self._document = project

    def find(self, kind: str, given: object) -> int:
        """Showing looks nothing up by name."""
        raise LookupError(kind, given)

    def variable_type(self, variable_id: int) -> str:
        """num, str or bool; empty for what is no variable."""
        return self._document.variable_type(variable_id)

    def helper(self, stem: str) -> int:
        """Showing makes nothing."""
        raise LookupError(stem)

    def node_type(self, node_id: int) -> str:
        """The type of an existing node."""
        return text(self._document.nodes[node_id]["type"])

    def scene_entry(self, scene_id: int) -> int:
        """The entry of an existing scene."""
        return integer(self._document.scenes[scene_id]["entry"])

    def remark(self, sentence: str) -> None:
        """Nobody listens."""

    def compiles(self, pattern: str) -> bool:
        """Showing judges nothing."""
        raise LookupError(pattern)


def simplified(project: ProjectData, node_id: int) -> Record:
    """The node's data as the tools say it; the native data of an unknown type."""
    node_type = project.node_type(node_id)
    data = project.data(node_id)
    return node_type.lift(data, Reading(project)) if node_type else data


def phrase(project: ProjectData, node_id: int, limit: int | None = None) -> str:
    """The node's meaning without its exits; texts cut to the limit."""
    said = simplified(project, node_id)
    type_name = text(project.nodes[node_id]["type"])
    return _PHRASES.get(type_name, _any)(said, project, limit)


def exits(project: ProjectData, node_id: int, limit: int | None = None) -> list[str]:
    """What each output slot means, in the order of the tools; empty where there is only one to go on."""
    type_name = text(project.nodes[node_id]["type"])
    if type_name in _EXITS:
        return list(_EXITS[type_name])
    key = {"dialog": "lines", "interaction": "actions", "tag_match": "patterns"}.get(type_name)
    if key is not None:
        items = [item for item in sequence(project.data(node_id).get(key)) if isinstance(item, str)]
        return [quoted(item, limit) for item in items]
    count = project.outputs(node_id)
    return [""] * count if type_name in ("randomizer", "sequencer") else []


def quoted(value: object, limit: int | None = None) -> str:
    """A text in quotation marks, cut to the limit."""
    if isinstance(value, str):
        shown = value
    else:  # whatever stands in its place, of which no more is written than is shown
        written = json.JSONEncoder(ensure_ascii=False).iterencode(value)
        shown = "".join(written if limit is None else islice(written, limit + 1))
    if limit is not None and len(shown) > limit:
        shown = shown[: limit - 1] + "…"
    return as_json(shown)


def as_json(value: object) -> str:
    """A value in JSON, on one line and in sight whatever it holds."""
    told = json.dumps(value, ensure_ascii=False)
    return told if told.isprintable() else "".join(map(_in_sight, pieces(told)))


def _in_sight(piece: str) -> str:
    unseen = set(_UNSEEN.findall(piece))  # a text has few different ones, and may have millions
    return piece.translate({ord(sign): json.dumps(sign)[1:-1] for sign in unseen})


def bare(value: object) -> str:
    """A name as it stands; in quotation marks where it is more than words, so that it cannot leave its place."""
    shown = value if isinstance(value, str) else as_json(value)
    return shown if _BARE.fullmatch(shown) else as_json(shown)


def named(project: ProjectData, kind: str, resource_id: object) -> str:
    """A resource's name, or its beginning, and its id."""
    if not isinstance(resource_id, int) or resource_id not in project.table(kind):
        return f"no {kind}" if resource_id == -1 else f"missing {kind} {bare(resource_id)}"
    return f"{bare(project.name(kind, resource_id)[:_LONGEST_NAME])}({resource_id})"


def _operand(operand: object, project: ProjectData) -> str:
    given = record(operand)
    if given.get("type") == "variable":
        return named(project, "variable", given.get("value"))
    return as_json(given.get("value"))


def _content(said: Record, _document: ProjectData, limit: int | None) -> str:
    flags = [key for key in ("auto_play", "clear") if said.get(key)]
    parts = [quoted(said[key], limit) for key in ("title", "content") if said.get(key)]
    return " ".join(parts + flags)


def _speaker(said: Record, project: ProjectData) -> str:
    character = said.get("character")
    return "Anonymous" if character == -1 else named(project, "character", character)


def _dialog(said: Record, project: ProjectData, _limit: int | None) -> str:
    lines = sequence(said.get("lines"))
    how = "" if len(lines) < 2 else (" player picks" if said.get("playable") else " random line")
    return _speaker(said, project) + how


def _monolog(said: Record, project: ProjectData, limit: int | None) -> str:
    flags = "".join(f" {key}" for key in ("auto_play", "clear") if said.get(key))
    return f"{_speaker(said, project)} {quoted(said.get('text', ''), limit)}{flags}"


def _condition(said: Record, project: ProjectData, _limit: int | None) -> str:
    subject = named(project, "variable", said.get("variable"))
    return f"{subject} {bare(said.get('operator'))} {_operand(said.get('compare_to'), project)}"


def _update(said: Record, project: ProjectData, _limit: int | None) -> str:
    subject = named(project, "variable", said.get("variable"))
    return f"{subject} {bare(said.get('operation'))} {_operand(said.get('value'), project)}"


def _generator(said: Record, project: ProjectData, _limit: int | None) -> str:
    rest = {key: value for key, value in said.items() if key not in ("variable", "generator_type", "rect")}
    how = " ".join(f"{bare(key)}={as_json(value)}" for key, value in rest.items())
    return f"{named(project, 'variable', said.get('variable'))} = {bare(said.get('generator_type'))} {how}".rstrip()


def _input(said: Record, project: ProjectData, limit: int | None) -> str:
    custom = f" {as_json(said['custom'])}" if said.get("custom") else ""
    return f"{quoted(said.get('prompt', ''), limit)} into {named(project, 'variable', said.get('variable'))}{custom}"


def _tag_edit(said: Record, project: ProjectData, _limit: int | None) -> str:
    edits = [
        " ".join(bare(e[key]) for key in ("action", "key", "value") if e.get(key))
        for e in sequence(said.get("operations"))
    ]
    return f"{named(project, 'character', said.get('character'))} {', '.join(edits)}".rstrip()


def _tag_match(said: Record, project: ProjectData, _limit: int | None) -> str:
    how = " regex" if said.get("regex") else ""
    return f"{named(project, 'character', said.get('character'))} tag {bare(said.get('key'))}{how}"


def _tag_pass(said: Record, project: ProjectData, _limit: int | None) -> str:
    conditions = sequence(said.get("conditions"))
    checks = [bare(c["key"]) if "value" not in c else f"{bare(c['key'])}={quoted(c['value'])}" for c in conditions]
    return (
        f"{named(project, 'character', said.get('character'))} {bare(said.get('method'))} {', '.join(checks)}".rstrip()
    )


def _jump(said: Record, project: ProjectData, limit: int | None) -> str:
    target = record(said.get("target")).get("id")
    reason = f" {quoted(said['reason'], limit)}" if said.get("reason") else ""
    if not isinstance(target, int) or target not in project.nodes:
        return f"to {'nothing' if target == -1 else f'missing node {bare(target)}'}{reason}"
    owner = project.owner(target)
    return f"to {target} (scene {owner}){reason}"


def _macro(said: Record, project: ProjectData, _limit: int | None) -> str:
    return named(project, "macro", said.get("macro"))


def _label(key: str) -> Callable[[Record, ProjectData, int | None], str]:
    return lambda said, _document, limit: quoted(said.get(key, ""), limit)


def _count(key: str) -> Callable[[Record, ProjectData, int | None], str]:
    return lambda said, _document, _limit: f"{bare(said.get(key))} {key}"


def _nothing(_said: Record, _document: ProjectData, _limit: int | None) -> str:
    return ""


def _any(said: Record, _document: ProjectData, limit: int | None) -> str:
    return quoted(said, limit)


_PHRASES: dict[str, Callable[[Record, ProjectData, int | None], Any]] = {
    "condition": _condition,
    "content": _content,
    "dialog": _dialog,
    "entry": _label("label"),
    "frame": _label("title"),
    "generator": _generator,
    "hub": _count("inputs"),
    "interaction": _nothing,
    "jump": _jump,
    "macro_use": _macro,
    "marker": _label("label"),
    "monolog": _monolog,
    "randomizer": _nothing,
    "sequencer": _nothing,
    "tag_edit": _tag_edit,
    "tag_match": _tag_match,
    "tag_pass": _tag_pass,
    "user_input": _input,
    "variable_update": _update,
}
