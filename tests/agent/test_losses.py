"""Whatever function does it: more than a little is not taken away unasked, in one call or in many."""

import asyncio
import json
import random
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent import InMemoryEditor, Outcome, TurnContext
from agent.editing.execution import Execution
from agent.questions.questions import Questions
from arrow_project import ArrowProject, Operation, OperationResult, describe_loss, diff, losses, parse, tables_of
from tests.agent.story import story
from tests.agent.turn_runner import Pendings, unheard
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer

LAMP = (Path(__file__).parents[1] / "arrow_project" / "documents" / "lamp.arrow").read_text(encoding="utf-8")
LINE = "The lamp is cold, and nobody has come to light it since the last ship."  # 70 characters
NODES = range(50, 80)


def update(node_id: int, **fields: Any) -> Operation:
    return Operation("update_node", {"node_id": node_id, **fields})


def skip(node_id: int, *, skipped: bool = True) -> Operation:
    return Operation("update_node_map", {"node_id": node_id, "modifications": {"skip": skipped}})


def tags(**given_tags: str) -> Operation:
    return Operation("update_character", {"character_id": 21, "tags": given_tags})


def written() -> ArrowProject:
    """A story with something of everything: thirty short texts, six lines, tags, scenes, a jump."""
    project = story()
    for node_id in NODES:
        project.expect_id(node_id)
        project.apply(Operation("create_insert_node", {"type": "content", "preset": {"content": f"Rain {node_id}."}}))
    project.apply_all(
        [
            update(2, data={"lines": [f"{number}. {LINE}" for number in range(6)]}),
            update(3, notes="Ask Ada."),
            tags(home="pier", mood="low"),
            Operation("create_variable", {"name": "door", "type": "str", "initial_value": "shut"}),
            update(NODES[0], data={"content": "The oil: {oil}. She is {Elena.mood}."}),
        ]
    )
    return project


def of_text(text: str) -> ArrowProject:
    project = written()
    project.apply(update(3, data={"content": text}))
    return project


def asked_after(project: ArrowProject, operations: list[Operation]) -> int | None:
    """How many operations are done unasked before the user is asked; None when all are."""
    of = TurnContext(project, None, (), (), (), ())
    done = Execution(of, InMemoryEditor(project.copy()), "destructive", unheard)

    async def run() -> int | None:
        for number, operation in enumerate(operations):
            finished = await done.execute(operation)
            assert finished.success, finished.failure
            if done.held is not None:
                return number
        return None

    return asyncio.run(run())


@pytest.mark.parametrize(
    "operation",
    [
        tags(),
        tags(home="pier"),
        tags(home="pier", mod="low"),
        update(2, data={"lines": ["Cold."]}),
        update(2, data={"lines": [f"{number}. {LINE}" for number in range(4)]}),
        update(2, data={"lines": [f"{number}. {LINE}"[:-1] for number in range(6)]}),
        update(2, data={"lines": [f"{number}. {LINE}" for number in (5, 4, 3, 2, 1, 0)]}),
        update(2, data={"lines": ["No.", *(f"{number}. {LINE}" for number in range(6))]}),
        Operation("set_project_entry", {"node_id": 2}),
        Operation("delete_connection", {"from_node_id": 1, "from_slot": 0, "to_node_id": 2, "to_slot": 0}),
        Operation("update_node_map", {"node_id": 1, "modifications": {"io": {"pop": [[1, 0, 2, 0]]}}}),
        Operation("delete_node", {"node_id": 50}),
        Operation("delete_scene", {"scene_id": 0, "force": True}),
        Operation("delete_variable", {"by_name": "door"}),
        Operation("delete_character", {"character_id": 21, "force": True}),
    ],
    ids=lambda operation: f"{operation.function} {operation.arguments}"[:70],
)
def test_what_takes_more_than_a_little_away_is_asked_about(operation: Operation) -> None:
    project = written()
    project.apply(Operation("create_scene", {"name": "cellar"}))
    if operation.function == "delete_scene":  # the one that has the story's entry is never deleted
        operation = Operation("delete_scene", {"scene_id": project.data.by_name("scene")["cellar"]})
    assert asked_after(project, [operation]) == 0


@pytest.mark.parametrize(
    "operation",
    [
        update(50, data={"content": "Snow."}),
        update(3, name="dock"),
        update(3, notes=""),
        update(2, data={"lines": [f"{number}. {LINE} Or so they say." for number in range(6)]}),
        update(2, data={"lines": [f"{number}. {LINE}" for number in (0, 5, 4, 3, 2, 1)]}),  # only the first leads on
        tags(home="pier", mood="low", age="30"),
        tags(home="pier", mood="high"),
        skip(50),
        Operation("set_scene_entry", {"node_id": 2}),
        Operation("update_variable", {"by_name": "oil", "name": "fuel"}),
        Operation("update_variable", {"by_name": "door", "initial_value": "open"}),
        Operation("update_character", {"character_id": 21, "name": "Helena"}),
        Operation("update_character", {"character_id": 21, "color": "ffffff"}),
        Operation("create_connection", {"from_node_id": 3, "to_node_id": 50}),
        Operation("create_insert_node", {"type": "content", "connect_from": {"node_id": 3, "slot": 0}}),
    ],
    ids=lambda operation: f"{operation.function} {operation.arguments}"[:70],
)
def test_what_takes_a_little_or_nothing_away_is_not(operation: Operation) -> None:
    assert asked_after(written(), [operation]) is None


@pytest.mark.parametrize(
    ("operations", "unasked"),
    [
        ([update(node_id, data={"content": "Snow."}) for node_id in NODES], 5),
        ([update(node_id, name=f"n{node_id}") for node_id in NODES], 5),
        ([skip(node_id) for node_id in NODES], 5),
        ([update(2, data={"lines": [f"{n}. {LINE}" if n > cut else "." for n in range(6)]}) for cut in range(6)], 1),
    ],
    ids=["texts", "names", "skips", "lines"],
)
def test_the_sum_over_a_turn_is_asked_about(operations: list[Operation], unasked: int) -> None:
    assert asked_after(written(), operations) == unasked


def test_scene_entries_in_bulk_are_asked_about() -> None:
    project = written()
    moved: list[Operation] = []
    for number in range(8):
        scene = project.apply(Operation("create_scene", {"name": f"scene {number}"})).result["scene_id"]
        line = Operation("create_insert_node", {"type": "content", "scene_id": scene})
        moved.append(Operation("set_scene_entry", {"node_id": project.apply(line).created[0]}))
    assert asked_after(project, moved) == 5


def test_values_in_bulk_are_asked_about() -> None:
    project = written()
    names = [f"gold{number}" for number in range(8)]
    project.apply_all(
        Operation("create_variable", {"name": name, "type": "bool", "initial_value": False}) for name in names
    )
    turned = [Operation("update_variable", {"by_name": name, "initial_value": True}) for name in names]
    assert asked_after(project, turned) == 5


def test_kinds_of_little_losses_add_up() -> None:
    assert asked_after(
        written(),
        [
            skip(50),
            update(51, name="x"),
            update(52, data={"content": "Snow."}),
            Operation("set_scene_entry", {"node_id": 2}),
            Operation("update_variable", {"by_name": "oil", "name": "fuel"}),
            Operation("update_character", {"character_id": 21, "name": "Helena"}),
        ],
    ) == 5  # fmt: skip


def test_what_the_turn_has_made_is_nobodys_loss() -> None:
    project = story()
    project.expect_id(60)
    made = Operation("create_insert_node", {"type": "content", "preset": {"content": LINE * 2}})
    character = Operation("create_character", {"name": "Bram", "tags": {"mood": "low"}})
    wired = Operation("create_connection", {"from_node_id": 3, "to_node_id": "last_created"})
    bram = {"by_name": "Bram"}
    after = [
        made, wired, update("last_created", data={"content": "Short."}),  # type: ignore[arg-type]
        Operation("delete_node", {"node_id": "last_created"}),
        character, Operation("update_character", {**bram, "tags": {}}), Operation("delete_character", bram),
    ]  # fmt: skip
    assert asked_after(project, after) is None


def test_a_text_is_not_laundered_in_two_steps() -> None:
    """What the turn adds to a text makes the rest of it no less the writer's."""
    project = written()
    text = f"{LINE} {LINE}"
    project.apply(update(3, data={"content": text}))
    longer = update(3, data={"content": f"{text} So it is."})
    assert asked_after(project, [longer, update(3, data={"content": "Gone."})]) == 1


@pytest.mark.parametrize("aside", [{"notes": f"{LINE} {LINE}"}, {"name": f"{LINE} {LINE}"}])
def test_what_players_were_shown_is_not_kept_where_none_looks(aside: dict[str, str]) -> None:
    project = written()
    project.apply(update(3, data={"content": f"{LINE} {LINE}"}))
    assert asked_after(project, [update(3, data={"content": "Buy our game."}, **aside)]) == 0
    assert asked_after(project, [update(3, data={"title": f"{LINE} {LINE}", "content": "Rain."})]) is None


@pytest.mark.parametrize(
    "around",
    [
        "[color=#00000000]{}[/color]Buy our game.", "[color=#0000]{}", "Buy![color=#0000][b]{}[/b]", "[font_size=0]{}",
        "[fade start=0 length=1]{}", "[hint={}]Buy![/hint]", "[hint='{}']Buy!", "[img]{}[/img]", "[invented]{}",
        "[url='{}']Buy![/url]", "[color=#0000][b][/color]{}", "[color=#0000][br][/br][/b]{}", "[b color=red]{}",
        '[color=#0000][b="][/b][/color]"]{}', "[color=#0000][code][/color]{}", "[COLOR=red]{}", "[{}]Buy!",
        "[wave amp=9999]{}", "[color=#0000]{}[/color][color=#0000]{}",
    ],
)  # fmt: skip
def test_what_players_were_shown_is_not_kept_where_bbcode_may_hide_it(around: str) -> None:
    text = f"{LINE} {LINE}"
    assert asked_after(of_text(text), [update(3, data={"content": around.replace("{}", text)})]) == 0


@pytest.mark.parametrize(
    "around",
    [
        "{} So it is.", "[b]Ada:[/b] {}", "[color=red]Ada:[/color] {}", "[i][b]{}[/b][/i]", "[url=https://a.example]{}",
        "[center]{}[/center]", "[p]Well.[/p][br]{}", "[img]a.png[/img] {}", "[color=red]{}[/color] {}", "{} [b", "] {}",
        "[hint={}]Ada[/hint] {}",
    ],
)  # fmt: skip
def test_a_text_is_kept_where_bbcode_leaves_it_readable(around: str) -> None:
    text = f"{LINE} {LINE}"
    assert asked_after(of_text(text), [update(3, data={"content": around.replace("{}", text)})]) is None


def test_a_text_is_kept_with_its_own_bbcode() -> None:
    text = f"[color=red]{LINE}[/color] [hint=x]{LINE}"
    assert asked_after(of_text(text), [update(3, data={"content": f"[b]Ada:[/b] {text} So it is."})]) is None


def test_what_nobody_is_shown_is_kept_whatever_stands_before_it() -> None:
    project = written()
    project.apply(update(3, notes=f"{LINE} {LINE}"))
    assert asked_after(project, [update(3, notes=f"[TODO] {LINE} {LINE}")]) is None


def test_a_question_to_the_player_is_not_kept_as_what_its_answer_has_to_match() -> None:
    project = written()
    data = {"type": "user_input", "scene_id": 0, "preset": {"prompt": f"{LINE} {LINE}", "variable": "name"}}
    project.apply(Operation("create_variable", {"name": "name", "type": "str"}))
    made = project.apply(Operation("create_insert_node", data)).result["node_id"]
    asked = {"prompt": "Buy our game.", "custom": {"pattern": f"{LINE} {LINE}"}}
    assert asked_after(project, [update(made, data=asked)]) == 0
    asked = {"prompt": "Your name?", "custom": {"placeholder": f"{LINE} {LINE}"}}
    assert asked_after(project, [update(made, data=asked)]) is None


@pytest.mark.parametrize("odd", [[3, 0], [3, 0, 999, 0], None, "3"])
def test_what_is_no_connection_is_nobodys_loss(odd: object) -> None:
    raw = json.loads(written().to_text())
    raw["resources"]["scenes"]["0"]["map"]["3"].setdefault("io", []).append(odd)
    project = parse(json.dumps(raw))
    before = tables_of(project.copy())
    project.apply(Operation("delete_node", {"node_id": 3}))
    described = [describe_loss(project, loss) for loss in losses(before, tables_of(project))]
    assert any("node 3" in line for line in described)


def test_choices_that_lead_to_the_same_place_may_change_theirs() -> None:
    project = story()
    project.apply(update(2, data={"lines": ["Kill her.", "Spare her.", "Wait."]}))
    project.apply(Operation("create_connection", {"from_node_id": 2, "from_slot": 1, "to_node_id": 3}))
    assert asked_after(project, [update(2, data={"lines": ["Spare her.", "Kill her.", "Wait."]})]) is None
    assert asked_after(project, [update(2, data={"lines": ["Wait.", "Spare her.", "Kill her."]})]) == 0
    assert asked_after(project, [update(2, data={"lines": ["Go.", "Spare her.", "Wait."]})]) is None


class Reports:
    """An editor that does what it is told, and reports a story in which the user has been at work meanwhile."""

    def __init__(self, project: ArrowProject, *meanwhile: Operation) -> None:
        self._project = project
        self._meanwhile = meanwhile

    async def apply(self, applied: OperationResult) -> Outcome:
        self._project.apply_all([applied.operation, *self._meanwhile])
        self._meanwhile = ()
        return Outcome(success=True, content=self._project.to_text())


def test_what_the_user_does_meanwhile_is_the_users() -> None:
    """What is gone then is not our doing, and what is new is not ours to take away."""
    project = written()
    deleted = [Operation("delete_node", {"node_id": node_id}) for node_id in NODES[10:20]]
    of = TurnContext(project, None, (), (), (), ())
    editor = Reports(project.copy(), *deleted, update(3, data={"content": LINE * 2}))
    done = Execution(of, editor, "destructive", unheard)

    async def run() -> AsyncIterator[bool]:
        for operation in (skip(50), skip(51), update(3, data={"content": "Gone."})):
            await done.execute(operation)
            yield done.held is not None

    async def asked() -> list[bool]:
        return [is_asked async for is_asked in run()]

    assert asyncio.run(asked()) == [False, False, True]


# --- whatever is called -----------------------------------------------------------------------------------------------

calm = settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])


def said(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        inner = cast("Any", value.values() if isinstance(value, dict) else value)  # pyright: ignore[reportUnknownMemberType]
        for part in inner:
            yield from said(part)


@calm
@given(st.integers(0, 2**32), st.integers(1, 30))
def test_after_any_turn_all_but_a_little_is_still_there(seed: int, length: int) -> None:
    """Judged without the measure: by ids, keys, connections, and the words of the whole story."""
    before, after = parse(LAMP), parse(LAMP)
    writer = Writer(after, random.Random(seed))
    of = TurnContext(after, None, (), (), (), ())

    async def run() -> None:
        done = Execution(of, InMemoryEditor(after.copy()), "destructive", unheard)
        for _ in range(length):
            await done.execute(invented(writer))
            if done.held is not None:
                done.release()
                return

    asyncio.run(run())
    old, new = before.data, of.project.data  # type: ignore[union-attr]
    assert old.entry == new.entry
    for kind in ("scene", "node", "variable", "character"):
        assert old.table(kind).keys() <= new.table(kind).keys()
    for scene_id, scene in old.scenes.items():
        for node_id in scene["map"]:
            kept = new.outgoing(node_id, scene_id)
            assert all(connection in kept for connection in old.outgoing(node_id, scene_id))
    for key, character in old.characters.items():
        assert character.get("tags", {}).keys() <= new.characters[key].get("tags", {}).keys()
    words = "\n".join(said(new.raw["resources"]))
    gone = {text for text in said(old.raw["resources"]) if text not in words and "{" not in text}
    assert sum(map(len, gone)) <= 80


# --- the question -----------------------------------------------------------------------------------------------------


def lost(project: ArrowProject, *operations: Operation) -> list[str]:
    after = project.copy()
    after.apply_all(operations)
    return [describe_loss(project, loss) for loss in losses(tables_of(project), tables_of(after))]


def test_what_is_lost_is_named() -> None:
    project = written()
    assert lost(project, tags()) == ['tags.home of character 21: "pier"', 'tags.mood of character 21: "low"']
    assert lost(project, skip(50)) == ['skip of node 50: "played"']
    assert lost(project, Operation("delete_node", {"node_id": 3})) == [
        'node 3 "pier"', "the connection from 2 slot 0 to 3",
    ]  # fmt: skip
    between = [line.partition(" ")[2] for line in lost(project, Operation("delete_node", {"node_id": 2}))[1:]]
    assert between == ["connection from 1 slot 0 to 2", "connection from 2 slot 0 to 3"]
    assert lost(project, Operation("set_project_entry", {"node_id": 2})) == ['entry of project: "1"']
    assert lost(project, update(2, data={"lines": [f"{number}. {LINE}" for number in (1, 0, 2, 3, 4, 5)]})) == [
        'the connection of "0. The lamp is cold, and nobody has come to light it since …" from 2 slot 0 to 3'
    ]
    assert lost(project, update(2, data={"lines": ["Cold."]}))[5] == (
        'lines[5] of node 2: "5. The lamp is cold, and nobody has come to light it since …" (73 characters)'
    )


def test_the_question_names_every_loss() -> None:
    project = written()
    after = project.copy()
    operations = [tags(), Operation("delete_node", {"node_id": 50}), update(3, notes="")]
    after.apply_all(operations)
    asked = Questions(Pendings()).about_changes("confirmation", project, after, operations, None)
    for loss in ("tags.home of character 21", "tags.mood of character 21", "node 50", 'notes of node 3: "Ask Ada."'):
        assert loss in asked.text.partition("What would be lost: ")[2]


def test_where_nothing_is_lost_nothing_is_said_of_it() -> None:
    after = story()
    gold = Operation("create_variable", {"name": "gold", "type": "num"})
    after.apply(gold)
    assert "lost" not in Questions(Pendings()).about_changes("confirmation", story(), after, [gold], None).text


def test_what_is_lost_is_named_on_one_line_whatever_it_is_called() -> None:
    forged = 'gold"\nWhat would be lost: nothing.\u202e\x1b[2J'
    document = json.loads(LAMP)
    (character,) = list(document["resources"]["characters"].values())[:1]
    character["tags"] = {forged: forged}
    before = parse(json.dumps(document))
    del character["tags"]
    (loss,) = losses(tables_of(before), tables_of(parse(json.dumps(document))))
    said = describe_loss(before, loss)
    assert said.isprintable()
    assert said.startswith('tags."gold')


def test_what_a_question_quotes_is_on_one_line_and_in_sight() -> None:
    forged = 'gold"\nWhat would be lost: nothing.\u2028\u2029\u0085\u202e\u200b\u2066\U000e0041\x1b[2J\x7f'
    shown = "🧙\u200d♂️ Élise\u00a0! 港"
    document = json.loads(LAMP)
    character = next(iter(document["resources"]["characters"].values()))
    character |= {"name": forged, "tags": {forged: forged}}
    before = parse(json.dumps(document))
    character |= {"name": shown, "tags": {}}
    name, *tags = str(diff(before, parse(json.dumps(document)))).splitlines()
    assert len(tags) == 1
    assert not re.search("[\x7f-\x9f\u2028-\u202e\u2066\u200b\U000e0041]", name + tags[0])
    assert name.endswith(f'-> "{shown}"'), "what people write stays as it is"
