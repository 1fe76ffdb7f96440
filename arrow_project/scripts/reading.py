"""A document's text as the dialogues that it holds, in whatever form it has."""

from arrow_project.scripts.dialogue import Dialogue
from arrow_project.scripts.markup import read_markup
from arrow_project.scripts.plain import read_plain


def read_dialogues(text: str) -> list[Dialogue]:
    """Every dialogue in a text, in order."""
    dialogues = read_markup(text)
    return read_plain(text) if dialogues is None else dialogues
