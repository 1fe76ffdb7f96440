"""What a change takes away from a story: one measure for whatever function makes it."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

from propcache import cached_property

from arrow_project.bbcode import is_readable_in
from arrow_project.journal import ABSENT
from arrow_project.node_types import NODE_TYPES
from arrow_project.node_types.kinds import UNSET
from arrow_project.phrases import quoted
from arrow_project.project import ArrowProject
from arrow_project.values import connections, key_of

Tables = dict[str, dict[int, dict[str, Any]]]
"""The resources of a story by kind and id; `place` is a node's entry in the map of its scene."""

_UNSET = (None, "")
_GONE = object()
_DEEPEST = 6
_REFERENCES = frozenset(field.name for each in NODE_TYPES.values() for field, _ in each.reference_fields)
_BOOKKEEPING = ("use", "ref", "map")
_UNSHOWN = ("name", "notes", "tags.")  # how the places begin that no player is shown
# A text that players are shown; of a user_input, custom[0] is what the answer has to match.
_PLAYED = re.compile(r"title|content|monolog|prompt|(?:lines|actions)\[\d+\]|custom\[[12]\]")
_CHOICE = re.compile(r"(?:lines|actions)\[(\d+)\]")  # a text whose index is the slot that it leads on from
_EXPOSED_NAME = re.compile(r"\{[^{}.]*+[}.]")
_SHOWN = 60
_LONGEST_PLACE = 60  # characters
# How many characters are looked through for texts that are parts of others now, and what a search costs besides.
_MOST_SEARCHED = 20_000_000
_SEARCH = 100
_MARK = 250  # and each mark of a text that says it somewhere: where it does is looked for from one mark to the next


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that was in a story and is in it no more.

    Attributes:
        kind: `project`, `scene`, `node`, `variable` or `character`.
        id: Whose it was; 0 for the project.
        place: Where it stood, such as `content`, `lines[2]` or `tags.home`; empty when the resource itself is gone. Of
            a long one the beginning, and a number that is another in each process.
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


def tables_of(project: ArrowProject, placed: Set[int] | None = None) -> Tables:
    """All of a story that can be lost, or of the nodes' places only these. The records are the project's own."""
    data = project.data
    maps = (scene["map"] for scene in data.scenes.values())
    if placed is not None:
        maps = ({key: entries[key] for key in entries.keys() & placed} for entries in maps)
    return {
        "project": {0: {"title": project.title, "entry": project.entry}},
        "scene": {key: {**scene, "map": None} for key, scene in data.scenes.items()},
        "node": data.nodes,
        "place": _places(place for entries in maps for place in entries.items()),
        "variable": data.variables,
        "character": data.characters,
    }


def replaced_records(project: ArrowProject, checkpoint: int) -> Tables:
    """The records that were changed or removed since the checkpoint, as they were then; the texts are the project's."""
    data, fields = project.data, defaultdict[int, dict[Any, Any]](dict)
    for (table, key), value in data.journal.replaced(checkpoint).items():
        fields[table][key] = value
    tables = {"scene": data.scenes, "node": data.nodes, "variable": data.variables, "character": data.characters}
    return {
        kind: {
            key: {name: value for name, value in {**record, **fields[id(record)]}.items() if value is not ABSENT}
            for key, record in ({**table, **fields[id(table)]} if id(table) in fields else table).items()
            if record is not ABSENT and (key in fields[id(table)] or id(record) in fields)
        }
        for kind, table in tables.items()
    }


def _places(maps: Iterable[tuple[int, dict[str, Any]]]) -> dict[int, dict[str, Any]]:
    """What the maps of several scenes have of a node is as one: what is done in any of them can be lost."""
    places: dict[int, dict[str, Any]] = {}
    ours = set[int]()  # of many scenes, and not the project's own
    for key, place in maps:
        if key not in places:
            places[key] = place
            continue
        if key not in ours:
            ours.add(key)
            places[key] = {**places[key], "io": [*connections(places[key])], "skip": bool(places[key].get("skip"))}
        places[key]["io"] += connections(place)
        places[key]["skip"] |= bool(place.get("skip"))
    return places


def losses(before: Tables, after: Tables) -> Iterator[Loss]:
    """What is in `before` and not in `after`, in the order of the story.

    A text is kept where its resource still says it, alone or as a part of more, and where only a name that it exposes
    was renamed; what players are shown only where they are shown it and can read it, and a choice only where it leads
    on as before.
    Positions and what Arrow keeps by itself (`use`, `ref`) are nobody's loss.
    """
    keeping = _Keeping(_renamed_exposures(before, after))
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
                yield from _lost_of_resource(kind, key, was, now, keeping)
                if kind == "node":
                    led, leads = (_ways(tables["place"].get(key, {})) for tables in (before, after))
                    yield from _lost_of_choices(key, _choices(was), _choices(now), led, leads, keeping)


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
    left = set(map(key_of, connections(now or {})))
    for connection in connections(was):
        if key_of(connection) not in left:
            yield Loss("node", node_id, "connection", "", is_removal=True, connection=tuple(connection))
    if now and bool(was.get("skip")) != bool(now.get("skip")):  # else its node is gone, and that says it
        yield Loss("node", node_id, "skip", "skipped" if was.get("skip") else "played")


def _lost_of_resource(
    kind: str, key: int, was: Mapping[str, Any], now: Mapping[str, Any], keeping: "_Keeping"
) -> Iterator[Loss]:
    texts = _Texts(now)
    for place, value, other in _changed(was, now):
        is_tag = place.startswith("tags.") and other is _GONE
        if _is_unset(place, value, other) and not is_tag:
            continue
        if isinstance(value, str):
            if is_tag or place == "name" or not keeping.is_kept(value, place, texts):
                yield Loss(kind, key, _kept(place), value, is_removal=is_tag)
        else:
            yield Loss(kind, key, _kept(place), json.dumps(value), is_removal=kind == "project")


def _kept(place: str) -> str:
    """Of a long one its beginning, and what tells it from others: very many values may stand behind long keys."""
    return place if len(place) <= _LONGEST_PLACE else f"{place[:_LONGEST_PLACE]}… {hash(place)}"


class _Texts:
    """The texts of a record, each once, by what may stand in them; looked for once somebody asks."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self._record = record

    def that_may_keep(self, place: str) -> list[dict[str, None]]:
        """Those in which what stood at the place is still said as it was."""
        everything, played, of_field = self._found
        if place.startswith(_UNSHOWN):
            return [everything]
        return [played] if _PLAYED.fullmatch(place) else [played, of_field.get(hash(_field(place)), {})]

    @cached_property
    def _found(self) -> tuple[dict[str, None], dict[str, None], dict[int, dict[str, None]]]:
        everything: dict[str, None] = {}
        played: dict[str, None] = {}
        by_field: dict[int, dict[str, None]] = {}
        for place, text, _ in _changed(self._record, {}):
            if isinstance(text, str):
                everything[text] = None
                of_field = played if _PLAYED.fullmatch(place) else by_field.setdefault(hash(_field(place)), {})
                of_field[text] = None
        return everything, played, by_field


def _field(place: str) -> str:
    return place.partition("[")[0]


def _lost_of_choices(
    node_id: int,
    was: Mapping[int, str],
    now: Mapping[int, str],
    led: Mapping[int, set[str]],
    leads: Mapping[int, set[str]],
    keeping: "_Keeping",
) -> Iterator[Loss]:
    """The ways of choices that stand at other slots now, and lead elsewhere from there; all by slot."""
    leads_by_text: dict[str, set[str]] = {}
    for slot, text in now.items():
        leads_by_text.setdefault(text, set()).update(leads.get(slot, ()))
    for slot, choice in was.items():
        if choice and slot in led and now.get(slot) != choice:
            ways = ([*map(int, way.split())] for way in keeping.ways_lost(choice, led[slot], leads_by_text))
            for way in sorted(ways):
                yield Loss("node", node_id, "connection", choice, True, (node_id, slot, *way))


def _choices(node: dict[str, Any]) -> dict[int, str]:
    found = ((_CHOICE.fullmatch(place), text) for place, text, _ in _changed(node, {}) if isinstance(text, str))
    return {int(place[1]): text for place, text in found if place}


def _ways(entry: dict[str, Any]) -> dict[int, set[str]]:
    """Where each slot leads: node and slot."""
    ways: dict[int, set[str]] = {}
    for _, slot, *way in connections(entry):
        ways.setdefault(slot, set()).add(key_of(way))
    return ways


def _is_unset(place: str, value: Any, other: Any) -> bool:
    """Whether nothing stands there; `false` is what a field says that is not there, and -1 the id of nobody."""
    return value in _UNSET or (value is False and other is not True) or (value == UNSET and place in _REFERENCES)


class _TooLongToFindError(Exception):
    """So it counts as lost."""


class _Keeping:
    """Whether texts are still said; for all losses of a story, because the search for them has an end.

    Args:
        renamed: What the names are now that texts expose.
    """

    def __init__(self, renamed: Mapping[str, str]) -> None:
        self._renamed = renamed
        self._longest_name = max(map(len, renamed.values()), default=0)
        self._left = _MOST_SEARCHED

    def is_kept(self, text: str, place: str, texts: _Texts) -> bool:
        """A word by itself is kept as it is, more than one also as a part of a text.

        What players are shown only where they can read it; what would take too long to find is none that is kept.
        """
        text = self._as_renamed(text)
        groups = texts.that_may_keep(place)
        if any(text in group for group in groups):
            return True
        others = chain.from_iterable(groups) if len(text.split()) > 1 else ()
        readably = _PLAYED.fullmatch(place) is not None
        try:
            return any(self._says(other, text, readably=readably) for other in others)
        except _TooLongToFindError:
            return False

    def ways_lost(self, choice: str, led: set[str], leads: Mapping[str, set[str]]) -> set[str]:
        """Of the ways that a choice led, those that none leads which says it now; all of them if that takes too long.

        None is lost where none says it: the choice itself is then.
        """
        choice = self._as_renamed(choice)
        lost, is_said = led - leads.get(choice, set()), choice in leads
        try:
            for text, ways in leads.items() if lost and len(choice.split()) > 1 else ():
                if self._says(text, choice, readably=True, besides=len(lost)):
                    lost, is_said = lost - ways, True
        except _TooLongToFindError:
            return led
        return lost if is_said else set()

    def _says(self, text: str, part: str, *, readably: bool, besides: int = 0) -> bool:
        """Whether a text says another one.

        Raises:
            _TooLongToFindError: to find out would take too long.
        """
        if not self._may_search(text, besides):
            raise _TooLongToFindError
        if part not in text or not readably:
            return part in text
        if not self._may_search(text, text.count("[") * _MARK):
            raise _TooLongToFindError
        return is_readable_in(part, text)

    def _may_search(self, text: str, besides: int = 0) -> bool:
        self._left -= len(text) + besides + _SEARCH
        return self._left >= 0

    def _as_renamed(self, text: str) -> str:
        """With the names that it exposes as they are now, unless that takes too long.

        All at once: one may have now what was another's.
        """
        if not self._renamed or not self._may_search(text, text.count("{") * self._longest_name):
            return text
        return _EXPOSED_NAME.sub(lambda found: self._renamed.get(found[0], found[0]), text)


def _changed(was: Any, now: Any, place: str = "", levels: int = _DEEPEST) -> Iterator[tuple[str, Any, Any]]:
    """Every single value of a record that is another now: where it stands, the value, and what stands there now.

    What is nested deeper than anything of Arrow's is one value.
    """
    if was == now:
        return
    if isinstance(was, dict) and levels:
        others = cast("dict[str, Any]", now if isinstance(now, dict) else {})
        for field, part in cast("dict[str, Any]", was).items():
            if place or field not in _BOOKKEEPING:
                yield from _changed(part, others.get(field, _GONE), f"{place}.{field}", levels - 1)
    elif isinstance(was, list) and levels:
        left = iter(cast("list[Any]", now if isinstance(now, list) else []))
        for index, part in enumerate(cast("list[Any]", was)):
            yield from _changed(part, next(left, _GONE), f"{place}[{index}]", levels - 1)
    else:
        yield place.removeprefix(".").removeprefix("data."), was, _GONE if isinstance(now, dict | list) else now


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
