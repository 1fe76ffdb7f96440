"""The project as text for a language model: ids one can trust, in as few characters as possible."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from arrow_project.names import base36
from arrow_project.operations.connecting import native_slot
from arrow_project.phrases import as_json, bare, exits, phrase, quoted, simplified
from arrow_project.project import ArrowProject
from arrow_project.project_data import ProjectData
from arrow_project.values import Connection, Record, connections, counted, distinct, integer, record, text

_SHORT = 48
_LONGEST_TYPE = 100  # of a node that Arrow does not know
_LEAST_LINE = 24
_SAMPLE = 8
_FEW = 4 * _SAMPLE  # lines that are as soon written as judged
_LIST_SHARE = 6
_MOST_SELECTED, _MOST_AROUND = 50, 30
_ELLIPSIS = "…"


@dataclass
class _Section:
    """A piece of the outline that can be told at several lengths, the shortest first."""

    tellings: list[Callable[[int], str | None]]
    shown: str = ""
    order: int = 0


@dataclass
class _Budget:
    """How many characters are left; None is as many as one likes."""

    left: int | None
    sections: list[_Section] = field(default_factory=list[_Section])

    def room(self, section: _Section) -> int:
        """What the section may take in place of what it takes now."""
        return 2**62 if self.left is None else self.left + len(section.shown)

    def show(self, section: _Section, telling: str) -> None:
        """Let the section be told this way."""
        if self.left is not None:
            self.left -= len(telling) - len(section.shown)
        section.shown = telling


class _Told(NamedTuple):
    """What a line says of a node in whatever scene: its name, its meaning, its slots and its notes."""

    name: str
    said: str
    slots: list[str]
    notes: str


class _Lines:
    """Nodes as lines. What many scenes name, and takes long to be written, is not written out for each of them.

    Attributes:
        project: Whose they are.
    """

    def __init__(self, project: ProjectData) -> None:
        self.project = project
        self._named = counted(chain.from_iterable(map(project.scene_map, project.scenes)))
        self._least: dict[tuple[int, int | None], int] = {}
        self._told: dict[tuple[int, int | None], _Told] = {}

    def within(self, room: int, node_id: int, scene_id: int, limit: int | None) -> str | None:
        """The line; None where it is longer than the room."""
        if self._at_least(node_id, limit) > room:
            return None
        told = self._line(node_id, scene_id, limit)
        return told if len(told) <= room else None

    def length(self, node_id: int, scene_id: int, limit: int | None) -> int:
        """How many characters the line has, or of a node that many scenes name the fewest."""
        return self._at_least(node_id, limit) or len(self._line(node_id, scene_id, limit))

    def _at_least(self, node_id: int, limit: int | None) -> int:
        if self._named[node_id] < 2:
            return 0
        key = node_id, limit
        if key not in self._least:
            self._least[key] = len(self._line(node_id, None, limit))
        return self._least[key]

    def _line(self, node_id: int, scene_id: int | None, limit: int | None) -> str:
        if self._named[node_id] < 2:
            return line(self.project, node_id, scene_id, limit)
        key = node_id, limit
        if key not in self._told:
            self._told[key] = _told_of(self.project, node_id, limit)
        return _placed(self.project, node_id, scene_id, self._told[key])


def outline(
    project: ArrowProject,
    scene_id: int | None = None,
    selected: Iterable[int] = (),
    max_characters: int | None = None,
) -> str:
    """The project as text for a language model.

    Slots and data are those of the operations. Everything is shown if it fits; otherwise the selection, the open
    scene around it and the lists of variables and characters come first, and other scenes are summarised.

    Args:
        project: the project.
        scene_id: the open scene; None is the scene of the project's entry.
        selected: ids of the selected nodes, shown with all their data.
        max_characters: the most that the text may have.
    """
    data = project.data
    chosen = [n for n in dict.fromkeys(selected) if n in data.nodes]
    if scene_id is None or scene_id not in data.scenes:
        scene_id = data.owner(chosen[0]) if chosen else None
        scene_id = data.owner(data.entry) if scene_id is None else scene_id
    sections = _sections(data, scene_id, chosen)
    is_small = max_characters is None or len(data.nodes) * _LEAST_LINE <= max_characters
    return _fitted(sections, max_characters, try_whole=is_small)


def _sections(project: ProjectData, open_scene: int | None, chosen: list[int]) -> list[_Section]:
    """In order of importance; ``order`` is where they stand."""
    lines = _Lines(project)
    sections = [_fixed(_header(project, open_scene))]
    if chosen:
        sections.append(_list_section(_selection(project, chosen), "Selected nodes:", 1))
        around = _around(project, [n for n in chosen[:_MOST_SELECTED] if project.owner(n) != open_scene])
        if around:
            sections.append(_list_section(around, "Around the selected nodes of other scenes:", 1))
    if open_scene is not None:
        sections.append(_scene_section(lines, open_scene, chosen, 4, "open"))
    sections.append(_list_section(_variables(project), "Variables:", 2))
    sections.append(_list_section(_characters(project), "Characters:", 3))
    others = (s for s in project.scenes if s != open_scene)
    sections += [_scene_section(lines, s, [], 5, "") for s in others]
    return sections


def _fitted(sections: list[_Section], most: int | None, *, try_whole: bool) -> str:
    budget = _Budget(most, sections)
    if try_whole and _fits_whole(budget):
        return _joined(sections)
    for step in range(max(len(section.tellings) for section in sections)):
        for section in sections:
            if step < len(section.tellings):
                telling = section.tellings[step](budget.room(section))
                if telling is not None and len(telling) <= budget.room(section):
                    budget.show(section, telling)
    told = _joined(sections)
    if most is not None and any(not section.shown for section in sections):
        told = told[: max(most - len(_ELLIPSIS), 0)] + _ELLIPSIS
    return told if most is None else told[:most]


def _fits_whole(budget: _Budget) -> bool:
    """Whether each section can be told at its longest, as most projects can; if so, it is."""
    for section in budget.sections:
        telling = section.tellings[-1](budget.room(section))
        if telling is None or len(telling) > budget.room(section):
            for shown in budget.sections:
                budget.show(shown, "")
            return False
        budget.show(section, telling)
    return True


def _joined(sections: list[_Section]) -> str:
    return "".join(section.shown for section in sorted(sections, key=lambda s: s.order)).rstrip("\n")


def _fixed(told: str) -> _Section:
    return _Section([lambda room: told[:room]])


def _header(project: ProjectData, open_scene: int | None) -> str:
    macros = sum(project.is_macro(s) for s in project.scenes)
    owner = project.owner(project.entry)
    open_part = f" Open scene: {open_scene}." if open_scene is not None else ""
    return (
        f"Project {quoted(text(project.raw['title']))}: {len(project.scenes) - macros} scenes, {macros} macros, "
        f"{len(project.nodes)} nodes. It begins at node {project.entry} in scene {owner}.{open_part}\n"
        'A line is: id type "name" what it says -> where it goes on (slot: node).\n'
    )


def _list_section(lines: list[str], title: str, order: int) -> _Section:
    """A list that is shown whole, or cut to its share with the number of those left out."""
    if not lines:
        return _Section([lambda _room: f"{title} none\n" if order != 1 else ""], order=order)
    whole = "\n".join([title, *lines]) + "\n"

    def cut(room: int) -> str:
        return _cut_list(title, lines, room // _LIST_SHARE)

    def all_of_it(_room: int) -> str:
        return whole

    return _Section([cut, all_of_it], order=order)


def _cut_list(title: str, lines: list[str], room: int) -> str:
    shown: list[str] = []
    left = room - len(title) - _LEAST_LINE
    for line in lines:
        if len(line) >= left:
            break
        shown.append(line)
        left -= len(line) + 1
    rest = len(lines) - len(shown)
    return "\n".join([title, *shown, *([f"… and {rest} more"] if rest else [])]) + "\n"


def _variables(project: ProjectData) -> list[str]:
    return [
        f"- {key} {bare(v['name'])}: {bare(v['type'])} = {as_json(v['init'])}{_notes(v)}"
        for key, v in project.variables.items()
    ]


def _characters(project: ProjectData) -> list[str]:
    return [f"- {key} {bare(c['name'])}{_tags(c)}{_notes(c)}" for key, c in project.characters.items()]


def _tags(character: Record) -> str:
    tags = record(character.get("tags"))
    return " {" + ", ".join(f"{bare(key)}: {bare(value)}" for key, value in tags.items()) + "}" if tags else ""


def _notes(resource: Record) -> str:
    notes = text(resource.get("notes"))
    return f" ({quoted(notes)})" if notes else ""


def _selection(project: ProjectData, chosen: list[int]) -> list[str]:
    """The selected nodes with all their data; of very many only the first, as nobody reads them all."""
    rest, told = len(chosen) - _MOST_SELECTED, chosen[:_MOST_SELECTED]
    before = _before(project, told)
    return [_selected(project, n, before[n]) for n in told] + ([f"… and {rest} more"] if rest > 0 else [])


def _before(project: ProjectData, chosen: list[int]) -> dict[int, list[int]]:
    """The nodes that lead to each of the given ones, found in one look at each of their scenes."""
    before: dict[int, list[int]] = {node_id: [] for node_id in chosen}
    for scene_id in dict.fromkeys(project.owner(node_id) for node_id in chosen):
        for key, entry in project.scene_map(scene_id).items() if scene_id is not None else ():
            for from_id, _, to_id, _ in connections(entry):
                if to_id in before and to_id != key and project.owner(to_id) == scene_id:
                    before[to_id].append(from_id)
    return before


def _around(project: ProjectData, chosen: list[int]) -> list[str]:
    """The nodes before and after the given ones, as lines."""
    lines: dict[int, str] = {}
    before = _before(project, chosen)
    for node_id in chosen:
        owner = project.owner(node_id)
        if owner is None:
            continue
        for other in before[node_id] + [c[2] for c in project.outgoing(node_id, owner)]:
            if other in project.nodes and other not in chosen and other not in lines and len(lines) < _MOST_AROUND:
                lines[other] = line(project, other, owner, _SHORT)
    return list(lines.values())


def _selected(project: ProjectData, node_id: int, before: list[int]) -> str:
    owner = project.owner(node_id)
    said = {
        "data": simplified(project, node_id),
        "notes": project.nodes[node_id].get("notes", ""),
        "comes_from": before,
    }
    details = as_json({key: value for key, value in said.items() if value})
    return f"- {line(project, node_id, owner)}\n  scene {owner}, {details}"


def _scene_section(lines: _Lines, scene_id: int, near: list[int], order: int, mark: str) -> _Section:
    project = lines.project
    node_ids = [n for n in project.scene_map(scene_id) if n in project.nodes]
    title = _scene_title(project, scene_id, mark)

    def summary(_room: int) -> str:
        return f"{title} {_summary(project, node_ids)}\n"

    too_little = -1

    def short(room: int) -> str | None:
        nonlocal too_little
        told = _told(lines, scene_id, title, node_ids, near, _SHORT, room, partly=bool(mark))
        too_little = room if told is None else -1
        return told

    def full(room: int) -> str | None:
        # where not even short lines found room, long ones need not be tried
        if room <= too_little:
            return None
        return _told(lines, scene_id, title, node_ids, near, None, room, partly=False)

    return _Section([summary, short, full], order=order)


def _scene_title(project: ProjectData, scene_id: int, mark: str) -> str:
    scene = project.scenes[scene_id]
    kind = "Macro" if project.is_macro(scene_id) else "Scene"
    marked = f" ({mark})" if mark else ""
    return f"{kind} {scene_id} {quoted(text(scene['name']))}{marked}, entry {bare(scene['entry'])}:"


def _summary(project: ProjectData, node_ids: list[int]) -> str:
    counts = Counter(text(project.nodes[n]["type"])[:_LONGEST_TYPE] for n in node_ids)
    return f"{len(node_ids)} nodes ({', '.join(f'{count} {bare(name)}' for name, count in counts.most_common())})"


def _told(
    lines: _Lines,
    scene_id: int,
    title: str,
    node_ids: list[int],
    near: list[int],
    limit: int | None,
    room: int,
    *,
    partly: bool,
) -> str | None:
    """The scene's nodes as lines; if they do not fit, those around the selection, or nothing."""
    project = lines.project
    if not partly and len(node_ids) > _FEW and _expected(lines, scene_id, node_ids, limit) > room:
        return None
    told: dict[int, str] = {}
    # what is left out is said in a line, which is longest if that is all
    tail = f"… and {_summary(project, node_ids)}" if partly else ""
    left = room - len(title) - len(tail) - 2 * _LEAST_LINE
    for node_id in _outwards(project, scene_id, near) if partly else node_ids:
        one = lines.within(left - 1, node_id, scene_id, limit)
        if one is None:
            if not partly:
                return None
            break
        left -= len(one) + 1
        told[node_id] = one
    rest = [n for n in node_ids if n not in told]
    shown = [told[n] for n in node_ids if n in told]
    more = [f"… and {_summary(project, rest)}"] if rest else []
    return "\n".join([title, *shown, *more]) + "\n"


def _expected(lines: _Lines, scene_id: int, node_ids: list[int], limit: int | None) -> int:
    """About the fewest characters that the scene's lines take, judged by some of them."""
    sample = node_ids[:: len(node_ids) // _SAMPLE + 1]
    told = sum(lines.length(n, scene_id, limit) for n in sample)
    return told * len(node_ids) // (len(sample) or 1) * 9 // 10


def _outwards(project: ProjectData, scene_id: int, near: list[int]) -> Iterator[int]:
    """Nodes of a scene by their distance from the selection, or from the entry."""
    scene_map = project.scene_map(scene_id)
    neighbours: dict[int, list[int]] = {}
    for node_id in scene_map:
        for from_id, _, to_id, _ in project.outgoing(node_id, scene_id):
            neighbours.setdefault(from_id, []).append(to_id)
            neighbours.setdefault(to_id, []).append(from_id)
    queue = [n for n in near if n in scene_map] or [integer(project.scenes[scene_id]["entry"])]
    queue += list(scene_map)
    seen: set[int] = set()
    starts = iter(queue)
    for start in starts:
        ring = [start]
        while ring:
            ring = [n for n in distinct(ring) if n not in seen and n in scene_map]
            for node_id in ring:
                seen.add(node_id)
            yield from (n for n in ring if n in project.nodes)
            ring = [m for n in ring for m in neighbours.get(n, [])]


def line(project: ProjectData, node_id: int, scene_id: int | None, limit: int | None = None) -> str:
    """One node in one line: id, type, name, meaning, where it goes on."""
    return _placed(project, node_id, scene_id, _told_of(project, node_id, limit))


def _told_of(project: ProjectData, node_id: int, limit: int | None) -> _Told:
    node = project.nodes[node_id]
    name, said = text(node["name"]), phrase(project, node_id, limit)
    shown = f"{node_id} {bare(text(node['type'])[:_LONGEST_TYPE])} {quoted(name) if name != base36(node_id) else name}"
    notes = f" notes: {quoted(node['notes'], limit)}" if node.get("notes") else ""
    return _Told(shown, f" {said}" if said else "", exits(project, node_id, limit), notes)


def _placed(project: ProjectData, node_id: int, scene_id: int | None, told: _Told) -> str:
    entry = project.scene_map(scene_id).get(node_id, {}) if scene_id is not None else {}
    skipped = " (skipped)" if entry.get("skip") is True else ""
    outgoing = project.outgoing(node_id, scene_id) if scene_id is not None else []
    return f"{told.name}{skipped}{told.said}{_ways(project, node_id, outgoing, told.slots)}{told.notes}"


def _ways(project: ProjectData, node_id: int, outgoing: list[Connection], meanings: list[str]) -> str:
    targets = {native_slot(project, node_id, c[1]): _target(c) for c in outgoing}
    if len(meanings) <= 1:
        said = f" {meanings[0]}" if meanings else ""
        return said + "".join(f" -> {target}" for target in targets.values())
    ways = [f"{slot}: {meaning} -> {targets.pop(slot, '-')}" for slot, meaning in enumerate(meanings)]
    ways += [f"{slot} -> {target} (no such slot)" for slot, target in targets.items()]
    return " [" + "; ".join(ways).replace(":  ->", ":") + "]"


def _target(connection: Connection) -> str:
    return str(connection[2]) if connection[3] == 0 else f"{connection[2]} (input {connection[3]})"
