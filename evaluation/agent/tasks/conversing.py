"""Conversations: confirmation, undo, plans, direct functions, what was left out."""

from evaluation.agent.changes import exactly, node, speech, unchanged
from evaluation.agent.checks import asked, changed_by, cites, executed
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.task import YES, Say, Task

_KITCHEN = 20
_ADD = "Add a content after 30: The bell again."
_ADDED = {"nodes": {"new": node("content", content="The bell again.")}, "links": {(30, 0, "new")}}

TASKS = (
    Task(
        "delete-yes",
        SAMPLE_STORY,
        (Say("Delete node 29"), YES),
        (asked("confirmation"), exactly(gone={29})),
    ),
    Task(
        "delete-no",
        SAMPLE_STORY,
        (Say("Delete node 29"), Say("no")),
        (asked("confirmation"), unchanged),
    ),
    Task(
        "delete-all-but-one",
        SAMPLE_STORY,
        (Say("Delete nodes 28, 29 and 30"), Say("yes, but keep node 29"), YES),
        (asked("confirmation"), exactly(gone={28, 30})),
        in_grammar=False,
    ),
    Task(
        "unclear-reply",
        SAMPLE_STORY,
        (Say("Delete node 29"), Say("At what time does the Tide Clock stand?")),
        (asked("confirmation"), unchanged, cites("game-bible.pdf", 10, answer=1)),
    ),
    Task(
        "yes-comes-too-late",
        SAMPLE_STORY,
        (Say("Delete node 29"), Say("At what time does the Tide Clock stand?"), Say("yes")),
        (asked("confirmation"), unchanged),
    ),
    Task(
        "undo-one",
        SAMPLE_STORY,
        (Say(_ADD), Say("undo")),
        (changed_by(0), changed_by(1), unchanged),
    ),
    Task(
        "undo-a-whole-turn",
        SAMPLE_STORY,
        (
            Say("Create a character Osk; add a dialog by Osk after 30: Seven degrees.; rename node 29 to goat"),
            Say("undo"),
        ),
        (changed_by(0), changed_by(1), unchanged),
    ),
    Task(
        "undo-a-deletion",
        SAMPLE_STORY,
        (Say("Delete node 29"), Say("yes"), Say("undo")),
        (changed_by(1), changed_by(2), unchanged),
    ),
    Task(
        "undo-function",
        SAMPLE_STORY,
        (Say(_ADD), Say(function="undo")),
        (changed_by(0), changed_by(1), unchanged),
    ),
    Task("plan-no", SAMPLE_STORY, (Say(_ADD, plan=True), Say("no")), (asked("plan"), unchanged)),
    Task(
        "plan-yes",
        SAMPLE_STORY,
        (Say(_ADD, plan=True), Say("yes")),
        (asked("plan"), changed_by(0, changed=False), exactly(**_ADDED)),
    ),
    Task(
        "plan-of-several",
        SAMPLE_STORY,
        (Say("Delete node 28; add a dialog by Osk after 29: So.; create a variable fog = true", plan=True), Say("no")),
        (asked("plan"), unchanged),
        in_grammar=False,
    ),
    Task(
        "direct-function",
        SAMPLE_STORY,
        (Say(function="create_variable", params={"name": "pages_left", "type": "num", "initial_value": 7}),),
        (executed("create_variable"), exactly(variables={"new": {"name": "pages_left", "type": "num", "init": 7}})),
    ),
    Task(
        "slash-command",
        SAMPLE_STORY,
        (Say('/update_variable {"variable_id": 3, "initial_value": 36}'),),
        (exactly(altered={3: {"init": 36}}),),
    ),
    Task(
        "missing-parameter",
        SAMPLE_STORY,
        (Say(function="create_variable", params={"name": "pages_left", "initial_value": 7}), Say("num")),
        (asked("parameters"), exactly(variables={"new": {"name": "pages_left", "type": "num", "init": 7}})),
    ),
    Task(
        "it-of-the-message-before",
        SAMPLE_STORY,
        (
            Say("Make Odile say 'Mind the handle.' after node 30", scene=_KITCHEN),
            Say("And after that let Mina answer 'There isn't one.'", scene=_KITCHEN),
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
