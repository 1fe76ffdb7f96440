"""The tasks in which pydantic-ai runs an answer: it loses sight of one that is cancelled in the instant it begins."""

import asyncio
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.agent import AgentRunResult
from pydantic_ai.capabilities import AbstractCapability, WrapModelRequestHandler, WrapRunHandler
from pydantic_ai.messages import ModelResponse
from pydantic_ai.models import ModelRequestContext


class LibraryTasks(AbstractCapability[None]):
    """Knows the tasks of one run, and ends what is left of them; a model's request would else stay open."""

    def __init__(self) -> None:
        self._tasks: list[asyncio.Task[Any]] = []

    async def wrap_run(
        self,
        ctx: RunContext[None],  # noqa: ARG002  (the library calls it so)
        *,
        handler: WrapRunHandler,
    ) -> AgentRunResult[Any]:
        """Notes the run's task."""
        self._note()
        return await handler()

    async def wrap_model_request(
        self,
        ctx: RunContext[None],  # noqa: ARG002
        *,
        request_context: ModelRequestContext,
        handler: WrapModelRequestHandler,
    ) -> ModelResponse:
        """Notes the request's task."""
        self._note()
        return await handler(request_context)

    async def end(self) -> None:
        """To be called when the run is over."""
        left = [task for task in self._tasks if not task.done()]
        self._tasks.clear()  # what a task was cancelled with leads back here
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _note(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.append(task)
