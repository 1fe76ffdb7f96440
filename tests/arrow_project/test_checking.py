"""Every invariant has a document that breaks it, and the check names exactly that one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arrow_project import ArrowProject, check, check_text, parse
from tests.arrow_project.applying import do
from tests.arrow_project.broken_rules import LAMP, rules

Json = dict[str, Any]


def node(document: Json, node_id: int) -> Json:
    return document["resources"]["nodes"][str(node_id)]


def data(document: Json, node_id: int) -> Json:
    return node(document, node_id)["data"]


def scene(document: Json, scene_id: int) -> Json:
    return document["resources"]["scenes"][str(scene_id)]


def place(document: Json, node_id: int, scene_id: int = 0) -> Json:
    return scene(document, scene_id)["map"][str(node_id)]


def variable(document: Json, variable_id: int = 5) -> Json:
    return document["resources"]["variables"][str(variable_id)]


def character(document: Json, character_id: int = 7) -> Json:
    return document["resources"]["characters"][str(character_id)]


def add(document: Json, type_name: str, content: Json, scene_id: int = 0, ref: list[int] | None = None) -> int:
    """A node beside the others, with its bookkeeping."""
    node_id = 30
    made = {"type": type_name, "name": "added", "data": content}
    document["resources"]["nodes"][str(node_id)] = made | ({"ref": ref} if ref else {})
    scene(document, scene_id)["map"][str(node_id)] = {"offset": [0, 900]}
    for used in ref or []:
        for table in document["resources"].values():
            if str(used) in table:
                table[str(used)].setdefault("use", []).append(node_id)
    document["meta"]["authors"]["0"][1] = 40
    return node_id


def with_node(type_name: str, content: Json, scene_id: int = 0, ref: list[int] | None = None) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        add(document, type_name, content, scene_id, ref)

    return change


def setting(*path: str, to: Any) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        container: Any = document
        for key in path[:-1]:
            container = container[key]
        container[path[-1]] = to

    return change


def without(*path: str) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        container: Any = document
        for key in path[:-1]:
            container = container[key]
        del container[path[-1]]

    return change


def in_node(node_id: int, **content: Any) -> Callable[[Json], None]:
    return lambda document: data(document, node_id).update(content)


def io(node_id: int, *connections: Any) -> Callable[[Json], None]:
    return lambda document: place(document, node_id).setdefault("io", []).extend(connections)


def _move_entry_to_macro(document: Json) -> None:
    document["entry"] = 19


def _two_homes(document: Json) -> None:
    scene(document, 16)["map"]["25"] = {"offset": [0, 0]}


def _same_id_twice(document: Json) -> None:
    document["resources"]["scenes"]["25"] = {"name": "x", "entry": 31, "map": {"31": {"offset": [0, 0]}}}
    document["resources"]["nodes"]["31"] = {"type": "entry", "name": "e", "data": {"plaque": ""}}
    document["meta"]["authors"]["0"][1] = 40


def _new_id(new: str) -> Callable[[Json], None]:
    def change(document: Json) -> None:
        document["resources"]["nodes"][new] = document["resources"]["nodes"].pop("25")
        scene(document, 0)["map"][new] = scene(document, 0)["map"].pop("25")

    return change


def _entry_without_home(document: Json) -> None:
    document["resources"]["nodes"]["31"] = {"type": "entry", "name": "e", "data": {"plaque": ""}}
    document["meta"]["authors"]["0"][1] = 40
    document["entry"] = 31


def _rename(document: Json) -> None:
    node(document, 25)["name"] = node(document, 24)["name"]


def _dialog_without_texts(document: Json) -> None:
    data(document, 15)["lines"] = [""]
    place(document, 15)["io"] = []


def _jumps_back(document: Json) -> None:
    data(document, 20)["target"] = 22
    data(document, 22)["target"] = 20
    for node_id in (20, 22):
        node(document, node_id)["ref"] = [42 - node_id]
        node(document, node_id)["use"] = [42 - node_id]
    del node(document, 17)["use"], node(document, 10)["use"]


def _first_clears(document: Json) -> None:
    document["entry"] = 2
    data(document, 2)["clear"] = True


def _unused_reference(document: Json) -> None:
    node(document, 2)["ref"] = [5]
    variable(document)["use"].append(2)


def _foreign_set(document: Json) -> None:
    document["resources"]["sounds"] = {"90": {"name": "gull"}}


def _macro_in_macro(document: Json) -> None:
    add(document, "macro_use", {"macro": 18}, 18, [18])


def _no_author(document: Json) -> None:
    document["meta"]["authors"] = {"64": ["Too many", 0]}


BROKEN: dict[int, Callable[[Json], None]] = {
    2: in_node(2, content="Fog\vbell"),
    3: without("title"),
    4: _foreign_set,
    5: _new_id("025"),
    6: _new_id("-25"),
    7: _new_id("9007199254740994"),
    8: _same_id_twice,
    9: without("resources", "characters", "7", "color"),
    10: setting("resources", "scenes", "0", "map", "25", "offset", to=[1]),
    11: setting("resources", "nodes", "25", "data", to=[]),
    12: setting("meta", "authors", to={"0": ["A", "B"]}),
    13: setting("meta", "chapter", to=1024),
    14: _no_author,
    15: setting("meta", "authors", "0", to=["A Writer", 20]),
    16: setting("next_resource_seed", to=50),
    17: setting("entry", to=999),
    18: _entry_without_home,
    19: _move_entry_to_macro,
    20: setting("resources", "scenes", "16", "entry", to=1),
    21: setting("resources", "scenes", "0", "map", "99", to={"offset": [0, 0]}),
    22: _two_homes,
    23: with_node("poem", {}),
    24: setting("resources", "scenes", "16", "macro", to=False),
    25: _macro_in_macro,
    26: lambda document: place(document, 25).update(skip=False),
    27: io(24, [24, 0, 14]),
    28: io(24, [14, 0, 2, 0]),
    29: io(24, [24, 0, 17, 0]),
    30: io(24, [24, 1, 14, 0]),
    31: io(24, [24, 0, 14, 1]),
    32: io(20, [20, 0, 14, 0]),
    33: io(9, [9, 0, 14, 0]),
    34: io(24, [24, 0, 24, 0]),
    35: lambda document: node(document, 25).update(ref=[]),
    36: lambda document: variable(document).update(use=[13, 25]),
    37: _unused_reference,
    38: _rename,
    39: lambda document: variable(document).update(name="lit|dark"),
    40: lambda document: variable(document).update(init=1),
    41: lambda document: character(document).update(color="#2b6fc0"),
    42: lambda document: character(document).update(tags={"7": "seven"}),
    43: lambda document: data(document, 11).pop("operator"),
    44: in_node(11, operator="rgx"),
    45: in_node(11, **{"with": [0, "two"]}),
    46: in_node(23, method="rnbln"),
    47: in_node(23, arguments=[0, 1, False, False, False]),
    48: in_node(8, custom=[]),
    49: in_node(8, custom=["[", "", ""]),
    50: _dialog_without_texts,
    51: with_node("tag_match", {"character": -1, "tag_key": "", "patterns": []}),
    52: with_node("tag_pass", {"character": 99, "pass": [1, [["mood", None]]]}),
    53: with_node("monolog", {"character": -1, "monolog": "Who?"}),
    54: with_node("randomizer", {"slots": 11}),
    55: _jumps_back,
    56: with_node("macro_use", {"macro": -1}),
    57: in_node(24, edit=[2, "m.o", "glad"]),
    58: with_node("tag_pass", {"character": 6, "pass": [1, [["mood", None], ["mood", "x"]]]}, ref=[6]),
    59: in_node(25, rect=[100, 100]),
    60: in_node(1, plaque=1),
    61: in_node(2, auto="yes"),
    62: in_node(2, _use={"drop": [], "refer": []}),
    63: setting("resources", "scenes", "0", "map", "25", "offset", to=[1.5, 2]),
    64: _first_clears,
    65: in_node(2, content="</script>"),
}


def test_the_unbroken_document_keeps_every_rule() -> None:
    assert rules(LAMP) == []


def test_text_after_the_document_is_rule_1() -> None:
    assert rules(LAMP + "}") == [1]


@pytest.mark.parametrize("rule", BROKEN)
def test_a_broken_rule_is_named_and_no_other(rule: int) -> None:
    document = json.loads(LAMP)
    BROKEN[rule](document)
    assert rules(json.dumps(document)) == [rule]


def test_there_is_a_document_for_every_rule() -> None:
    assert sorted([1, *BROKEN]) == list(range(1, 66))


def test_player_and_export_rules_are_warnings() -> None:
    for rule in (53, 56, 64, 65):
        document = json.loads(LAMP)
        BROKEN[rule](document)
        severities = {finding.severity for finding in check_text(json.dumps(document)) if finding.rule == rule}
        assert severities == {"warning"}


def lints(project: ArrowProject) -> set[tuple[int | str, str]]:
    return {(finding.rule, finding.place) for finding in check(project) if isinstance(finding.rule, str)}


def test_story_lints(lamp: ArrowProject) -> None:
    do(lamp, "create_variable", name="dust", type="num")
    do(lamp, "create_character", name="Gull")
    lost = do(lamp, "create_insert_node", type="content", preset={"content": "Nobody comes {wher}."})["node_id"]
    assert lints(lamp) == {
        ("choice-leads-nowhere", "scene 0, node 15"),
        ("dead-end", "scene 0, node 24"),
        ("never-read", "variable 5"),
        ("never-read", "variable 26"),
        ("never-written", "variable 26"),
        ("no-lines", "character 27"),
        ("unreachable", f"scene 0, node {lost}"),
        ("unknown-exposure", f"scene 0, node {lost}"),
    }


@pytest.mark.parametrize(
    ("type_name", "rule"),
    [
        ("condition", "branch-leads-nowhere"),
        ("tag_pass", "branch-leads-nowhere"),
        ("randomizer", "branch-leads-nowhere"),
    ],
)
def test_a_branch_that_leads_nowhere_is_a_lint(lamp: ArrowProject, type_name: str, rule: str) -> None:
    node_id = do(lamp, "create_insert_node", type=type_name, scene_id=0)["node_id"]
    place = f"scene 0, node {node_id}"
    assert (rule, place) not in lints(lamp)
    do(lamp, "create_connection", from_node_id=node_id, to_node_id=24)
    assert (rule, place) in lints(lamp)
    do(lamp, "create_connection", from_node_id=node_id, to_node_id=24, from_slot=1)
    assert (rule, place) not in lints(lamp)


def test_a_single_action_that_leads_nowhere_is_a_lint(lamp: ArrowProject) -> None:
    node_id = do(lamp, "create_insert_node", type="interaction", scene_id=0)["node_id"]
    assert ("choice-leads-nowhere", f"scene 0, node {node_id}") in lints(lamp)


@pytest.mark.parametrize("number", [0, 1.5])
def test_of_very_many_findings_of_a_kind_a_check_has_the_first_and_says_so(number: float) -> None:
    document = json.loads(LAMP)
    document["resources"]["scenes"]["0"]["map"]["15"]["io"] = [number] * 100_000
    findings = check_text(json.dumps(document))
    assert len(findings) < 5_000
    (more, *_) = [finding for finding in findings if finding.rule == "more-findings"]
    assert more.severity == "warning"
    assert "15" in more.place
    assert "2,000" in more.message


def test_real_documents_keep_every_rule(real_documents: list[Path]) -> None:
    for path in real_documents:
        assert rules(path.read_text(encoding="utf-8")) == []


def test_findings_say_where(lamp: ArrowProject) -> None:
    project = parse(lamp.to_text().replace('"slots"', '"slot"'))
    lamp.data.data(15)["lines"] = "one"
    found = [finding for finding in check(lamp) if finding.severity == "error"]
    assert ("scene 0, node 15", 50) in {(finding.place, finding.rule) for finding in found}
    assert check(project) == check(parse(project.to_text()))
