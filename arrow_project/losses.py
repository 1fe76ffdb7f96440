"""What a change takes away from a story: one measure for whatever function makes it."""

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from arrow_project.bbcode import is_readable_in
from arrow_project.phrases import quoted
from arrow_project.project import ArrowProject
from arrow_project.values import connections

Tables = dict[str, dict[int, dict[str, Any]]]
"""The resources of a story by kind and id; `place` is a node's entry in the map of its scene."""

_UNSET = (None, "", -1)
_BOOKKEEPING = ("use", "ref", "map")
_UNSHOWN = ("name", "notes", "tags.")  # how the places begin that no player is shown
# A text that players are shown; of a user_input, custom[0] is what the answer has to match.
_PLAYED = re.compile(r"title|content|monolog|prompt|(?:lines|actions)\[\d+\]|custom\[[12]\]")
_CHOICE = re.compile(r"(?:lines|actions)\[(\d+)\]")  # a text whose index is the slot that it leads on from
_SHOWN = 60


@dataclass(frozen=True)
class Loss:
    """Something that was in a story and is in it no more.

    Attributes:
        kind: `project`, `scene`, `node`, `variable` or `character`.
        id: Whose it was; 0 for the project.
        place: Where it stood, such as `content`, `lines[2]` or `tags.home`; empty when the resource itself is gone.
        was: What stood there: the text, or the value as JSON; of a resource, its name.
        is_removal: Nothing has come in its place: a resource, a tag, a connection, and the beginning of the story.
        connection: The native connection that is gone; with `was`, it is there, and the choice `was` is elsewhere.
    """

    kind: str
    id: int
    place: str
    was: str
    is_removal: bool = False
    connection: tuple[int, ...] = ()


def tables_of(project: ArrowProject) -> Tables:
    """All of a story that can be lost. The records are the project's own."""
    data = project.data
    places: dict[int, dict[str, Any]] = {}
    for scene in data.scenes.values():
        places |= scene["map"]
    return {
        "project": {0: {"title": project.title, "entry": project.entry}},
        "scene": {key: {**scene, "map": None} for key, scene in data.scenes.items()},
        "node": data.nodes,
        "place": places,
        "variable": data.variables,
        "character": data.characters,
    }


def losses(before: Tables, after: Tables) -> Iterator[Loss]:
    """What is in `before` and not in `after`, in the order of the story.

    A text is kept where its resource still says it, alone or as a part of more, and where only a name that it exposes
    was renamed; what players are shown only where they are shown it and can read it, and a choice only where it leads
    on as before.
    Positions and what Arrow keeps by itself (`use`, `ref`) are nobody's loss.
    """
    renamed = _renamed_exposures(before, after)
    for kind, table in before.items():
        for key, was in table.items():
            now = after[kind].get(key)
            if now == was:
                continue
            if kind == "place":
                yield from _lost_of_place(key, was, now)
            elif now is None:
                yield Loss(kind, key, "", str(was.get("name", "")), is_removal=True)
            else:
                yield from _lost_of_resource(kind, key, _values(was), _values(now), renamed)
                if kind == "node":
                    led, leads = (_ways(tables["place"].get(key, {})) for tables in (before, after))
                    yield from _lost_of_choices(key, _choices(was), _choices(now), led, leads, renamed)


def describe_loss(project: ArrowProject, loss: Loss) -> str:
    """The loss as a question names it; `project` is the story that still has it."""
    if loss.connection:
        from_id, from_slot, to_id, _ = project.said(list(loss.connection))
        choice = f" of {_shown(loss.was)}" if loss.was else ""
        return f"the connection{choice} from {from_id} slot {from_slot} to {to_id}"
    thing = loss.kind if loss.kind == "project" else f"{loss.kind} {loss.id}"
    if not loss.place:
        return f"{thing} {_shown(loss.was)}"
    length = f" ({len(loss.was)} characters)" if len(loss.was) > _SHOWN else ""
    field, dot, tag = loss.place.partition(".")
    return f"{field}{dot}{tag if tag.isidentifier() or not dot else _shown(tag)} of {thing}: {_shown(loss.was)}{length}"


def _lost_of_place(node_id: int, was: dict[str, Any], now: dict[str, Any] | None) -> Iterator[Loss]:
    left = set(_connections(now or {}))
    for connection in _connections(was):
        if connection not in left:
            yield Loss("node", node_id, "connection", "", is_removal=True, connection=connection)
    if now and bool(was.get("skip")) != bool(now.get("skip")):  # else its node is gone, and that says it
        yield Loss("node", node_id, "skip", "skipped" if was.get("skip") else "played")


def _connections(entry: dict[str, Any]) -> list[tuple[int, ...]]:
    return [tuple(way) for way in connections(entry)]


def _lost_of_resource(
    kind: str, key: int, was: Mapping[str, Any], now: Mapping[str, Any], renamed: Mapping[str, str]
) -> Iterator[Loss]:
    texts = {place: text for place, text in now.items() if isinstance(text, str)}
    for place, value in was.items():
        other = now.get(place)
        is_tag = place.startswith("tags.") and place not in now
        if other == value or (_is_unset(value, other) and not is_tag):
            continue
        if isinstance(value, str):
            others = [text for other_place, text in texts.items() if _may_keep(other_place, place)]
            is_kept = _is_kept_for_players if _PLAYED.fullmatch(place) else _is_kept
            if is_tag or place == "name" or not is_kept(value, others, renamed):
                yield Loss(kind, key, place, value, is_removal=is_tag)
        else:
            yield Loss(kind, key, place, json.dumps(value), is_removal=kind == "project")


def _may_keep(place: str, lost: str) -> bool:
    """Whether what stood at the place `lost` is still said as it was where it stands at `place`."""
    if lost.startswith(_UNSHOWN) or _PLAYED.fullmatch(place):
        return True
    return not _PLAYED.fullmatch(lost) and place.partition("[")[0] == lost.partition("[")[0]


def _lost_of_choices(
    node_id: int,
    was: Mapping[int, str],
    now: Mapping[int, str],
    led: Mapping[int, set[tuple[int, ...]]],
    leads: Mapping[int, set[tuple[int, ...]]],
    renamed: Mapping[str, str],
) -> Iterator[Loss]:
    """The ways of choices that stand at other slots now, and lead elsewhere from there; all by slot."""
    for slot, choice in was.items():
        if choice and slot in led and now.get(slot) != choice:
            slots = [other for other, text in now.items() if _is_kept_for_players(choice, (text,), renamed)]
            kept = {way for other in slots for way in leads.get(other, ())}
            for way in sorted(led[slot] - kept) if slots else ():
                yield Loss("node", node_id, "connection", choice, True, (node_id, slot, *way))


def _choices(node: dict[str, Any]) -> dict[int, str]:
    found = ((_CHOICE.fullmatch(place), text) for place, text in _values(node).items() if isinstance(text, str))
    return {int(place[1]): text for place, text in found if place}


def _ways(entry: dict[str, Any]) -> dict[int, set[tuple[int, ...]]]:
    """Where each slot leads: node and slot."""
    ways: dict[int, set[tuple[int, ...]]] = {}
    for _, slot, *way in _connections(entry):
        ways.setdefault(slot, set()).add(tuple(way))
    return ways


def _is_unset(value: Any, other: Any) -> bool:
    """Whether nothing stands there; `false` is what a field says that is not there."""
    return value in _UNSET or (value is False and other is not True)


def _is_kept(text: str, texts: Collection[str], renamed: Mapping[str, str]) -> bool:
    """A word by itself is kept as it is, more than one also as a part of a text."""
    text = _as_renamed(text, renamed)
    return text in texts or (len(text.split()) > 1 and any(text in other for other in texts))


def _is_kept_for_players(text: str, texts: Collection[str], renamed: Mapping[str, str]) -> bool:
    """The same, but as a part only where a reader can read it."""
    text = _as_renamed(text, renamed)
    return text in texts or (len(text.split()) > 1 and any(is_readable_in(text, other) for other in texts))


def _as_renamed(text: str, renamed: Mapping[str, str]) -> str:
    for old, new in renamed.items():
        text = text.replace(old, new)
    return text


def _values(value: Any, place: str = "") -> dict[str, Any]:
    """Every single value of a record, by where it stands."""
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value).items()
        inner = [(f"{place}.{field}", part) for field, part in fields if place or field not in _BOOKKEEPING]
    elif isinstance(value, list):
        inner = [(f"{place}[{index}]", part) for index, part in enumerate(cast("list[Any]", value))]
    else:
        return {place.removeprefix(".").removeprefix("data."): value}
    return {where: leaf for name, part in inner for where, leaf in _values(part, name).items()}


def _renamed_exposures(before: Tables, after: Tables) -> dict[str, str]:
    """`{name}` and `{name.` as texts expose a variable or a character that has another name now."""
    renamed: dict[str, str] = {}
    for kind, end in (("variable", "}"), ("character", ".")):
        for key, was in before[kind].items():
            new = after[kind].get(key, was)["name"]
            if new != was["name"]:
                renamed[f"{{{was['name']}{end}"] = f"{{{new}{end}"
    return renamed


def _shown(text: str) -> str:
    return quoted(text, _SHOWN)
