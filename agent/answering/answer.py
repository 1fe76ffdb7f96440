"""A message answered by a model: text as it comes, and calls that go through the turn's execution."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, ClassVar

from pydantic_ai.exceptions import AgentRunError, OutputTokenLimitExceeded, UnexpectedModelBehavior
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart, UserPromptPart
from pydantic_ai.models import Model

from agent.answering.answerer import Answerer, AnswerFailed, Answering, Assignment
from agent.answering.corrections import Corrections, GaveUp
from agent.answering.loose_ends import remark_for_the_model, unreached
from agent.answering.requests import Requests
from agent.answering.tools import read_calls, request_parameters
from agent.editing.execution import tool_result
from agent.models.failures import model_failure
from agent.models.retries import Retries
from agent.models.size import characters
from agent.prompt.history import assemble
from agent.prompt.prompt import history_budget, render_context, render_question
from agent.prompt.quoting import MATERIAL
from agent.reading.reading_tools import READING_TOOLS
from agent.turn.events import TextFinished, Usage
from agent.turn.thread import in_thread
from arrow_project import OPERATIONS, Operation

# How many responses in a row may be of no use, as nothing in them can be read, before the turn is given up.
_USELESS_RESPONSES = 3
_CUT = "(The answer was cut at the model's limit. Ask it to go on.)"
_SAID_NOTHING = "Your response was empty. Answer the user's message, or call a function."
_ONLY_FIRST = {
    "error": {
        "code": "NOT_PENDING",
        "message": "answer_question works once, in the first response to the user's message, before anything is read. "
        "The question is no longer open; ask the user again if it matters.",
    }
}


@dataclass(frozen=True)
class ModelAnswerer(Answerer):
    """A model of a provider.

    Attributes:
        model: The model itself.
        name: As configured.
        retries: What happens when the provider is busy.
    """

    model: Model
    name: str
    retries: Retries = field(default_factory=Retries)
    converses: ClassVar[bool] = True

    def answer(self, assignment: Assignment) -> Answering:
        """The model's answer, with the prompt that it is asked with."""
        return ModelAnswer(self, assignment)


class ModelAnswer:
    """The answer to one message, given once: requests and calls in turn, until nothing is left to call."""

    def __init__(self, answerer: ModelAnswerer, assignment: Assignment) -> None:
        self._name = answerer.name
        self._assignment = assignment
        self._execution = assignment.execution
        self._corrections = Corrections()
        self._told_of_loose_ends = False
        self._useless = 0  # responses in a row
        self._question = question = assignment.question  # until it is answered, or the first response has ended
        context, budget = assignment.context, assignment.context_tokens
        rendered = render_question(question.calls) if question else render_context(context, budget)
        self._messages = assemble(rendered, context.history, assignment.message, history_budget(budget))
        parameters = request_parameters(answers_question=question is not None)
        self._tools = parameters.tool_defs
        self._requests = Requests(answerer.model, parameters, answerer.retries, assignment.tell)

    @property
    def usage(self) -> Usage:
        """What it has cost so far."""
        return self._requests.usage

    @property
    def model_s(self) -> float:
        """How long the model has taken so far, in seconds."""
        return self._requests.model_s

    async def run(self) -> None:
        """Tells the answer as it comes, and at its end what was given up.

        Raises:
            AnswerFailed: The model could not be used, or not to the end.
        """
        try:
            while await self._goes_on_after(await self._response()):
                pass
        except GaveUp:
            pass
        except AgentRunError as error:
            raise AnswerFailed(model_failure(error, self._name)) from error
        finally:
            self._requests.log()
        for sentence in self._corrections.honest_sentences():
            await self._assignment.tell(TextFinished(sentence, not_done=True))

    async def _response(self) -> ModelResponse:
        """What the model says; all its calls are about the story as it is now."""
        self._execution.consent.reads(self._assignment.context.project)
        return await self._requests.send(self._messages)

    async def _goes_on_after(self, response: ModelResponse) -> bool:
        """Makes the calls of a response, and notes what the model is told next; False when that is nothing."""
        results = await self._results(response.tool_calls)
        self._question = None
        self._corrections.response_ends()
        if self._execution.held is not None:
            return False  # something needs a yes, so the model is not asked any further
        if any(result.outcome == "retried" for result in results):
            self._note_useless(response)
        elif results:
            self._useless = 0
        told = results or await self._remarks(response)
        self._messages += [response, ModelRequest(told)]
        return bool(told)

    async def _remarks(self, response: ModelResponse) -> list[UserPromptPart]:
        """What the model is told of a response without calls."""
        if not (response.text or "").strip():
            self._note_useless(response)
            return [_remark(_SAID_NOTHING)]
        if response.finish_reason == "length":
            await self._assignment.tell(TextFinished(_CUT))
        project, created = self._assignment.context.project, self._execution.created
        if project is None or not created or self._told_of_loose_ends:
            return []
        loose = await in_thread(unreached, project, created)
        self._told_of_loose_ends = bool(loose)
        return [_remark(remark_for_the_model(project, loose))] if loose else []

    def _note_useless(self, response: ModelResponse) -> None:
        """Counts a response that has nothing in it, or a call that cannot be read."""
        self._useless += 1
        is_cut = response.finish_reason == "length"
        if self._useless > _USELESS_RESPONSES or (is_cut and not response.tool_calls):
            raise (OutputTokenLimitExceeded if is_cut else UnexpectedModelBehavior)("There is nothing in it to use.")

    # --- calls -----------------------------------------------------------------------------------------------------

    async def _results(self, parts: Sequence[ToolCallPart]) -> list[ToolReturnPart]:
        """Makes the calls of one response in order: one may need what the one before it has made."""
        if not parts:
            return []
        calls = await in_thread(read_calls, parts, self._tools)
        answers: list[dict[str, Any] | str] = []
        while len(answers) < len(calls):
            made = await self._answers(calls[len(answers) :])
            self._requests.grow(characters([*made]))
            answers += made
        return [_result(part, answer) for part, answer in zip(parts, answers, strict=True)]

    async def _answers(self, calls: Sequence[Operation | str]) -> Sequence[dict[str, Any] | str]:
        """The answer to the first call, and to those right after it that the editor takes together with it."""
        first, *_ = calls
        if isinstance(first, str):
            return [first]
        if self._corrections.has_given_up(first.function):
            raise GaveUp
        if first.function in OPERATIONS:
            together = [call for call in takewhile(self._may_run, calls) if isinstance(call, Operation)]
            made = [tool_result(one) for one in await self._execution.execute_together(together)]
        else:
            together, made = [first], [await self._read_or_decide(first)]
        answered = map(self._corrections.answered, (call.function for call in together), made)
        return [{"material": MATERIAL, **answer} for answer in answered]

    def _may_run(self, call: Operation | str) -> bool:
        if isinstance(call, str) or call.function not in OPERATIONS:
            return False
        return not self._corrections.has_given_up(call.function)

    async def _read_or_decide(self, call: Operation) -> dict[str, Any]:
        if call.function in READING_TOOLS:
            return await self._assignment.reader.call(call.function, call.arguments)
        question, self._question = self._question, None
        if question is None:
            return _ONLY_FIRST
        done = await question.decide(str(call.arguments.get("decision")))
        context = await in_thread(render_context, self._assignment.context, self._assignment.context_tokens)
        return done | {"context": context}


def _remark(text: str) -> UserPromptPart:
    return UserPromptPart(f"<now>\n{text}\n</now>")


def _result(call: ToolCallPart, answer: dict[str, Any] | str) -> ToolReturnPart:
    """A result, with the provider's flag for errors if it is one; a text says why the call could not be read."""
    if isinstance(answer, str):
        return ToolReturnPart(call.tool_name, answer, call.tool_call_id, outcome="retried")
    outcome = "failed" if "error" in answer else "success"
    return ToolReturnPart(call.tool_name, answer, call.tool_call_id, outcome=outcome)
