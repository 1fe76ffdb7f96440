"""Thirty questions, written before the grammar of `local`: held out, never used to shape it.

An answer that is not there may be said not to be known; another one must not be given.
"""

from evaluation.agent.tasks.held_out import HeldOut

_SAMPLE = HeldOut("free-ask")
_QUESTS, _VARIABLES, _CHARACTERS = "quests.md", "variables-and-endings.md", "characters.docx"

TASKS = (
    _SAMPLE.documents("grant", "How many florins does the Board grant a year for oil?", _QUESTS, r"2,?400"),
    _SAMPLE.documents("finch", "What does the well at Finch's Boathouse taste like?", _QUESTS, "coin"),
    _SAMPLE.documents("office", "When does the telegraph office shut on Saturday?", _VARIABLES, "four"),
    _SAMPLE.documents("bench", "What is carved under the Bench of the Harbourmaster?", _QUESTS, "It was deep"),
    _SAMPLE.documents("bribe", "How much money does Osk offer Mina?", _QUESTS, "two hundred"),
    _SAMPLE.documents("last-line", "What is the last line of the ending High Water?", _VARIABLES, "There you are"),
    _SAMPLE.documents(
        "compare",
        "Compare what Bursar eats on the first night and on the second night",
        _QUESTS,
        "blotting",
        "notebook",
    ),
    _SAMPLE.documents("lacks", "List the things that the boat lacks", _QUESTS, "tar", "nails"),
    _SAMPLE.documents("keeper", "Who keeps the lighthouse?", _CHARACTERS, "Odile|keeper"),
    _SAMPLE.documents("who-is-sabeth", "Who is Sabeth Rook?", _CHARACTERS, "dry pilots|crossed the Wander"),
    _SAMPLE.documents("jars", "How many jars does Dr Vant have?", _CHARACTERS, "thirty-one|31"),
    _SAMPLE.documents("wax", "When does the goat eat paper?", _CHARACTERS, "wax"),
    _SAMPLE.story("mule-age", "How old is the mule?", "fourteen"),
    _SAMPLE.unknown("wedding", "Who marries Sabeth?", "marr"),
    _SAMPLE.unknown("eyes", "What is the colour of Odile's eyes?", "eyes|colou?r"),
    _SAMPLE.unknown("radio", "Which radio station does Jory listen to?", "radio|station|listen"),
    _SAMPLE.unknown("king", "What is the name of the king?", "king"),
    _SAMPLE.story("dead-ends", "Which nodes are dead ends?", r"\b30\b"),
    _SAMPLE.story("unreachable", "Is any node in the story unreachable?", r"\b(no|not|nothing|every|all|none)\b"),
    _SAMPLE.story("raises-trust", "What makes trust go up in the story?", r"\b25\b"),
    _SAMPLE.story("mina-speaks", "In which nodes does Mina speak?", r"\b24\b"),
    _SAMPLE.story("follows", "What comes after node 23?", r"\b24\b"),
    _SAMPLE.story("leads-to", "Which nodes lead to node 27?", r"\b24\b", r"\b25\b", r"\b26\b"),
    _SAMPLE.story("how-many", "How many nodes does the kitchen scene have?", r"\b10\b|\bten\b"),
    _SAMPLE.story("choices", "What can the player choose at node 13?", "hull", "Walk on"),
    _SAMPLE.story("first-node", "What is the very first node of the story?", r"\b1\b"),
    _SAMPLE.story("oil-used", "Which nodes mention the variable oil?", r"\b30\b"),
    _SAMPLE.story("tasted-well-set", "Where is tasted_well set?", r"\b26\b"),
    _SAMPLE.story("bursar-says", "What does the goat Bursar say in the story?", "Meh"),
    _SAMPLE.story("if-trust-is-low", "What happens at 27 if trust is below 1?", r"\b29\b"),
)
"""The questions."""
