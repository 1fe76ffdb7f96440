"""A turn: from a user's message to its end; what happens in it is told as events."""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from agent.answering.answerer import Answerer, AnswerFailed, Answering, Assignment, OpenQuestion, ParametersMissing
from agent.answering.function_names import function_named
from agent.editing.editor import Editor, Failure, OperationRefused, Rehearsal
from agent.editing.execution import Execution, Held
from agent.editing.meanwhile import is_written_into
from agent.editing.reconciliation import CREATED_BY
from agent.local import WordsMissing
from agent.models.keys import without_keys
from agent.prompt.prompt import passage_budget
from agent.prompt.query import build_query
from agent.questions.confirmation import describe
from agent.questions.pending import Before, Origin, PendingStore
from agent.questions.questions import Questions
from agent.questions.replies import Replies
from agent.questions.reply import read_reply
from agent.reading.citations import Citations
from agent.reading.reading_tools import TurnReader
from agent.turn.direct import DirectCalls
from agent.turn.events import (
    Asked,
    Cited,
    Ended,
    EventSink,
    Failed,
    Suggested,
    Suggestion,
    TextFinished,
    Timings,
    Usage,
)
from agent.turn.request import TurnContext, TurnRequest
from agent.turn.slash_command import read_slash_command
from agent.turn.suggestions import suggest
from agent.turn.telling import Telling
from agent.turn.thread import ask_store, in_thread, in_thread_if_large
from agent.turn.undo import UNDO, asks_for_undo, places_left
from arrow_project import ArrowProject, Operation, OperationError, ParseError, fingerprint, parse
from retrieval import CorpusError, EmptyQuery, ProjectNotFound, Retriever

logger = logging.getLogger(__name__)

_MOST_LACKING = 2  # of the operations that the editor has done, of which its story is still on its way
_CHANGED_MEANWHILE = "The project has been changed meanwhile, and does not fit what you were to be asked about any more"


def _with(project: ArrowProject, operations: Sequence[Operation]) -> str:
    """The fingerprint of the story with these operations; empty where they do not fit it."""
    after = project.copy()
    try:
        after.apply_all(operations)
    except OperationError:
        return ""
    return fingerprint(after)


@dataclass(frozen=True)
class Assistant:
    """What every turn of a server shares.

    Attributes:
        retriever: Finds passages.
        answerer: Answers.
        context_tokens: How much of the prompt outline and passages may take.
    """

    retriever: Retriever
    answerer: Answerer
    context_tokens: int

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
        self._questions = Questions(pending)
        self._telling = Telling(sink)
        self._tell = self._telling.tell
        self._answer: Answering | None = None
        self._retrieval_s = 0.0
        self._changed, self._kept = False, ""  # until the end
        # Whether something that an earlier turn has asked for was done in this one, which tells that at its end.
        self._has_late, self._is_over, self._keeping = False, False, asyncio.Lock()
        # Each once: their words are put together, and one node may have a megabyte of them.
        selected = tuple(dict.fromkeys(request.selected_node_ids))
        self._origin = Origin(request.message, request.history, request.scene_id, selected)
        self.context = TurnContext(
            project=request.project,
            scene_id=request.scene_id,
            selected_node_ids=selected,
            history=request.history,
            being_read=request.being_read,
            characters=request.characters,
        )
        self._citations = Citations(())
        if request.plan:
            editor = Rehearsal()
        confirm = "never" if request.plan else request.confirm
        self._execution = Execution(
            self.context,
            editor,
            confirm,
            self._tell,
            holds_all=bool(request.operations) or not assistant.answerer.converses,
            taken=request.taken if request.operations else None,
            is_outdated=request.is_outdated,
            unread=request.unread,
        )
        self._direct = DirectCalls(request, self.context, self._execution, editor, pending, self._reader(), self._tell)

    @property
    def executed(self) -> tuple[Operation, ...]:
        """The operations that the editor has executed so far, references resolved."""
        return tuple(self._execution.executed)

    @property
    def not_kept(self) -> str | None:
        """The story from before the turn, where an undo needs it and it could not be kept; else None."""
        is_lacking = self._changed and not self._kept and not self._direct.has_undone
        return self._execution.before if is_lacking or self._has_late or not self.is_known else None

    @property
    def came(self) -> int:
        """The number of what the client has shown last of what the story has, as its editor counts; 0 as it began."""
        return self._execution.came

    @property
    def is_known(self) -> bool:
        """Whether the story is what the client has, as far as anybody can tell."""
        execution = self._execution
        return (
            execution.shadow.is_known
            and not execution.is_uncertain
            and (execution.half < 0 or execution.half < execution.came)
        )

    def note_half(self, came: int) -> None:
        """The story of that number may have half of what is under way, or could not be followed.

        Until the client has shown a later one, nobody knows what it has.
        """
        self._execution.half = came

    async def would_lose(self, shown: ArrowProject) -> bool:
        """Whether the operation under way changes what has been written meanwhile into the story that is shown."""
        tried = self._execution.tried
        return tried is not None and await in_thread(is_written_into, shown, *tried)

    def take(self, project: ArrowProject, came: int) -> None:
        """The client has sent its story meanwhile, which is another one than the turn's in any case."""
        self._execution.shadow.is_shared = True
        self._execution.take(project, came)

    async def keep_known(self, shown: str | None) -> bool:
        """What an earlier turn has asked for is done only now: the story from before that is kept with this turn's.

        That is the one that the client has `shown` last, if it has while the turn was under way: what has been written
        there may be gone. Then the story from before the turn is kept as well, to go back to from that one.

        Returns whether the turn still tells that: it may have ended.
        """
        async with self._keeping:
            if not self._is_over:
                self._has_late = True
                await self._execution.keep_known()
                if shown is not None:
                    await in_thread(self._keep_shown, shown)
            return not self._is_over

    def _keep_shown(self, shown: str) -> None:
        before = self._execution.before
        if before is None or before is shown:
            return
        with suppress(ParseError):  # else there is no going back to it
            now = fingerprint(parse(shown))
            if now != fingerprint(parse(before)):
                self._store.keep_before(Before(before, is_shared=True), now)
                self._execution.before = shown

    def lose_track(self) -> None:
        """The client has another story than the turn's, and nobody knows what is in it."""
        self._execution.consent.is_outdated = True

    async def follow(self, project: ArrowProject, came: int) -> bool:
        """The client has sent its story meanwhile: it is newer than the turn's copy, or lacks its last operations.

        Where it lacks some that the editor has answered, it was late, or its user has taken them back: nobody knows,
        and the turn's copy does not count as what the client has. Returns whether it has all that the turn has done.
        """
        lacking: int | None = None
        under_way, tried = len(self._execution.under_way), self._execution.tried
        # Else another one was taken over meanwhile, which need not have what is under way; nor need this one.
        is_told = tried is None or tried[0] is self._execution.story
        try:
            lacking = await in_thread_if_large(self.context.characters, self._lacking, project)
        finally:
            self._execution.shadow.is_shared |= lacking is None
            self._execution.shadow.shows_all = lacking == 0 and is_told
            if not lacking:  # else the turn's copy is the newer one
                self._execution.take(project, came)
            elif lacking <= under_way:
                self._execution.came = came
        return lacking == 0 and is_told

    def _lacking(self, project: ArrowProject) -> int | None:
        """How many of the turn's last operations the story lacks; None where it differs otherwise.

        The turn goes on meanwhile, so it is looked at twice.
        """
        for _ in range(2):
            with suppress(RuntimeError, KeyError):  # it is changed at this very moment
                expected, under_way = fingerprint(self._execution.story), self._execution.under_way
                if fingerprint(project) == expected:
                    return 0
                last = [*self._execution.executed[-_MOST_LACKING:], *under_way]
                for count in range(max(1, len(under_way)), len(last) + 1):
                    if _with(project, last[-count:]) == expected:
                        return None if self._hides(project, count - len(under_way)) else count
        return None

    def _hides(self, project: ArrowProject, operations: int) -> bool:
        """Whether something else stands in a story than did before those operations, where they have written."""
        story, checkpoint = self._execution.story, self._execution.stood_before(operations)
        return story is None or checkpoint is None or is_written_into(project, story, checkpoint)

    async def run(self) -> None:
        """Answers the message; `Ended` is always the last event, whatever happens before it."""
        try:
            await self._run()
        finally:
            self._telling.close()

    async def _run(self) -> None:
        started = time.monotonic()
        try:
            await self._answer_or_fail()
        except BaseException:
            await in_thread(self._keep_before)  # of a turn that is stopped, too
            raise
        suggestions = await in_thread(self._conclude)
        citations = await in_thread(self._citations.cited_in, self._telling.texts)
        if citations:
            await self._tell(Cited(citations))
        if suggestions:
            await self._tell(Suggested(suggestions))
        usage = self._answer.usage if self._answer else Usage()
        functions = () if self._request.plan else tuple(operation.function for operation in self._execution.executed)
        async with self._keeping:
            self._is_over = True
        unseen = None if self.is_known and not self._has_late else self._execution.before
        timings, kept = self._timings(started), self._kept
        await self._tell(Ended(self._telling.reason, usage, timings, functions, self._changed, unseen, kept))

    async def _answer_or_fail(self) -> None:
        """Up to the end of the answer, or the question that it ends with; what goes wrong is told."""
        try:
            await self._react()
            if self._execution.held is not None:
                await self._tell(await in_thread(self._ask, *self._execution.release()))
            elif self._request.plan and self._execution.executed and self._telling.reason == "done":
                await self._tell(await in_thread(self._ask_about_plan))
        except ParametersMissing as missing:
            project, operation = self.context.project, missing.operation
            await self._tell(await in_thread(self._questions.about_parameters, project, operation))
        except WordsMissing as missing:
            project, problem = self.context.project, str(missing)
            await self._tell(await in_thread(self._questions.about_words, project, problem, self._so_far()))
        except AnswerFailed as error:
            logger.warning("the model failed: %s", without_keys(error.__cause__ or error))
            if self._telling.open_text.strip():
                await self._tell(TextFinished(f"{self._telling.open_text} …"))
            await self._tell(Failed(self._with_what_stays(error.failure)))
        except CorpusError as error:
            await self._tell(Failed(Failure(error.code, error.message)))
        except OperationRefused as error:
            await self._tell(Failed(error.failure))
        except Exception:
            logger.exception("a turn failed unexpectedly")
            told = "Something went wrong in the server; its log has the details."
            await self._tell(Failed(Failure("INTERNAL", told)))

    def _with_what_stays(self, failure: Failure) -> Failure:
        """Whoever sends the message again has to know what of it is done."""
        if self._request.plan or not self._execution.executed:
            return failure
        return replace(failure, message=f"{failure.message} What was done before stays; say undo to take it back.")

    async def _react(self) -> None:
        """Takes the message for the answer to an open question, for a call, or else has it answered."""
        if self._request.plan and self._request.project is not None:
            self.context.project = await in_thread(self._request.project.copy)
        call, agreed = self._named_call()
        pending_id = self._request.pending_id
        if pending_id is not None and await self._replies().answered(pending_id, is_call=call is not None):
            return
        if self._request.operations:
            await self._direct.run_all(self._request.operations)
        elif call:
            await self._direct.run(call, agreed=agreed)
        elif not self._assistant.answerer.converses and read_reply(self._request.message):
            await self._tell(TextFinished("No question is open. Nothing was changed.", not_done=True))
        else:
            await self.ask_model(self._request.message)

    def _replies(self) -> Replies:
        return Replies(
            request=self._request,
            context=self.context,
            execution=self._execution,
            direct=self._direct,
            store=self._store,
            tell=self._tell,
            ask_model=self.ask_model,
            go_on_from=self.go_on_from,
            converses=self._assistant.answerer.converses,
        )

    def _named_call(self) -> tuple[Operation | None, bool]:
        """The function that the user has named, and whether nobody need be asked about it."""
        if self._request.function is not None:
            return Operation(function_named(self._request.function), self._request.function_params), False
        if asks_for_undo(self._request.message):
            return Operation(UNDO), False
        # The user has typed the very call, so only an operator who wants everything asked is obeyed.
        return read_slash_command(self._request.message), self._request.confirm != "always"

    # --- the answer ------------------------------------------------------------------------------------------------

    async def ask_model(self, message: str, note: str = "", question: OpenQuestion | None = None) -> None:
        """Has the message answered; `note` is what has come of it before."""
        await self._gather_context(message)
        assignment = Assignment(
            message=f"{message}\n\n{note}" if note else message,
            context=self.context,
            execution=self._execution,
            reader=self._reader(),
            tell=self._tell,
            context_tokens=self._assistant.context_tokens,
            question=question,
        )
        answerer = self._assistant.answerer
        await answerer.get_ready()
        # The prompt says what is on the pages of documents, of which each may have thousands.
        pages = sum(document.pages or 1 for document in self.context.documents)
        self._answer = await in_thread_if_large(self._request.characters + pages, answerer.answer, assignment)
        await self._answer.run()

    def go_on_from(self, origin: Origin) -> None:
        """Goes on with an earlier message, in the situation that it was written in."""
        self._origin = origin
        self.context.history = origin.history
        self.context.scene_id = origin.scene_id
        self.context.selected_node_ids = origin.selected_node_ids
        self._execution.look_again()

    async def _gather_context(self, message: str) -> None:
        started = time.monotonic()
        retriever, key = self._assistant.retriever, self._request.key
        if key is not None:
            with suppress(ProjectNotFound):  # a story without documents yet
                self.context.documents = await ask_store(retriever.shared_documents, key)
        needed = await self._assistant.answerer.needs_passages(message)
        if key is not None and self.context.documents and needed:
            budget = passage_budget(self._assistant.context_tokens)
            with suppress(EmptyQuery):  # a message of nothing but punctuation
                characters = self._request.characters
                text, around = await in_thread_if_large(characters, build_query, message, self.context)
                found = await ask_store(retriever.retrieve, key, text, budget, around)
                self.context.passages, self.context.text_only = found.passages, found.text_only
                self.context.relevance = found.relevance
        self._citations = Citations(self.context.passages)
        self._retrieval_s += time.monotonic() - started

    def _reader(self) -> TurnReader:
        return TurnReader(self._assistant.retriever, self._request.key, self._citations, self.context)

    # --- questions -------------------------------------------------------------------------------------------------

    def _ask(self, held: Held, after: ArrowProject) -> Asked:
        before = held.project
        if held.newer is not None:
            before, after = held.newer, held.newer.copy()
            makes = any(operation.function in CREATED_BY for operation in held.operations)
            if makes and before.seeds != held.project.seeds:  # which of the ids are meant that they make?
                raise OperationRefused(Failure("CONFLICT", f"{_CHANGED_MEANWHILE}. Ask for it again."))
            try:
                after.apply_all(held.operations)
            except OperationError as error:
                raise OperationRefused(Failure("CONFLICT", f"{_CHANGED_MEANWHILE}: {error.message}")) from error
        origin = self._so_far() if self._answer is not None else None  # of a function call nothing is left
        return self._questions.about_changes("confirmation", before, after, held.operations, origin)

    def _ask_about_plan(self) -> Asked:
        before, after = self._request.project, self.context.project
        assert before is not None
        assert after is not None
        return self._questions.about_changes("plan", before, after, self.executed, self._so_far())

    def _so_far(self) -> Origin:
        """The message under way, with what has come of it."""
        origin, executed = self._origin, (describe(operation) for operation in self._execution.executed)
        return replace(origin, texts=(*origin.texts, *self._telling.texts), executed=(*origin.executed, *executed))

    # --- the end ---------------------------------------------------------------------------------------------------

    def _conclude(self) -> tuple[Suggestion, ...]:
        self._keep_before()
        return self._suggestions()

    def _keep_before(self) -> None:
        """Keeps the story from before the turn for an undo, if the turn has changed it."""
        if self._execution.held is not None:
            self._execution.release()
        if self._direct.has_undone:
            self._changed = True
            return
        before, after, is_known = self._execution.before, self.context.project, self._execution.shadow.is_known
        is_untouched = not self._execution.executed and is_known
        if is_untouched or self._request.plan or after is None or before is None:
            return
        self._changed = not is_known or after.to_text() != before
        if self._changed and is_known:
            # A message of the user leads to any number of an assistant's turns: the story from before stays.
            by_assistant, left = self._request.by_assistant, places_left(self._execution.executed, after)
            kept = Before(before, self._execution.shadow.is_shared, by_assistant, left=left)
            self._kept = self._store.keep_before(kept, fingerprint(after), forgets=not by_assistant)

    def _suggestions(self) -> tuple[Suggestion, ...]:
        if self._telling.reason == "question":
            return ()
        try:
            return suggest(self.context, self._execution.created, changed=self._changed and not self._direct.has_undone)
        except Exception:  # the turn itself has done its work
            logger.exception("no suggestions could be made")
            return ()

    def _timings(self, started: float) -> Timings:
        model_s = self._answer.model_s if self._answer else 0.0
        return Timings(self._retrieval_s, model_s, self._execution.editor_s, time.monotonic() - started)
