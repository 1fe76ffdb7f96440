"""Who answers, by its name: any provider of pydantic-ai, or `local`, our planner without one."""

import gc
import os
import re
from copy import copy
from typing import ClassVar

from propcache import cached_property

from agent.answering.answerer import Answerer, AnswerFailed, Answering, Assignment
from agent.answering.planned_answer import LOCAL, LocalPlanner
from agent.editing.editor import Failure
from agent.turn.thread import in_thread

# How a provider's own message names what is missing.
_VARIABLE = re.compile(r"`([A-Z][A-Z0-9]*_[A-Z0-9_]+)`")
# Of whom nothing but a key is asked at the start: what asks them takes longer to load than all the rest.
_LOADED_LATE = {"anthropic": "ANTHROPIC_API_KEY"}


class ModelNotAvailable(AnswerFailed):
    """The model cannot be used as configured; the message says what to set."""

    def __init__(self, message: str) -> None:
        super().__init__(Failure("MODEL_NOT_FOUND", message))


class NoAnswerer(Answerer):
    """For whoever works without a model that cannot be used: the first message that needs it is told why."""

    converses: ClassVar[bool] = True

    def __init__(self, name: str, reason: ModelNotAvailable) -> None:
        self.name = name
        self._reason = reason

    def answer(self, assignment: Assignment) -> Answering:  # noqa: ARG002
        """Raises `ModelNotAvailable`."""
        raise copy(self._reason)  # anew: a process may be asked for weeks, and what is raised keeps where it was


class ModelLoadedLate(Answerer):
    """A model of a provider whose library is loaded for the first message that needs it."""

    converses: ClassVar[bool] = True

    def __init__(self, name: str) -> None:
        self.name = name

    @cached_property
    def _loaded(self) -> Answerer:
        loaded = _open_provided(self.name)
        gc.freeze()  # looking through the library for garbage would halt every thread
        return loaded

    async def get_ready(self) -> None:
        """Loads it in a thread, as everybody else's messages go on meanwhile."""
        await in_thread(lambda: self._loaded)

    def answer(self, assignment: Assignment) -> Answering:
        """As the model does; raises `ModelNotAvailable` where it cannot be loaded."""
        return self._loaded.answer(assignment)


def open_answerer(name: str) -> Answerer:
    """Who answers every turn.

    Args:
        name: `local`, or `provider:name` as pydantic-ai spells it, such as `anthropic:claude-sonnet-4-5`.

    Raises:
        ModelNotAvailable: The provider is unknown or its key is missing.
    """
    if name == LOCAL:
        return LocalPlanner()
    provider, _, model = name.partition(":")
    if model and os.environ.get(_LOADED_LATE.get(provider, "")):
        return ModelLoadedLate(name)
    return _open_provided(name)


def _open_provided(name: str) -> Answerer:
    from pydantic_ai.exceptions import UserError  # here, as this takes longer to load than all the rest

    from agent.answering.answer import ModelAnswerer
    from agent.models.providers import provided_model

    try:
        return ModelAnswerer(provided_model(name), name)
    except (UserError, ValueError, ImportError) as error:
        raise ModelNotAvailable(_why_not(name, error)) from error


def _why_not(name: str, error: Exception) -> str:
    if missing := _VARIABLE.search(str(error)):
        return (
            f"The model {name!r} cannot be used, as {missing[1]} is not set. Put it into the environment or into "
            "~/.fletcher/.env, or set FLETCHER_MODEL to another model; local needs no key."
        )
    reason = str(error).partition(". ")[0].rstrip(".")
    remedy = "Set FLETCHER_MODEL to provider:name together with that provider's key, or to local."
    return f"The model {name!r} cannot be used: {reason}. {remedy}"
