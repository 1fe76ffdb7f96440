"""The commands, by what they work on."""

from agent.local.commands import characters, connections, dialogues, names, nodes, scenes, texts, variables
from agent.local.rule import Rule

RULES: tuple[Rule, ...] = (
    *dialogues.RULES,
    *scenes.RULES,
    *variables.RULES,
    *characters.RULES,
    *connections.RULES,
    *texts.RULES,
    *nodes.RULES,
    *nodes.LAST_RULES,
    *names.RULES,
)
"""Every form of command; the first one that fits counts."""

__all__ = ["RULES"]
