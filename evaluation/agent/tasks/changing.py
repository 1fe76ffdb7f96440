"""Changes to what is there: texts, data, names, notes, connections, the entry; and what is removed."""

from evaluation.agent.changes import exactly, node, speech
from evaluation.agent.starts import ALL_NODE_TYPES, HOME, INTRO, SAMPLE_STORY
from evaluation.agent.task import YES, Ask, Task

_KITCHEN = 20
_LINES_24 = (
    "May I have another? It's very good.",
    "Let me save your rain. I'll go to the well.",
    "Then if you don't mind, I'll begin. Question one.",
)


def _task(name: str, message: str, start: str = SAMPLE_STORY, *, in_grammar: bool = True, **changes: object) -> Task:
    """One message, agreed to where that is asked, and what is different afterwards."""
    scene = _KITCHEN if start == SAMPLE_STORY else None
    return Task(name, start, (Ask(message, scene=scene), YES), (exactly(**changes),), in_grammar)


TASKS = (
    _task(
        "change-line",
        "Change line 1 of node 17 to: It's a hundred and seventeen steps.",
        changed={17: {"lines": ["It's a hundred and seventeen steps."]}},
    ),
    _task("change-text", 'Change the text of node 29 to "Meh, meh."', changed={29: {"monolog": "Meh, meh."}}),
    _task(
        "change-one-line-of-three",
        "Change line 3 of 24 to: Then I shall begin.",
        changed={24: {"lines": [*_LINES_24[:2], "Then I shall begin."]}},
    ),
    _task(
        "change-title",
        "Change the title of 30 to: Night {night}, later",
        changed={30: {"title": "Night {night}, later"}},
    ),
    _task(
        "change-option",
        "Change choice 3 of 13 to: Count the planks",
        changed={
            13: {"actions": ["Ask who else lives in the tower", "Ask about the hull in the grass", "Count the planks"]}
        },
    ),
    _task(
        "add-option",
        'Add the choice "Feed the goat" to node 13',
        changed={
            13: {
                "actions": [
                    "Ask who else lives in the tower",
                    "Ask about the hull in the grass",
                    "Walk on without a word",
                    "Feed the goat",
                ]
            }
        },
    ),
    _task("change-condition", "Change the condition of 27 to trust >= 2", changed={27: {"with": [0, 2]}}),
    _task("change-update", "Change the update of 25 to add 2 to trust", changed={25: {"with": [0, 2]}}),
    _task("change-speaker", "Change the speaker of node 28 to Mina", changed={28: {"character": 6}}),
    _task("change-target", "Change the target of 18 to node 22", changed={18: {"target": 22}}),
    _task("rename-node", "Rename node 29 to goat_speaks", changed={29: {"name": "goat_speaks"}}),
    _task(
        "note-node", "Add a note to node 29: the goat is off-screen", changed={29: {"notes": "the goat is off-screen"}}
    ),
    _task("connect", "Connect 30 to 22", links={(30, 0, 22)}),
    _task("connect-by-text", 'Connect node "Night {night}" to the condition', links={(30, 0, 27)}),
    _task("disconnect", "Disconnect 28 from 29", unlinked={(28, 0, 29)}),
    _task(
        "move-a-branch",
        "Disconnect 27 from 29 on false, then connect 27 to 30 on false",
        unlinked={(27, 1, 29)},
        links={(27, 1, 30)},
    ),
    _task(
        "scene-entry",
        "Add an entry titled Later to this scene and make it the entry of the scene",
        nodes={"later": node("entry", scene=_KITCHEN, plaque="Later")},
        altered={20: {"entry": lambda found: found not in (21, None)}},
    ),
    _task("project-entry", "Make node 21 the entry of the project", entry=21),
    _task("delete-node", "Delete node 29", gone={29}),
    _task("delete-two", "Delete nodes 28 and 29", gone={28, 29}),
    _task("delete-by-text", 'Delete the node "Meh."', gone={29}),
    Task(
        "delete-selected",
        SAMPLE_STORY,
        (Ask("Delete the selected node", selected=(29,), scene=_KITCHEN), YES),
        (exactly(gone={29}),),
    ),
    Task(
        "after-selected",
        SAMPLE_STORY,
        (Ask("Add a content after the selected node: The Tide Clock ticks once.", selected=(30,), scene=_KITCHEN),),
        (exactly(nodes={"new": node("content", content="The Tide Clock ticks once.")}, links={(30, 0, "new")}),),
    ),
    Task(
        "connect-selected",
        SAMPLE_STORY,
        (Ask("Connect the first selected node to the last selected node", selected=(30, 22), scene=_KITCHEN),),
        (exactly(links={(30, 0, 22)}),),
    ),
    Task(
        "rename-selected",
        SAMPLE_STORY,
        (Ask("Rename the selected node to the_bell", selected=(11,)),),
        (exactly(changed={11: {"name": "the_bell"}}),),
    ),
    _task(
        "three-in-a-row",
        "Create a character Sabeth (color #5b6f52); add a dialog by Sabeth after 30: I'm eating.; "
        "add a content after it: She is, too.",
        characters={"sabeth": {"name": "Sabeth", "color": "5b6f52"}},
        nodes={
            "line": speech("sabeth", "I'm eating.", scene=_KITCHEN),
            "aside": node("content", content="She is, too."),
        },
        links={(30, 0, "line"), ("line", 0, "aside")},
    ),
    _task(
        "numbered-list",
        "Please do the following:\n1. create a variable pages_left = 7\n"
        "2. add a variable update after 30: subtract 1 from pages_left\n3. rename node 30 to last_words",
        variables={"pages": {"name": "pages_left", "type": "num", "init": 7}},
        nodes={"new": node("variable_update", variable="pages", operator="sub", with_=[0, 1])},
        links={(30, 0, "new")},
        changed={30: {"name": "last_words"}},
    ),
    _task(
        "change-input",
        "Change the question of 5 to: And who are you?",
        ALL_NODE_TYPES,
        changed={5: {"prompt": "And who are you?"}},
    ),
    _task(
        "swap-branches-by-hand",
        "Disconnect 11 from 13 on true, then connect 11 to 14 on true",
        ALL_NODE_TYPES,
        unlinked={(11, 0, 13)},
        links={(11, 0, 14)},
    ),
    _task("delete-unused-character", "Delete the character Traveler", HOME, removed={11}),
    _task(
        "change-content-home",
        'Change the title of node 2 to "Good evening!"',
        HOME,
        changed={2: {"title": "Good evening!"}},
    ),
    _task(
        "rename-by-long-id",
        "Rename node 8933531975684 to opening_hook",
        INTRO,
        changed={8933531975684: {"name": "opening_hook"}},
    ),
    _task(
        "rename-scene-intro",
        "Rename the scene 00. Preface to 00. Before the Storm",
        INTRO,
        altered={8933531975680: {"name": "00. Before the Storm"}},
    ),
    _task(
        "tone-of-one-line",
        "Jory's first line is too friendly. Make him sound tired, in one short line, and "
        "keep that he calls her the inspector.",
        in_grammar=False,
        changed={
            12: {
                "lines": lambda found: (
                    len(found) == 1
                    and "inspector" in found[0].lower()
                    and found[0] != "You're the inspector. You're earlier than the last one, and shorter."
                )
            }
        },
    ),
    _task(
        "swap-the-branches",
        "The check of Odile's trust in the kitchen is the wrong way round: swap where true and false lead.",
        in_grammar=False,
        unlinked={(27, 0, 28), (27, 1, 29)},
        links={(27, 0, 29), (27, 1, 28)},
    ),
    _task(
        "take-out-and-close-the-gap",
        "Take Odile's remark about the rain out of the kitchen, and let whatever led to it lead to what came after it.",
        in_grammar=False,
        gone={28},
        links={(27, 0, 29)},
    ),
)
