"""Scripts of the documents, read as dialogues: Yarn, Ink, Twee, fountain, `NAME: words`, `Name "words"`."""

from agent.scripts.dialogue import Dialogue
from agent.scripts.lines import as_speech, speakers
from agent.scripts.reading import read_dialogues

__all__ = ["Dialogue", "as_speech", "read_dialogues", "speakers"]
