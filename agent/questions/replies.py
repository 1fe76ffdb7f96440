"""What a message does to the question that is open: a yes, a no, what a call lacks, or nothing of that."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent.answering.answerer import OpenQuestion
from agent.editing.editor import Failure, OperationRefused
from agent.editing.execution import Execution
from agent.local import is_command
from agent.questions.confirmation import describe, summarize
from agent.questions.parameters import is_a_value, read_parameters
from agent.questions.pending import Origin, PendingQuestion, PendingStore
from agent.questions.questions import Questions, calls_of, what_happened
from agent.questions.reply import may_agree, read_reply
from agent.turn.direct import DirectCalls
from agent.turn.events import EventSink, OperationFinished, TextFinished
from agent.turn.request import TurnContext, TurnRequest
from agent.turn.thread import ask_store, in_thread
from agent.turn.undo import UNDO
from arrow_project import ArrowProject, Operation, fingerprint

_CHANGED_SINCE = "The project has changed since the question was asked. Ask for the change again."
_DROPPED = "(The open question is dropped, and nothing of it was done.)"
_NO_PLAIN_YES = (
    "Nothing was done, as it is not certain that you said yes. Say yes, and nothing else, to have it done; anything "
    "else leaves it as it is."
)
_ONE_OF_TWO = (
    "Nothing was done, as two questions were open and a yes says to neither of them which is meant. This is the later "
    "one; the other has to be asked for again."
)
_STILL_LACKS = {"error": {"code": "INVALID_ARGUMENTS", "message": "It still lacks something: make the call whole."}}


class _NoPlainYes(Exception):
    """A model has read a yes in words that are not known for one."""


@dataclass(frozen=True)
class Replies:
    """Reads the reply of one turn and does what it says.

    Attributes:
        ask_model: Has a message answered, with a note on what has come of it, and the question that it may answer.
        go_on_from: The turn goes on with an earlier message, in the situation that it was written in.
        converses: Whether whoever answers reads replies in any words, and goes on after a yes.
    """

    request: TurnRequest
    context: TurnContext
    execution: Execution
    direct: DirectCalls
    store: PendingStore
    tell: EventSink
    ask_model: Callable[[str, str, OpenQuestion | None], Awaitable[None]]
    go_on_from: Callable[[Origin], None]
    converses: bool

    async def answered(self, pending_id: str, *, is_call: bool) -> bool:
        """Does what the message says to a question; False when the message is still to be answered.

        Raises:
            OperationRefused: What was agreed to cannot be done; or the message says yes or no to no question.
        """
        pending = await self._taken(pending_id)
        if pending is None:
            return False
        if not is_call and await self._is_answered(pending):
            return True
        if self.converses and not is_call:
            await self._ask_the_model(pending)
            return True
        await self.tell(TextFinished(_DROPPED))
        return False

    async def _taken(self, pending_id: str) -> PendingQuestion | None:
        pending = await ask_store(self.store.take, pending_id)
        if pending is None and self.request.function is None and read_reply(self.request.message) is not None:
            message = f"There is no open question {pending_id!r}; it may have been answered already."
            raise OperationRefused(Failure("NOT_PENDING", message))
        return pending

    async def _is_answered(self, pending: PendingQuestion) -> bool:
        """Does what the message says in plain words; False when it says none to the question."""
        reply = read_reply(self.request.message, pending.operations)
        if reply == "no":
            await self.tell(TextFinished("Nothing was changed."))
        elif pending.kind == "parameters":
            return await self._is_completed(pending, is_yes=reply == "yes")
        elif reply == "yes" and self.request.may_mean_another:
            await self._ask_once_more(pending, _ONE_OF_TWO)
        elif reply == "yes":
            await self._confirmed(pending)
        return reply is not None

    async def _is_completed(self, pending: PendingQuestion, *, is_yes: bool) -> bool:
        """Runs what lacked something, with what the message gives; after a mere yes it is asked for again."""
        message = self.request.message
        if pending.origin is not None:
            words = "" if is_yes else message
            if not is_yes and (not words.strip() or await in_thread(is_command, words)):
                return False
            origin = pending.origin
            await self._go_on(replace(origin, message=f"{origin.message.rstrip(' .:')}: {words}"), "")
            return True
        asked = pending.operations[0]
        completed = asked if is_yes else await in_thread(read_parameters, asked, message)
        if completed is None or (self.converses and not is_yes and not is_a_value(asked, message)):
            return False
        await self.direct.complete(asked, completed)
        return True

    # --- in any words ----------------------------------------------------------------------------------------------

    async def _ask_the_model(self, pending: PendingQuestion) -> None:
        """Has the model read a reply that is none of the plain words: it says which answer that is, if it is one."""
        decided: list[str] = []

        async def decide(decision: str) -> dict[str, Any]:
            decided.append(decision)
            if decision == "no":
                return {"done": [], "left": "Nothing was done, and the question is closed."}
            return await self._agreed(pending) if decision == "yes" else self._result(pending, [])

        try:
            calls = await in_thread(calls_of, pending.operations)
            await self.ask_model(self.request.message, "", OpenQuestion(calls, decide))
        except _NoPlainYes:
            await self._ask_once_more(pending, _ONE_OF_TWO if self.request.may_mean_another else _NO_PLAIN_YES)
            return
        if not decided and not self.execution.executed and self.execution.held is None:
            await self.tell(TextFinished(_DROPPED))

    async def _agreed(self, pending: PendingQuestion) -> dict[str, Any]:
        """Executes what was asked about, exactly; what the model is told of it."""
        if pending.kind == "parameters":
            return _STILL_LACKS
        if self.request.may_mean_another or not may_agree(self.request.message, pending.operations):
            raise _NoPlainYes
        return self._result(pending, await self._executed(pending))

    async def _ask_once_more(self, pending: PendingQuestion, why: str) -> None:
        """The same question, once it is said why; what else the reply says is for after a yes."""
        await self._checked_story(pending)
        await self.tell(TextFinished(why))
        if pending.operations == (Operation(UNDO),):
            await self.direct.undo(asks=True)
            return
        origin, project = pending.origin, self.context.project
        assert project is not None
        more = origin and replace(origin, message=f"{origin.message}\n{self.request.message}")
        questions = Questions(self.store)
        await self.tell(await in_thread(questions.once_more, replace(pending, origin=more), project))

    def _result(self, pending: PendingQuestion, done: Sequence[str]) -> dict[str, Any]:
        """What was done, and the message that led to the question: it is the model's again."""
        if pending.origin is None:
            return {"done": done}
        self.go_on_from(pending.origin)
        return {"done": done, "left": f"What is left of this earlier message; repeat nothing: {pending.origin.message}"}

    # --- in plain words --------------------------------------------------------------------------------------------

    async def _confirmed(self, pending: PendingQuestion) -> None:
        """Executes what was asked about; who converses then goes on with the message that led to it."""
        done = await self._executed(pending)
        if pending.kind == "confirmation" and pending.origin is not None and self.converses:
            await self._go_on(pending.origin, await in_thread(what_happened, pending.origin, done))

    async def _executed(self, pending: PendingQuestion) -> list[str]:
        """Executes what the user has agreed to, if the story still says the same; a line for each."""
        agreed = await self._checked_story(pending)
        self.request.taken.clear()
        if pending.operations == (Operation(UNDO),):
            await self.direct.undo(asks=False, agreed=pending.undoes)
            return ["the last turn is taken back"]
        done: list[Operation] = []

        async def note(finished: OperationFinished) -> None:
            done.append(Operation(finished.function, finished.arguments))

        failure = await self.execution.replay(pending.operations, note, agreed=agreed, seeds=pending.seeds)
        if done:
            await self.tell(TextFinished(summarize(done)))
        if failure is not None:
            rest = len(pending.operations) - len(done) - 1
            left = f" The {rest} step{'s' if rest > 1 else ''} after it were not tried." if rest else ""
            raise OperationRefused(replace(failure, message=failure.message + left))
        return [describe(operation) for operation in done]

    async def _checked_story(self, pending: PendingQuestion) -> ArrowProject | None:
        """The story, if it still says what it said when it was asked about."""
        project = self.context.project
        if pending.content_sha256 != await in_thread(fingerprint, project):
            raise OperationRefused(Failure("CONFLICT", _CHANGED_SINCE))
        return project

    async def _go_on(self, origin: Origin, note: str) -> None:
        self.go_on_from(origin)
        await self.ask_model(origin.message, note, None)
