"""Thirty-one questions as a stranger asks them: written after the grammar of `local`, before any of them was tried."""

from evaluation.agent.starts import ALL_NODE_TYPES, INTRO
from evaluation.agent.tasks.held_out import HeldOut

_KITCHEN = HeldOut("stranger-ask")
_SAMPLER = HeldOut("stranger-ask", ALL_NODE_TYPES, scene=0)
_INTRO = HeldOut("stranger-ask", INTRO, scene=8933531975704)
_QUESTS, _VARIABLES, _CHARACTERS, _BIBLE = "quests.md", "variables-and-endings.md", "characters.docx", "game-bible.pdf"

TASKS = (
    _KITCHEN.documents("price-of-nails", "how much cost the nails at the Gull?", _QUESTS, "five|5"),
    _KITCHEN.documents("mule-name", "whats the name of ludos mule", _QUESTS, "Understudy"),
    _KITCHEN.documents("second-night", "what did bursar eat on the second nite?", _QUESTS, "notebook"),
    _KITCHEN.documents(
        "keep-quiet", "What happens to the player who writes on the back of Form 12?", _VARIABLES, "void"
    ),
    _KITCHEN.documents("who-signs-last", "Who is the last to sign in A Lawful Lamp?", _VARIABLES, "Sabeth"),
    _KITCHEN.documents("upper-limit", "What is the upper limit of the oil, and why?", _VARIABLES, "36"),
    _KITCHEN.documents("sit-in-the-boat", "Does sitting in the boat change trust?", f"{_VARIABLES}", "1|one"),
    _KITCHEN.documents("gulls", "I would like to know when the gulls have left", _BIBLE, "1904|March"),
    _KITCHEN.documents("lens-name", "Whose name is scratched in the lens?", _QUESTS, "Hasp"),
    _KITCHEN.documents("kilos", "According to the quests, how heavy is the tin Jory weighs?", _QUESTS, "forty-one"),
    _KITCHEN.unknown("phone", "What is Odile's phone number?", "phone|number"),
    _KITCHEN.unknown("horse", "What's the name of Odile's horse?", "horse"),
    _KITCHEN.unknown("wife", "Who is Jory's wife?", "wife"),
    _KITCHEN.unknown("car", "Which car does Dr Vant drive?", "car|drive"),
    _KITCHEN.unknown("born-osk", "In what year did the Titanic sink, says the design document?", "Titanic"),
    _KITCHEN.story("odile-lines", "Which lines has Odile?", r"\b23\b", r"\b28\b"),
    _KITCHEN.story("ends", "are there any loose ends in the kitchen?", r"\b30\b"),
    _KITCHEN.story("who-is-here", "who talks in the kitchen scene", "Odile", "Mina", "Bursar"),
    _KITCHEN.story("count-characters", "How many characters do we have?", r"\b4\b|four"),
    _KITCHEN.story("after-second-choice", "where does the second line of 24 lead?", r"\b26\b"),
    _KITCHEN.story("false-branch", "What follows 27 when it is false?", r"\b29\b"),
    _KITCHEN.story("oil-at-start", "how much oil is there at the start of the game", r"\b33\b"),
    _KITCHEN.story("where-night", "In what node is night shown?", r"\b30\b"),
    _KITCHEN.story("jory-scene", "In which scene does Jory talk?", "Plank|scene 0"),
    _KITCHEN.story(
        "what-if-gone", "If I delete node 26, what sets tasted_well?", r"nothing|no node|nobody|none|only|\b26\b"
    ),
    _KITCHEN.story("bursar-many", "how many times does the goat speak?", r"\b1\b|\bonce\b|\bone\b"),
    _SAMPLER.story("gold-changers", "which nodes change gold", r"\b8\b", r"\b12\b"),
    _SAMPLER.story("unreached", "Is there something the player can never reach?", r"\b23\b|no|nothing|frame|every"),
    _SAMPLER.story("macro-played", "Where is the macro used?", r"\b21\b"),
    _INTRO.story("hero-choices", 'what are the choices at "People call me with no name!"', "People call me"),
    _INTRO.story("stamina", "what raises hero_stamina?", r"8933531975713", r"8933531975721"),
)
"""The questions."""
