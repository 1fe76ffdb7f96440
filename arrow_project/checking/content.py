"""Invariants 40 to 61: variables, characters, and what nodes hold."""

import re

from arrow_project.checking.findings import Findings, GoOn, found
from arrow_project.checking.survey import Seen, Survey
from arrow_project.names import is_integer_like, is_safe
from arrow_project.node_types import DataProblem, NodeType
from arrow_project.node_types.comparing import DEFAULTS, is_of_type
from arrow_project.node_types.kinds import UNSET
from arrow_project.node_types.patterns import MAX_PATTERNS, Patterns
from arrow_project.phrases import Reading
from arrow_project.project_data import ProjectData
from arrow_project.values import Record, is_id, record, shown

_COLOR = re.compile(r"[0-9a-fA-F]{6}")


def content(survey: Survey, go_on: GoOn) -> Findings:
    """Everything about single resources."""
    project = survey.project
    scope = _Judging(project)
    for key, variable in project.variables.items():
        for finding in _variable(f"variable {key}", variable):
            scope.untyped.add(key)
            yield finding
    for key, character in project.characters.items():
        yield from _character(f"character {key}", character)
    for seen in survey.nodes.values():
        go_on()
        if seen.node_type is not None:
            yield from _node(survey, seen, seen.node_type, scope)
    if untried := scope.patterns.untried:
        yield found(
            "untried-pattern",
            "resources.nodes",
            f"{untried:,} patterns were not tried, as those before them have {MAX_PATTERNS:,} characters together.",
        )


class _Judging(Reading):
    """Reading, except that a variable which is wrong itself has no type that others could fail to match."""

    def __init__(self, project: ProjectData) -> None:
        super().__init__(project)
        self.untyped: set[int] = set()
        self.patterns = Patterns()

    def variable_type(self, variable_id: int) -> str:
        """num, str or bool; empty for what is no variable; unknown for one that breaks rule 40."""
        return "unknown" if variable_id in self.untyped else super().variable_type(variable_id)

    def compiles(self, pattern: str) -> bool:
        """Whether a pattern compiles, as far as it was tried."""
        return self.patterns.compiles(pattern)


def _variable(place: str, variable: Record) -> Findings:
    type_name = variable["type"]
    if not isinstance(type_name, str) or type_name not in DEFAULTS:
        yield found(40, place, f"The type must be num, str or bool, not {shown(type_name)}.")
    elif not is_of_type(variable["init"], type_name):
        yield found(40, place, f"The initial value {shown(variable['init'])} is not of type {type_name}.")


def _character(place: str, character: Record) -> Findings:
    color = character["color"]
    if not isinstance(color, str) or not _COLOR.fullmatch(color):
        yield found(41, place, f"The color must be 6 hex digits without #, not {shown(color)}.")
    if "tags" in character:
        if not isinstance(character["tags"], dict):
            yield found(42, place, "tags must be an object.")
        for key, value in record(character["tags"]).items():
            yield from _tag(place, key, value)


def _tag(place: str, key: object, value: object) -> Findings:
    if not isinstance(key, str) or not is_safe(key) or is_integer_like(key):
        yield found(42, place, f"The tag key {shown(key)} must be non-empty, safe and no number.")
    elif not isinstance(value, str):
        yield found(42, place, f"The value of tag {shown(key)} must be a text, not {shown(value)}.")


def _node(survey: Survey, seen: Seen, node_type: NodeType, scope: Reading) -> Findings:
    for rule, problem, fields in node_type.problems(seen.data, scope):
        seen.broken |= {*fields}
        yield found(rule, seen.place, f"{node_type.name}: {problem}.")
    for f, kind in node_type.reference_fields:
        value = seen.data.get(f.name)
        if is_id(value) and value >= 0 and value not in survey.project.table(kind.to) and value not in survey.ghosts:
            seen.broken |= {f.name}
            yield found(f.rule, seen.place, f"{node_type.name}: {f.name} {value} does not exist.")
    special = _SPECIAL.get(node_type.name)
    if special is not None and (problem := special(survey.project, seen)):
        seen.broken |= {*problem.fields}
        if problem.sentence:
            yield found(problem.rule, seen.place, f"{node_type.name}: {problem.sentence}.")


def _monolog(_document: ProjectData, seen: Seen) -> DataProblem | None:
    if seen.data.get("character") != UNSET:
        return None
    return DataProblem(53, "without a character it cannot be played by the HTML runtime", ("character",))


def _macro_use(project: ProjectData, seen: Seen) -> DataProblem | None:
    macro = seen.data.get("macro")
    # a scene whose macro mark is wrong breaks rule 24
    is_scene = is_id(macro) and macro in project.scenes and "macro" not in project.scenes[macro]
    if macro != UNSET and not is_scene:
        return None
    return DataProblem(56, "it must name a macro to be played by the HTML runtime", ("macro",))


def _jump(project: ProjectData, seen: Seen) -> DataProblem | None:
    target = seen.data.get("target")
    if not is_id(target) or target not in project.nodes:
        return None
    if target == seen.node_id:
        return DataProblem(55, "it jumps to itself", ("target",))
    other = project.nodes[target]
    if other["type"] != "jump" or other["data"].get("target") != seen.node_id:
        return None
    # said once for the two of them
    sentence = f"it and jump {target} jump to each other" if seen.node_id < target else ""
    return DataProblem(55, sentence, ("target",))


_SPECIAL = {"monolog": _monolog, "macro_use": _macro_use, "jump": _jump}
