"""Invariants 6 to 8, 14 to 26, 62: ids, authors, entries, scenes."""

from itertools import chain

from arrow_project.checking.findings import Findings, found, node_place
from arrow_project.checking.survey import Survey
from arrow_project.ids import CHAPTER_SHIFT, MAX_AUTHOR, SEED_LIMIT
from arrow_project.loading import MAX_ID, SETS, integer_epoch
from arrow_project.project_data import ProjectData
from arrow_project.values import AUTHOR_SHIFT, Record, counted, integer, is_id, record, shown

_AUTHORS, _OLD_SEED = 14, 16
_COMMANDS = frozenset({"_use", "_as_entry", "_exposure_revision"})


def structure(survey: Survey) -> Findings:
    """Everything that holds before nodes are looked into."""
    project = survey.project
    yield from _ids(project)
    yield from _authors(project)
    yield from _entries(project)
    yield from _maps(survey)
    yield from _stray_keys(project)


def _ids(project: ProjectData) -> Findings:
    tables = project.raw["resources"]
    for name in SETS:
        for key in tables[name]:
            if key < 0:
                yield found(6, f"{name} {key}", "An id must not be negative.")
            elif key > MAX_ID:
                yield found(7, f"{name} {key}", "An id must fit into 53 bits (at most 9007199254740991).")
    for key, count in counted(chain.from_iterable(tables[name] for name in SETS)).items():
        if count > 1:
            yield found(8, f"id {key}", "The same id is used in two sets; each resource needs its own.")


def _authors(project: ProjectData) -> Findings:
    if any(finding.rule in (_AUTHORS, _OLD_SEED) for finding in project.findings):
        # loading had to invent the only author, whose seed means nothing
        return
    timed = integer_epoch(project.raw["meta"]) > 0
    for author in project.authors:
        seed = project.seed_of(author)
        place = f"meta.authors.{author}"
        if not 0 <= author <= MAX_AUTHOR:
            yield found(_AUTHORS, place, f"An author's id must be 0 to {MAX_AUTHOR}.")
        elif not timed and not 0 <= seed <= SEED_LIMIT:
            yield found(_AUTHORS, place, f"An author's seed must be 0 to 2^{AUTHOR_SHIFT}.")
        elif not timed:
            highest = _highest_seed(project, author)
            if highest >= seed:
                yield found(15, place, f"The seed {seed} must be greater than {highest}, which is in use.")


def _highest_seed(project: ProjectData, author: int) -> int:
    base = (project.raw["meta"]["chapter"] << CHAPTER_SHIFT) | (author << AUTHOR_SHIFT)
    tables = [project.raw["resources"][name] for name in SETS]
    return max((key - base for table in tables for key in table if 0 <= key - base < SEED_LIMIT), default=-1)


def _entries(project: ProjectData) -> Findings:
    owner = project.owner(project.entry)
    if owner is None:
        yield found(18, "entry", f"Node {project.entry}, the project's entry, is in no scene.")
    elif project.is_macro(owner):
        yield found(19, "entry", f"The project's entry is in macro {owner}; it must be in an ordinary scene.")
    for key, scene in project.scenes.items():
        entry = scene["entry"]
        if owner is None and entry == project.entry:
            continue
        if not is_id(entry) or entry not in scene["map"] or entry not in project.nodes:
            yield found(20, f"scene {key}", f"Its entry {shown(entry)} must be an existing node of its own map.")


def _maps(survey: Survey) -> Findings:
    project = survey.project
    homes = counted(chain.from_iterable(scene["map"] for scene in project.scenes.values()))
    first = project.owner(project.entry)
    entries = {project.entry}
    for key, scene in project.scenes.items():
        entries.add(integer(scene["entry"]))
        yield from _scene(project, key, scene, is_macro=project.is_macro(key) and key != first)
    for node_id, seen in survey.nodes.items():
        # of an entry rules 18 and 20 say more
        if seen.home is None and node_id not in entries:
            yield found(22, seen.place, "The node is in no scene; it must be in exactly one.")
        elif homes[node_id] > 1:
            yield found(22, f"node {node_id}", "The node is in several scenes; it must be in exactly one.")
        if seen.node_type is None:
            yield found(23, seen.place, f"Arrow has no node type {shown(seen.node['type'])}.")


def _scene(project: ProjectData, key: int, scene: Record, *, is_macro: bool) -> Findings:
    """The map of a scene; one that is marked as a macro although the story begins there breaks rule 19 only."""
    place = f"scene {key}"
    if "macro" in scene and scene["macro"] is not True:
        yield found(24, place, "macro must be true or absent; otherwise the scene shows in no list.")
    for node_id, entry in scene["map"].items():
        x, y = entry["offset"]
        if not is_id(x) or not is_id(y):
            yield found(10, f"{place}, node {node_id}", "offset must be two numbers [x, y].")
        if node_id not in project.nodes:
            # a missing entry node is what rule 20 says
            if node_id != integer(scene["entry"]):
                yield found(21, f"{place}, node {node_id}", "The map names a node that does not exist.")
        elif is_macro and project.nodes[node_id]["type"] == "macro_use":
            yield found(25, f"{place}, node {node_id}", "A macro must not use macros; it would not return.")
        if "skip" in entry and entry["skip"] is not True:
            yield found(26, f"{place}, node {node_id}", "skip must be true or absent.")


def _stray_keys(project: ProjectData) -> Findings:
    for node_id, node in project.nodes.items():
        for key in () if _COMMANDS.isdisjoint(node["data"]) else _COMMANDS & node["data"].keys():
            yield found(62, node_place(project, node_id), f"{key} is a command and must not be stored.")
    for kind in ("scene", "variable", "character"):
        for key, resource in project.table(kind).items():
            if "data" in record(resource):
                yield found(62, f"{kind} {key}", "data belongs to nodes only.")
