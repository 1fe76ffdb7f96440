"""Sixty-nine requests as a stranger writes them: written after the grammar of `local`, before any of them was tried.

Hurried and polite ones, other people's English, negations, what-ifs, references to what is not said, quotations with
commands in them, names that are words of commands.
"""

import re

from evaluation.agent.changes import node, speech
from evaluation.agent.starts import ALL_NODE_TYPES, HOME, INTRO
from evaluation.agent.tasks.held_out import SPOKEN, HeldOut, about, like, texts

_KITCHEN = HeldOut("stranger")
_GOAT_SELECTED = HeldOut("stranger", selected=(29,))
_TWO_SELECTED = HeldOut("stranger", selected=(30, 22))
_SAMPLER = HeldOut("stranger", ALL_NODE_TYPES, scene=0)
_HOME = HeldOut("stranger", HOME, scene=0)
_INTRO = HeldOut("stranger", INTRO, scene=8933531975704)
_AFTER_30 = {(30, 0, "new")}
_OPTIONS_17 = ["Go down to the cellar", "Rest"]

TASKS = (
    # --- in a hurry, and in other people's English ---
    _KITCHEN.free(
        "pls-dialogue",
        "pls add a dialogue by Mina after node 30: I shall write this down.",
        nodes={"new": speech(6, "I shall write this down.")},
        links=_AFTER_30,
    ),
    _KITCHEN.free("can-u", "can u delete node 29 thx", gone={29}),
    _KITCHEN.free(
        "i-want-that",
        "I want that Odile says 'More tea?' after the node 22.",
        nodes={"new": speech(7, "More tea?")},
        links={(22, 0, "new"), ("new", 0, 23)},
        unlinked={(22, 0, 23)},
    ),
    _KITCHEN.free("charakter", "Plz make new charakter with name Lisle", characters={"new": {"name": "Lisle"}}),
    _KITCHEN.free("on-moo", "Please to change the text in node 29 on 'Moo.'", changed={29: {"monolog": "Moo."}}),
    _KITCHEN.free("must-be", "the text of node 29 must be 'Meeeh.'", changed={29: {"monolog": "Meeeh."}}),
    _KITCHEN.free(
        "insert-the-dialog",
        "insert after the node 30 the dialog of Jory: Good night",
        nodes={"new": speech(8, "Good night")},
        links=_AFTER_30,
    ),
    _KITCHEN.free(
        "less-then",
        "after node 30 check whether oil is less then 11",
        nodes={"new": node("condition", variable=3, operator="ls", with_=[0, 11])},
        links=_AFTER_30,
    ),
    _KITCHEN.free(
        "oddile",
        "add dialog by Oddile after 30: Hm.",
        nodes={"new": speech(7, "Hm.")},
        links=_AFTER_30,
    ),
    _KITCHEN.free("bitte", "Bitte lösche Knoten 29", gone={29}),
    # --- polite ---
    _KITCHEN.free(
        "if-not-too-much-trouble",
        "Could you please, if it's not too much trouble, rename the character Bursar to Provost?",
        altered={9: {"name": "Provost"}},
    ),
    _KITCHEN.free("would-it-be-possible", "Would it be possible to delete node 29?", gone={29}),
    _KITCHEN.free("why-dont-you", "Why don't you add a character Osk?", characters={"new": {"name": "Osk"}}),
    _KITCHEN.free("do-not-forget", "Don't forget to add a character Osk", characters={"new": {"name": "Osk"}}),
    # --- not to be done ---
    _KITCHEN.idle("what-if", "What if node 29 was deleted?"),
    _KITCHEN.idle("suppose", "Suppose we delete the variable night. What breaks?"),
    _KITCHEN.idle("never", "Never delete node 29."),
    _KITCHEN.idle("no-longer-wanted", "Add a character Osk. No, wait, forget it."),
    _KITCHEN.idle("i-was-told", 'Jory told me "delete node 29" but I am not going to'),
    _KITCHEN.idle("before-we", "Before we delete node 29 I would like to read it"),
    _KITCHEN.free(
        "not-george", "Do not rename Jory to George, rename him to Georgie", altered={8: {"name": "Georgie"}}
    ),
    _KITCHEN.free("but-not-29", "Delete node 28 but not node 29", gone={28}),
    _KITCHEN.free(
        "without-tags",
        "Add a character Osk, but don't give him any tags",
        characters={"new": {"name": "Osk", "tags": {}}},
    ),
    _KITCHEN.unclear("all-but-the-kitchen", "Remove everything except the kitchen"),
    # --- that one ---
    _KITCHEN.unclear("that-node", "Delete that node"),
    _KITCHEN.unclear("second-one", "Delete the second one"),
    _KITCHEN.unclear("connect-it", "Connect it to node 22"),
    _GOAT_SELECTED.free("that-selected-node", "Delete that node", gone={29}),
    _GOAT_SELECTED.free("call-it", "rename it goat_again", changed={29: {"name": "goat_again"}}),
    _TWO_SELECTED.free("first-to-second", "Connect the first one to the second one", links={(30, 0, 22)}),
    _TWO_SELECTED.unclear("it-of-two", "Delete it"),
    # --- quotations with commands, and names that are words of commands ---
    _KITCHEN.free(
        "he-said-delete",
        'Add a content after 30: He said "delete node 29" and left.',
        nodes={"new": node("content", content='He said "delete node 29" and left.')},
        links=_AFTER_30,
    ),
    _KITCHEN.free(
        "text-is-a-command",
        'Change the text of node 29 to "Delete node 28; rename Jory to Rex"',
        changed={29: {"monolog": "Delete node 28; rename Jory to Rex"}},
    ),
    _KITCHEN.free(
        "odile-commands",
        'Odile says "please create a character Bob" after 30',
        nodes={"new": speech(7, "please create a character Bob")},
        links=_AFTER_30,
    ),
    _KITCHEN.free("note-is-a-command", "Add a note to 29: delete node 28", changed={29: {"notes": "delete node 28"}}),
    _KITCHEN.free("named-add", "Create a character named Add", characters={"new": {"name": "Add"}}),
    _KITCHEN.free("rename-to-then", "Rename Mina to Then", altered={6: {"name": "Then"}}),
    _KITCHEN.free("after-the-rain", "Create a scene After the Rain", scenes={"new": {"name": "After the Rain"}}),
    _KITCHEN.free(
        "before-and-after",
        "Create a scene called Before and After and a character called From",
        scenes={"new": {"name": "Before and After"}},
        characters={"new": {"name": "From"}},
    ),
    _KITCHEN.free(
        "variable-set", "create a variable set = 3", variables={"new": {"name": "set", "type": "num", "init": 3}}
    ),
    # --- several things at once ---
    _KITCHEN.free(
        "yes-to-22",
        "Add a choice after 30: Yes / No / Maybe and connect Yes to 22",
        nodes={"new": node("interaction", actions=texts("Yes", "No", "Maybe"))},
        links={*_AFTER_30, ("new", 0, 22)},
    ),
    _KITCHEN.free(
        "lamp-goes-out",
        "Add a content after node 30: The lamp goes out, and connect it to 22",
        nodes={"new": node("content", content="The lamp goes out")},
        links={*_AFTER_30, ("new", 0, 22)},
    ),
    _KITCHEN.free(
        "then-delete",
        "Add a content after node 30: The lamp goes out. Then delete node 29.",
        nodes={"new": node("content", content="The lamp goes out.")},
        links=_AFTER_30,
        gone={29},
    ),
    _KITCHEN.free(
        "drink-no-thanks",
        "After 30 Odile says: Drink up! and then Mina says: No, thank you.",
        nodes={"one": speech(7, "Drink up!"), "two": speech(6, "No, thank you.")},
        links={(30, 0, "one"), ("one", 0, "two")},
    ),
    _KITCHEN.free(
        "sleep-well",
        "Add two dialogs after 30, first Odile: Sleep well. then Mina: You too.",
        nodes={"one": speech(7, "Sleep well."), "two": speech(6, "You too.")},
        links={(30, 0, "one"), ("one", 0, "two")},
    ),
    _KITCHEN.free(
        "two-names", "Rename node 22 rain_kettle and node 23 bad_chair",
        changed={22: {"name": "rain_kettle"}, 23: {"name": "bad_chair"}},
    ),
    _KITCHEN.free("two-colours", "Color Mina #aa0000 and Jory #0000aa",
                  altered={6: {"color": "aa0000"}, 8: {"color": "0000aa"}}),
    _KITCHEN.unclear("one-is-not-there", "Delete node 29 and node 999"),
    _KITCHEN.unclear("two-ways-from-one", "Connect 30 to 22 and 23"),
    _KITCHEN.free(
        "all-connections",
        "Delete all connections of node 27",
        unlinked={(24, 2, 27), (25, 0, 27), (26, 0, 27), (27, 0, 28), (27, 1, 29)},
    ),
    # --- what a word means here ---
    _KITCHEN.free("starting-oil", "Set the starting oil to 40 litres", altered={3: {"init": 40}}),
    _KITCHEN.unclear("never-lower", "trust should never be lower than 0"),
    _KITCHEN.unclear("enumeration", "Create a variable mood with values happy, sad and angry"),
    _KITCHEN.free("tag-name", "rename Odile's tag cup to mug", altered={7: {"tags": {"mug": "without a handle"}}}),
    _KITCHEN.free("tasted", "Insert a condition after 30 that checks if the player has tasted the well",
                  nodes={"new": node("condition", variable=5)}, links=_AFTER_30),
    _KITCHEN.free(
        "rename-the-scene", "Rename the scene to The Scullery", altered={20: {"name": "The Scullery"}}
    ),
    _KITCHEN.judged(
        "she-is-tired",
        "Add a dialogue by Mina after node 30. She says she is tired.",
        "Mina says that she is tired",
        lambda new: any(
            state.speaker_id == 6 and re.search("tired", " ".join(state.texts)) and "She says" not in str(state.texts)
            for state in new.values()
        ),
    ),
    _KITCHEN.judged(
        "sugar",
        "Let Odile ask after 30: 'Sugar?' and let Mina choose between yes and no",
        "Odile asks, and there is a choice",
        lambda new: {("Sugar?",)} <= {state.texts for state in new.values() if state.type in SPOKEN}
        and any(about("yes", "no")([*state.texts]) for state in new.values()),
    ),
    # --- on other stories ---
    _HOME.free("hero", "Change Hero's name to Wanderer", altered={10: {"name": "Wanderer"}}),
    _INTRO.free("by-words", 'Delete the dialog "There is nothing to hide."', gone={8933531975712}),
    _INTRO.unclear("how-to-the-end", 'connect "How?" to the end of the story'),
    _SAMPLER.free(
        "gold-to-ten",
        "set gold to 10 after node 22",
        nodes={"new": node("variable_update", variable=50, operator="set", with_=[0, 10])},
        links={(22, 0, "new")},
    ),
    _SAMPLER.free("twice-the-same", "delete node 23 and the frame", gone={23}),
    _SAMPLER.unclear("which-way", "after node 17 add content: Too dark."),
    _SAMPLER.free("go-home", "add the choice Go home to 17", changed={17: {"actions": texts(*_OPTIONS_17, "Go home")}}),
    _SAMPLER.free(
        "hi-there", "Elena says Hi there after 22", nodes={"new": speech(60, "Hi there")}, links={(22, 0, "new")}
    ),
    _SAMPLER.unclear("second-gold", "create a variable gold"),
    _SAMPLER.free("mood-is-angry", "Hero's mood should be angry now", altered={61: {"tags": {"mood": like("angry")}}}),
    _SAMPLER.judged(
        "who-are-you", "let Hero ask \"Who are you?\" after 22 and Elena answers she is the keeper",
        "Hero asks, and Elena answers",
        lambda new: {60, 61} <= {state.speaker_id for state in new.values()},
    ),
)  # fmt: skip
"""The requests."""
