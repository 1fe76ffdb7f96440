"""Sixty free requests, written before the grammar of `local`: held out, never used to shape it."""

import re

from evaluation.agent.changes import NewNode, node, speech
from evaluation.agent.tasks.held_out import SPOKEN, HeldOut, about, has_written, texts

_SAMPLE = HeldOut("free")
_OPTIONS_13 = ["Ask who else lives in the tower", "Ask about the hull in the grass", "Walk on without a word"]

TASKS = (
    # --- people, variables, scenes ---
    _SAMPLE.free(
        "character-and-variable",
        "create a character Bob and a variable gold = 5",
        characters={"bob": {"name": "Bob"}},
        variables={"gold": {"name": "gold", "type": "num", "init": 5}},
    ),
    _SAMPLE.unclear("hero-name", "Change the hero's name to Neo"),
    _SAMPLE.free(
        "new-character", "I'd like a new character called Sabeth, please", characters={"new": {"name": "Sabeth"}}
    ),
    _SAMPLE.free(
        "boolean-at-the-start",
        "We need a boolean called lamp_lit, false at the start.",
        variables={"new": {"name": "lamp_lit", "type": "bool", "init": False}},
    ),
    _SAMPLE.free("rename-jory", "Rename Jory to George", altered={8: {"name": "George"}}),
    _SAMPLE.free("start-at-20", "Make the oil start at 20 instead of 33", altered={3: {"init": 20}}),
    _SAMPLE.free("colour", "Mina's colour should be #aa0000", altered={6: {"color": "aa0000"}}),
    _SAMPLE.free("goat-name", "Set the goat's name to Chancellor", altered={9: {"name": "Chancellor"}}),
    _SAMPLE.free(
        "two-scenes",
        "Make a new scene, The Gallery, and a second one, The Cellar",
        scenes={"gallery": {"name": "The Gallery"}, "cellar": {"name": "The Cellar"}},
    ),
    _SAMPLE.free(
        "coins",
        "new number variable: coins, starts with 12",
        variables={"new": {"name": "coins", "type": "num", "init": 12}},
    ),
    _SAMPLE.free(
        "three-characters",
        "Add three characters: Osk, Sabeth and Lisle",
        characters={"osk": {"name": "Osk"}, "sabeth": {"name": "Sabeth"}, "lisle": {"name": "Lisle"}},
    ),
    _SAMPLE.free(
        "two-tags",
        "Add tags mood = sour and age = 61 to Odile",
        altered={7: {"tags": {"cup": "without a handle", "mood": "sour", "age": "61"}}},
    ),
    _SAMPLE.free("cup-tag", "Remove Odile's cup tag", altered={7: {"tags": {}}}),
    _SAMPLE.free("call-scene", "Call scene 0 The Long Plank", altered={0: {"name": "The Long Plank"}}),
    _SAMPLE.unclear("rename-both", "Rename both scenes"),
    _SAMPLE.unclear("scene-about", "Create a scene about grief"),
    _SAMPLE.free(
        "postmistress",
        "Add a character, the postmistress",
        characters={"new": {"name": lambda found: bool(re.search("postmistress|lisle", str(found), re.IGNORECASE))}},
    ),
    _SAMPLE.unclear("character-who", "Create a character who hates Odile"),
    _SAMPLE.unclear("variable-in-use", "Remove the variable night"),
    # --- connections and places ---
    _SAMPLE.free("cut", "Could you delete the connection between 28 and 29?", unlinked={(28, 0, 29)}),
    _SAMPLE.free("hook-up", "Hook 30 up to 22", links={(30, 0, 22)}),
    _SAMPLE.free(
        "instead",
        "Connect the goat's line to node 22 instead of 30",
        unlinked={(29, 0, 30)},
        links={(29, 0, 22)},
    ),
    _SAMPLE.free("begin-in-the-kitchen", "Let the whole story begin in the kitchen", entry=21),
    _SAMPLE.unclear("marker-after-the-condition", "Add a marker after the condition"),
    _SAMPLE.unclear("move-to-other-scene", "Move node 30 to the other scene"),
    _SAMPLE.free(
        "odile-says-after",
        'After 28, Odile should say "Drink up."',
        nodes={"new": speech(7, "Drink up.")},
        links={(28, 0, "new"), ("new", 0, 29)},
        unlinked={(28, 0, 29)},
    ),
    _SAMPLE.free(
        "line-before",
        'Put a line by Mina right before node 30: "Is that all?"',
        nodes={"new": speech(6, "Is that all?")},
        links={(29, 0, "new"), ("new", 0, 30)},
        unlinked={(29, 0, 30)},
    ),
    _SAMPLE.free(
        "random-way",
        "After 30, go to 22 or 23 at random",
        nodes={"new": node("randomizer", slots=2)},
        links={(30, 0, "new"), ("new", 0, 22), ("new", 1, 23)},
    ),
    _SAMPLE.free(
        "if-otherwise",
        "After node 30: if trust is at least 2 go to 28, otherwise to 29",
        nodes={"new": node("condition", variable=4, operator="gte", with_=[0, 2])},
        links={(30, 0, "new"), ("new", 0, 28), ("new", 1, 29)},
    ),
    _SAMPLE.free(
        "increase-by-two",
        "Increase trust by two after node 30",
        nodes={"new": node("variable_update", variable=4, operator="add", with_=[0, 2])},
        links={(30, 0, "new")},
    ),
    _SAMPLE.free(
        "oil-minus",
        "Oil -= 11 after node 30",
        nodes={"new": node("variable_update", variable=3, operator="sub", with_=[0, 11])},
        links={(30, 0, "new")},
    ),
    _SAMPLE.free(
        "back-to-the-plank",
        "After node 30 end the chapter with a jump back to the Plank",
        nodes={"new": node("jump", target=lambda found: found in (1, 10))},
        links={(30, 0, "new")},
    ),
    # --- nodes that are there ---
    _SAMPLE.free("get-rid", "Get rid of node 29", gone={29}),
    _SAMPLE.free("two-nodes", "Delete nodes 14 and 15, please", gone={14, 15}),
    _SAMPLE.free("every-rain", "Delete every node that mentions rain", gone={22, 24, 28}),
    _SAMPLE.free("one-more-option", "Add one more option to node 13: Turn back", changed={13: {
        "actions": texts(*_OPTIONS_13, "Turn back"),
    }}),
    _SAMPLE.free("swap-text", 'Swap the text of node 29 for "Baa."', changed={29: {"monolog": "Baa."}}),
    _SAMPLE.free("meh-to-mehhh", 'Change "Meh." to "Mehhh."', changed={29: {"monolog": "Mehhh."}}),
    _SAMPLE.free(
        "right-number",
        "In node 17 it should be a hundred and seventeen steps, not a hundred and twelve",
        changed={17: {"lines": lambda found: "hundred and seventeen steps" in str(found) and "twelve" not in found}},
    ),
    _SAMPLE.free("give-to-jory", "Give the dialog in node 23 to Jory", changed={23: {"character": 8}}),
    _SAMPLE.free(
        "note-saying",
        "Add a note on node 29 saying off-screen, always off-screen",
        changed={29: {"notes": "off-screen, always off-screen"}},
    ),
    _SAMPLE.free(
        "rain-to-snow",
        "Replace rain with snow everywhere",
        changed={
            22: {"title": "A kettle of snow", "content": lambda found: "snow butt" in found},
            24: {"lines": lambda found: "save your snow" in found[1]},
            28: {"lines": lambda found: "only snow" in found[0]},
        },
    ),
    _SAMPLE.unclear("into-a-dialog", "Turn node 29 into a dialog"),
    _SAMPLE.unclear("german", "Please translate node 29 into Klingon, the way Jory speaks it"),
    _SAMPLE.unclear("nicer", "Make Odile nicer"),
    _SAMPLE.unclear("do-not", "Don't delete node 29"),
    _SAMPLE.unclear("nothing-to-say", "Make node 23 say something else"),
    _SAMPLE.unclear("split", "Split node 30 into two"),
    _SAMPLE.unclear("take-back", "Take back what we did yesterday"),
    # --- writing ---
    _SAMPLE.unclear("hub-with-choices", "Add a hub with three choices"),
    _SAMPLE.judged(
        "politely",
        "let the hero answer politely when Odile asks about the tea",
        "somebody answers, in words of his own",
        lambda new: has_written(new, (*SPOKEN, "interaction"), "politely|when Odile"),
    ),
    _SAMPLE.judged(
        "goodbye",
        "Have Jory say goodbye after 30",
        "Jory takes his leave",
        lambda new: any(
            state.speaker_id == 8 and re.search("bye|farewell|night", " ".join(state.texts), re.IGNORECASE)
            for state in new.values()
        ),
    ),
    _SAMPLE.judged(
        "fog",
        "Write a paragraph about the fog after node 30",
        "there is a paragraph",
        lambda new: has_written(new, ("content",), "paragraph|about the fog"),
    ),
    _SAMPLE.judged(
        "coat-can-be-asked-about",
        "The player should be able to ask about the coat in the kitchen",
        "the coat can be asked about",
        lambda new: has_written(new, ("interaction", "dialog"), "should be able"),
    ),
    _SAMPLE.judged(
        "name-is-asked-for",
        "Let Odile ask for the player's name and store it",
        "a name is asked for",
        lambda new: any(state.type == "user_input" for state in new.values()),
    ),
    _SAMPLE.judged(
        "conversation",
        "Put Mina and Odile in a conversation about lamps",
        "both speak",
        lambda new: {6, 7} <= {state.speaker_id for state in new.values()},
    ),
    _SAMPLE.judged(
        "duplicate",
        "Duplicate node 28",
        "there is a second one",
        lambda new: [state.texts for state in new.values()]
        == [("It's only rain. It has come a long way and not met anybody.",)],
    ),
    _SAMPLE.free(
        "drink-or-leave",
        "Add a choice between drinking and leaving after 30",
        nodes={"new": node("interaction", actions=about("drink", "leav"))},
        links={(30, 0, "new")},
    ),
    _SAMPLE.free(
        "mina-answers",
        "Mina answers 'Three nights, then.' after 30",
        nodes={"new": speech(6, "Three nights, then.")},
        links={(30, 0, "new")},
    ),
    _SAMPLE.free(
        "angry-note",
        'Add a dialog after 30 in which Odile says "Lamp." and then Jory says "Lit."',
        nodes={"one": NewNode(SPOKEN, fits=lambda state: state.texts == ("Lamp.",) and state.speaker_id == 7),
               "two": NewNode(SPOKEN, fits=lambda state: state.texts == ("Lit.",) and state.speaker_id == 8)},
        links={(30, 0, "one"), ("one", 0, "two")},
    ),
)  # fmt: skip
"""The requests."""
