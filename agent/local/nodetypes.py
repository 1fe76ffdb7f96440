"""The node types by the words that people use for them."""

_WORDS = {
    "content": "content|text|narration|description|paragraph|text block",
    "dialog": "dialogue|dialog",
    "monolog": "monologue|monolog|speech|line",
    "condition": "condition|if|variable check",
    "hub": "hub|merge",
    "interaction": "interaction|choices|choice|options|menu|two choices|three choices|four choices",
    "variable_update": "variable[ _]update|update of variable",
    "jump": "jump",
    "marker": "marker|checkpoint",
    "randomizer": "randomizer|randomiser|random branch",
    "sequencer": "sequencer|sequence",
    "generator": "generator|random value|dice roll",
    "tag_edit": "tag[ _]edit|tag change",
    "tag_match": "tag[ _]match",
    "tag_pass": "tag[ _]pass|tag check",
    "user_input": "user[ _]input|player input|input",
    "macro_use": "macro[ _]use|macro[ _]call|use of macro",
    "entry": "entry",
    "frame": "frame",
}

_TYPE_OF = {
    alternative.replace("[ _]", separator): kind
    for kind, words in _WORDS.items()
    for alternative in words.split("|")
    for separator in (" ", "_")
}

NODE_TYPE = "|".join(
    r"\b" + word.replace(" ", r"\s+") + r"\b" for word in sorted(_TYPE_OF, key=lambda word: (-len(word), word))
)
"""The pattern of any word for a node type."""


def node_type(words: str) -> str:
    """The protocol's type for a match of `NODE_TYPE`."""
    return _TYPE_OF[" ".join(words.casefold().split())]
