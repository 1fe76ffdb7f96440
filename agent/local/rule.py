"""A rule of the grammar: a pattern, and what a command that fits it does."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from agent.local.desk import Desk
from agent.local.node_request import opens_text
from agent.local.phrase import Phrase
from agent.local.steps import Steps

# The groups in which patterns catch a text to be written.
_TEXTS = frozenset({"rest", "text", "notes", "script"})

# Words that many commands share.
ADD = r"(?:add|create|insert|make|put|append|place|write|declare|define|new)"
CHANGE = r"(?:change|set|replace|edit|update|rewrite)"
DELETE = r"(?:delete|remove|erase)"
NOTE = r"(?:add|put|write|attach|set|change) (?:an? |the )?notes? (?:to|on|of|at)"
THE = r"(?:(?:the|an?|this|my|our) )?(?:new )?"
NAMED = r"(?:(?:named|called|titled) )?"
# "a scene about grief" and "the character of the postmistress" are descriptions, no names.
NO_NAME = r"(?!(?:from|of|out|with|about|where|in|for|based|that|which|who|between|set|on|at|when|as) )"
TO = r"(?: (?:to|as|into)(?:\s*:)? |\s*[:=]\s*)"
COLON = r"(?:\s*:\s*| to | saying | that says )"
FORCE = r"(?P<force> (?:(?:by|with) force|forced|anyway|even if (?:it is )?used))?"
NOTES = r"(?:,? with (?:the |a )?notes?:? (?P<notes>.+))?"

Words: TypeAlias = Mapping[str, Phrase]


@dataclass(frozen=True)
class Rule:
    """One form of command.

    Attributes:
        pattern: Fits the whole command; its named groups are the command's words.
        run: Carries it out; ends with a sentence that says what was done.
        loose: The pattern also fits ordinary prose, so it begins no new command in the middle of a text.
    """

    pattern: re.Pattern[str]
    run: Callable[[Desk, Words], Steps[str]]
    loose: bool = False


def rule(pattern: str, run: Callable[[Desk, Words], Steps[str]], *, loose: bool = False) -> Rule:
    """A rule from a pattern in which a space stands for any white space, without regard to case."""
    return Rule(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE | re.DOTALL), run, loose)


@dataclass(frozen=True)
class Command:
    """A rule with the words that fit it."""

    rule: Rule
    words: Words

    @property
    def takes_more_text(self) -> bool:
        """Whether it ends in a text without quotation marks, which the words after it may continue."""
        if not self.words:
            return False
        name, last = list(self.words.items())[-1]
        if name == "rest" and not opens_text(last):
            return False
        return name in _TEXTS and not last.ends_quoted

    @property
    def takes_name(self) -> bool:
        """Whether it ends in a name without quotation marks."""
        name, last = list(self.words.items())[-1] if self.words else ("", Phrase(""))
        return name == "name" and not last.ends_quoted

    def run(self, desk: Desk) -> Steps[str]:
        """Carries it out; ends with a sentence that says what was done."""
        return self.rule.run(desk, self.words)
