"""A message answered by the model: text as it comes, and calls that go through the turn's execution."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from agent.conversation import Conversation
from agent.corrections import Corrections, GaveUp
from agent.events import Event, EventSink, OperationFinished, TextChunk, TextFinished, Usage
from agent.execution import Execution
from agent.history import assemble
from agent.loose_ends import remark_for_the_model, unreached
from agent.parameters import missing_parameters
from agent.patience import Patience
from agent.prompt import INSTRUCTIONS, history_budget, render_context, render_question
from agent.quoting import MATERIAL
from agent.reading_tools import Reader
from agent.request import TurnContext
from agent.thread import in_thread
from agent.tools import ANSWER_QUESTION, READING_TOOLS, build_tools
from arrow_project import Operation

# Requests to a provider cost money: a model that goes in circles is stopped. A plan of our own ends by itself, but
# one that builds a long scene takes a step per node and connection.
_MAX_REQUESTS = 60
_MAX_LOCAL_REQUESTS = 2000
_MAX_ANSWER_TOKENS = 8192
# How often the model may get the form of one call wrong before the turn is given up.
_CALL_RETRIES = 3
# How the planner says that something could not be done, or not all of it.
_PROBLEMS = ("Not done", ", but could not")


_ONLY_FIRST = {
    "error": {
        "code": "NOT_PENDING",
        "message": "answer_question works once, in the first response to the user's message, before anything is read. "
        "The question is no longer open; ask the user again if it matters.",
    }
}


@dataclass(frozen=True)
class OpenQuestion:
    """A question that the message may answer.

    Attributes:
        calls: What was asked about, a line for each.
        decide: Does what the decision says, once, and returns what the model is told of it.
    """

    calls: str
    decide: Callable[[str], Awaitable[dict[str, Any]]]


class ParametersMissing(Exception):
    """A call lacks what its schema requires, and the user can be asked for it."""

    def __init__(self, operation: Operation) -> None:
        super().__init__(operation.function)
        self.operation = operation


class _Waits(Exception):
    """Something needs a yes, so the model is not asked any further."""


@dataclass(frozen=True)
class Answerer:
    """Who answers.

    Attributes:
        model: The model for this message.
        is_local: It is the planner without weights: it corrects nothing and goes on while something waits for a yes.
        context_tokens: How much of the prompt outline and passages may take.
        patience: What happens when the provider is busy.
    """

    model: Model
    is_local: bool
    context_tokens: int
    patience: Patience


class Answer:
    """The answer to one message, given once.

    What needs a yes is left in `execution.held`.

    While a question is open, the model sees it instead of any material: nothing that is quoted can answer it.

    Attributes:
        usage: What it has cost, once it has ended.
        model_s: How long the model has taken, once it has ended.
    """

    def __init__(
        self,
        answerer: Answerer,
        context: TurnContext,
        execution: Execution,
        reader: Reader,
        message: str,
        tell: EventSink,
        question: OpenQuestion | None = None,
    ) -> None:
        self._answerer = answerer
        self._context = context
        self._execution = execution
        self._reader = reader
        self._tell = tell
        self._corrections = Corrections()
        self._told_of_loose_ends = False
        self._waiting_texts = _WaitingTexts(execution)
        self._question = question  # until it is answered, or the first response has ended
        rendered = render_question(question.calls) if question else render_context(context, answerer.context_tokens)
        self._history, self._prompt = assemble(
            rendered, context.history, message, history_budget(answerer.context_tokens)
        )
        self.usage = Usage()
        self.model_s = 0.0

    async def run(self) -> None:
        """Tells the answer as it comes, and at its end what did not work.

        Raises:
            ParametersMissing: The planner knows what to call, and not everything that it needs.
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
            await self._tell(TextFinished(sentence))

    def _conversation(self) -> Conversation:
        limit = _MAX_LOCAL_REQUESTS if self._answerer.is_local else _MAX_REQUESTS
        tell = self._tell_what_was_done if self._answerer.is_local else self._tell
        return Conversation(self._agent(), limit, self._answerer.patience, tell, self._response_ends)

    async def _tell_what_was_done(self, event: Event) -> None:
        for shown in self._waiting_texts.shown(event):
            await self._tell(shown)

    def _agent(self) -> Agent[None, str]:
        agent = Agent(
            self._answerer.model,
            instructions=INSTRUCTIONS,
            tools=build_tools(self._call, answers_question=self._question is not None),
            retries=_CALL_RETRIES,
            model_settings=ModelSettings(max_tokens=_MAX_ANSWER_TOKENS, cache=True),
        )
        if not self._answerer.is_local:
            agent.output_validator(self._without_loose_ends)
        return agent

    async def _call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"material": MATERIAL, **await self._answer(tool, arguments)}

    async def _answer(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if self._answerer.is_local:
            operation = Operation(tool, arguments)
            if self._execution.held is None and tool not in READING_TOOLS and missing_parameters(operation):
                raise ParametersMissing(operation)
            return await self._run(tool, arguments)
        self._corrections.check(tool)
        return self._corrections.answered(tool, await self._run(tool, arguments))

    async def _run(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if tool == ANSWER_QUESTION:
            return await self._decide(str(arguments["decision"]))
        if tool in READING_TOOLS:
            return await self._reader.call(tool, arguments)
        return _result(await self._execution.execute(Operation(tool, arguments)))

    async def _decide(self, decision: str) -> dict[str, Any]:
        question, self._question = self._question, None
        if question is None:
            return _ONLY_FIRST
        done = await question.decide(decision)
        context = await in_thread(render_context, self._context, self._answerer.context_tokens)
        return done | {"context": context}

    def _response_ends(self) -> None:
        self._question = None
        self._corrections.response_ends()
        if self._execution.held is not None and not self._answerer.is_local:
            raise _Waits

    async def _without_loose_ends(self, text: str) -> str:
        """Tells the model, once, of what it has made and nothing leads to."""
        project = self._context.project
        if project is None or self._told_of_loose_ends:
            return text
        loose = await in_thread(unreached, project, self._execution.created)
        if loose:
            self._told_of_loose_ends = True
            raise ModelRetry(remark_for_the_model(project, loose))
        return text


class _WaitingTexts:
    """Leaves out what the planner says of operations that were only tried: it believes them done."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._told_of = 0
        self._shown: list[str] = []

    def shown(self, event: Event) -> list[Event]:
        """What of an event is shown. Each of the planner's sentences is one chunk."""
        if isinstance(event, TextFinished):
            text, self._shown = "".join(self._shown).strip(), []
            return [TextFinished(text)] if text else []
        if not isinstance(event, TextChunk):
            return [event]
        waiting = self._execution.only_tried
        is_about_them = waiting > self._told_of and not any(words in event.text for words in _PROBLEMS)
        self._told_of = waiting
        if is_about_them:
            return []
        self._shown.append(event.text)
        return [event]


def _result(finished: OperationFinished) -> dict[str, Any]:
    """What the model reads of an operation: its result, which begins with the id, or the error."""
    if finished.failure is not None:
        return {"error": finished.failure.as_dict()}
    return finished.result if isinstance(finished.result, dict) else {"result": finished.result}
