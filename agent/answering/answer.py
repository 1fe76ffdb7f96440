"""A message answered by a model: text as it comes, and calls that go through the turn's execution."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, ClassVar

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from agent.answering.answerer import Answer, Answerer, Assignment
from agent.answering.conversation import Conversation
from agent.answering.corrections import Corrections, GaveUp
from agent.answering.loose_ends import remark_for_the_model, unreached
from agent.answering.tools import ANSWER_QUESTION, READING_TOOLS, build_tools, function_named
from agent.editing.execution import tool_result
from agent.models.patience import Patience
from agent.prompt.history import assemble
from agent.prompt.prompt import INSTRUCTIONS, history_budget, render_context, render_question
from agent.prompt.quoting import MATERIAL
from agent.turn.events import OperationFinished, TextFinished, Usage
from agent.turn.thread import in_thread
from arrow_project import OPERATIONS, Operation

# Requests to a provider cost money: a model that goes in circles is stopped.
_MAX_REQUESTS = 60
_MAX_ANSWER_TOKENS = 8192
# How often the model may get the form of one call wrong before the turn is given up.
_CALL_RETRIES = 3

_ONLY_FIRST = {
    "error": {
        "code": "NOT_PENDING",
        "message": "answer_question works once, in the first response to the user's message, before anything is read. "
        "The question is no longer open; ask the user again if it matters.",
    }
}


class _Waits(Exception):
    """Something needs a yes, so the model is not asked any further."""


@dataclass(frozen=True)
class ModelAnswerer(Answerer):
    """A model of a provider.

    Attributes:
        model: The model itself.
        name: As configured.
        patience: What happens when the provider is busy.
    """

    model: Model
    name: str
    patience: Patience = field(default_factory=Patience)
    converses: ClassVar[bool] = True

    def answer(self, assignment: Assignment) -> Answer:
        """The model's answer, with the prompt that it is asked with."""
        return ModelAnswer(self, assignment)


class ModelAnswer:
    """The answer to one message, given once. Its attributes are those of `Answer`."""

    def __init__(self, answerer: ModelAnswerer, assignment: Assignment) -> None:
        self._answerer = answerer
        self._assignment = assignment
        self._execution = assignment.execution
        self._corrections = Corrections()
        self._told_of_loose_ends = False
        self._upcoming: deque[Operation | None] = deque()  # of the response under way
        self._executed: deque[OperationFinished] = deque()  # together with one before
        self._question = question = assignment.question  # until it is answered, or the first response has ended
        context, budget = assignment.context, assignment.context_tokens
        rendered = render_question(question.calls) if question else render_context(context, budget)
        self._history, self._prompt = assemble(rendered, context.history, assignment.message, history_budget(budget))
        self.usage = Usage()
        self.model_s = 0.0

    async def run(self) -> None:
        """Tells the answer as it comes, and at its end what was given up.

        Raises:
            AgentRunError: The model could not be used, or not to the end.
        """
        # Not kept: it leads back here, and only the garbage collector would free it, and the story with it.
        conversation = await in_thread(self._conversation)
        try:
            await conversation.run(self._history, self._prompt)
        except (GaveUp, _Waits):
            pass
        finally:
            self.usage, self.model_s = conversation.usage, conversation.model_s
        for sentence in self._corrections.honest_sentences():
            await self._assignment.tell(TextFinished(sentence, not_done=True))

    def _conversation(self) -> Conversation:
        answerer, tell = self._answerer, self._assignment.tell
        return Conversation(
            self._agent(), _MAX_REQUESTS, answerer.patience, tell, self._response_begins, self._response_ends
        )

    def _agent(self) -> Agent[None, str]:
        agent = Agent(
            self._answerer.model,
            instructions=INSTRUCTIONS,
            tools=build_tools(self._call, answers_question=self._question is not None),
            retries=_CALL_RETRIES,
            model_settings=ModelSettings(max_tokens=_MAX_ANSWER_TOKENS, cache=True),
        )
        agent.output_validator(self._without_loose_ends)
        return agent

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self._corrections.check(tool)
        answer = self._corrections.answered(tool, await self._run(tool, arguments))
        return {"material": MATERIAL, **answer}

    async def _run(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if tool == ANSWER_QUESTION:
            return await self._decide(str(arguments["decision"]))
        if tool in READING_TOOLS:
            return await self._assignment.reader.call(tool, arguments)
        return tool_result(await self._execute(Operation(tool, arguments)))

    def _response_begins(self, calls: Sequence[ToolCallPart]) -> None:
        for call in calls:
            call.tool_name = function_named(call.tool_name)
        self._upcoming = deque(_operation(call) for call in calls)
        self._executed.clear()

    async def _execute(self, operation: Operation) -> OperationFinished:
        """Executes it together with those that the same response calls right after it, if the editor takes that."""
        while self._upcoming and self._upcoming[0] != operation:  # one whose form could not be read
            self._upcoming.popleft()
        if not self._executed:
            together = [one for one in takewhile(self._may_run, self._upcoming) if one is not None]
            self._executed.extend(await self._execution.execute_together(together or [operation]))
        if self._upcoming:
            self._upcoming.popleft()
        return self._executed.popleft()

    def _may_run(self, operation: Operation | None) -> bool:
        return operation is not None and not self._corrections.has_given_up(operation.function)

    async def _decide(self, decision: str) -> dict[str, Any]:
        question, self._question = self._question, None
        if question is None:
            return _ONLY_FIRST
        done = await question.decide(decision)
        context = await in_thread(render_context, self._assignment.context, self._assignment.context_tokens)
        return done | {"context": context}

    def _response_ends(self) -> None:
        self._question = None
        self._corrections.response_ends()
        if self._execution.held is not None:
            raise _Waits

    async def _without_loose_ends(self, text: str) -> str:
        """Tells the model, once, of what it has made and nothing leads to."""
        project = self._assignment.context.project
        if project is None or self._told_of_loose_ends:
            return text
        loose = await in_thread(unreached, project, self._execution.created)
        if loose:
            self._told_of_loose_ends = True
            raise ModelRetry(remark_for_the_model(project, loose))
        return text


def _operation(call: ToolCallPart) -> Operation | None:
    """The operation that a call asks for; None of one that reads, or cannot be read."""
    if call.tool_name not in OPERATIONS:
        return None
    try:
        return Operation(call.tool_name, call.args_as_dict(raise_if_invalid=True))
    except (ValueError, AssertionError):
        return None
