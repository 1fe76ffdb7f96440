"""Messages of writers who have never read what `local` is for, written before any of them was tried.

Chit-chat, slips, a change of mind, what is only asked, commands inside texts, several commands in a breath. Those went
wrong at first in which a place was meant for two nodes, a target or another command became text, and a quote answered
half a question.
"""

from evaluation.agent.changes import node, speech
from evaluation.agent.tasks.held_out import HeldOut, like, texts

_KITCHEN = HeldOut("newcomer")
_SELECTED = HeldOut("newcomer", selected=(30,))
_PLANK = HeldOut("newcomer", scene=0)
_ASK = HeldOut("newcomer-ask")
_OPTIONS_13 = ["Ask who else lives in the tower", "Ask about the hull in the grass", "Walk on without a word"]
_HAPPY = "Nobody has ever been happy in that chair, so it's as good as new. Tea is black here."

TASKS = (
    _KITCHEN.free(
        "hey-there",
        'hey there! im new to this, can u stick a little bit of text after node 30 that says "Good night."?',
        nodes={"new": node("content", content="Good night.", scene=20)}, links={(30, 0, "new")},
    ),
    _PLANK.free("jori", "Jory shuold be called Jori from now on", altered={8: {"name": "Jori"}}),
    _KITCHEN.free("at-forty", "oil must never start below 40, so make it 40.", altered={3: {"init": 40}}),
    _KITCHEN.unclear("swap", "swap nodes 28 and 29"),
    _KITCHEN.idle("changed-my-mind", "Delete Bursar. Actually no, keep him."),
    _KITCHEN.idle("what-if", "what would break if i delete the variable trust?"),
    _KITCHEN.idle("never-mind", "hm never mind, i'll do it myself"),
    _PLANK.free(
        "respectively", "rename node 10 and node 12 to Arrival and Greeting",
        changed={10: {"name": "Arrival"}, 12: {"name": "Greeting"}},
    ),
    _KITCHEN.free(
        "put-this", 'Odile: "You\'ll want a second blanket." - put this after 23 please',
        nodes={"new": speech(7, "You'll want a second blanket.")}, links={(23, 0, "new"), ("new", 0, 24)},
        unlinked={(23, 0, 24)},
    ),
    _KITCHEN.free("borra", "borra el nodo 29", gone={29}),
    _KITCHEN.free("supprime", "supprime le nœud 29 et relie 28 à 30", gone={29}, links={(28, 0, 30)}),
    _KITCHEN.free(
        "but-keep-the-way", "delete node 29 but let 28 lead to 30 instead", gone={29}, links={(28, 0, 30)}
    ),
    _KITCHEN.unclear("three-and-two", "add 3 to oil and 2 to trust"),
    _KITCHEN.free(
        "in-brackets", "create characters: Osk (innkeeper), Sabeth (cook)",
        characters={"one": {"name": "Osk"}, "two": {"name": "Sabeth"}},
    ),
    _KITCHEN.free(
        "both-say", 'make Mina say "Is that all?" and Odile say "It is." after 30',
        nodes={"one": speech(6, "Is that all?"), "two": speech(7, "It is.")},
        links={(30, 0, "one"), ("one", 0, "two")},
    ),
    _KITCHEN.idle("thanks", "Thanks, that was great!"),
    _KITCHEN.idle("whatever", "lol ok whatever. do it"),
    _KITCHEN.idle("yes-to-nothing", "yes"),
    _KITCHEN.idle("thumb-to-nothing", "👍"),
    _KITCHEN.free("instead-of", "connect 28 to 30 instead of 29", links={(28, 0, 30)}, unlinked={(28, 0, 29)}),
    _KITCHEN.free("in-node", "in node 23 change comfortable to happy", changed={23: {"lines": texts(_HAPPY)}}),
    _KITCHEN.free(
        "last-sentence", "Remove the last sentence of node 30.",
        changed={30: {"content": lambda found: str(found).rstrip().endswith("for tonight.")}},
    ),
    _KITCHEN.free(
        "new-variable", "new variable is_raining, boolean, true",
        variables={"new": {"name": "is_raining", "type": "bool", "init": True}},
    ),
    _PLANK.free(
        "the-second-stays", "call the first scene 'Arrival on the Plank', the second one stays as it is",
        altered={0: {"name": "Arrival on the Plank"}},
    ),
    _KITCHEN.judged(
        "smiles-or-shrugs",
        'If trust is at least 3 after node 30, show "She smiles.", otherwise "She shrugs."',
        "both are there, and what decides",
        lambda new: sorted(state.type for state in new.values()) == ["condition", "content", "content"]
        and {text for state in new.values() for text in state.texts} >= {"She smiles.", "She shrugs."},
    ),
    _KITCHEN.free(
        "delete-is-said", "Please add a dialog by Odile after node 30: Delete node 29.",
        nodes={"new": speech(7, "Delete node 29.")}, links={(30, 0, "new")},
    ),
    _PLANK.free(
        "into-the-notes", 'Write "rename node 10 to Arrival" into the notes of node 12',
        changed={12: {"notes": "rename node 10 to Arrival"}},
    ),
    _PLANK.free(
        "leading-to", "add a choice to 13: Feed the goat, leading to 16",
        changed={13: {"actions": texts(*_OPTIONS_13, "Feed the goat")}}, links={(13, 3, 16)},
    ),
    _KITCHEN.free(
        "then-a-jump", "add a content after 30: The wind picks up and then add a jump to 22",
        nodes={"new": node("content", content=like(r"The wind picks up\.?")), "jump": node("jump")},
        links={(30, 0, "new"), ("new", 0, "jump")},
    ),
    _KITCHEN.free(
        "then-mina", 'after 30 Odile says "One." and then Mina says "Two."',
        nodes={"one": speech(7, "One."), "two": speech(6, "Two.")}, links={(30, 0, "one"), ("one", 0, "two")},
    ),
    _KITCHEN.free(
        "wind-then", "add a choice after 30: Go to bed -> 22 / Wind the clockwork, then 23",
        nodes={"new": node("interaction", actions=texts("Go to bed", "Wind the clockwork"))},
        links={(30, 0, "new"), ("new", 0, 22), ("new", 1, 23)},
    ),
    _KITCHEN.free(
        "after-that-jory", "after 30, add a dialog by Odile: Go to bed. After that Jory says good night.",
        nodes={"one": speech(7, "Go to bed."), "two": speech(8, "Good night.")},
        links={(30, 0, "one"), ("one", 0, "two")},
    ),
    _KITCHEN.unclear("then-leaves", "Odile says: I will not. Then Jory leaves."),
    _SELECTED.free("delete-it", "delete it", gone={30}),
    _KITCHEN.unclear("swap-ids", "rename node 29 to 30 and node 30 to 29"),
    _KITCHEN.unclear("other-scene", "move node 29 to the first scene"),
    _KITCHEN.judged(
        "once-more", "duplicate node 29", "there are two of it",
        lambda new: [state.texts for state in new.values()] == [("Meh.",)],
    ),
    _ASK.story("tell-me", "please dont delete anything, just tell me how node 29 is reached", r"\b27\b", r"\b28\b"),
    _ASK.documents("goat", "who is the goat?", "game-bible.pdf", "instrument of fate|Bursar"),
    _ASK.story("begins-german", "Wo beginnt die Geschichte?", r"\b1\b|Thursday"),
    _ASK.documents("jory-spanish", "¿Quién es Jory?", "characters.docx", "Jory"),
    _ASK.story("useful", "does node 25 do anything useful?", "trust"),
    _ASK.unknown("eyes", "What colour are Mina's eyes?", "eyes|colou?r"),
    _ASK.story("how-many-and-who", "how many characters are there and who are they?", "Mina", "Odile", "Bursar"),
    _ASK.story("wich", "wich node comes after 28", r"\b29\b"),
    _ASK.documents("whistling", "is there anything about whistling in the docs?", "game-bible.pdf", "whistl"),
    _ASK.story("oil-used", "Is oil ever used?", r"\b30\b"),
)  # fmt: skip
"""The requests, then the questions."""
