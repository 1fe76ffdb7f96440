"""The commands, by what they work on."""

from agent.local.commands import (
    characters,
    connections,
    continuity,
    dialogues,
    incomplete,
    names,
    nodes,
    scenes,
    texts,
    variables,
)
from agent.local.rule import Rule

RULES: tuple[Rule, ...] = (
    *dialogues.RULES,
    *continuity.RULES,
    *scenes.RULES,
    *variables.RULES,
    *characters.RULES,
    *incomplete.FIRST_RULES,
    *connections.RULES,
    *texts.RULES,
    *nodes.RULES,
    *nodes.LAST_RULES,
    *incomplete.RULES,
    *names.RULES,
)
"""Every form of command; the first one that fits counts."""

__all__ = ["RULES"]
