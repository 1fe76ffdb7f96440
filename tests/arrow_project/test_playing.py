"""A story built by operations alone goes, in Arrow's own HTML runtime, where the slots of the operations say."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from arrow_project import ArrowProject, check, parse
from arrow_project.node_types import NODE_TYPES
from tests.arrow_project.applying import do
from tests.arrow_project.conform import player
from tests.arrow_project.conform.player import Probe

BLANK = (Path(__file__).parent / "documents" / "blank.arrow").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def runtime() -> Path:
    """The HTML runtime of a work tree of Arrow."""
    checkout = os.environ.get("ARROW_CHECKOUT")
    if not checkout:
        pytest.skip("ARROW_CHECKOUT does not name a work tree of Arrow 3.1")
    folder = Path(checkout) / "runtimes" / "html-js"
    if not folder.exists():
        pytest.skip(f"there is no HTML runtime in {folder}")
    if player.browser() is None:
        pytest.skip("there is no Chromium on this machine")
    return folder


@dataclass
class Story:
    """A project under construction, and what is expected of it."""

    project: ArrowProject = field(default_factory=lambda: parse(BLANK))
    probes: list[Probe] = field(default_factory=list[Probe])
    expected: list[list[int]] = field(default_factory=list[list[int]])
    values: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def node(self, type_name: str, **preset: Any) -> int:
        """A node of a type; the first of several."""
        return self.made(type_name, **preset)["node_id"]

    def made(self, type_name: str, **preset: Any) -> dict[str, Any]:
        """A node of a type, with the whole result."""
        return do(self.project, "create_insert_node", type=type_name, preset=preset)

    def exits(self, *ways: tuple[int, int]) -> list[int]:
        """A content node behind each exit."""
        ends: list[int] = []
        for node_id, slot in ways:
            ends.append(self.node("content", content=f"behind {slot} of {node_id}"))
            do(self.project, "create_connection", from_node_id=node_id, from_slot=slot, to_node_id=ends[-1])
        return ends

    def expect(self, probe: Probe, *opened: int, **values: Any) -> None:
        """Playing on must open these nodes, and leave these values of variables."""
        self.probes.append(probe)
        self.expected.append(list(opened))
        self.values.append(values)


def build() -> Story:
    """All 19 types, each with every form that the operations know."""
    story = Story()
    for name, kind in (("coins", "num"), ("hero", "str"), ("lit", "bool"), ("other", "num")):
        do(story.project, "create_variable", name=name, type=kind)
    do(story.project, "create_character", name="Mira", tags={"mood": "calm"})
    for part in (_conditions, _tags, _choices, _chance, _values, _jumps):
        part(story)
    story.node("frame", title="everything")
    return story


def variable(story: Story, name: str) -> int:
    return story.project.data.by_name("variable")[name]


def _conditions(story: Story) -> None:
    coins, hero, lit = (variable(story, name) for name in ("coins", "hero", "lit"))
    cases: list[tuple[int, str, Any, Any, Any]] = [
        (coins, ">=", 2, 2, 1),
        (coins, "<", 2, 1, 2),
        (coins, "!=", 0, 1, 0),
        (hero, "==", "A. (b)", "A. (b)", "AX (b)"),
        (hero, "!=", "A. (b)", "AX (b)", "A. (b)"),
        (hero, "ct", "old", "so Old", "new"),
        (lit, "==", True, True, False),
    ]
    for subject, operator, value, holds, fails in cases:
        compare_to = {"type": "value", "value": value}
        node = story.node("condition", variable=subject, operator=operator, compare_to=compare_to)
        true, false = story.exits((node, 0), (node, 1))
        story.expect(Probe(node, variables=((subject, holds),)), node, true)
        story.expect(Probe(node, variables=((subject, fails),)), node, false)
    node = story.node("condition", variable="coins", operator=">", compare_to={"type": "variable", "value": "other"})
    true, false = story.exits((node, 0), (node, 1))
    story.expect(Probe(node, variables=((coins, 5), (variable(story, "other"), 4))), node, true)
    story.expect(Probe(node, variables=((coins, 4), (variable(story, "other"), 4))), node, false)


def _tags(story: Story) -> None:
    mira = story.project.data.by_name("character")["Mira"]
    calm, wild, nothing = ((mira, {"mood": "calm"}),), ((mira, {"mood": "wild"}),), ((mira, {}),)
    for match, slots in (
        ({"type": "has_key", "key": "mood"}, (0, 0, 1)),
        ({"type": "equals", "key": "mood", "value": "calm"}, (0, 1, 1)),
        ({"type": "not_equals", "key": "mood", "value": "calm"}, (0, 1, 1)),
    ):
        node = story.node("tag_match", character="Mira", match=match)
        ends = story.exits((node, 0), (node, 1))
        for tags, slot in zip((calm, wild, nothing), slots, strict=True):
            story.expect(Probe(node, tags=tags), node, ends[slot])
    node = story.node("tag_match", character="Mira", key="mood", patterns=["calm", "wild"])
    ends = story.exits((node, 0), (node, 1))
    story.expect(Probe(node, tags=calm), node, ends[0])
    story.expect(Probe(node, tags=wild), node, ends[1])
    story.expect(Probe(node, tags=nothing), node)
    node = story.node(
        "tag_pass", character="Mira", method="any", conditions=[{"key": "x"}, {"key": "mood", "value": "calm"}]
    )
    ends = story.exits((node, 0), (node, 1))
    story.expect(Probe(node, tags=calm), node, ends[0])
    story.expect(Probe(node, tags=wild), node, ends[1])
    edits = [{"action": "set", "key": "mood", "value": "glad"}, {"action": "remove", "key": "x"}]
    made = story.made("tag_edit", character="Mira", operations=edits)
    asked = story.node("tag_match", character="Mira", match={"type": "equals", "key": "mood", "value": "glad"})
    do(story.project, "create_connection", from_node_id=made["last_node_id"], to_node_id=asked)
    (end,) = story.exits((asked, 0))
    story.expect(Probe(made["node_id"], tags=wild), *made["node_ids"], asked, end)


def _choices(story: Story) -> None:
    for type_name, preset in (
        ("interaction", {"actions": ["one", "two", "three"]}),
        ("hub", {"options": ["one", "two", "three"]}),
        ("dialog", {"character": "Mira", "lines": ["one", "two {coins}", "three"], "playable": True}),
    ):
        node = story.node(type_name, **preset)
        ends = story.exits((node, 0), (node, 1), (node, 2))
        for slot, end in enumerate(ends):
            story.expect(Probe(node, actions=((node, "choose", slot),)), node, end)
    for type_name, preset in (
        ("content", {"title": "Title", "content": "of {coins}"}),
        ("monolog", {"character": "Mira", "text": "{Mira.mood}"}),
    ):
        node = story.node(type_name, **preset)
        (end,) = story.exits((node, 0))
        story.expect(Probe(node, actions=((node, "continue", None),)), node, end)
    hub, marker = story.node("hub", inputs=3), story.node("marker", label="here")
    do(story.project, "create_connection", from_node_id=marker, to_node_id=hub, to_slot=2)
    (end,) = story.exits((hub, 0))
    story.expect(Probe(marker), marker, hub, end)


def _chance(story: Story) -> None:
    node = story.node("randomizer", paths=3)
    ends = story.exits((node, 0), (node, 1), (node, 2))
    for chance, end in zip((0.0, 0.5, 0.99), ends, strict=True):
        story.expect(Probe(node, chance), node, end)
    node = story.node("randomizer", paths=2)
    ends = story.exits((node, 0), (node, 1))
    do(story.project, "update_node", node_id=node, data={"weights": [1, 3]})
    for chance, end in ((0.2, ends[0]), (0.3, ends[1]), (0.99, ends[1])):
        story.expect(Probe(node, chance), node, end)
    node = story.node("sequencer", paths=2, mode="all")
    first, second = story.node("marker", label="first"), story.node("marker", label="second")
    for slot, end in enumerate((first, second)):
        do(story.project, "create_connection", from_node_id=node, from_slot=slot, to_node_id=end)
    story.expect(Probe(node), node, first, second)
    _cycle(story)


def _cycle(story: Story) -> None:
    made = story.made("sequencer", paths=3, reset=True)
    ends = story.exits(*((path["node_id"], path["slot"]) for path in made["paths"]))
    ids = made["node_ids"]
    story.expect(Probe(ids[0]), *ids[:2], ends[0])
    story.expect(Probe(ids[0]), *ids[:3], ends[1])
    story.expect(Probe(ids[0]), *ids, ends[2])
    story.expect(Probe(ids[0]), *ids[:2], ends[0])
    made = story.made("sequencer", paths=2, reset=False)
    ends = story.exits(*((path["node_id"], path["slot"]) for path in made["paths"]))
    for end in (ends[0], ends[1], ends[1]):
        story.expect(Probe(made["node_ids"][0]), *made["node_ids"], end)


def _values(story: Story) -> None:
    coins, hero, lit = (variable(story, name) for name in ("coins", "hero", "lit"))
    for operation, value, before, after in (
        ("add", 3, 4, 7),
        ("subtract", 3, 4, 1),
        ("multiply", 3, 4, 12),
        ("divide", 3, 7, 2),
    ):
        node = story.node("variable_update", variable="coins", operation=operation, value=value)
        story.expect(Probe(node, variables=((coins, before),)), node, coins=after)
    node = story.node("variable_update", variable="hero", operation="add", value="!")
    story.expect(Probe(node, variables=((hero, "Ada"),)), node, hero="Ada!")
    for preset, low in (
        ({"variable": "coins", "generator_type": "random_int", "min": 1, "max": 6}, 1),
        ({"variable": "coins", "generator_type": "random_int", "min": -5, "max": 5}, -5),
        ({"variable": "coins", "generator_type": "random_int", "min": -9, "max": -2}, -2),
        ({"variable": "coins", "generator_type": "dice", "dice": "2d6+3"}, 5),
        ({"variable": "coins", "generator_type": "dice", "dice": "1d6+3"}, 4),
    ):
        made = story.made("generator", **preset)
        story.expect(Probe(made["node_id"]), *made.get("node_ids", [made["node_id"]]), coins=low)
    node = story.node("generator", variable="lit", generator_type="random_bool")
    story.expect(Probe(node, variables=((lit, True),)), node)
    node = story.node(
        "user_input", prompt="Who?", variable="hero", input_type="text", custom={"pattern": "[A-Z][a-z]+"}
    )
    (end,) = story.exits((node, 0))
    story.expect(Probe(node, actions=((node, "fill", "Ada"),)), node, end, hero="Ada")
    node = story.node(
        "user_input", prompt="How many?", variable="coins", input_type="number", custom={"min": 0, "max": 9}
    )
    (end,) = story.exits((node, 0))
    story.expect(Probe(node, actions=((node, "fill", "7"),)), node, end, coins=7)


def _jumps(story: Story) -> None:
    made = do(story.project, "create_scene", name="cellar")
    jump = story.node("jump", target={"type": "scene", "id": "cellar"})
    below = do(
        story.project,
        "create_insert_node",
        type="content",
        preset={"content": "Dark."},
        connect_from={"node_id": made["entry_node_id"]},
    )["node_id"]
    story.expect(Probe(jump), jump, made["entry_node_id"], below)
    macro = do(story.project, "create_scene", name="rest", is_macro=True)
    do(
        story.project,
        "create_insert_node",
        type="variable_update",
        preset={"variable": "coins", "operation": "add", "value": 1},
        connect_from={"node_id": macro["entry_node_id"]},
    )
    update = list(story.project.data.nodes)[-1]
    use = story.node("macro_use", macro="rest")
    (end,) = story.exits((use, 0))
    coins = variable(story, "coins")
    story.expect(Probe(use, variables=((coins, 1),)), use, macro["entry_node_id"], update, end, coins=2)


def test_the_story_uses_every_type_and_keeps_every_rule() -> None:
    story = build()
    assert {node["type"] for node in story.project.data.nodes.values()} == set(NODE_TYPES)
    assert [finding for finding in check(story.project) if finding.severity == "error"] == []


def test_every_branch_goes_where_its_slot_says(runtime: Path) -> None:
    story = build()
    outcomes, errors = player.play(story.project.to_text(), runtime, story.probes)
    assert errors == []
    names = {str(key): item["name"] for key, item in story.project.data.variables.items()}
    for probe, expected, values, outcome in zip(story.probes, story.expected, story.values, outcomes, strict=True):
        told = (probe, story.project.data.nodes[probe.node])
        assert outcome["failure"] is None, told
        assert outcome["opened"] == expected, told
        after = {names[key]: value for key, value in outcome["variables"].items()}
        assert {name: after[name] for name in values} == values, told
