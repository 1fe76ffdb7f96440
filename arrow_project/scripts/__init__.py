"""Scripts of the documents, read as dialogues: Yarn, Ink, Twee, fountain, `NAME: words`, `Name "words"`."""

from arrow_project.scripts.dialogue import (
    Branch,
    Choice,
    Command,
    Comparison,
    Dialogue,
    Direction,
    Item,
    Leave,
    Option,
    Speech,
    VariableChange,
    walk,
)
from arrow_project.scripts.lines import NESTED_TOO_DEEP, as_speech, speakers
from arrow_project.scripts.reading import read_dialogues

__all__ = [
    "NESTED_TOO_DEEP",
    "Branch",
    "Choice",
    "Command",
    "Comparison",
    "Dialogue",
    "Direction",
    "Item",
    "Leave",
    "Option",
    "Speech",
    "VariableChange",
    "as_speech",
    "read_dialogues",
    "speakers",
    "walk",
]
