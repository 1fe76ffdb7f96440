"""Conversations: confirmation, undo, plans, direct functions, what was left out."""

from evaluation.agent.changes import exactly, node, speech, unchanged
from evaluation.agent.checks import asked, changed_by, cites, executed
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.task import YES, Ask, Task

_KITCHEN = 20
_ADD = "Add a content after 30: The bell again."
_ADDED = {"nodes": {"new": node("content", content="The bell again.")}, "links": {(30, 0, "new")}}

TASKS = (
    Task(
        "delete-yes",
        SAMPLE_STORY,
        (Ask("Delete node 29"), YES),
        (asked("confirmation"), exactly(gone={29})),
    ),
    Task(
        "delete-no",
        SAMPLE_STORY,
        (Ask("Delete node 29"), Ask("no")),
        (asked("confirmation"), unchanged),
    ),
    Task(
        "delete-all-but-one",
        SAMPLE_STORY,
        (Ask("Delete nodes 28, 29 and 30"), Ask("yes, but keep node 29"), YES),
        (asked("confirmation"), exactly(gone={28, 30})),
        in_grammar=False,
    ),
    Task(
        "unclear-reply",
        SAMPLE_STORY,
        (Ask("Delete node 29"), Ask("At what time does the Tide Clock stand?")),
        (asked("confirmation"), unchanged, cites("game-bible.pdf", 10, answer=1)),
    ),
    Task(
        "yes-comes-too-late",
        SAMPLE_STORY,
        (Ask("Delete node 29"), Ask("At what time does the Tide Clock stand?"), Ask("yes")),
        (asked("confirmation"), unchanged),
    ),
    Task(
        "undo-one",
        SAMPLE_STORY,
        (Ask(_ADD), Ask("undo")),
        (changed_by(0), changed_by(1), unchanged),
    ),
    Task(
        "undo-a-whole-turn",
        SAMPLE_STORY,
        (
            Ask("Create a character Osk; add a dialog by Osk after 30: Seven degrees.; rename node 29 to goat"),
            Ask("undo"),
        ),
        (changed_by(0), changed_by(1), unchanged),
    ),
    Task(
        "undo-a-deletion",
        SAMPLE_STORY,
        (Ask("Delete node 29"), Ask("yes"), Ask("undo")),
        (changed_by(1), changed_by(2), unchanged),
    ),
    Task(
        "undo-function",
        SAMPLE_STORY,
        (Ask(_ADD), Ask(function="undo")),
        (changed_by(0), changed_by(1), unchanged),
    ),
    Task("plan-no", SAMPLE_STORY, (Ask(_ADD, plan=True), Ask("no")), (asked("plan"), unchanged)),
    Task(
        "plan-yes",
        SAMPLE_STORY,
        (Ask(_ADD, plan=True), Ask("yes")),
        (asked("plan"), changed_by(0, changed=False), exactly(**_ADDED)),
    ),
    Task(
        "plan-of-several",
        SAMPLE_STORY,
        (Ask("Delete node 28; add a dialog by Osk after 29: So.; create a variable fog = true", plan=True), Ask("no")),
        (asked("plan"), unchanged),
        in_grammar=False,
    ),
    Task(
        "direct-function",
        SAMPLE_STORY,
        (Ask(function="create_variable", params={"name": "pages_left", "type": "num", "initial_value": 7}),),
        (executed("create_variable"), exactly(variables={"new": {"name": "pages_left", "type": "num", "init": 7}})),
    ),
    Task(
        "slash-command",
        SAMPLE_STORY,
        (Ask('/update_variable {"variable_id": 3, "initial_value": 36}'),),
        (exactly(altered={3: {"init": 36}}),),
    ),
    Task(
        "missing-parameter",
        SAMPLE_STORY,
        (Ask(function="create_variable", params={"name": "pages_left", "initial_value": 7}), Ask("num")),
        (asked("parameters"), exactly(variables={"new": {"name": "pages_left", "type": "num", "init": 7}})),
    ),
    Task(
        "it-of-the-message-before",
        SAMPLE_STORY,
        (
            Ask("Make Odile say 'Mind the handle.' after node 30", scene=_KITCHEN),
            Ask("And after that let Mina answer 'There isn't one.'", scene=_KITCHEN),
        ),
        (
            exactly(
                nodes={"one": speech(7, "Mind the handle."), "two": speech(6, "There isn't one.")},
                links={(30, 0, "one"), ("one", 0, "two")},
            ),
        ),
        in_grammar=False,
    ),
)
