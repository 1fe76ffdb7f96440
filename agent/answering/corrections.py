"""How often a model may try a call again before it has to stop, and what the user is told then."""

from collections.abc import Mapping
from typing import Any

MAX_CORRECTIONS = 3


class GaveUp(Exception):
    """The model goes on with a call that it was told to stop trying."""


class Corrections:
    """Counts, by function, the responses in a row in which it failed.

    Calls of one response that fail together are one attempt: the model had not seen the first error yet.
    """

    def __init__(self) -> None:
        self._attempts: dict[str, int] = {}
        self._failed: dict[str, str] = {}  # in the response under way, with the reason
        self._given_up: dict[str, str] = {}

    def has_given_up(self, tool: str) -> bool:
        """Whether it has failed too often, and the model knows."""
        return tool in self._given_up

    def answered(self, tool: str, answer: Mapping[str, Any]) -> dict[str, Any]:
        """The answer for the model; after the last correction it also says that this is not to be tried again."""
        error: Any = answer.get("error")
        if not isinstance(error, dict):
            self._attempts.pop(tool, None)
            self._failed.pop(tool, None)
            return dict(answer)
        self._failed[tool] = str(error.get("message", ""))  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
        if self._attempts.get(tool, 0) < MAX_CORRECTIONS:
            return dict(answer)
        return {
            **answer,
            "stop": f"{tool} has now failed {MAX_CORRECTIONS + 1} times. Do not call it again; tell the user what "
            "did not work and why.",
        }

    def response_ends(self) -> None:
        """All calls of one response have been answered."""
        for tool, reason in self._failed.items():
            self._attempts[tool] = self._attempts.get(tool, 0) + 1
            if self._attempts[tool] > MAX_CORRECTIONS:
                self._given_up[tool] = reason
        self._failed.clear()

    def honest_sentences(self) -> list[str]:
        """What the user is told of what was given up."""
        return [
            f"Not done: {tool.replace('_', ' ')} failed {MAX_CORRECTIONS + 1} times, so I stopped trying. "
            f"The last reason: {reason}"
            for tool, reason in self._given_up.items()
        ]
