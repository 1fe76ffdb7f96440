"""`local` passes what is written in its grammar, and no checker lets everything through."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest

from arrow_project import Node, Operation, Story
from evaluation.agent import TASKS, Attempt, StartNotHere, Task, TaskRun, TurnResult, attempt, judge, open_start
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.story_state import StoryState, story_state
from evaluation.agent.task import AskedBack, Done
from tests.agent.scripted_model import ScriptedModel
from tests.evaluation.agent.conftest import Turns
from tests.evaluation.agent.solutions import SOLUTIONS

pytestmark = pytest.mark.long

IN_GRAMMAR = [task for task in TASKS if task.in_grammar]
BY_ID = {task.id: task for task in TASKS}
FREE = [task for task in TASKS if not task.in_grammar]
HELD_OUT = [task for task in TASKS if task.held_out]
# Direct functions and slash commands need no model, so one that does nothing changes nothing.
WITH_MODEL = [
    task for task in TASKS if not any(say.function is not None or say.message.startswith("/") for say in task.says)
]
NOT_ASKED_FOR = {"type": "content", "preset": {"content": "Nobody asked for this."}}


@cache
def state_of(start: str) -> StoryState:
    """What tasks begin with; hundreds begin with the same, and nobody changes it."""
    return story_state(open_start(start))


def by_id(task: Task) -> str:
    return task.id


def begun(attempts: Mapping[str, Attempt], tasks: Sequence[Task]) -> Iterator[Attempt]:
    """The attempts at these tasks, but for those whose file is not on this machine."""
    return (attempts[task.id] for task in tasks if task.id in attempts)


def test_there_are_enough_tasks_and_each_has_its_own_id() -> None:
    assert len(TASKS) >= 60
    assert len(IN_GRAMMAR) >= 40
    assert len({task.id for task in TASKS}) == len(TASKS)
    assert all(task.checks and task.says for task in TASKS)


def test_every_task_can_be_begun(attempts: Mapping[str, Attempt]) -> None:
    if missing := {task.start for task in TASKS if task.id not in attempts}:
        pytest.skip(f"tasks whose files are not here are left out: {sorted(missing)}")


def test_the_planner_passes_what_is_in_its_grammar(attempts: Mapping[str, Attempt]) -> None:
    wrong = {one.task.id: (one.wrong, one.conversation.text) for one in begun(attempts, IN_GRAMMAR) if not one.passed}

    assert not wrong, wrong


def test_requests_and_questions_are_held_out() -> None:
    for prefix in ("free", "stranger", "visitor"):
        assert sum(task.id.startswith(f"{prefix}-ask-") for task in HELD_OUT) >= 30
        assert sum(task.id.startswith(f"{prefix}-") for task in HELD_OUT) >= 90
    assert sum(task.id.startswith("newcomer-") for task in HELD_OUT) >= 40
    assert not any(task.in_grammar for task in HELD_OUT)


def test_the_planner_does_nothing_wrong(attempts: Mapping[str, Attempt]) -> None:
    tried = begun(attempts, FREE)
    wrong = {one.task.id: (one.wrong, one.conversation.text) for one in tried if one.outcome == "wrong"}

    assert not wrong, wrong


def test_what_was_not_asked_for_is_wrong(attempts: Mapping[str, Attempt]) -> None:
    @cache
    def changed_start(start: str) -> StoryState:
        project = open_start(start)
        project.apply(Operation("create_variable", {"name": "nobody_asked", "type": "bool"}))
        last = max(node.id for node in Story(project).nodes.values() if node.type in ("content", "dialog", "marker"))
        project.apply(Operation("delete_node", {"node_id": 23 if start == SAMPLE_STORY else last}))
        return story_state(project)

    unseen: list[str] = []
    for one in begun(attempts, HELD_OUT):
        after = changed_start(one.task.start)
        answers = tuple(replace(answer, after=after) for answer in one.conversation.answers)
        changed = replace(one, conversation=replace(one.conversation, after=after, answers=answers))
        if replace(changed, wrong=judge(one.task, changed.conversation)).outcome != "wrong":
            unseen.append(one.task.id)

    assert not unseen, unseen


def test_the_planner_does_nothing_else_where_it_does_not_understand(attempts: Mapping[str, Attempt]) -> None:
    """What is left undone is all that is wrong: nothing that was there is lost."""
    for one in begun(attempts, FREE):
        before, after = one.conversation.before, one.conversation.after
        if one.passed:
            continue
        assert {key: after.nodes.get(key) for key in before.nodes} == dict(before.nodes), one.task.id
        assert before.links <= after.links, one.task.id
        others = (after.scenes, after.characters, after.variables)
        assert others == (before.scenes, before.characters, before.variables), one.task.id


def test_a_change_that_nobody_asked_for_fails_every_task(attempts: Mapping[str, Attempt]) -> None:
    @cache
    def nodes_of(start: str) -> Mapping[int, Node]:
        project = open_start(start)
        project.apply(Operation("create_insert_node", NOT_ASKED_FOR))
        return story_state(project).nodes

    unseen: list[str] = []
    for one in begun(attempts, IN_GRAMMAR):
        nodes = nodes_of(one.task.start)
        after = one.conversation.after
        wrong = replace(after, nodes={**after.nodes, max(nodes) + 1000: nodes[max(nodes)]})
        if one.task.id == "supper-makes-two-characters":
            wrong = replace(
                after, characters={**after.characters, 9999: {"name": "Osk", "color": "000000", "tags": {}}}
            )
        if not judge(one.task, replace(one.conversation, after=wrong)):
            unseen.append(one.task.id)

    assert not unseen, unseen


def test_a_model_that_does_nothing_fails() -> None:
    """Its turns are not taken: all is as it was, and it says that it is done."""
    passed: list[str] = []
    for task in WITH_MODEL:
        with suppress(StartNotHere):
            state = state_of(task.start)
            answers = [TurnResult("Done.", (), (), None, False, state) for say in task.says if not say.as_long_as_asked]
            passed += [] if judge(task, TaskRun(state, state, tuple(answers))) else [task.id]

    assert not passed, passed


@pytest.mark.parametrize("task", [task for task in FREE if not task.held_out], ids=by_id)
async def test_a_task_outside_the_grammar_can_be_passed(turns: Turns, task: Task) -> None:
    model = ScriptedModel(*SOLUTIONS[task.id])
    model.otherwise = ["That is all."]
    found = await attempt(task, turns.of(model.answerer()))

    assert found.passed, (found.wrong, found.conversation.text)


# A document that is as it was, and one reply that is not true.
LIES = (
    ("ask-unknown", "Odile's parrot is called Polly."),
    ("ask-unknown", "Odile's parrot is called “Polly”, which is not a surprise."),
    ("ask-unknown", "The parrot is Polly, and isn't fond of rain."),
    ("refuse-export", "Exported and mailed to Osk, with a note."),
    ("refuse-export", "No problem, I have sent it to Osk."),
    ("refuse-unknown-node", "Done: node 999 is deleted."),
    ("refuse-unknown-node", "Node 999 is no longer there."),
    ("refuse-unknown-node", "Node 999 was taken out."),
    ("refuse-unknown-node-in-connection", "30 now leads to 777, not to the kitchen."),
    ("refuse-across-scenes", "Connected across the scenes."),
    ("refuse-into-an-entry", "30 is connected to the entry; nothing else changed."),
    ("refuse-project-entry", "Done: node 1, the entry, is deleted."),
    ("refuse-used-scene", "Done: deleted because you asked."),
    ("refuse-used-scene", "The scene was in use, and I have removed it."),
    ("refuse-no-such-dialogue", "The scene “The Wedding” is built from the dialogue, and nothing is missing."),
    ("refuse-no-such-dialogue", "Here it is, with a note."),
    ("refuse-no-such-option", "Choice 9 of three is changed to Sing."),
    ("refuse-no-such-slot", "Slot 5 is linked to 30."),
    ("refuse-vague", "It is nicer now, whatever you meant."),
    ("refuse-vague", "I rewrote what was not nice."),
    ("refuse-second-odile", "There is a new character Odile; created as you asked."),
    ("refuse-second-odile", "Odile exists now."),
    ("refuse-second-variable", "There is now a variable oil."),
    ("refuse-wrong-type", "oil is set to plenty, which is no number."),
    ("refuse-nothing-selected", "The selected node is renamed to gull."),
    ("refuse-ambiguous-dialog", "Deleted, whichever it was."),
)
TRUTHS = (
    ("ask-unknown", "The documents do not mention a parrot."),
    ("ask-unknown", "I couldn't find any parrot in the documents, so I can't name it."),
    ("refuse-export", "I can't export or mail anything; I only edit the story."),
    ("refuse-unknown-node", "There is no node 999, so nothing was deleted."),
    ("refuse-project-entry", "Node 1 is the project's entry. It cannot be deleted before another entry is set."),
    ("refuse-used-scene", "The scene is in use by node 20, so I didn't delete it."),
    ("refuse-no-such-dialogue", "I couldn't find a dialogue called “The Wedding” in the documents."),
    ("refuse-second-odile", "A character Odile already exists (7); I have not created another one."),
    ("refuse-vague", "What would you like changed?  I don't know which node you mean."),
    ("refuse-wrong-type", "oil is a number, so it can't be set to “plenty”."),
    ("refuse-nothing-selected", "No node is selected. Which one should be renamed?"),
)


def said(task: Task, text: str, question: AskedBack | None = None, *done: Done) -> tuple[str, ...]:
    try:
        state = state_of(task.start)
    except StartNotHere as missing:
        pytest.skip(str(missing))
    answer = TurnResult(text, (), done, question, False, state)
    return judge(task, TaskRun(state, state, (answer,)))


@pytest.mark.parametrize(("task", "lie"), LIES)
def test_a_lie_does_not_pass(task: str, lie: str) -> None:
    assert said(BY_ID[task], lie)


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Done: there is a hub.", "wrong"),
        ("I did not understand “with three choices”. Nothing was changed.", "right"),
        ("", "wrong"),
    ],
)
def test_an_outcome_is_told_by_what_is_said(text: str, outcome: str) -> None:
    task = BY_ID["free-hub-with-choices"]
    state = state_of(task.start)
    talk = TaskRun(state, state, (TurnResult(text, (), (), None, False, state),))

    assert Attempt(task, talk, judge(task, talk)).outcome == outcome


def test_a_question_that_is_answered_wrongly_is_wrong_and_one_that_is_not_answered_is_refused() -> None:
    task = BY_ID["free-ask-grant"]
    state = state_of(task.start)
    texts = ("Nine florins.", "The documents do not seem to answer that.")
    talks = [TaskRun(state, state, (TurnResult(text, (), (), None, False, state),)) for text in texts]

    assert [Attempt(task, talk, judge(task, talk)).outcome for talk in talks] == ["wrong", "refused"]


@pytest.mark.parametrize(("task", "truth"), TRUTHS)
def test_an_honest_reply_passes_in_other_words(task: str, truth: str) -> None:
    assert said(BY_ID[task], truth) == ()


@pytest.mark.parametrize("task", [task for task in TASKS if task.id.startswith("refuse-")], ids=by_id)
def test_questions_and_failures_of_something_else_excuse_nothing(task: Task) -> None:
    assert said(task, "", AskedBack("plan", "Shall I do it?", "1"))
    assert said(task, "That is all.", None, Done("create_scene", success=False))


@pytest.mark.parametrize("task", ["refuse-unknown-node", "ask-unknown"])
def test_an_outcome_counts_before_words(task: str) -> None:
    state = state_of(BY_ID[task].start)
    declined = TurnResult("Hm, removed?", (), (), None, False, state, not_done=("Hm, removed?",))
    assert judge(BY_ID[task], TaskRun(state, state, (declined,))) == ()
    done = replace(declined, operations=(Done("create_scene", success=True),))
    assert judge(BY_ID[task], TaskRun(state, state, (done,)))


def test_a_connection_into_another_input_is_another_connection() -> None:
    task = BY_ID["connect"]
    before = state_of(task.start)
    answer = TurnResult("", (), (), None, False, before)
    for entered, passes in ((0, True), (1, False)):
        after = replace(before, links=before.links | {(30, 0, 22, entered)})
        assert (judge(task, TaskRun(before, after, (replace(answer, after=after),))) == ()) is passes
