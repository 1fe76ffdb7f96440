"""Seventy-five requests of a visitor: written from the stories alone, before any of them was tried.

Other languages, slips of the keyboard, conditions, exceptions, thanks, several commands in a breath, names and texts
that read as commands. One was done wrongly at first: the next speaker's line became a part of the text before it.
"""

from collections.abc import Callable
from typing import Any

from evaluation.agent.changes import node, speech
from evaluation.agent.starts import ALL_NODE_TYPES, HOME, INTRO
from evaluation.agent.tasks.held_out import SPOKEN, HeldOut, about, has_written, texts

_KITCHEN = HeldOut("visitor")
_PLANK = HeldOut("visitor", scene=0)
_SAMPLER = HeldOut("visitor", ALL_NODE_TYPES, scene=0)
_HOME = HeldOut("visitor", HOME, scene=0)
_INTRO = HeldOut("visitor", INTRO, scene=8933531975704)
_OPTIONS_13 = ["Ask who else lives in the tower", "Ask about the hull in the grass", "Walk on without a word"]
_STEPS = "It's a hundred and twelve stairs. Don't count aloud, it puts them off."


def _named(words: str) -> Callable[[Any], bool]:
    """A name, with blanks or with what Arrow has in their place."""
    return lambda found: "".join(filter(str.isalnum, str(found))) == "".join(filter(str.isalnum, words))


def _has(words: str) -> Callable[[Any], bool]:
    return lambda found: words in str(found)


def _tag(key: str, *values: str) -> Callable[[Any], bool]:
    return lambda found: str(found.get(key)) in values


TASKS = (
    # --- slips, thanks, other languages ---
    _SAMPLER.unclear("too-twelve", "pls set gold too 12"),
    _SAMPLER.free("two-and-thanks", "delete nodes 22 and 23, thanks!", gone={22, 23}),
    _KITCHEN.free(
        "possibly", "Could you possibly, if it is not too much trouble, rename the scene '1 Dusk: The Kitchen' to 'The "
        "Kitchen at Dusk'? Many thanks in advance.", altered={20: {"name": "The Kitchen at Dusk"}}
    ),
    _KITCHEN.free("french", "Ajoute un personnage nommé Sabeth.", characters={"new": {"name": "Sabeth"}}),
    _KITCHEN.free(
        "german", "Füge eine Variable namens pages_left mit dem Wert 7 hinzu.",
        variables={"new": {"name": "pages_left", "type": "num", "init": 7}},
    ),
    _KITCHEN.free("japanese", "角色 Sabeth を追加して", characters={"new": {"name": "Sabeth"}}),
    _PLANK.free(
        "spanish", 'Añade una opción al nodo 13: "Preguntar por la cabra".',
        changed={13: {"actions": texts(*_OPTIONS_13, "Preguntar por la cabra")}},
    ),
    _PLANK.free("no-wait", "no, wait, rename node 10 to Arrival", changed={10: {"name": "Arrival"}}),
    _PLANK.free("without-to", "rename node 10 Arrival", changed={10: {"name": "Arrival"}}),
    _PLANK.free("at-once", "Please rename node 10 to Arrival at once.", changed={10: {"name": "Arrival"}}),
    _PLANK.free("node-ten", "Rename node ten to Arrival.", changed={10: {"name": "Arrival"}}),
    _KITCHEN.free(
        "small-letters", "add character: osk fennimore", characters={"new": {"name": _named("oskfennimore")}}
    ),
    _HOME.free(
        "traveller", 'Let the Traveller say "Stop" after node 2.', nodes={"new": speech(11, "Stop")},
        links={(2, 0, "new"), ("new", 0, 3)}, unlinked={(2, 0, 3)},
    ),
    # --- all, every, except ---
    _SAMPLER.free("every-marker", "Remove every marker.", gone={18, 19}),
    _SAMPLER.free("except-checkpoint", "Delete all markers except the checkpoint one.", gone={19}),
    _KITCHEN.unclear("everything-but-15", "disconnect everything from 16 except 15"),
    _PLANK.free(
        "everywhere", "Replace 'steps' with 'stairs' everywhere.", changed={17: {"lines": texts(_STEPS)}}
    ),
    _SAMPLER.free(
        "all-that-uses-it", "Delete the variable rested and everything that uses it.", removed={52}, gone={43}
    ),
    _KITCHEN.free(
        "three-notes", 'Add the note "check with Anna" to nodes 28 to 30.',
        changed={key: {"notes": _has("check with Anna")} for key in (28, 29, 30)},
    ),
    # --- conditions, what is not to be done, thinking aloud ---
    _SAMPLER.idle("if-alone", "If node 22 is not connected to anything, connect it to the entry of the cellar."),
    _SAMPLER.idle("do-not", "Don't delete node 22."),
    _SAMPLER.free(
        "never-touch", 'Whatever you do, never touch node 6; rename node 2 to "Hello".', changed={2: {"name": "Hello"}}
    ),
    _KITCHEN.free(
        "leave-odile", "Rename Mina to Mina Tarn, but leave Odile alone.", altered={6: {"name": _named("MinaTarn")}}
    ),
    _KITCHEN.unclear("if-possible", "Delete scene 20 if possible."),
    _PLANK.idle("if-jory", "You may rename node 10 to Arrival if Jory speaks in it."),
    _PLANK.idle("thinking-of", "I was thinking of renaming node 10 to Arrival, what do you think?"),
    _PLANK.idle("why-did-you", "Why did you rename node 10 to Arrival?"),
    _KITCHEN.unclear("two-undone", "undo the last two changes"),
    # --- names and texts that read as commands, and where a text ends ---
    _SAMPLER.free(
        "named-delete", 'Create a character named "Delete node 2".', characters={"new": {"name": _named("Deletenode2")}}
    ),
    _SAMPLER.free(
        "elena-commands", 'Let Elena say "Rename node 2 to Foo and delete node 5" after node 6.',
        nodes={"new": speech(60, "Rename node 2 to Foo and delete node 5")},
        links={(6, 0, "new"), ("new", 0, 7)}, unlinked={(6, 0, 7)},
    ),
    _HOME.free(
        "then-the-hero", "Let the Traveler say: Good evening, stranger. Then the Hero: Who's there?",
        nodes={"one": speech(11, "Good evening, stranger."), "two": speech(10, "Who's there?")},
        links={("one", 0, "two")},
    ),
    _KITCHEN.free(
        "quietly", "set the text of node 29 to Meh. Meh. and do it quietly", changed={29: {"monolog": "Meh. Meh."}}
    ),
    _SAMPLER.free("what-now", "Rename node 2 to What now?", changed={2: {"name": _has("What")}}),
    _SAMPLER.unclear("no-twice", 'Let Hero answer "no" twice.'),
    _KITCHEN.free(
        "goodbye", "Odile says goodbye after 30", nodes={"new": speech(7, "goodbye")}, links={(30, 0, "new")}
    ),
    _HOME.free(
        "from-to", "change the title of node 2 from Hello there! to Good evening!",
        changed={2: {"title": lambda found: str(found).rstrip("!") == "Good evening"}},
    ),
    # --- several at once ---
    _KITCHEN.free(
        "two-variables", "Add the variable pages_left (num, starts at 7) and seal_intact (bool, true).",
        variables={
            "one": {"name": "pages_left", "type": "num", "init": 7},
            "two": {"name": "seal_intact", "type": "bool", "init": True},
        },
    ),
    _SAMPLER.unclear("three-variables", "create three variables: a, b, c"),
    _KITCHEN.free(
        "keeper-and-inspector", "Rename Odile and Mina to Keeper and Inspector.",
        altered={7: {"name": "Keeper"}, 6: {"name": "Inspector"}}, changed={22: {"content": _has("{Keeper.cup}")}},
    ),
    _SAMPLER.free(
        "bold-and-bob", 'rename Elena to "Elena, the Bold" & Hero to "Bob"',
        altered={60: {"name": _named("ElenatheBold")}, 61: {"name": "Bob"}},
        changed={2: {"content": _has("Bold")}, 7: {"lines": _has("{Bob.mood}")}},
    ),
    _SAMPLER.free(
        "gold-into-coins", "Rename the variable gold into coins, and create a variable gold = 0.",
        altered={50: {"name": "coins"}}, variables={"new": {"name": "gold", "type": "num", "init": 0}},
        changed={2: {"content": _has("{coins}")}, 17: {"actions": _has("{coins}")}},
    ),
    _SAMPLER.free(
        "two-tags", "change elena's trust to medium and the hero's mood to angry",
        altered={60: {"tags": _tag("trust", "medium")}, 61: {"tags": _tag("mood", "angry")}},
    ),
    _HOME.unclear("unskip-and-connect", "Un-skip node 2 and then connect 3 to 4."),
    _HOME.free(
        "market-and-harbour", "add scene 'Market'; add scene 'Harbour', and start the story there",
        scenes={"market": {"name": "Market"}, "harbour": {"name": "Harbour"}}, entry="harbour.entry",
    ),
    _HOME.free(
        "prologue", "The story should begin in a new scene called Prologue.",
        scenes={"prologue": {"name": "Prologue"}}, entry="prologue.entry",
    ),
    _INTRO.free("ampersand", "delete 3600aa4o7 & 3600aa4o8", gone={8933531975719, 8933531975720}),
    _SAMPLER.unclear("set-and-tell", "Set gold to 5 and tell me what raises it."),
    _SAMPLER.unclear("ask-and-set", "What is gold? Set it to 9."),
    _KITCHEN.unclear("scene-after-30", "Turn dialogue 7 into a scene and connect it after node 30."),
    # --- where, and how much ---
    _KITCHEN.unclear("oil-is", "oil = 30"),
    _KITCHEN.unclear("trust-max", "trust max 5"),
    _KITCHEN.unclear("oil-and-night", "Set oil and night to 0."),
    _KITCHEN.unclear("oil-in-a-dialog", "Increase oil by 3 in node 12."),
    _KITCHEN.unclear("one-more", "Set night to one more than it is."),
    _KITCHEN.unclear("to-two", "Set night to two."),
    _KITCHEN.unclear("minus-five", "set oil to -5"),
    _KITCHEN.unclear("maybe", "set tasted_well to maybe"),
    _KITCHEN.unclear("another-type", "Make tasted_well a number."),
    _KITCHEN.judged(
        "trust-as-well", "When the player takes the second option in node 24, raise trust by 2 as well.",
        "trust is raised", lambda new: any(one.data.get("variable") == 4 for one in new.values()),
    ),
    _SAMPLER.judged(
        "only-with-gold", "Make it so that only players with more than 10 gold can go down to the cellar.",
        "gold is asked for",
        lambda new: any(one.type == "condition" and one.data.get("variable") == 50 for one in new.values()),
    ),
    _INTRO.judged(
        "before-the-hub", "Put a condition hero_stamina > 1 before the hub 3600aa4oc.", "stamina is asked for",
        lambda new: any(one.type == "condition" and one.data.get("variable") == 50 for one in new.values()),
    ),
    _INTRO.judged(
        "ready-at-the-end", 'Let Hero say "I am ready." at the end.', "the hero says it",
        lambda new: any(one.speaker_id == 10 and "I am ready." in one.texts for one in new.values()),
    ),
    _KITCHEN.free(
        "straight-to-30", "Connect the last option of node 24 straight to 30 instead of 27.", links={(24, 2, 30)},
        unlinked={(24, 2, 27)},
    ),
    _KITCHEN.free(
        "stay-go-wait", "Add a choice after node 30 with the options stay, and go, or wait.",
        nodes={"new": node("interaction", actions=about("^stay$", "^go$", "^wait$"))}, links={(30, 0, "new")},
    ),
    _SAMPLER.unclear("jump-to-cellar", "Jump from node 32 to the scene 'Cellar'."),
    _KITCHEN.unclear("to-scene-0", "Move node 29 to scene 0."),
    _PLANK.unclear("disconnect-13", "Disconnect 13."),
    _PLANK.unclear("pause", "Insert a pause of two seconds after node 12."),
    # --- what there is ---
    _KITCHEN.free(
        "age-eleven", "Give Jory a tag called age with the value eleven.",
        altered={8: {"tags": _tag("age", "eleven", "11")}},
    ),
    _SAMPLER.free(
        "drop-faction", "Elena's faction tag: drop it", altered={60: {"tags": lambda found: "faction" not in found}}
    ),
    _SAMPLER.unclear("used-elena", "Delete Elena"),
    _KITCHEN.unclear("softer", "Odile's line in node 23 should be softer."),
    _INTRO.unclear("scene-1", "Rename scene 1 to Rain"),
    _INTRO.free(
        "last-jump", "Remove the jump at the end of scene 02. Campfire in Ruins.", gone={8933531975754}
    ),
    _KITCHEN.judged(
        "meets-the-goat", "Write a short scene where Mina meets the goat.", "a scene is written",
        lambda new: has_written(new, (*SPOKEN, "content"), "short scene where"),
    ),
)  # fmt: skip
"""The requests."""
