"""Whatever function does it: more than a little is not taken away unasked, in one call or in many."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent import Failure, InMemoryEditor, Outcome, TurnContext
from agent.editing.consent import Consent
from agent.editing.editor import OperationRefused
from agent.editing.execution import Execution
from agent.editing.in_order import tried_in_order
from arrow_project import (
    ArrowProject,
    Loss,
    Operation,
    OperationResult,
    Selection,
    Tables,
    describe_loss,
    losses,
    parse,
    tables_of,
)
from tests.agent.losing import LAMP, LINE, NODES, asked_after, skip, tags, update, written
from tests.agent.story import story
from tests.agent.turn_runner import unheard
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer


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


def test_a_value_of_minus_one_is_a_value() -> None:
    """Only where an id stands it is the id of nobody."""
    project = story()
    names = [f"debt{number}" for number in range(6)]
    owed = [Operation("create_variable", {"name": name, "type": "num", "initial_value": -1}) for name in names]
    project.apply_all(owed)
    paid = [Operation("update_variable", {"by_name": name, "initial_value": 0}) for name in names]
    assert asked_after(project, paid) == 5


def test_no_more_losses_are_looked_for_than_it_takes_to_ask(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = list[Loss]()

    def watched(before: Tables, after: Tables) -> Iterator[Loss]:
        for loss in losses(before, after):
            looked_at.append(loss)
            yield loss

    monkeypatch.setattr("agent.editing.consent.losses", watched)
    project = written()
    project.apply(tags(**{f"tag{number}": "low" for number in range(1_000)}))
    assert asked_after(project, [tags()]) == 0
    assert len(looked_at) == 1


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
        self.meanwhile = meanwhile

    async def apply(self, applied: OperationResult) -> Outcome:
        self._project.apply_all([applied.operation, *self.meanwhile])
        self.meanwhile = ()
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


class MakesFirst:
    """An editor in which the user makes a page just before the first call, or writes one into what that has made."""

    def __init__(self, project: ArrowProject, *, writes: bool = False, before: Operation | None = None) -> None:
        self._project = project
        self._writes = writes
        self._before = before

    async def apply(self, applied: OperationResult) -> Outcome:
        operation = applied.operation
        if self._before is not None:
            self._project.apply(self._before)
            self._before = None
        done = self._project.apply(operation)
        if self._writes:
            self._project.apply(update(done.created[0], data={"content": f"{LINE}\n{LINE}"}))
            self._writes = False
        return Outcome(success=True, result="Node created", content=self._project.to_text())


def test_a_connection_of_the_users_into_what_the_turn_has_made_is_the_users() -> None:
    project = story()
    editor = Reports(project.copy())
    done = Execution(TurnContext(project, None, (), (), (), ()), editor, "destructive", unheard)
    drawn = Operation("create_connection", {"from_node_id": 3, "to_node_id": "last_created"})

    async def run(*drawing: Operation) -> bool:
        """Whether the turn takes back unasked what it has made, with what leads there."""
        (made, *_) = cast("dict[str, Any]", (await done.execute(page("Hello."))).result).values()
        if not drawing:
            await done.execute(drawn)
        editor.meanwhile = tuple(replace(one, arguments={**one.arguments, "to_node_id": made}) for one in drawing)
        await done.execute(Operation("create_variable", {"name": f"oil{made}", "type": "num"}))
        await done.execute(Operation("delete_node", {"node_id": made}))
        return done.held is None

    assert asyncio.run(run())
    assert not asyncio.run(run(drawn))


def made_then_changed(editor: MakesFirst, project: ArrowProject) -> tuple[int, bool]:
    """The id that a turn takes for what it has made, and whether it may change that unasked."""
    of = TurnContext(project, None, (), (), (), ())
    done = Execution(of, editor, "destructive", unheard)

    async def run() -> int:
        (made, *_) = cast("dict[str, Any]", (await done.execute(page("Hello."))).result).values()
        await done.execute(update(made, data={"content": "Goodbye."}))
        return made

    return asyncio.run(run()), done.held is None


def page(content: str) -> Operation:
    return Operation("create_insert_node", {"type": "content", "preset": {"content": content}})


def test_what_the_user_has_made_in_that_moment_is_not_taken_for_what_the_turn_has_made() -> None:
    project = written()
    (users,) = project.copy().apply(page("")).created
    editor = MakesFirst(project.copy(), before=page(f"{LINE}\n{LINE}"))
    made, is_unasked = made_then_changed(editor, project)
    assert (made, is_unasked) == (users + 1, True)


def test_of_two_that_say_what_was_asked_for_neither_is_the_turns() -> None:
    project = written()
    editor = MakesFirst(project.copy(), before=page("Hello."))
    done = Execution(TurnContext(project, None, (), (), (), ()), editor, "destructive", unheard)
    finished = asyncio.run(done.execute(page("Hello.")))
    assert "look for it" in cast("dict[str, Any]", finished.result)["remark"]
    assert done.created == []


def test_what_the_user_writes_into_what_a_turn_has_made_is_the_users() -> None:
    project = written()
    assert made_then_changed(MakesFirst(project.copy()), project.copy())[1]
    assert not made_then_changed(MakesFirst(project.copy(), writes=True), project)[1]


def test_what_the_user_writes_while_a_yes_is_carried_out_is_the_users() -> None:
    project = written()
    done = Execution(TurnContext(project, None, (), (), (), ()), Reports(project.copy()), "destructive", unheard)

    async def run() -> None:
        (made,) = project.copy().apply(page("")).created
        by_hand = update(made, data={"content": f"{LINE}\n{LINE}"})
        done._editor = Reports(project.copy(), by_hand)  # pyright: ignore[reportPrivateUsage]
        await done.replay([page("Hello."), page("More.")])
        await done.execute(update(made, data={"content": "Goodbye."}))

    asyncio.run(run())
    assert done.held is not None


def carried_out(project: ArrowProject, editor: Reports, *operations: Operation) -> tuple[Failure | None, Execution]:
    """What ends a yes to operations on the story, if anything does."""
    done = Execution(TurnContext(project, None, (), (), (), ()), editor, "destructive", unheard)
    return asyncio.run(done.replay(operations)), done


def delete(node_id: int) -> Operation:
    return Operation("delete_node", {"node_id": node_id})


@pytest.mark.parametrize(
    ("meanwhile", "agreed"),
    [
        (update(60, data={"content": LINE}), delete(60)),
        (update(60, notes="Ask Bo."), delete(60)),
        (update(60, data={"content": LINE}), update(60, data={"content": "Gone."})),
        (Operation("create_connection", {"from_node_id": 59, "from_slot": 0, "to_node_id": 60}), delete(60)),
        (update(2, data={"lines": [f"{number}. {LINE}" for number in (7, 0, 1, 2, 3, 4)]}), delete(2)),
        (tags(home="pier", mood="low", song="hers"), tags(home="pier")),
    ],
    ids=["text", "notes", "replaced", "connection", "line", "tag"],
)
def test_what_the_user_writes_while_a_yes_is_carried_out_is_not_taken_away(
    meanwhile: Operation, agreed: Operation
) -> None:
    project = written()
    failure, done = carried_out(project, Reports(project.copy(), meanwhile), delete(50), agreed, delete(51))
    assert failure is not None
    assert failure.code == "CONFLICT"
    assert done.executed == [delete(50)], "what was done before stays, and nothing follows"


@pytest.mark.parametrize(
    "meanwhile",
    [
        update(60, data={"content": ""}),
        update(61, data={"content": LINE}),
        Operation("update_node_map", {"node_id": 60, "modifications": {"offset": [9, 9]}}),
        Operation("update_variable", {"by_name": "door", "name": "gate"}),
    ],
    ids=["less", "elsewhere", "moved", "renamed"],
)
def test_what_the_user_does_elsewhere_while_a_yes_is_carried_out_is_no_conflict(meanwhile: Operation) -> None:
    project = written()
    failure, done = carried_out(project, Reports(project.copy(), meanwhile), delete(50), delete(60))
    assert failure is None
    assert len(done.executed) == 2


def test_what_is_made_by_a_yes_may_be_changed_by_it() -> None:
    project = written()
    (made,) = project.copy().apply(page("")).created
    editor = Reports(project.copy(), update(60, notes="Ask Bo."))
    failure, _ = carried_out(project, editor, delete(50), page("Hello."), update(made, data={"content": "More."}))
    assert failure is None


def test_of_a_yes_only_what_others_have_written_into_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[int] = []

    def watched(before: Tables, after: Tables) -> Iterator[Loss]:
        measured.append(len(before["node"]))
        return losses(before, after)

    monkeypatch.setattr("agent.editing.meanwhile.losses", watched)
    project = written()
    changed = project.copy()
    changed.apply(update(79, notes="Ask Bo."))
    of = TurnContext(changed, None, (), (), (), ())
    done = Execution(of, InMemoryEditor(changed), "destructive", unheard)
    assert asyncio.run(done.replay([delete(node_id) for node_id in NODES[:20]], agreed=project)) is None
    assert measured == [len(project.data.nodes), *[1] * 20]


def test_a_connection_of_a_node_that_is_on_two_maps_is_asked_about() -> None:
    project = written()
    scene = project.apply(Operation("create_scene", {"name": "cellar"})).result["scene_id"]
    project.data.scenes[scene]["map"][1] = {"offset": [0, 0]}
    cut = Operation("delete_connection", {"from_node_id": 1, "from_slot": 0, "to_node_id": 2, "to_slot": 0})
    assert asked_after(project, [cut]) == 0


calm = settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.too_slow])


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


@pytest.fixture
def renames(monkeypatch: pytest.MonkeyPatch) -> list[Operation]:
    """Of which the second is one too many to be taken back."""
    monkeypatch.setattr("arrow_project.operations._MOST_KEPT", 1)
    monkeypatch.setattr("arrow_project.operations._MOST_KEPT_FOR_A_NODE", 0)
    return [Operation("update_variable", {"variable_id": 20, "name": name}) for name in ("wax", "oil")]


def test_the_end_of_a_list_is_asked_about_however_much_is_kept_of_what_comes_before(renames: list[Operation]) -> None:
    """What can still be taken back has a limit, and in an editor that reports its story it begins anew each time."""
    listed = (*renames, Operation("delete_node", {"node_id": 3}))
    assert Consent("destructive").asks_about(story(), listed, Selection())
    assert not Consent("destructive").asks_about(story(), listed[:2], Selection())


def test_a_list_of_which_not_all_could_be_taken_back_is_refused_before_anything_is_done(
    renames: list[Operation],
) -> None:
    with pytest.raises(OperationRefused) as refused:
        tried_in_order(story(), renames, Selection())
    assert "Operation 2 of 2" in refused.value.failure.message
    assert "Nothing of the list was done" in refused.value.failure.message
