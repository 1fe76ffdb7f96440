"""Operations: tried on the shadow, executed by the editor, and the two kept equal."""

import asyncio
import json

import pytest

from agent import Event, EventSink, Failure, Outcome, TurnContext, Unread
from agent.editing.editor import Editor, InMemoryEditor
from agent.editing.execution import Execution
from agent.questions.confirmation import ConfirmationPolicy
from arrow_project import ArrowProject, Operation, OperationResult, parse
from tests.agent.story import NEXT_ID, story, story_text
from tests.agent.turn_runner import unheard

GOLD = Operation("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
LINE = Operation("create_insert_node", {"type": "content", "preset": {"content": "Rain."}})


class Answers:
    """An editor that answers what the test says, and keeps what it was asked."""

    def __init__(self, *outcomes: Outcome) -> None:
        self._outcomes = list(outcomes)
        self.applied: list[OperationResult] = []

    async def apply(self, applied: OperationResult) -> Outcome:
        self.applied.append(applied)
        return self._outcomes.pop(0)


def context(project: ArrowProject | None) -> TurnContext:
    return TurnContext(project, None, (3,), (), (), ())


def execution(
    editor: Editor, of: TurnContext, confirm: ConfirmationPolicy = "never", tell: EventSink = unheard
) -> Execution:
    return Execution(of, editor, confirm, tell)


class Second:
    """An editor with a story of its own, which it does to as it is told."""

    def __init__(self, project: ArrowProject | None = None) -> None:
        self.project = project or story()

    async def apply(self, applied: OperationResult) -> Outcome:
        return Outcome(success=True, result=self.project.apply(applied.operation).result)


async def test_shadow_and_editor_end_up_the_same() -> None:
    editor, of = Second(), context(story())
    done = execution(editor, of)
    for operation in (GOLD, LINE, Operation("create_connection", {"from_node_id": 3, "to_node_id": "last_created"})):
        finished = await done.execute(operation)
        assert finished.success, finished.failure
    assert of.project is not None
    assert of.project.to_text() == editor.project.to_text() != story_text()
    assert [operation.function for operation in done.executed] == [
        "create_variable",
        "create_insert_node",
        "create_connection",
    ]
    assert done.executed[-1].arguments["to_node_id"] == NEXT_ID + 1


async def test_an_operation_is_tried_on_what_the_client_has_shown_once_that_is_read() -> None:
    """And so it is asked about where it would take away what stands there by now."""
    written = story_text().replace("The pier is empty.", "What nobody has been asked about. " * 20)
    unread, editor, of = Unread(), Answers(), context(story())
    done = Execution(of, editor, "destructive", unheard, unread=unread)
    with unread.reading():
        executing = asyncio.create_task(
            done.execute(Operation("update_node", {"node_id": 3, "data": {"content": "Anew."}}))
        )
        await asyncio.wait({executing}, timeout=0.2)  # it must not be
        done.take(parse(written), 1)
    await executing
    assert done.held is not None
    assert editor.applied == []


async def test_a_refusal_of_the_editor_takes_the_shadow_back() -> None:
    of = context(story())
    done = execution(Answers(Outcome(success=False, failure=Failure("EDITOR_ERROR", "Not now."))), of)
    finished = await done.execute(GOLD)
    assert finished.failure == Failure("EDITOR_ERROR", "Not now.")
    assert finished.result is None
    assert of.project is not None
    assert of.project.to_text() == story_text()
    assert not done.executed


async def test_a_refusal_without_a_reason_says_so() -> None:
    finished = await execution(Answers(Outcome(success=False)), context(story())).execute(GOLD)
    assert finished.failure is not None
    assert finished.failure.code == "EDITOR_ERROR"


async def test_what_breaks_a_rule_never_reaches_the_editor() -> None:
    editor, of = Answers(), context(story())
    finished = await execution(editor, of).execute(Operation("update_node", {"node_id": 99}))
    assert finished.failure is not None
    assert finished.failure.code == "INVALID_NODE_ID"
    assert not editor.applied
    assert of.project is not None
    assert of.project.to_text() == story_text()


async def test_words_are_resolved_before_the_editor_sees_them() -> None:
    editor = Answers(Outcome(success=True))
    await execution(editor, context(story())).execute(Operation("update_node", {"node_id": "selected", "name": "dock"}))
    assert editor.applied[0].operation.arguments["node_id"] == 3


async def test_other_content_of_the_editor_is_adopted() -> None:
    reported = story_text().replace('"oil"', '"fish"')
    of = context(story())
    finished = await execution(Answers(Outcome(success=True, content=reported)), of).execute(GOLD)
    assert finished.success
    assert of.project is not None
    assert of.project.to_text() == reported


async def test_content_that_comes_with_a_refusal_is_adopted_too() -> None:
    reported = story_text().replace('"oil"', '"fish"')
    of = context(story())
    await execution(Answers(Outcome(success=False, content=reported)), of).execute(GOLD)
    assert of.project is not None
    assert of.project.to_text() == reported


@pytest.mark.parametrize("content", ["not json", "{}"])
async def test_content_that_cannot_be_read_is_not(content: str) -> None:
    of = context(story())
    await execution(Answers(Outcome(success=True, content=content)), of).execute(GOLD)
    assert of.project is not None
    assert "gold" in of.project.to_text()


@pytest.mark.parametrize("is_done", [True, False])
async def test_after_content_that_cannot_be_read_nothing_more_is_done(*, is_done: bool) -> None:
    editor, of = Answers(Outcome(success=is_done, content="not json"), Outcome(success=True)), context(story())
    done = execution(editor, of)
    await done.execute(GOLD)
    for finished in (await done.execute(LINE), *await done.execute_together([LINE, LINE])):
        assert finished.failure is not None
        assert finished.failure.code == "CONFLICT"
    assert len(editor.applied) == 1
    assert not done.shadow.is_known


async def test_after_an_adoption_operations_go_on_from_there() -> None:
    other = story()
    other.apply(Operation("create_character", {"name": "Bram"}))
    editor, of = Answers(Outcome(success=True, content=other.to_text()), Outcome(success=True)), context(story())
    done = execution(editor, of)
    await done.execute(GOLD)
    finished = await done.execute(LINE)
    assert finished.result["node_id"] == NEXT_ID + 1


async def test_without_a_story_nothing_is_edited() -> None:
    finished = await execution(Answers(), context(None)).execute(GOLD)
    assert finished.failure is not None
    assert finished.failure.code == "PERMISSION_DENIED"


async def test_what_needs_a_yes_is_checked_and_not_done() -> None:
    editor, of = Answers(), context(story())
    done = execution(editor, of, "destructive")
    await done.execute(Operation("delete_node", {"node_id": "selected"}))
    held, after = done.release()
    assert held.operations == [Operation("delete_node", {"node_id": 3})]
    assert 3 not in after.data.nodes
    assert not editor.applied
    assert of.project is not None
    assert of.project.to_text() == story_text()
    assert (await done.execute(Operation("delete_node", {"node_id": 99}))).failure is not None
    assert done.held is None


async def test_while_something_waits_only_what_also_has_to_wait_is_taken() -> None:
    editor, of = Answers(), context(story())
    done = execution(editor, of, "destructive")
    await done.execute(Operation("delete_node", {"node_id": 3}))
    refused = await done.execute(GOLD)
    await done.execute(Operation("delete_node", {"node_id": 2}))
    assert refused.failure is not None
    assert refused.failure.code == "NOT_RUN"
    held, after = done.release()
    assert [operation.arguments for operation in held.operations] == [{"node_id": 3}, {"node_id": 2}]
    assert set(after.data.nodes) == {1}
    assert not editor.applied


async def test_or_all_that_follows_waits_on_a_copy() -> None:
    editor, of = Answers(), context(story())
    done = Execution(of, editor, "destructive", unheard, holds_all=True)
    for operation in (Operation("delete_node", {"node_id": 3}), LINE, GOLD):
        assert (await done.execute(operation)).success
    held, _ = done.release()
    assert [operation.function for operation in held.operations] == [
        "delete_node", "create_insert_node", "create_variable",
    ]  # fmt: skip
    assert not editor.applied
    assert of.project is not None
    assert of.project.to_text() == story_text()


async def test_after_a_yes_nothing_more_is_asked() -> None:
    done = execution(InMemoryEditor(story()), context(story()), "always")
    done.consent.stop_asking()
    assert (await done.execute(Operation("delete_node", {"node_id": 3}))).success


async def test_what_has_finished_is_told_once() -> None:
    told: list[Event] = []

    async def tell(event: Event) -> None:
        told.append(event)

    done = execution(InMemoryEditor(story()), context(story()), tell=tell)
    finished = [await done.execute(GOLD), await done.execute(Operation("update_node", {"node_id": 99}))]
    assert [one.success for one in finished] == [True, False]
    assert told == finished


async def test_a_node_that_was_made_but_not_connected_stays_in_the_shadow() -> None:
    connected = Operation(LINE.function, {**LINE.arguments, "connect_from": {"node_id": 3, "slot": 0}})
    refusal = Outcome(success=False, failure=Failure("EDITOR_ERROR", "Slot taken."), done=(LINE,))
    of = context(story())
    done = execution(Answers(refusal), of)
    finished = await done.execute(connected)
    assert finished.failure == Failure("EDITOR_ERROR", "Slot taken.")
    expected = story()
    expected.apply(LINE)
    assert of.project is not None
    assert of.project.to_text() == expected.to_text()


@pytest.mark.parametrize(("modification", "asks"), [("push", False), ("pop", True)])
async def test_only_taking_connections_away_is_asked_about(modification: str, asks: bool) -> None:
    link = [1, 0, 2, 0] if modification == "pop" else [3, 0, 2, 0]
    node = link[0]
    operation = Operation("update_node_map", {"node_id": node, "modifications": {"io": {modification: [link]}}})
    done = execution(InMemoryEditor(story()), context(story()), "destructive")
    assert (await done.execute(operation)).success
    assert (done.held is not None) is asks


@pytest.mark.parametrize("result", [77, 77.0, {"node_id": 77}])
async def test_the_id_that_the_editor_gave_is_adopted(result: object) -> None:
    of = context(story())
    done = execution(Answers(Outcome(success=True, result=result), Outcome(success=True, result="connected")), of)
    finished = await done.execute(LINE)
    assert finished.result["node_id"] == 77
    connected = await done.execute(Operation("create_connection", {"from_node_id": 3, "to_node_id": "last_created"}))
    assert connected.arguments["to_node_id"] == 77
    assert of.project is not None
    assert 77 in of.project.data.nodes
    assert of.project.apply(LINE).created == (78,)


@pytest.mark.parametrize("result", ["Node created successfully", None, True, {"message": "ok"}, 1, 2**50, -5])
async def test_an_answer_without_a_possible_id_leaves_ours(result: object) -> None:
    of = context(story())
    finished = await execution(Answers(Outcome(success=True, result=result)), of).execute(LINE)
    assert finished.result["node_id"] == NEXT_ID
    expected = story()
    expected.apply(LINE)
    assert of.project is not None
    assert of.project.to_text() == expected.to_text()


async def test_what_the_editor_itself_says_is_told() -> None:
    warned = Outcome(success=True, result={"node_id": NEXT_ID, "warning": "Far from the others."})
    finished = await execution(Answers(warned), context(story())).execute(LINE)
    assert finished.result["node_id"] == NEXT_ID
    assert finished.result["editor"] == {"warning": "Far from the others."}
    assert "unconfirmed" not in finished.result


async def test_an_id_that_the_editor_did_not_name_is_marked_unconfirmed() -> None:
    finished = await execution(Answers(Outcome(success=True, result="Node created")), context(story())).execute(LINE)
    assert next(iter(finished.result)) == "node_id"
    assert finished.result["editor"] == "Node created"
    assert "unconfirmed" in finished.result


async def test_the_id_in_the_reported_content_is_what_is_told_and_meant_afterwards() -> None:
    theirs = story()
    theirs.expect_id(4242)
    theirs.apply(LINE)
    of = context(story())
    done = execution(Answers(Outcome(success=True, content=theirs.to_text()), Outcome(success=True)), of)
    finished = await done.execute(LINE)
    assert finished.result["node_id"] == 4242
    connected = await done.execute(Operation("create_connection", {"from_node_id": 3, "to_node_id": "last_created"}))
    assert connected.arguments["to_node_id"] == 4242


@pytest.mark.parametrize(
    ("operation", "said"),
    [
        (Operation("create_variable", {"name": "gold", "type": "num", "notes": 7}), "notes"),
        (Operation("create_insert_node", {"type": "content", "preset": "Rain."}), "preset"),
        (Operation("delete_node", {"node_id": 3, "force": "yes"}), "force"),
    ],
)
async def test_the_form_is_checked_before_anything_else(operation: Operation, said: str) -> None:
    editor, of = Answers(), context(story())
    finished = await execution(editor, of).execute(operation)
    assert finished.failure is not None
    assert finished.failure.code == "TYPE_MISMATCH"
    assert said in finished.failure.message
    assert of.project is not None
    assert of.project.to_text() == story_text()


@pytest.mark.parametrize("name", ["ELENA", "elena", "Eléna", "_elena_"])
async def test_there_is_no_second_elena(name: str) -> None:
    editor, of = Answers(), context(story())
    finished = await execution(editor, of).execute(Operation("create_character", {"name": name}))
    assert finished.failure is not None
    assert finished.failure.details == {"existing_id": 21}
    assert "Use 21" in finished.failure.message
    assert not editor.applied


async def test_a_character_may_be_renamed_in_its_own_spelling() -> None:
    of = context(story())
    done = execution(InMemoryEditor(story()), of)
    assert (await done.execute(Operation("update_character", {"character_id": 21, "name": "ELENA"}))).success
    assert (await done.execute(Operation("create_character", {"name": "Helena"}))).success


LONG = "The pier is empty, and the wind comes in from the north, as it has done since the lamp went out."


@pytest.mark.parametrize(
    ("operation", "asks"),
    [
        (Operation("update_node", {"node_id": 3, "data": {"content": "Full."}}), True),
        (Operation("update_node", {"node_id": 3, "data": {"content": LONG + " And cold."}}), False),
        (Operation("update_node", {"node_id": 3, "notes": "short"}), True),
        (Operation("update_node", {"node_id": 3, "name": "dock"}), False),
        (Operation("update_node", {"node_id": 2, "data": {"lines": ["It is warm."]}}), False),
        (Operation("set_project_entry", {"node_id": 2}), True),
        (Operation("set_scene_entry", {"node_id": 2}), False),
        (Operation("update_character", {"character_id": 21, "name": "Helena"}), False),
    ],
)
async def test_written_text_is_not_overwritten_unasked(operation: Operation, asks: bool) -> None:
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": LONG}, "notes": "One\nTwo"}))
    done = execution(InMemoryEditor(project.copy()), context(project), "destructive")
    assert (await done.execute(operation)).success
    assert (done.held is not None) is asks


async def test_choices_that_lead_on_are_not_cut_unasked() -> None:
    project = story()
    project.apply(Operation("update_node", {"node_id": 2, "data": {"lines": ["Cold.", "Warm."]}}))
    project.apply(Operation("create_connection", {"from_node_id": 2, "from_slot": 1, "to_node_id": 3}))
    done = execution(InMemoryEditor(project.copy()), context(project), "destructive")
    assert (await done.execute(Operation("update_node", {"node_id": 2, "data": {"lines": ["Cold."]}}))).success
    assert done.held is not None


async def test_what_is_replayed_follows_the_ids_that_the_editor_gives() -> None:
    answers = [{"node_id": 77}, {"node_id": 90}, "connected"]
    editor, of = Answers(*(Outcome(success=True, result=result) for result in answers)), context(story())
    done = execution(editor, of, "destructive")
    operations = [LINE, LINE, Operation("create_connection", {"from_node_id": NEXT_ID, "to_node_id": NEXT_ID + 1})]
    assert await done.replay(operations) is None
    assert len(done.executed) == 3
    assert editor.applied[-1].operation.arguments["from_node_id"] == 77
    assert editor.applied[-1].operation.arguments["to_node_id"] == 90


async def test_where_ids_cannot_be_followed_any_more_nothing_follows() -> None:
    """The story's next ids are others than when it was asked, and the editor gives those of then."""
    moved = story()
    moved.data.authors[0][1] += 1
    editor = Answers(Outcome(success=True, result={"node_id": NEXT_ID}), Outcome(success=True), Outcome(success=True))
    done = execution(editor, context(moved), "destructive")
    connect = Operation("create_connection", {"from_node_id": 3, "to_node_id": NEXT_ID})
    failure = await done.replay([LINE, connect, LINE])
    assert failure is not None
    assert failure.code == "CONFLICT"
    assert len(editor.applied) == 2


async def test_what_is_unclear_after_the_last_operation_is_no_conflict() -> None:
    moved = story()
    moved.data.authors[0][1] += 1
    editor = Answers(Outcome(success=True, result={"node_id": NEXT_ID}), Outcome(success=True))
    done = execution(editor, context(moved), "destructive")
    connect = Operation("create_connection", {"from_node_id": 3, "to_node_id": NEXT_ID})
    assert await done.replay([LINE, connect]) is None


async def test_what_is_replayed_means_the_ids_of_the_story_that_was_agreed_to() -> None:
    """The user has made a node since, under the id that the first operation would have got."""
    agreed, shown = story(), story()
    shown.apply(Operation("create_insert_node", {"type": "content", "name": "by_hand"}))
    editor = Second(shown.copy())
    done = execution(editor, context(shown), "destructive")
    write = Operation("update_node", {"node_id": NEXT_ID, "data": {"content": "Wind."}})
    assert await done.replay([LINE, write], agreed=agreed) is None
    assert "content" not in editor.project.simplified(NEXT_ID)
    assert editor.project.simplified(NEXT_ID + 1)["content"] == "Wind."


async def test_what_is_replayed_has_the_ids_of_the_author_who_was_at_work() -> None:
    """Nothing in the file says which of its authors that is."""
    raw = json.loads(story_text())
    raw["meta"]["authors"]["1"] = ["Bea", 7]
    asked, shown = parse(json.dumps(raw)), parse(json.dumps(raw))
    asked.data.active_author = 1
    seeds = asked.seeds
    first, second = (each.result["node_id"] for each in asked.apply_all([LINE, LINE]))
    editor = Second(shown.copy())
    editor.project.data.active_author = 1
    write = Operation("update_node", {"node_id": second, "data": {"content": "Wind."}})
    done = execution(editor, context(shown), "destructive")
    assert await done.replay([LINE, LINE, write, write], seeds=seeds) is None
    assert editor.project.simplified(first)["content"] == "Rain."
    assert editor.project.simplified(second)["content"] == "Wind."


async def test_what_waits_for_a_yes_makes_the_story_longer_too() -> None:
    """However it is tried afterwards: what is long goes to a thread."""
    of = context(story())
    of.characters = before = 10_000
    waiting = execution(Answers(), of, "always")
    await waiting.execute(Operation("create_insert_node", {"type": "content", "preset": {"content": "x" * 1_000}}))
    assert waiting.held is not None
    assert of.characters > before + 1_000
