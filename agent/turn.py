"""A turn: from a user's message to its end; what happens in it is told as events."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from agent.amendment import amended
from agent.answer import Answer, Answerer, OpenQuestion, ParametersMissing
from agent.citations import Citations
from agent.confirmation import Reply, describe, read_reply
from agent.direct import DirectCalls, TurnFailed
from agent.editor import Editor, Failure, Rehearsal
from agent.events import (
    Asked,
    Cited,
    Ended,
    Event,
    EventSink,
    Failed,
    OperationFinished,
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
from agent.parameters import is_a_value, read_parameters
from agent.patience import Patience
from agent.pending import Origin, Pending, PendingStore
from agent.prompt import passage_budget
from agent.query import build_query
from agent.questions import Questions, calls_of, what_happened, what_was_planned
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

    def turn(self, request: TurnRequest, editor: Editor, pending: PendingStore, sink: EventSink) -> "Turn":
        """A turn that answers `request`, edits with `editor`, and tells `sink` what happens."""
        return Turn(self, request, editor, pending, sink)


class Turn:
    """One turn, run once. Cancelling the task that runs it stops everything."""

    def __init__(
        self, assistant: Assistant, request: TurnRequest, editor: Editor, pending: PendingStore, sink: EventSink
    ) -> None:
        self._assistant = assistant
        self._request = request
        self._store = pending
        self._sink = sink
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
        self._execution = Execution(self.context, editor, confirm, self._tell, holds_all=assistant.is_local)
        self._direct = DirectCalls(request, self.context, self._execution, editor, pending, self._reader(), self._tell)

    @property
    def executed(self) -> tuple[Operation, ...]:
        """The operations that the editor has executed so far, references resolved."""
        return tuple(self._execution.executed)

    async def run(self) -> None:
        """Answers the message; `Ended` is always the last event, whatever happens before it."""
        started = time.monotonic()
        try:
            await self._answer_or_fail()
        finally:
            await in_thread(self._keep_before)  # of a turn that is stopped, too
        citations = self._citations.cited_in(self._texts)
        if citations:
            await self._tell(Cited(citations))
        suggestions = await in_thread(self._suggestions)
        if suggestions:
            await self._tell(Suggested(suggestions))
        usage = self._answer.usage if self._answer else Usage()
        functions = () if self._request.plan else tuple(operation.function for operation in self._execution.executed)
        await self._tell(Ended(self._reason, usage, self._timings(started), functions, self._changed))

    async def _answer_or_fail(self) -> None:
        """Up to the end of the answer, or the question that it ends with; what goes wrong is told."""
        try:
            await self._react()
            if self._execution.held is not None:
                await self._tell(await in_thread(self._ask))
            elif self._request.plan and self._execution.executed and self._reason == "done":
                await self._tell(await in_thread(self._ask_about_plan))
        except ParametersMissing as missing:
            project, operation = self.context.project, missing.operation
            await self._tell(await in_thread(self._questions.about_parameters, project, operation))
        except WordsMissing as missing:
            project, problem = self.context.project, str(missing)
            await self._tell(await in_thread(self._questions.about_words, project, problem, self._so_far()))
        except MODEL_ERRORS as error:
            logger.warning("the model failed: %s", error)
            if self._open_text.strip():
                await self._tell(TextFinished(f"{self._open_text} …"))
            await self._tell(Failed(model_failure(error, self._assistant.model_name)))
        except CorpusError as error:
            await self._tell(Failed(Failure(error.code, error.message)))
        except TurnFailed as error:
            await self._tell(Failed(error.failure))
        except Exception:
            logger.exception("a turn failed unexpectedly")
            await self._tell(
                Failed(Failure("INTERNAL", "Something went wrong in the server; its log has the details."))
            )

    async def _react(self) -> None:
        """Takes the message for the answer to an open question, for a call, or else asks the model."""
        if self._request.plan and self._request.project is not None:
            self.context.project = await in_thread(self._request.project.copy)
        call, agreed = self._named_call()
        if self._request.pending_id is not None:
            pending = await self._take_pending(self._request.pending_id)
            if pending is not None and await self._is_answered(pending):
                return
            if pending is not None and call is None and not self._assistant.is_local:
                await self._ask_the_model(pending)
                return
            if pending is not None:
                await self._tell(TextFinished(_DROPPED))
        if call:
            await self._direct.run(call, agreed=agreed)
        else:
            await self._run_model(self._request.message)

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

    async def _is_answered(self, pending: Pending) -> bool:
        """Does what the message says to the question; False when it says nothing to it."""
        if self._request.function is not None:
            return False
        reply = read_reply(self._request.message)
        if reply is not None and reply.kind == "no":
            await self._tell(TextFinished("Nothing was changed."))
            return True
        if pending.kind == "parameters":
            return await self._is_completed(pending, is_yes=reply is not None and reply.kind == "yes")
        if reply is None:
            return False
        await self._require_same_story(pending)
        if pending.operations == (Operation(UNDO),):
            await self._undo(reply)
        elif reply.kind == "yes":
            await self._confirmed(pending)
        else:
            await self._amended(pending, reply)
        return True

    async def _is_completed(self, pending: Pending, *, is_yes: bool) -> bool:
        """Runs what lacked something, with what the message gives; after a mere yes it is asked for again."""
        if pending.origin is not None:
            words = "" if is_yes else self._request.message
            if not is_yes and (is_command(words) or not words.strip()):
                return False
            origin = pending.origin
            await self._go_on(replace(origin, message=f"{origin.message.rstrip(' .:')}: {words}"), "")
            return True
        asked = pending.operations[0]
        completed = asked if is_yes else read_parameters(asked, self._request.message)
        if completed is None or (not self._assistant.is_local and not is_a_value(asked, self._request.message)):
            return False
        await self._direct.complete(asked, completed)
        return True

    async def _ask_the_model(self, pending: Pending) -> None:
        """Has the model read a reply that is none of the plain words: it says which answer that is, if it is one."""
        decided: list[str] = []

        async def decide(decision: str) -> dict[str, Any]:
            decided.append(decision)
            if decision != "yes":
                return {"done": [], "left": "Nothing was done, and the question is closed."}
            return await self._agreed(pending)

        await self._run_model(self._request.message, question=OpenQuestion(calls_of(pending.operations), decide))
        if not decided and not self._execution.executed and self._execution.held is None:
            await self._tell(TextFinished(_DROPPED))

    async def _agreed(self, pending: Pending) -> dict[str, Any]:
        """Executes what was asked about, exactly; what the model is told of it."""
        if pending.kind == "parameters":
            return {"error": {"code": "INVALID_ARGUMENTS", "message": "It still lacks something: make the call whole."}}
        await self._require_same_story(pending)
        if pending.operations == (Operation(UNDO),):
            await self._direct.undo(agreed=True)
            return {"done": ["the last turn is taken back"]}
        done = await self._replay(pending.operations)
        if pending.origin is None:
            return {"done": done}
        self._origin = pending.origin
        return {"done": done, "left": f"What is left of this earlier message; repeat nothing: {pending.origin.message}"}

    async def _require_same_story(self, pending: Pending) -> None:
        if pending.content_sha256 != await in_thread(fingerprint, self.context.project):
            raise TurnFailed(Failure("CONFLICT", _CHANGED_SINCE))

    async def _undo(self, reply: Reply) -> None:
        if reply.kind == "yes":
            await self._direct.undo(agreed=True)
        else:
            await self._tell(TextFinished(_WHOLE_UNDO))

    async def _confirmed(self, pending: Pending) -> None:
        """Executes what was asked about; a model then goes on with the message that led to it."""
        done = await self._replay(pending.operations)
        if pending.kind == "confirmation" and pending.origin is not None and not self._assistant.is_local:
            await self._go_on(pending.origin, what_happened(pending.origin, done))

    async def _amended(self, pending: Pending, reply: Reply) -> None:
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
            await self._go_on(pending.origin, note)
        elif left is None:
            names = "; ".join(describe(operation) for operation in pending.operations)
            await self._tell(TextFinished(f"I do not see what to leave out of: {names}."))
            await self._ask_again(pending.operations)
        elif not left:
            await self._tell(TextFinished("Then nothing is left to do, and nothing was changed."))
        elif reply.more:
            await self._replay(left)
            await self._run_model(reply.changes)
        elif reply.agrees:
            await self._replay(left)
        else:
            await self._ask_again(left)

    async def _ask_again(self, operations: Sequence[Operation]) -> None:
        project = self.context.project
        assert project is not None
        await self._tell(await in_thread(self._questions.about_operations, project, operations, self._so_far()))

    async def _replay(self, operations: Sequence[Operation]) -> list[str]:
        """Executes operations that the user has agreed to; a line for each."""
        done: list[str] = []

        async def told(finished: OperationFinished) -> None:
            done.append(describe(Operation(finished.function, finished.arguments)))
            await self._tell(TextFinished(f"Done: {done[-1]}."))

        failure = await self._execution.replay(operations, told)
        if failure is not None:
            rest = len(operations) - len(done) - 1
            left = f" The {rest} step{'s' if rest > 1 else ''} after it were not tried." if rest else ""
            raise TurnFailed(replace(failure, message=failure.message + left))
        return done

    async def _go_on(self, origin: Origin, note: str) -> None:
        self._origin = origin
        self.context.history = origin.history
        self.context.scene_id = origin.scene_id
        self.context.selected_node_ids = origin.selected_node_ids
        self._execution.look_again()
        await self._run_model(origin.message, note)

    # --- the model -------------------------------------------------------------------------------------------------

    async def _run_model(self, message: str, note: str = "", question: OpenQuestion | None = None) -> None:
        await self._gather_context(message)
        assistant = self._assistant
        answerer = Answerer(
            assistant.model(message, self.context), assistant.is_local, assistant.context_tokens, assistant.patience
        )
        whole = f"{message}\n\n{note}" if note else message
        self._answer = await in_thread(
            Answer, answerer, self.context, self._execution, self._reader(), whole, self._tell, question
        )
        await self._answer.run()
        if self.context.text_only and assistant.is_local and not self.executed:
            await self._tell(TextFinished(_TEXT_ONLY))  # a model is told, and says it where it matters

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

    async def _tell(self, event: Event) -> None:
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
        await self._sink(event)

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
