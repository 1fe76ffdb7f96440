"""Thirty questions, written before the grammar of `local`: held out, never used to shape it.

An answer that is not there may be said not to be known; another one must not be given.
"""

from evaluation.agent.changes import unchanged
from evaluation.agent.checks import cites, does_not_know, tells
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.task import Check, Say, Task

_QUESTS, _VARIABLES, _CHARACTERS = "quests.md", "variables-and-endings.md", "characters.docx"


def _task(name: str, question: str, *checks: Check) -> Task:
    says = (Say(question, scene=20),)
    return Task(f"free-ask-{name}", SAMPLE_STORY, says, (*checks, unchanged), in_grammar=False, held_out=True)


def _documents(name: str, question: str, document: str, *words: str) -> Task:
    return _task(name, question, tells(*words), cites(document))


def _story(name: str, question: str, *words: str) -> Task:
    return _task(name, question, tells(*words))


def _unknown(name: str, question: str, about: str) -> Task:
    return _task(name, question, does_not_know(about))


TASKS = (
    _documents("grant", "How many florins does the Board grant a year for oil?", _QUESTS, r"2,?400"),
    _documents("finch", "What does the well at Finch's Boathouse taste like?", _QUESTS, "coin"),
    _documents("office", "When does the telegraph office shut on Saturday?", _VARIABLES, "four"),
    _documents("bench", "What is carved under the Bench of the Harbourmaster?", _QUESTS, "It was deep"),
    _documents("bribe", "How much money does Osk offer Mina?", _QUESTS, "two hundred"),
    _documents("last-line", "What is the last line of the ending High Water?", _VARIABLES, "There you are"),
    _documents(
        "compare",
        "Compare what Bursar eats on the first night and on the second night",
        _QUESTS,
        "blotting",
        "notebook",
    ),
    _documents("lacks", "List the things that the boat lacks", _QUESTS, "tar", "nails"),
    _documents("keeper", "Who keeps the lighthouse?", _CHARACTERS, "Odile|keeper"),
    _documents("who-is-sabeth", "Who is Sabeth Rook?", _CHARACTERS, "dry pilots|crossed the Wander"),
    _documents("jars", "How many jars does Dr Vant have?", _CHARACTERS, "thirty-one|31"),
    _documents("wax", "When does the goat eat paper?", _CHARACTERS, "wax"),
    _task("mule-age", "How old is the mule?", tells("fourteen")),
    _unknown("wedding", "Who marries Sabeth?", "marr"),
    _unknown("eyes", "What is the colour of Odile's eyes?", "eyes|colou?r"),
    _unknown("radio", "Which radio station does Jory listen to?", "radio|station|listen"),
    _unknown("king", "What is the name of the king?", "king"),
    _story("dead-ends", "Which nodes are dead ends?", r"\b30\b"),
    _story("unreachable", "Is any node in the story unreachable?", r"\b(no|not|nothing|every|all|none)\b"),
    _story("raises-trust", "What makes trust go up in the story?", r"\b25\b"),
    _story("mina-speaks", "In which nodes does Mina speak?", r"\b24\b"),
    _story("follows", "What comes after node 23?", r"\b24\b"),
    _story("leads-to", "Which nodes lead to node 27?", r"\b24\b", r"\b25\b", r"\b26\b"),
    _story("how-many", "How many nodes does the kitchen scene have?", r"\b10\b|\bten\b"),
    _story("choices", "What can the player choose at node 13?", "hull", "Walk on"),
    _story("first-node", "What is the very first node of the story?", r"\b1\b"),
    _story("oil-used", "Which nodes mention the variable oil?", r"\b30\b"),
    _story("tasted-well-set", "Where is tasted_well set?", r"\b26\b"),
    _story("bursar-says", "What does the goat Bursar say in the story?", "Meh"),
    _story("if-trust-is-low", "What happens at 27 if trust is below 1?", r"\b29\b"),
)
"""The questions."""
