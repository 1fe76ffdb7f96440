"""A turn: from a user's message to its end, in events."""

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from pydantic_ai import Agent
from pydantic_ai.messages import (
    AgentStreamEvent,
    PartDeltaEvent,
    PartEndEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
)
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RunUsage, UsageLimits

from agent.citations import Citations
from agent.confirmation import PendingStore, describe, read_reply
from agent.editor import Editor, Failure, InMemoryEditor
from agent.events import Asked, Cited, Ended, Event, Failed, OperationFinished, TextChunk, TextFinished, Usage
from agent.execution import ConfirmationNeeded, Execution
from agent.failures import MODEL_ERRORS, model_failure
from agent.history import assemble
from agent.models import ModelSource
from agent.prompt import INSTRUCTIONS, passage_budget, render_context
from agent.query import build_query
from agent.reading import DocumentReader
from agent.request import TurnContext, TurnRequest
from agent.slash_command import read_slash_command
from agent.tools import READING_TOOLS, build_tools
from arrow_project import ArrowProject, Operation, diff
from retrieval import CorpusError, EmptyQuery, ProjectNotFound, Retriever

logger = logging.getLogger(__name__)

# Requests to a provider cost money: a model that goes in circles is stopped. A plan of our own ends by itself, but
# one that builds a long scene takes a step per node and connection.
_MAX_REQUESTS = 60
_MAX_LOCAL_REQUESTS = 2000
_MAX_ANSWER_TOKENS = 8192
# How often the model may get the form of one call wrong before the turn is given up.
_CALL_RETRIES = 3


@dataclass(frozen=True)
class Assistant:
    """What every turn of a server shares.

    Attributes:
        retriever: Finds passages.
        model: Makes the model of a turn.
        model_name: As configured, for messages and the log.
        context_tokens: How much of the prompt outline and passages may take.
    """

    retriever: Retriever
    model: ModelSource
    model_name: str
    context_tokens: int

    def turn(self, request: TurnRequest, editor: Editor, pending: PendingStore) -> "Turn":
        """A turn that answers `request` and edits with `editor`."""
        return Turn(self, request, editor, pending)


class Turn:
    """One turn. `run` may be iterated once; cancelling the task that iterates it stops everything."""

    def __init__(self, assistant: Assistant, request: TurnRequest, editor: Editor, pending: PendingStore) -> None:
        self._assistant = assistant
        self._request = request
        self._pending = pending
        self._texts: list[str] = []
        self._open_text = ""  # what has been said of a part that is not finished
        self._usage = Usage()
        project = request.project
        self.context = TurnContext(
            project=project.copy() if project and request.plan else project,
            scene_id=request.scene_id,
            selected_node_ids=request.selected_node_ids,
            history=request.history,
            passages=(),
            documents=(),
        )
        self._citations = Citations(())
        editor = InMemoryEditor(project.copy()) if project and request.plan else editor
        self._execution = Execution(self.context, editor, "never" if request.plan else request.confirm)

    @property
    def executed(self) -> tuple[Operation, ...]:
        """The operations that the editor has executed so far, references resolved."""
        return tuple(self._execution.executed)

    async def run(self) -> AsyncGenerator[Event]:
        """The events of the turn; `Ended` is always the last, whatever happens in between."""
        reason = "done"
        try:
            # Closed here and now when nobody wants more events: the garbage collector would do it in another task.
            async with aclosing(self._events()) as events:
                async for event in events:
                    if isinstance(event, TextFinished):
                        self._texts.append(event.text)
                    self._open_text = self._open_text + event.text if isinstance(event, TextChunk) else ""
                    yield event
        except ConfirmationNeeded as needed:
            reason = "question"
            yield self._ask(needed)
        except MODEL_ERRORS as error:
            logger.warning("the model failed: %s", error)
            reason = "error"
            if self._open_text.strip():
                yield TextFinished(f"{self._open_text} …")
            yield Failed(model_failure(error, self._assistant.model_name))
        except CorpusError as error:
            reason = "error"
            yield Failed(Failure(error.code, error.message))
        except _TurnFailed as error:
            reason = "error"
            yield Failed(error.failure)
        except Exception:
            logger.exception("a turn failed unexpectedly")
            reason = "error"
            yield Failed(Failure("INTERNAL", "Something went wrong in the server; its log has the details."))
        else:
            if self._request.plan and self._execution.executed:
                reason = "question"
                yield self._ask_about_plan()
        citations = self._citations.cited_in(self._texts)
        if citations:
            yield Cited(citations)
        yield Ended(reason, self._usage)

    async def _events(self) -> AsyncGenerator[Event]:
        if self._request.pending_id is not None:
            answered = False
            async for event in self._answer_pending(self._request.pending_id):
                answered = True
                yield event
            if answered:
                return
        if self._request.function is not None:
            operation = Operation(self._request.function, self._request.function_params)
            async for event in self._run_operations((operation,)):
                yield event
            return
        command = read_slash_command(self._request.message)
        if command is not None:
            # The user has typed the very call, so only an operator who wants everything asked is obeyed.
            async for event in self._run_operations((command,), confirmed=self._request.confirm != "always"):
                yield event
            return
        async with aclosing(self._run_model()) as events:
            async for event in events:
                yield event

    # --- a question was answered, or one operation was named: no model is needed -----------------------------------

    async def _answer_pending(self, pending_id: str) -> AsyncGenerator[Event]:
        pending = await asyncio.to_thread(self._pending.take, pending_id)
        reply = read_reply(self._request.message)
        if pending is None:
            if reply is not None:
                raise _TurnFailed(
                    "NOT_PENDING",
                    f"There is no open question {pending_id!r}; it may have been answered already.",
                )
            return
        if reply == "no":
            yield TextFinished("Nothing was changed.")
        elif reply == "yes":
            if pending.content_sha256 != _content_sha256(self.context.project):
                raise _TurnFailed(
                    "CONFLICT",
                    "The project has changed since the question was asked. Ask for the change again.",
                )
            async for event in self._run_operations(pending.operations, confirmed=True):
                yield event

    async def _run_operations(
        self, operations: tuple[Operation, ...], *, confirmed: bool = False
    ) -> AsyncGenerator[Event]:
        if confirmed:
            self._execution.stop_asking()
        for operation in operations:
            finished = await self._execution.execute(operation)
            yield finished
            if finished.failure is not None:
                raise _TurnFailed(finished.failure.code, finished.failure.message)
            yield TextFinished(f"Done: {describe(operation)}.")

    # --- the model -------------------------------------------------------------------------------------------------

    async def _run_model(self) -> AsyncGenerator[Event]:
        await self._gather_context()
        reader = DocumentReader(self._assistant.retriever, self._request.key, self._citations)

        async def handle(tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            if tool in READING_TOOLS:
                return await reader.call(tool, arguments)
            return _answer(await self._execution.execute(Operation(tool, arguments)))

        agent = Agent(
            self._assistant.model(self._request.message, self.context),
            instructions=INSTRUCTIONS,
            tools=build_tools(handle),
            retries=_CALL_RETRIES,
            model_settings=ModelSettings(max_tokens=_MAX_ANSWER_TOKENS, cache=True),
        )
        context = render_context(self.context, self._assistant.context_tokens)
        history, prompt = assemble(context, self._request.history, self._request.message)
        limit = _MAX_LOCAL_REQUESTS if self._assistant.model_name == "local" else _MAX_REQUESTS
        async with agent.iter(prompt, message_history=history, usage_limits=UsageLimits(request_limit=limit)) as run:
            try:
                async for node in run:
                    if Agent.is_model_request_node(node):
                        async with node.stream(run.ctx) as stream:
                            async for event in stream:
                                for text in _text_events(event):
                                    yield text
                    elif Agent.is_call_tools_node(node):
                        if node.model_response.finish_reason == "length":
                            yield TextFinished("(The answer was cut at the model's limit. Ask it to go on.)")
                        async with node.stream(run.ctx) as stream:
                            async for _ in stream:
                                for finished in self._execution.take_finished():
                                    yield finished
            finally:
                self._usage = _usage(run.usage)

    async def _gather_context(self) -> None:
        retriever, key = self._assistant.retriever, self._request.key
        if key is not None:
            with suppress(ProjectNotFound):  # a story without documents yet
                self.context.documents = await asyncio.to_thread(retriever.documents, key)
        if key is not None and self.context.documents:
            budget = passage_budget(self._assistant.context_tokens)
            with suppress(EmptyQuery):  # a message of nothing but punctuation
                found = await asyncio.to_thread(
                    retriever.retrieve, key, build_query(self._request.message, self.context), budget
                )
                self.context.passages = tuple(found)
        self._citations = Citations(self.context.passages)

    # --- questions -------------------------------------------------------------------------------------------------

    def _ask(self, needed: ConfirmationNeeded) -> Asked:
        content = _content_sha256(self.context.project)
        pending_id = self._pending.put("confirmation", (needed.operation,), content)
        what = needed.operation.function.replace("_", " ")
        return Asked(
            "confirmation", f"{what} would change this:\n{needed.changes}\nShall I do it? (yes or no)", pending_id
        )

    def _ask_about_plan(self) -> Asked:
        before, after = self._request.project, self.context.project
        changes = diff(before, after) if before and after else ""
        pending_id = self._pending.put("plan", self.executed, _content_sha256(self._request.project))
        return Asked("plan", f"This is what would change:\n{changes}\nShall I do it? (yes or no)", pending_id)


class _TurnFailed(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.failure = Failure(code, message)


def _answer(finished: OperationFinished) -> dict[str, Any]:
    """What the model reads of an operation: its result, which begins with the new id, or the error."""
    if finished.failure is not None:
        return {"error": finished.failure.as_dict()}
    return finished.result if isinstance(finished.result, dict) else {"result": finished.result}


def _text_events(event: AgentStreamEvent) -> list[Event]:
    match event:
        case PartStartEvent(part=TextPart(content=text)) | PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return [TextChunk(text)] if text else []
        case PartEndEvent(part=TextPart(content=text)):
            return [TextFinished(text)] if text.strip() else []
        case _:
            return []


def _usage(usage: RunUsage) -> Usage:
    return Usage(usage.requests, usage.input_tokens, usage.output_tokens)


def _content_sha256(project: ArrowProject | None) -> str:
    """What a question was asked about; made only where one is asked or answered, as writing a long story takes time."""
    return hashlib.sha256(project.to_text().encode()).hexdigest() if project else ""
