"""How held-out tasks are written: what must be different afterwards, or that nobody can know what is meant.

Changing nothing and saying so is no mistake in any of them; another change than the one that was asked for is.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from arrow_project import Node
from evaluation.agent.changes import exactly, unchanged
from evaluation.agent.checks import cites, claims_nothing, does_not_know, holds, says_not_done, tells
from evaluation.agent.starts import SAMPLE_STORY
from evaluation.agent.story_state import StoryState
from evaluation.agent.task import YES, Ask, Check, Task

SPOKEN = ("dialog", "monolog")


@dataclass(frozen=True)
class HeldOut:
    """Tasks whose ids begin alike, on one story with one scene open and some nodes selected."""

    prefix: str
    start: str = SAMPLE_STORY
    scene: int | None = 20
    selected: tuple[int, ...] = ()

    def _task(self, name: str, message: str, *checks: Check, answers: tuple[Ask, ...] = ()) -> Task:
        says = (Ask(message, scene=self.scene, selected=self.selected), *answers)
        return Task(f"{self.prefix}-{name}", self.start, says, checks, in_grammar=False, held_out=True)

    def free(self, name: str, message: str, **changes: Any) -> Task:
        """What is to be different is clear; the arguments are those of `ExpectedChanges`."""
        return self._task(name, message, exactly(**changes), answers=(YES,))

    def unclear(self, name: str, message: str) -> Task:
        """Nobody can do it, or not without asking back."""
        return self._task(name, message, says_not_done, unchanged, answers=(YES,))

    def idle(self, name: str, message: str) -> Task:
        """Nothing is to be done, whatever is said."""
        return self._task(name, message, claims_nothing, unchanged, answers=(YES,))

    def judged(self, name: str, message: str, what: str, test: Callable[[Mapping[int, Node]], bool]) -> Task:
        """A writer's freedom: only the new nodes are looked at, and nothing that was there is lost."""

        def holds_there(before: StoryState, after: StoryState) -> bool:
            kept = all(after.nodes.get(key) == state for key, state in before.nodes.items())
            return kept and test({key: state for key, state in after.nodes.items() if key not in before.nodes})

        return self._task(name, message, holds(what, holds_there), answers=(YES,))

    def documents(self, name: str, question: str, document: str, *words: str) -> Task:
        """The document says it."""
        return self._task(name, question, tells(*words), cites(document), unchanged)

    def story(self, name: str, question: str, *words: str) -> Task:
        """The story has it."""
        return self._task(name, question, tells(*words), unchanged)

    def unknown(self, name: str, question: str, about: str) -> Task:
        """Nobody has written it down."""
        return self._task(name, question, does_not_know(about), unchanged)


def has_written(new: Mapping[int, Node], types: tuple[str, ...], never: str, who: int | None = None) -> bool:
    """Whether something was written, and it is not the request itself."""
    nodes = [state for state in new.values() if state.type in types and who in (None, state.speaker_id)]
    said = " ".join(text for state in nodes for text in state.texts)
    return bool(nodes) and len(said.split()) > 1 and not re.search(never, said, re.IGNORECASE)


def texts(*said: str) -> Callable[[Any], bool]:
    """These texts in this order."""
    return lambda found: isinstance(found, list | tuple) and [*found] == [*said]


def about(*patterns: str) -> Callable[[Any], bool]:
    """A text with each pattern, in this order."""
    return lambda found: (
        isinstance(found, list)
        and len(found) == len(patterns)
        and all(re.search(pattern, str(one), re.IGNORECASE) for pattern, one in zip(patterns, found, strict=True))
    )


def like(pattern: str) -> Callable[[Any], bool]:
    """A text that is so, apart from case."""
    return lambda found: re.fullmatch(pattern, str(found), re.IGNORECASE) is not None
