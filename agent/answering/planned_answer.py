"""A message answered without a model: the steps of a plan, each told or executed as it is made."""

from collections.abc import Mapping
from functools import partial
from typing import Any, ClassVar

from agent.answering.answerer import Answerer, Answering, Assignment, ParametersMissing
from agent.editing.execution import tool_result
from agent.local import Say, Steps, ToolCall, needs_passages, plan
from agent.questions.parameters import missing_parameters
from agent.reading.reading_tools import READING_TOOLS
from agent.turn.events import TextFinished, Usage
from agent.turn.request import TurnContext
from agent.turn.thread import in_thread, in_thread_until_cancelled
from arrow_project import GoOn, Operation

LOCAL = "local"

_DONE = Say("Done.", "done")
_TEXT_ONLY = "(The documents can be searched by their own words only just now: the vectors are away.)"


class LocalPlanner(Answerer):
    """The planner without weights."""

    name = LOCAL
    converses: ClassVar[bool] = False

    async def needs_passages(self, message: str) -> bool:
        """What is answered by documents; a command that is carried out waits for no search."""
        return await in_thread(needs_passages, message)

    def answer(self, assignment: Assignment) -> Answering:
        """A plan, carried out step by step; it costs nothing."""
        return PlannedAnswer(assignment)


class PlannedAnswer:
    """The steps of a plan. What it says of operations that were only tried is left out: it believes them done."""

    def __init__(self, assignment: Assignment) -> None:
        self._assignment = assignment
        self._execution = assignment.execution
        self.usage = Usage()
        self.model_s = 0.0

    async def run(self) -> None:
        """See `Answering.run`; raises `WordsMissing` as well, of a command that lacks only its words."""
        assignment = self._assignment
        context = assignment.context
        steps = plan(assignment.message, context)
        answer: dict[str, Any] | None = None
        last: Say | ToolCall | None = None
        while (step := await in_thread_until_cancelled(partial(_next, steps, answer, context))) is not None:
            last, answer = step, None
            if isinstance(step, ToolCall):
                answer = await self._call(step.tool, step.arguments)
            else:
                await self._say(step)
        if not isinstance(last, Say):
            await self._say(_DONE)
        if context.text_only and not self._execution.executed:
            await assignment.tell(TextFinished(_TEXT_ONLY))

    async def _say(self, step: Say) -> None:
        if step.outcome != "done" or not self._execution.only_tried:
            await self._assignment.tell(TextFinished(step.text, not_done=step.outcome == "not_done"))

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if tool in READING_TOOLS:
            return await self._assignment.reader.call(tool, arguments)
        operation = Operation(tool, arguments)
        if self._execution.held is None and missing_parameters(operation):
            raise ParametersMissing(operation)
        return tool_result(await self._execution.execute(operation))


def _next(
    steps: Steps[None], answer: dict[str, Any] | None, context: TurnContext, go_on: GoOn
) -> Say | ToolCall | None:
    """The next step of a plan; None at its end."""
    context.go_on = go_on
    try:
        return steps.send(answer)
    except StopIteration:
        return None
