"""Thirty-four questions of a visitor: written from the stories and the documents alone, before any of them was tried.

Four were answered wrongly at first, with a sentence that has the words and another thing in it.
"""

from evaluation.agent.starts import ALL_NODE_TYPES, HOME, INTRO
from evaluation.agent.tasks.held_out import HeldOut

_KITCHEN = HeldOut("visitor-ask")
_SAMPLER = HeldOut("visitor-ask", ALL_NODE_TYPES, scene=0)
_HOME = HeldOut("visitor-ask", HOME, scene=0)
_INTRO = HeldOut("visitor-ask", INTRO, scene=8933531975704)
_QUESTS, _VARIABLES, _CHARACTERS, _BIBLE = "quests.md", "variables-and-endings.md", "characters.docx", "game-bible.pdf"

TASKS = (
    _KITCHEN.documents("litres", "how many litres does the lamp need for a night", _BIBLE, "eleven|11"),
    _KITCHEN.documents("german-odile", "wer ist Odile Marrack?", _CHARACTERS, "keeper"),
    _KITCHEN.documents("german-town", "Wie viele Einwohner hat Nether Quay?", _BIBLE, "212"),
    _KITCHEN.documents("telegram", "What's the price of a telegram of six words?", _BIBLE, "ten|20|twenty|florin"),
    _KITCHEN.documents("date", "On what date does the game begin, and where?", _BIBLE, "20 October|Thursday"),
    _KITCHEN.documents("ink", "What colour is Osk's ink?", _VARIABLES, "green"),
    _KITCHEN.documents("age", "How old is Jory?", _CHARACTERS, "13|thirteen"),
    _KITCHEN.documents("combat", "Is there any combat?", _BIBLE, "no combat"),
    _KITCHEN.documents("tower", "How many steps does the tower have?", _BIBLE, "seventeen|117"),
    _KITCHEN.documents("steps", "steps?", _BIBLE, "seventeen|117"),
    _KITCHEN.documents("mule", "What is the name of the mule?", _QUESTS, "Understudy|Admiral"),
    _KITCHEN.documents("rule", "What is the second rule of the house?", _BIBLE, "whistl"),
    _KITCHEN.documents("promise", "Which promise is about the goat?", _BIBLE, "relief|fate"),
    _KITCHEN.documents("sworn", "Does the Constant Ann sail before Odile is sworn in?", _BIBLE, "1898|yes|before"),
    _KITCHEN.documents("who-pays", "Who pays for the oil, and how much?", _BIBLE, "penn|pilot|stiver"),
    _KITCHEN.documents("built", "When was the lighthouse built and by whom?", _BIBLE, "1864", "Stroud"),
    _KITCHEN.unknown("hair", "What colour is Jory's hair?", "hair|colou?r"),
    _KITCHEN.unknown("board", "What is the phone number of the Board?", "phone|number"),
    _KITCHEN.story("silent", "Who never speaks in the story?", "nobody|no one|none|every|all"),
    _KITCHEN.story("after-28", "Does anybody speak after node 28?", "Bursar"),
    _KITCHEN.story("notes", "Which nodes have notes?", r"\b1\b", r"\b21\b", r"\b30\b"),
    _KITCHEN.story("the-end", "Is node 30 the end?", "yes|end|nothing"),
    _KITCHEN.story("jory-lines", "How many lines does Jory have?", r"\b4\b|four"),
    _KITCHEN.story("longer", "Which scene is longer?", r"same|equal|both|\b10\b|\bten\b"),
    _KITCHEN.story("walks-on", "What happens if the player walks on without a word?", r"\b16\b|\b17\b|hub"),
    _SAMPLER.story("gold", "Where is gold used?", r"\b2\b", r"\b8\b", r"\b11\b", r"\b12\b", r"\b17\b"),
    _SAMPLER.story("to-22", "How do I get to node 22?", r"\b21\b"),
    _SAMPLER.story("way-back", "Is there a way back from the cellar?", r"\b33\b|\byes\b"),
    _SAMPLER.story("reads-first", "What does the player read first?", "Welcome|Hello"),
    _INTRO.story("choices", "Which choices raise hero_stamina?", "told him my name|975713", "What else may I|975721"),
    _INTRO.story("how-many", "How many choices can the player make?", r"\b[24]\b|two|four"),
    _INTRO.story("take-it", "Who says 'Take it son!'?", "Traveler"),
    _INTRO.story("hub", "what comes after the hub 3600aa4o3?", "8933531975716|Not anymore"),
    _HOME.story("skipped", "What is skipped?", r"\b2\b|Hello there"),
)
"""The questions."""
