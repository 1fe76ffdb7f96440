"""A turn: from a user's message to its end, in events."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from typing import Literal

from agent.amendment import amended
from agent.answer import Answer, Answerer, ParametersMissing
from agent.citations import Citations
from agent.confirmation import Reply, describe, read_reply
from agent.direct import DirectCalls, TurnFailed, said
from agent.editor import Editor, Failure, Rehearsal
from agent.events import (
    Asked,
    Cited,
    Ended,
    Event,
    Failed,
    Suggested,
    Suggestion,
    TextChunk,
    TextFinished,
    Timings,
    Usage,
)
from agent.execution import Execution
from agent.failures import MODEL_ERRORS, model_failure
from agent.fingerprint import fingerprint
from agent.local import WordsMissing, is_command
from agent.models import LOCAL, ModelSource
from agent.parameters import read_parameters
from agent.patience import Patience
from agent.pending import Origin, Pending, PendingStore
from agent.prompt import passage_budget
from agent.query import build_query
from agent.questions import Questions, what_happened, what_was_planned
from agent.reading_tools import Reader
from agent.request import TurnContext, TurnRequest
from agent.slash_command import read_slash_command
from agent.suggestions import suggest
from agent.thread import in_thread
from agent.undo import UNDO, asks_for_undo
from arrow_project import Operation
from retrieval import CorpusError, EmptyQuery, ProjectNotFound, Retriever

logger = logging.getLogger(__name__)

_CHANGED_SINCE = "The project has changed since the question was asked. Ask for the change again."
_WHOLE_UNDO = "A turn is taken back as a whole or not at all. Nothing was changed."
_TEXT_ONLY = "(The documents can be searched by their own words only just now: the vectors are away.)"
_DROPPED = "(The open question is dropped, and nothing of it was done.)"


@dataclass(frozen=True)
class Assistant:
    """What every turn of a server shares.

    Attributes:
        retriever: Finds passages.
        model: Makes the model of a turn.
        model_name: As configured, for messages and the log.
        context_tokens: How much of the prompt outline and passages may take.
        patience: What happens when the provider is busy.
    """

    retriever: Retriever
    model: ModelSource
    model_name: str
    context_tokens: int
    patience: Patience = field(default_factory=Patience)

    @property
    def is_local(self) -> bool:
        """Whether the planner without weights answers."""
        return self.model_name == LOCAL

    def turn(self, request: TurnRequest, editor: Editor, pending: PendingStore) -> "Turn":
        """A turn that answers `request` and edits with `editor`."""
        return Turn(self, request, editor, pending)


class Turn:
    """One turn. `run` may be iterated once; cancelling the task that iterates it stops everything."""

    def __init__(self, assistant: Assistant, request: TurnRequest, editor: Editor, pending: PendingStore) -> None:
        self._assistant = assistant
        self._request = request
        self._store = pending
        self._questions = Questions(pending)
        self._texts: list[str] = []
        self._open_text = ""  # what has been said of a part that is not finished
        self._reason: Literal["done", "question", "error"] = "done"
        self._answer: Answer | None = None
        self._retrieval_s = 0.0
        self._changed = False  # until the end
        self._origin = Origin(request.message, request.history, request.scene_id, request.selected_node_ids)
        self.context = TurnContext(
            project=request.project,
            scene_id=request.scene_id,
            selected_node_ids=request.selected_node_ids,
            history=request.history,
            passages=(),
            documents=(),
        )
        self._citations = Citations(())
        if request.plan:
            editor = Rehearsal()
        confirm = "never" if request.plan else request.confirm
        self._execution = Execution(self.context, editor, confirm, holds_all=assistant.is_local)
        self._direct = DirectCalls(request, self.context, self._execution, editor, pending, self._reader())

    @property
    def executed(self) -> tuple[Operation, ...]:
        """The operations that the editor has executed so far, references resolved."""
        return tuple(self._execution.executed)

    async def run(self) -> AsyncGenerator[Event]:
        """The events of the turn; `Ended` is always the last, whatever happens in between."""
        started = time.monotonic()
        try:
            # Closed here and now when nobody wants more events: the garbage collector would do it in another task.
            async with aclosing(self._answered()) as events:
                async for event in events:
                    self._note(event)
                    yield event
        finally:
            await in_thread(self._keep_before)  # of a turn that is stopped, too
        citations = self._citations.cited_in(self._texts)
        if citations:
            yield Cited(citations)
        suggestions = await in_thread(self._suggestions)
        if suggestions:
            yield Suggested(suggestions)
        usage = self._answer.usage if self._answer else Usage()
        functions = () if self._request.plan else tuple(operation.function for operation in self._execution.executed)
        yield Ended(self._reason, usage, self._timings(started), functions, self._changed)

    async def _answered(self) -> AsyncGenerator[Event]:
        """The events up to the answer's end; what goes wrong becomes one."""
        try:
            async with aclosing(self._events()) as events:
                async for event in events:
                    yield event
            if self._execution.held is not None:
                yield await in_thread(self._ask)
            elif self._request.plan and self._execution.executed and self._reason == "done":
                yield await in_thread(self._ask_about_plan)
        except ParametersMissing as missing:
            yield await in_thread(self._questions.about_parameters, self.context.project, missing.operation)
        except WordsMissing as missing:
            yield await in_thread(self._questions.about_words, self.context.project, str(missing), self._so_far())
        except MODEL_ERRORS as error:
            logger.warning("the model failed: %s", error)
            if self._open_text.strip():
                yield TextFinished(f"{self._open_text} …")
            yield Failed(model_failure(error, self._assistant.model_name))
        except CorpusError as error:
            yield Failed(Failure(error.code, error.message))
        except TurnFailed as error:
            yield Failed(error.failure)
        except Exception:
            logger.exception("a turn failed unexpectedly")
            yield Failed(Failure("INTERNAL", "Something went wrong in the server; its log has the details."))

    async def _events(self) -> AsyncGenerator[Event]:
        if self._request.plan and self._request.project is not None:
            self.context.project = await in_thread(self._request.project.copy)
        if self._request.pending_id is not None:
            pending = await self._take_pending(self._request.pending_id)
            reaction = await self._reaction(pending) if pending is not None else None
            if reaction is not None:
                async with aclosing(reaction) as events:
                    async for event in events:
                        yield event
                return
            if pending is not None:
                yield TextFinished(_DROPPED)
        call, agreed = self._named_call()
        events = self._direct.run(call, agreed=agreed) if call else self._run_model(self._request.message)
        async with aclosing(events) as events:
            async for event in events:
                yield event

    def _named_call(self) -> tuple[Operation | None, bool]:
        """The function that the user has named, and whether nobody need be asked about it."""
        if self._request.function is not None:
            return Operation(self._request.function, self._request.function_params), False
        if asks_for_undo(self._request.message):
            return Operation(UNDO), False
        # The user has typed the very call, so only an operator who wants everything asked is obeyed.
        return read_slash_command(self._request.message), self._request.confirm != "always"

    # --- a question was answered -----------------------------------------------------------------------------------

    async def _take_pending(self, pending_id: str) -> Pending | None:
        pending = await asyncio.to_thread(self._store.take, pending_id)
        if pending is None and self._request.function is None and read_reply(self._request.message) is not None:
            message = f"There is no open question {pending_id!r}; it may have been answered already."
            raise TurnFailed(Failure("NOT_PENDING", message))
        return pending

    async def _reaction(self, pending: Pending) -> AsyncGenerator[Event] | None:
        """What the answer leads to; None when the message is none."""
        if self._request.function is not None:
            return None
        reply = read_reply(self._request.message)
        if reply is not None and reply.kind == "no":
            return said("Nothing was changed.")
        if pending.kind == "parameters" and pending.origin is not None:
            return self._with_words(pending.origin, is_yes=reply is not None and reply.kind == "yes")
        if pending.kind == "parameters":
            asked = pending.operations[0]  # after a mere yes it is asked for again
            is_yes = reply is not None and reply.kind == "yes"
            completed = asked if is_yes else read_parameters(asked, self._request.message)
            return self._direct.complete(asked, completed) if completed else None
        if reply is None:
            return None
        if pending.content_sha256 != await in_thread(fingerprint, self.context.project):
            raise TurnFailed(Failure("CONFLICT", _CHANGED_SINCE))
        if pending.operations == (Operation(UNDO),):
            return self._direct.undo(agreed=True) if reply.kind == "yes" else said(_WHOLE_UNDO)
        return self._confirmed(pending) if reply.kind == "yes" else self._amended(pending, reply)

    def _with_words(self, origin: Origin, *, is_yes: bool) -> AsyncGenerator[Event] | None:
        """The planner's command with the words that it lacked; None when the message is another command."""
        words = "" if is_yes else self._request.message  # after a mere yes they are asked for again
        if not is_yes and (is_command(words) or not words.strip()):
            return None
        return self._go_on(replace(origin, message=f"{origin.message.rstrip(' .:')}: {words}"), "")

    async def _confirmed(self, pending: Pending) -> AsyncGenerator[Event]:
        """Executes what was asked about; a model then goes on with the message that led to it."""
        done: list[str] = []
        async with aclosing(self._replay(pending.operations, done)) as events:
            async for event in events:
                yield event
        if pending.kind == "confirmation" and pending.origin is not None and not self._assistant.is_local:
            async with aclosing(self._go_on(pending.origin, what_happened(pending.origin, done))) as events:
                async for event in events:
                    yield event

    async def _amended(self, pending: Pending, reply: Reply) -> AsyncGenerator[Event]:
        """Does, or asks about, what is left after the user's changes."""
        project = self.context.project
        if reply.more:
            left: Sequence[Operation] | None = pending.operations
        else:
            left = await in_thread(amended, project, pending.operations, reply.changes) if project else None
        if not self._assistant.is_local and pending.origin is not None:
            if reply.agrees and left:
                self._execution.agree_to(left)
            note = what_was_planned(pending.origin, pending.operations, self._request.message)
            events = self._go_on(pending.origin, note)
        elif left is None:
            names = "; ".join(describe(operation) for operation in pending.operations)
            events = self._ask_again(pending.operations, f"I do not see what to leave out of: {names}.")
        elif not left:
            events = said("Then nothing is left to do, and nothing was changed.")
        elif reply.more:
            events = self._with_more(left, reply.changes)
        elif reply.agrees:
            events = self._replay(left, [])
        else:
            events = self._ask_again(left, "")
        async with aclosing(events) as events:
            async for event in events:
                yield event

    async def _with_more(self, agreed: Sequence[Operation], more: str) -> AsyncGenerator[Event]:
        """Does what was asked about, and then what the user adds to it."""
        for events in (self._replay(agreed, []), self._run_model(more)):
            async with aclosing(events):
                async for event in events:
                    yield event

    async def _ask_again(self, operations: Sequence[Operation], remark: str) -> AsyncGenerator[Event]:
        project = self.context.project
        assert project is not None
        if remark:
            yield TextFinished(remark)
        yield await in_thread(self._questions.about_operations, project, operations, self._so_far())

    async def _replay(self, operations: Sequence[Operation], done: list[str]) -> AsyncGenerator[Event]:
        """Executes operations that the user has agreed to; `done` gets a line for each."""
        async with aclosing(self._execution.replay(operations)) as replayed:
            async for finished in replayed:
                yield finished
                if finished.failure is not None:
                    rest = len(operations) - len(done) - 1
                    left = f" The {rest} step{'s' if rest > 1 else ''} after it were not tried." if rest else ""
                    raise TurnFailed(replace(finished.failure, message=finished.failure.message + left))
                done.append(describe(Operation(finished.function, finished.arguments)))
                yield TextFinished(f"Done: {done[-1]}.")

    def _go_on(self, origin: Origin, note: str) -> AsyncGenerator[Event]:
        self._origin = origin
        self.context.history = origin.history
        self.context.scene_id = origin.scene_id
        self.context.selected_node_ids = origin.selected_node_ids
        self._execution.look_again()
        return self._run_model(origin.message, note)

    # --- the model -------------------------------------------------------------------------------------------------

    async def _run_model(self, message: str, note: str = "") -> AsyncGenerator[Event]:
        await self._gather_context(message)
        assistant = self._assistant
        answerer = Answerer(
            assistant.model(message, self.context), assistant.is_local, assistant.context_tokens, assistant.patience
        )
        whole = f"{message}\n\n{note}" if note else message
        self._answer = await in_thread(Answer, answerer, self.context, self._execution, self._reader(), whole)
        async with aclosing(self._answer.events()) as events:
            async for event in events:
                yield event
        if self.context.text_only and assistant.is_local and not self.executed:
            yield TextFinished(_TEXT_ONLY)  # a model is told, and says it where it matters

    async def _gather_context(self, message: str) -> None:
        started = time.monotonic()
        retriever, key = self._assistant.retriever, self._request.key
        if key is not None:
            with suppress(ProjectNotFound):  # a story without documents yet
                self.context.documents = await asyncio.to_thread(retriever.documents, key)
        if key is not None and self.context.documents:
            budget = passage_budget(self._assistant.context_tokens)
            with suppress(EmptyQuery):  # a message of nothing but punctuation
                text, around = build_query(message, self.context)
                found = await asyncio.to_thread(retriever.retrieve, key, text, budget, around)
                self.context.passages, self.context.text_only = found.passages, found.text_only
        self._citations = Citations(self.context.passages)
        self._retrieval_s += time.monotonic() - started

    def _reader(self) -> Reader:
        return Reader(self._assistant.retriever, self._request.key, self._citations, self.context)

    # --- questions -------------------------------------------------------------------------------------------------

    def _ask(self) -> Asked:
        held, after = self._execution.release()
        origin = self._so_far() if self._answer is not None else None  # of a function call nothing is left
        return self._questions.about_changes("confirmation", held.project, after, held.operations, origin)

    def _ask_about_plan(self) -> Asked:
        before, after = self._request.project, self.context.project
        assert before is not None
        assert after is not None
        return self._questions.about_changes("plan", before, after, self.executed, self._so_far())

    def _so_far(self) -> Origin:
        """The message under way, with what has come of it."""
        done = tuple(describe(operation) for operation in self._execution.executed)
        return replace(self._origin, said=(*self._origin.said, *self._texts), done=(*self._origin.done, *done))

    # --- the end ---------------------------------------------------------------------------------------------------

    def _note(self, event: Event) -> None:
        self._open_text = self._open_text + event.text if isinstance(event, TextChunk) else ""
        match event:
            case TextFinished(text=text):
                self._texts.append(text)
            case Asked():
                self._reason = "question"
            case Failed():
                self._reason = "error"
            case _:
                pass

    def _keep_before(self) -> None:
        """Keeps the story from before the turn for an undo, if the turn has changed it."""
        if self._execution.held is not None:
            self._execution.release()
        if self._direct.has_undone:
            self._changed = True
            return
        before, after = self._execution.before, self.context.project
        self._changed = (
            bool(self._execution.executed)
            and not self._request.plan
            and after is not None
            and before is not None
            and after.to_text() != before
        )
        if self._changed and before is not None:
            self._store.keep_before(before, fingerprint(after))

    def _suggestions(self) -> tuple[Suggestion, ...]:
        if self._reason == "question":
            return ()
        try:
            return suggest(self.context, self._execution.created, changed=self._changed and not self._direct.has_undone)
        except Exception:  # the turn itself has done its work
            logger.exception("no suggestions could be made")
            return ()

    def _timings(self, started: float) -> Timings:
        model_s = self._answer.model_s if self._answer else 0.0
        return Timings(self._retrieval_s, model_s, self._execution.editor_s, time.monotonic() - started)
