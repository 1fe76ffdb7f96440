"""Every invariant has a document that breaks it, and the check names exactly that one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from arrow_project import ArrowProject, check, check_text, parse
from arrow_project.node_types import NODE_TYPES
from tests.arrow_project.applying import do

Json = dict[str, Any]
LAMP = (Path(__file__).parent / "documents" / "lamp.arrow").read_text(encoding="utf-8")


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


def rules(text: str) -> list[int | str]:
    return [finding.rule for finding in check_text(text) if isinstance(finding.rule, int)]


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


def every_type() -> Json:
    """The story, longer by the node types that it lacks."""
    project = parse(LAMP)
    last = 14
    for type_name, preset in (
        ("hub", {"inputs": 2}),
        ("marker", {"label": "half-way"}),
        ("randomizer", {"paths": 2}),
        ("sequencer", {"paths": 2}),
        ("tag_match", {"character": "Mira", "key": "mood", "patterns": ["tired", "glad"]}),
        ("tag_pass", {"character": "Mira", "conditions": [{"key": "mood"}, {"key": "trust", "value": "low"}]}),
    ):
        source = {"node_id": last, "slot": 0}
        last = do(project, "create_insert_node", type=type_name, preset=preset, connect_from=source)["node_id"]
    do(project, "create_connection", from_node_id=last, from_slot=0, to_node_id=HUB, to_slot=1)
    return json.loads(project.to_text())


HUB, MARKER, RANDOMIZER, SEQUENCER, TAG_MATCH, TAG_PASS = range(26, 32)
EVERY = json.dumps(every_type())
GONE = object()

# what is changed, to what, and the one rule that says so
MISTAKES: list[tuple[str, Any, int]] = [
    ("entry", 999, 17),
    ("entry", "1", 17),
    ("title", GONE, 3),
    ("meta", GONE, 3),
    ("meta/chapter", "0", 13),
    ("meta/authors", {}, 14),
    ("meta/authors/0/1", -1, 14),
    ("meta/authors/0/1", 2, 15),
    ("meta/authors/0/1", "2", 12),
    ("next_resource_seed", 5, 16),
    ("next_resource_seed", -1, 16),
    ("next_resource_seed", "5", 16),
    ("resources/sounds", {"90": {}}, 4),
    ("resources/nodes", GONE, 4),
    ("variables/3", None, 9),
    ("variables/3/init", GONE, 9),
    ("variables/3/type", "zz", 40),
    ("variables/3/type", None, 40),
    ("variables/3/type", "str", 40),
    ("variables/3/init", "three", 40),
    ("variables/5/init", 0, 40),
    ("variables/3/name", 5, 39),
    ("variables/3/name", None, 39),
    ("variables/3/name", "", 39),
    ("variables/3/name", "o.il", 39),
    ("variables/3/name", "visitor", 38),
    ("variables/3/name", 2.5, 39),
    ("variables/3/use", GONE, 36),
    ("variables/3/use", [], 35),
    ("variables/3/use", None, 35),
    ("variables/3/use", [9, 9, 11, 12, 23], 35),
    ("variables/3/use", [9, 11, 12], 36),
    ("variables/3/use", [9, 11, 12, 23, 25], 36),
    ("variables/3/use", [9, 11, 12, 23, 999], 36),
    ("variables/3/use", [1], 36),
    ("variables/3/data", {}, 62),
    ("characters/6/name", 5, 39),
    ("characters/6/name", "Mi ra", 39),
    ("characters/6/name", "Old_Tam", 38),
    ("characters/6/color", "#c05a2b", 41),
    ("characters/6/color", 5, 41),
    ("characters/6/color", GONE, 9),
    ("characters/6/tags", [], 42),
    ("characters/6/tags", None, 42),
    ("characters/6/tags/mood", 5, 42),
    ("characters/6/tags/mood", None, 42),
    ("characters/6/tags/7", "seven", 42),
    ("characters/6/tags/a.b", "c", 42),
    ("scenes/0/name", 5, 38),
    ("scenes/0/name", "cellar", 38),
    ("scenes/16/entry", 1, 20),
    ("scenes/16/entry", None, 20),
    ("scenes/16/entry", 999, 20),
    ("scenes/16/macro", False, 24),
    ("scenes/18/macro", False, 24),
    ("scenes/18/macro", None, 24),
    ("scenes/18/macro", GONE, 56),
    ("scenes/0/macro", True, 19),
    ("scenes/16/macro", True, 25),
    ("scenes/0/map", [], 10),
    ("scenes/0/map/1", GONE, 18),
    ("scenes/16/map/17", GONE, 20),
    ("scenes/0/map/25", GONE, 22),
    ("scenes/0/map/14", GONE, 22),
    ("scenes/0/map/99", {"offset": [0, 0]}, 21),
    ("scenes/0/map/19", {"offset": [0, 0]}, 22),
    ("scenes/0/map/25", None, 10),
    ("scenes/0/map/25/offset", GONE, 10),
    ("scenes/0/map/25/offset", [1, 2, 3], 10),
    ("scenes/0/map/25/offset", ["a", None], 10),
    ("scenes/0/map/25/offset/0", 1.5, 63),
    ("scenes/0/map/25/skip", False, 26),
    ("scenes/0/map/1/io", None, 27),
    ("scenes/0/map/1/io", {}, 27),
    ("scenes/0/map/1/io/0", [1, 0, 2], 27),
    ("scenes/0/map/1/io/0", 5, 27),
    ("scenes/0/map/1/io/0/1", "0", 27),
    ("scenes/0/map/1/io/0/0", 8, 28),
    ("scenes/0/map/1/io/0/2", 17, 29),
    ("scenes/0/map/1/io/0/2", 999, 29),
    ("scenes/0/map/1/io/0/1", 1, 30),
    ("scenes/0/map/1/io/0/1", -1, 30),
    ("scenes/0/map/1/io/0/3", 1, 31),
    ("scenes/0/map/2/io/0/2", 1, 32),
    ("scenes/0/map/2/io/0/2", 25, 32),
    ("scenes/0/map/2/io/0/2", 2, 34),
    ("scenes/0/map/10/io/1/1", 0, 33),
    ("scenes/0/map/10/io", [[10, 0, 10, 0], [10, 0, 11, 0]], 34),
    ("nodes/11", GONE, 21),
    ("nodes/11/type", GONE, 9),
    ("nodes/11/type", "poem", 23),
    ("nodes/15/type", None, 23),
    ("nodes/11/data", None, 11),
    ("nodes/11/data/_use", {}, 62),
    ("nodes/11/name", None, 38),
    ("nodes/11/name", "f", 38),
    ("nodes/11/ref", GONE, 37),
    ("nodes/11/ref", [], 35),
    ("nodes/11/ref", "3", 35),
    ("nodes/11/ref", [4], 37),
    ("nodes/11/ref", [3, 4], 37),
    ("nodes/11/ref", [999], 36),
    ("nodes/11/ref", [3, 999], 36),
    ("nodes/9/ref", [3, 6], 37),
    ("nodes/2/ref", [3], 37),
    ("nodes/17/use", GONE, 36),
    ("nodes/17/use", [1], 36),
    ("nodes/25/use", [1], 36),
    ("nodes/2/data/content", "Fog\v", 2),
    ("nodes/2/data/content", "<SCRIPT></Script>", 65),
    ("nodes/2/data/content", 5, 61),
    ("nodes/2/data/content", "{oil}", 37),
    ("nodes/2/data/brief", -2, 61),
    ("nodes/2/data/brief", 2.5, 63),
    ("nodes/2/data/auto", 1, 61),
    ("nodes/2/data/clear", None, 61),
    ("nodes/14/data/content", None, 61),
    ("nodes/14/data/content", "No more.", 37),
    ("nodes/1/data/plaque", GONE, 60),
    ("nodes/1/data/plaque", None, 60),
    ("nodes/8/data/prompt", GONE, 48),
    ("nodes/8/data/prompt", 5, 48),
    ("nodes/8/data/variable", GONE, 48),
    ("nodes/8/data/variable", 999, 48),
    ("nodes/8/data/variable", 3, 48),
    ("nodes/8/data/variable", "q", 48),
    ("nodes/8/data/variable", -1, 37),
    ("nodes/8/data/custom", [], 48),
    ("nodes/8/data/custom", "x", 48),
    ("nodes/8/data/custom", ["(", "", ""], 49),
    ("nodes/9/data/character", -1, 53),
    ("nodes/9/data/character", 999, 52),
    ("nodes/9/data/character", None, 52),
    ("nodes/9/data/character", GONE, 52),
    ("nodes/9/data/character", 7, 37),
    ("nodes/9/data/monolog", GONE, 61),
    ("nodes/9/data/monolog", [], 61),
    ("nodes/10/data/actions", [1], 50),
    ("nodes/10/data/actions", [], 50),
    ("nodes/10/data/actions", None, 50),
    ("nodes/10/data/actions", GONE, 50),
    ("nodes/10/data/actions/0", "", 50),
    ("nodes/10/data/actions", ["a", "b"], 30),
    ("nodes/11/data", {}, 43),
    ("nodes/11/data/variable", "q", 43),
    ("nodes/11/data/variable", -2, 43),
    ("nodes/11/data/variable", 999, 43),
    ("nodes/11/data/variable", 6, 43),
    ("nodes/11/data/variable", GONE, 43),
    ("nodes/11/data/variable", -1, 37),
    ("nodes/11/data/variable", 4, 44),
    ("nodes/11/data/variable", 5, 44),
    ("nodes/11/data/operator", "zz", 44),
    ("nodes/11/data/operator", "rgx", 44),
    ("nodes/11/data/operator", None, 44),
    ("nodes/11/data/operator", GONE, 43),
    ("nodes/11/data/with", GONE, 43),
    ("nodes/11/data/with", 2, 45),
    ("nodes/11/data/with", [0, None], 45),
    ("nodes/11/data/with", [0, "2"], 45),
    ("nodes/11/data/with", [1, 4], 45),
    ("nodes/11/data/with", [1, 999], 45),
    ("nodes/11/data/with", [1, "oil"], 45),
    ("nodes/11/data/with", [2, 2], 45),
    ("nodes/12/data/variable", 4, 44),
    ("nodes/12/data/operator", "neg", 44),
    ("nodes/13/data/variable", 3, 45),
    ("nodes/13/data/with", [0, 1], 45),
    ("nodes/15/data/character", 999, 52),
    ("nodes/15/data/character", -1, 37),
    ("nodes/15/data/lines", [], 50),
    ("nodes/15/data/lines", None, 50),
    ("nodes/15/data/lines", "one", 50),
    ("nodes/15/data/lines/1", 5, 50),
    ("nodes/15/data/playable", "yes", 61),
    ("nodes/20/data/target", 20, 55),
    ("nodes/20/data/target", 22, 37),
    ("nodes/22/data/target", 20, 37),
    ("nodes/20/data/target", 999, 55),
    ("nodes/20/data/target", "start", 55),
    ("nodes/20/data/target", 16, 55),
    ("nodes/20/data/target", -1, 37),
    ("nodes/20/data/reason", None, 55),
    ("nodes/21/data/macro", -1, 56),
    ("nodes/21/data/macro", 16, 56),
    ("nodes/21/data/macro", 999, 56),
    ("nodes/21/data/macro", "x", 56),
    ("nodes/21/data/macro", GONE, 56),
    ("nodes/23/data/variable", 999, 46),
    ("nodes/23/data/variable", None, 46),
    ("nodes/23/data/variable", 4, 46),
    ("nodes/23/data/method", "dice", 46),
    ("nodes/23/data/method", "strst", 46),
    ("nodes/23/data/arguments", GONE, 47),
    ("nodes/23/data/arguments", [1, 2, False, False, False], 47),
    ("nodes/23/data/arguments", [-1, 6, False, False, False], 47),
    ("nodes/23/data/arguments/2", 0, 47),
    ("nodes/24/data/character", 999, 52),
    ("nodes/24/data/edit", GONE, 57),
    ("nodes/24/data/edit", [5, "mood", "glad"], 57),
    ("nodes/24/data/edit", [True, "mood", "glad"], 57),
    ("nodes/24/data/edit", [2, "", "glad"], 57),
    ("nodes/24/data/edit", [2, "mood", None], 57),
    ("nodes/25/data/label", GONE, 59),
    ("nodes/25/data/color", "aaccee", 59),
    ("nodes/25/data/rect", [100, 300], 59),
    ("nodes/25/data/rect", None, 59),
    (f"nodes/{HUB}/data/slots", 1, 54),
    (f"nodes/{HUB}/data/slots", "x", 54),
    (f"nodes/{HUB}/data/slots", GONE, 54),
    (f"nodes/{MARKER}/data/label", 5, 59),
    (f"nodes/{MARKER}/data/color", GONE, 59),
    (f"nodes/{RANDOMIZER}/data/slots", 0, 54),
    (f"nodes/{RANDOMIZER}/data/slots", None, 54),
    (f"nodes/{RANDOMIZER}/data/slots", True, 54),
    (f"nodes/{SEQUENCER}/data/slots", 11, 54),
    (f"nodes/{SEQUENCER}/data/slots", [], 54),
    (f"nodes/{TAG_MATCH}/data/character", "Mira", 52),
    (f"nodes/{TAG_MATCH}/data/tag_key", GONE, 51),
    (f"nodes/{TAG_MATCH}/data/tag_key", 3, 51),
    (f"nodes/{TAG_MATCH}/data/patterns", 3, 51),
    (f"nodes/{TAG_MATCH}/data/patterns", [], 51),
    (f"nodes/{TAG_MATCH}/data/patterns/0", None, 51),
    (f"nodes/{TAG_MATCH}/data/regex", "yes", 61),
    (f"nodes/{TAG_PASS}/data/pass", None, 58),
    (f"nodes/{TAG_PASS}/data/pass/0", 2, 58),
    (f"nodes/{TAG_PASS}/data/pass/0", True, 58),
    (f"nodes/{TAG_PASS}/data/pass/1/0", ["trust", None], 58),
    (f"nodes/{TAG_PASS}/data/pass/1/0/0", 5, 58),
]


def with_mistake(path: str, value: Any) -> str:
    document: Any = json.loads(EVERY)
    container = document["resources"] if path.split("/")[0] in document["resources"] else document
    *way, last = path.split("/")
    for step in way:
        container = container[int(step)] if isinstance(container, list) else container[step]
    key: Any = int(last) if isinstance(container, list) else last
    if value is GONE:
        del container[key]
    else:
        container[key] = value
    return json.dumps(document)


def test_the_longer_story_has_every_type_and_keeps_every_rule() -> None:
    assert {node["type"] for node in json.loads(EVERY)["resources"]["nodes"].values()} == set(NODE_TYPES)
    assert rules(EVERY) == []


@pytest.mark.parametrize(("path", "value", "rule"), MISTAKES)
def test_a_single_mistake_is_said_once(path: str, value: Any, rule: int) -> None:
    assert rules(with_mistake(path, value)) == [rule]


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


def test_real_documents_keep_every_rule(real_documents: list[Path]) -> None:
    for path in real_documents:
        assert rules(path.read_text(encoding="utf-8")) == []


def test_findings_say_where(lamp: ArrowProject) -> None:
    project = parse(lamp.to_text().replace('"slots"', '"slot"'))
    lamp.document.data(15)["lines"] = "one"
    found = [finding for finding in check(lamp) if finding.severity == "error"]
    assert ("scene 0, node 15", 50) in {(finding.place, finding.rule) for finding in found}
    assert check(project) == check(parse(project.to_text()))
