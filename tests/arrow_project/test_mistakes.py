"""Every field of a story with every type, wrong in one way or another: one mistake is said once."""

import json
from typing import Any

import pytest

from arrow_project import parse
from arrow_project.node_types import NODE_TYPES
from tests.arrow_project.applying import do
from tests.arrow_project.broken_rules import LAMP, rules

Json = dict[str, Any]


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
