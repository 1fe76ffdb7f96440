"""New nodes of every type, placed and connected."""

from typing import Any

from evaluation.agent.changes import NewNode, exactly, node, speech
from evaluation.agent.starts import ALL_NODE_TYPES, SAMPLE_STORY
from evaluation.agent.task import YES, Ask, Task

_KITCHEN = 20


def _after_30(name: str, message: str, wanted: NewNode) -> Task:
    """One node after the sample's last one, which leads nowhere yet."""
    checks = (exactly(nodes={"new": wanted}, links={(30, 0, "new")}),)
    return Task(f"add-{name}", SAMPLE_STORY, (Ask(message, scene=_KITCHEN),), checks)


def _after_22(name: str, message: str, wanted: NewNode) -> Task:
    """One node after the last one of the project that has all types."""
    checks = (exactly(nodes={"new": wanted}, links={(22, 0, "new")}),)
    return Task(f"add-{name}", ALL_NODE_TYPES, (Ask(message),), checks)


def _number(low: int, high: int) -> Any:
    return lambda found: bool(isinstance(found, list) and [int(number) for number in found[:2]] == [low, high])


TASKS = (
    _after_30(
        "content",
        "Add a content node after 30: The lamp turns twice, and somewhere a bell answers.",
        node("content", content="The lamp turns twice, and somewhere a bell answers."),
    ),
    _after_30(
        "titled-content",
        'Add a content titled "Fog" after node 30 saying "Nothing but white, and the bell."',
        node("content", title="Fog", content="Nothing but white, and the bell."),
    ),
    _after_30(
        "dialog",
        "Add a dialog by Odile after node 30: You will want a second blanket.",
        speech(7, "You will want a second blanket."),
    ),
    _after_30(
        "monolog",
        'After node 30, add a monolog by Mina: "I make it thirty-three litres."',
        node("monolog", character=6, monolog="I make it thirty-three litres."),
    ),
    _after_30("say", 'Make Jory say "I\'ll be off, then." after 30', speech(8, "I'll be off, then.")),
    _after_30(
        "choice",
        "Add a choice after 30: Go to bed / Wind the clockwork / Ask about the coat",
        node("interaction", actions=["Go to bed", "Wind the clockwork", "Ask about the coat"]),
    ),
    _after_30(
        "condition",
        "Add a condition oil >= 11 after node 30",
        node("condition", variable=3, operator="gte", with_=[0, 11]),
    ),
    _after_30(
        "bool-condition",
        "Add a condition that checks whether tasted_well is true after node 30",
        node("condition", variable=5, operator="eq", with_=[0, True]),
    ),
    _after_30("hub", "Add a hub with 4 inputs after 30", node("hub", slots=4)),
    _after_30(
        "variable-update",
        "Add a variable update after 30: subtract 11 from oil",
        node("variable_update", variable=3, operator="sub", with_=[0, 11]),
    ),
    _after_30(
        "set-variable",
        "After node 30, set tasted_well to true",
        node("variable_update", variable=5, operator="set", with_=[0, True]),
    ),
    _after_30("jump", "Add a jump to node 10 after node 30", node("jump", target=10)),
    _after_30("marker", "Add a marker labelled fog_bell after 30", node("marker", label="fog_bell")),
    _after_30("randomizer", "Add a randomizer with 3 paths after node 30", node("randomizer", slots=3)),
    _after_30("sequencer", "Add a sequencer with 2 paths after node 30", node("sequencer", slots=2)),
    _after_30(
        "generator",
        "Add a generator for night between 1 and 3 after node 30",
        node("generator", variable=2, method="randi", arguments=_number(1, 3)),
    ),
    _after_30(
        "tag-edit",
        "Add a tag edit for Odile after node 30: cup = with a handle",
        node("tag_edit", character=7, edit=lambda found: found[1:] == ["cup", "with a handle"]),
    ),
    _after_30(
        "tag-pass",
        "Add a tag pass for Bursar after node 30: species = goat",
        node("tag_pass", character=9, pass_=lambda found: found[1] == [["species", "goat"]]),
    ),
    _after_22(
        "tag-match",
        "Add a tag match for Elena after node 22: faction = Academy",
        NewNode(("tag_match", "tag_pass"), {"character": 60}, fits=lambda found: "Academy" in str(found.data)),
    ),
    _after_22(
        "user-input",
        "Add a user input for player_name after node 22: What did they call you at home?",
        node("user_input", variable=51, prompt="What did they call you at home?"),
    ),
    _after_22("macro-use", "Add a macro use of macro_14 after node 22", node("macro_use", macro=40)),
    Task(
        "add-entry",
        SAMPLE_STORY,
        (Ask("Add an entry titled Later to this scene", scene=_KITCHEN),),
        (exactly(nodes={"new": node("entry", scene=_KITCHEN, plaque="Later")}),),
    ),
    Task(
        "add-frame",
        SAMPLE_STORY,
        (Ask('Add a frame titled "The second cup" to this scene', scene=_KITCHEN),),
        (exactly(nodes={"new": node("frame", scene=_KITCHEN, label="The second cup")}),),
    ),
    Task(
        "insert-between",
        SAMPLE_STORY,
        (Ask("Add a monolog by Mina between 28 and 29: It tastes of weather."), YES),
        (
            exactly(
                nodes={"new": node("monolog", character=6, monolog="It tastes of weather.")},
                links={(28, 0, "new"), ("new", 0, 29)},
                unlinked={(28, 0, 29)},
            ),
        ),
    ),
    Task(
        "condition-with-branches",
        SAMPLE_STORY,
        (
            Ask(
                "Add a condition oil >= 11 after node 30; add a content after it on true: The lamp is lit.; "
                "add a content after the condition oil on false: The stair stays dark.",
                scene=_KITCHEN,
            ),
        ),
        (
            exactly(
                nodes={
                    "check": node("condition", variable=3, operator="gte", with_=[0, 11]),
                    "lit": node("content", content="The lamp is lit."),
                    "dark": node("content", content="The stair stays dark."),
                },
                links={(30, 0, "check"), ("check", 0, "lit"), ("check", 1, "dark")},
            ),
        ),
        in_grammar=False,
    ),
    Task(
        "branches-to-what-is-there",
        SAMPLE_STORY,
        (
            Ask(
                "Add a condition tasted_well is true after node 30, then connect it to 22 on true, "
                "then connect the last node to 23 on false",
                scene=_KITCHEN,
            ),
        ),
        (
            exactly(
                nodes={"check": node("condition", variable=5, operator="eq", with_=[0, True])},
                links={(30, 0, "check"), ("check", 0, 22), ("check", 1, 23)},
            ),
        ),
    ),
    Task(
        "choice-that-leads-on",
        SAMPLE_STORY,
        (Ask('Add a choice after 30: "Look into the kitchen again" -> 22 / "Sit down" -> 23', scene=_KITCHEN),),
        (
            exactly(
                nodes={"new": node("interaction", actions=["Look into the kitchen again", "Sit down"])},
                links={(30, 0, "new"), ("new", 0, 22), ("new", 1, 23)},
            ),
        ),
    ),
    Task(
        "clever-condition",
        SAMPLE_STORY,
        (
            Ask(
                "After the last node of the kitchen I want the story to fork: if there is enough oil for one more "
                "night (eleven litres) Odile says 'Then we light.', or else it reads 'Nobody lights anything.'",
                scene=_KITCHEN,
            ),
        ),
        (
            exactly(
                nodes={
                    "check": node("condition", variable=3, operator="gte", with_=[0, 11]),
                    "yes": speech(7, "Then we light."),
                    "no": node("content", content="Nobody lights anything."),
                },
                links={(30, 0, "check"), ("check", 0, "yes"), ("check", 1, "no")},
            ),
        ),
        in_grammar=False,
    ),
)
