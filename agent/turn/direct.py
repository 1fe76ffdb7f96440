"""Functions that the user has named: they run without a model, through the same checks, questions and editor."""

import json
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from agent.editing.duplicates import find_duplicate
from agent.editing.editor import Editor, Failure, InMemoryEditor, OperationRefused, failure_of
from agent.editing.execution import Execution
from agent.editing.in_order import tried_in_order
from agent.editing.validation import find_schema_error, weight
from agent.questions.confirmation import describe, summarize
from agent.questions.parameters import missing_parameters
from agent.questions.pending import KEPT_TURNS, Before, PendingStore
from agent.questions.questions import Questions
from agent.reading.reading_tools import READING_TOOLS, TurnReader
from agent.turn.events import EventSink, OperationFinished, TextFinished
from agent.turn.request import TurnContext, TurnRequest
from agent.turn.thread import in_thread, in_thread_if_large, in_thread_until_cancelled
from agent.turn.undo import UNDO, Places, WayBack, content_with_ids, places_left, report, way_back
from arrow_project import ArrowProject, ErrorCode, GoOn, Operation, OperationError, Selection, fingerprint, parse
from retrieval import CorpusError

logger = logging.getLogger(__name__)

# Refusals that name no thing, or the wrong kind of value. Any other is about the thing that was named.
_WRONG_VALUE = frozenset(
    {
        ErrorCode.INVALID_NODE_TYPE, ErrorCode.INVALID_NODE_ID, ErrorCode.INVALID_SCENE_ID,
        ErrorCode.INVALID_VARIABLE_ID, ErrorCode.INVALID_CHARACTER_ID, ErrorCode.TYPE_MISMATCH,
    }
)  # fmt: skip
_ANOTHER_TURN = (
    "Another turn has led to this story since the question was asked. Nothing was done; ask for the undo again."
)
_HAS_UNDONE = Failure(
    "NOT_RUN", "This turn has taken another one back, and does nothing more in the story. The user has to ask for it."
)


@dataclass
class DirectCalls:
    """Runs what the user has named in one turn.

    Attributes:
        has_undone: The turn has taken another one back, so that it is not one to be taken back itself.
    """

    request: TurnRequest
    context: TurnContext
    execution: Execution
    editor: Editor
    store: PendingStore
    reader: TurnReader
    tell: EventSink
    has_undone: bool = False

    def __post_init__(self) -> None:
        self._questions = Questions(self.store)

    async def run(self, call: Operation, *, agreed: bool) -> None:
        """Runs it, or asks for what it lacks. What needs a yes is left in `execution.held`.

        Raises:
            OperationRefused: It was refused.
        """
        if call.function == UNDO:
            always = self.request.confirm == "always" and not agreed
            await self.undo(asks=True if always else None)
        elif missing_parameters(call):
            await self.tell(await in_thread(self._questions.about_parameters, self.context.project, call))
        elif call.function in READING_TOOLS:
            await self._read(call)
        else:
            await self._operate(call, agreed=agreed)

    async def run_all(self, operations: Sequence[Operation]) -> None:
        """Runs all of them or none: nothing is done before all are tried, and what the editor breaks off is undone.

        Where others have changed the story meanwhile that would take back theirs, so what was done stays.

        Raises:
            OperationRefused: One was refused.
        """
        project = self.context.project
        if project is None:
            raise OperationRefused(
                Failure("PERMISSION_DENIED", "There is no story to edit: the client has not sent any.")
            )
        selection = self._selection()
        resolved = await in_thread_until_cancelled(lambda go_on: tried_in_order(project, operations, selection, go_on))
        done: list[str] = []

        async def note(finished: OperationFinished) -> None:
            done.append(f"- {describe(Operation(finished.function, finished.arguments))}")

        failure = await self.execution.execute_all(project, resolved, note)
        if failure is not None:
            raise OperationRefused(await self._taken_back(failure))
        if self.execution.held is None and not self.request.plan:
            await self.tell(TextFinished("Done:\n" + "\n".join(done)))

    async def _taken_back(self, failure: Failure) -> Failure:
        """What is told of a list that the editor has broken off, once what it had done of it is undone."""
        before, executed = self.execution.before, self.execution.executed
        if not executed or before is None or self.context.project is None:
            return failure
        way, shadow = None, self.execution.shadow
        if not shadow.is_shared:
            way = await self._way(self.context.project, before, places_left(executed, self.context.project))
        if way is None or shadow.is_shared:  # perhaps just now
            part = "A part had been done before and stays, as somebody else has changed the story meanwhile."
            return replace(failure, message=f"{failure.message} {part} {summarize(executed)}")
        stays = await self.execution.replay(way.operations, agreed=way.now, restores=True)
        came_of = "and it could not be taken back: " + stays.message if stays else "and it was taken back."
        return Failure(failure.code, f"{failure.message} A part had been done before, {came_of}", failure.details)

    async def complete(self, asked: Operation, completed: Operation) -> None:
        """Runs a call with what the user has given; what does not fit is asked for again."""
        problem = await in_thread_if_large(self.context.characters + weight(completed), self._problem, completed)
        if problem is not None or missing_parameters(completed):
            again = asked if problem is not None else completed
            await self.tell(
                await in_thread(self._questions.about_parameters, self.context.project, again, problem or "")
            )
        else:
            await self.run(completed, agreed=False)

    async def _operate(self, operation: Operation, *, agreed: bool) -> None:
        if agreed:
            self.execution.consent.stop_asking()
        finished = await self.execution.execute(operation)
        if self.execution.held is not None:
            return
        if finished.failure is not None:
            raise OperationRefused(finished.failure)
        what = describe(Operation(finished.function, finished.arguments))
        await self.tell(TextFinished(f"{'Planned' if self.request.plan else 'Done'}: {what}."))

    async def _read(self, call: Operation) -> None:
        answer = await self.reader.call(call.function, call.arguments)
        if isinstance(answer.get("error"), dict):
            error = cast("dict[str, Any]", answer["error"])
            failure = Failure(str(error.get("code")), str(error.get("message")))
            await self.tell(OperationFinished(call.function, call.arguments, None, failure))
            raise OperationRefused(failure)
        await self.tell(OperationFinished(call.function, call.arguments, answer, None))
        await self.tell(TextFinished(await in_thread(_in_words, answer)))

    def _problem(self, operation: Operation) -> str | None:
        """What is wrong with the values that the operation has been given; None where others would not help."""
        project = self.context.project
        if project is None or operation.function in READING_TOOLS or missing_parameters(operation):
            return None
        failure = find_schema_error(operation) or find_duplicate(project, operation)
        if failure is not None:
            return failure.message
        checkpoint = project.checkpoint()
        try:
            project.apply(operation, self._selection())
        except OperationError as error:
            return failure_of(error).message if error.code in _WRONG_VALUE else None
        project.rollback(checkpoint)
        return None

    # --- undo ------------------------------------------------------------------------------------------------------

    async def undo(self, *, asks: bool | None, agreed: str | None = None) -> None:
        """Takes the last turn back, in one step, or `asks` whether to: None where it would take back others' changes.

        Others are the user, too, where an assistant asks for it. Only the turn that was `agreed` to is taken back.

        Raises:
            OperationRefused: There is nothing to take back, or the editor refused.
        """
        self.execution.consent.refuse_changes(Operation(UNDO))
        project = self.context.project
        now = await in_thread(fingerprint, project)
        before = await in_thread(self.store.find_before, now)
        if project is None or before is None:
            raise OperationRefused(await self._why_nothing())
        if agreed is not None and before.id != agreed:
            raise OperationRefused(Failure("CONFLICT", _ANOTHER_TURN))
        way = await self._way(project, before.content, before.left)
        if self.request.plan:
            asked = await in_thread(self._questions.about_undo, "plan", project, way, before.id)
            await self._walk(way)
            await self.tell(asked)
        elif self._is_of_others(before) if asks is None else asks:
            await self.tell(await in_thread(self._questions.about_undo, "confirmation", project, way, before.id))
        else:
            self.has_undone = True
            try:
                await self._go_back(way, before)
            finally:
                # What has come back is the user's, and nobody could take back what this turn does to it.
                self.execution.refusal = _HAS_UNDONE

    def _is_of_others(self, before: Before) -> bool:
        return before.is_shared or (self.request.by_assistant and before.id != self.request.may_undo)

    async def _why_nothing(self) -> Failure:
        if await in_thread(self._is_another_story):
            return Failure(
                "CONFLICT",
                "The project has been changed since the last turn, and undo would lose that. Take the change back "
                "in the editor first, or change by hand what the turn did.",
            )
        told = f"There is no turn to take back in this project; the last {KEPT_TURNS} are kept for a week."
        return Failure("NOTHING_TO_UNDO", told)

    def _is_another_story(self) -> bool:
        """Whether there is a turn, and the story is neither what it led to nor already the one from before it."""
        before, now = self.store.last_before(), fingerprint(self.context.project)
        return before is not None and fingerprint(parse(before.content)) != now and not self.store.is_undone(now)

    async def _go_back(self, way: WayBack, before: Before) -> None:
        exactly = isinstance(self.editor, InMemoryEditor)
        if isinstance(self.editor, InMemoryEditor):
            await in_thread(lambda: self.store.note_undone(before, fingerprint(way.before)))
            self.context.project = self.editor.project = way.before
            self.context.characters = max(self.context.characters, len(before.content))
            changes = {"changes": way.changes.splitlines()}
            await self.tell(OperationFinished(UNDO, {}, changes, None, reached_editor=True))
        else:
            await self._led_back(way, before)
        await self.tell(TextFinished(report(way, exactly=exactly)))

    async def _led_back(self, way: WayBack, before: Before) -> None:
        """Walks the way; where it ends early, the next undo goes on from there."""
        arrived = False
        try:
            await self._walk(way)
            arrived = True
            await self._bring_along(way, before)
        finally:
            if not arrived:
                self.has_undone = bool(self.execution.executed)
                await in_thread(self._keep_rest, way, before)

    def _keep_rest(self, way: WayBack, before: Before) -> None:
        rest = replace(before, content=way.before.to_text(), is_shared=self.execution.shadow.is_shared)
        # it was kept already, so nothing has to make room
        self.store.keep_before(rest, fingerprint(self.context.project), forgets=False)

    async def _bring_along(self, way: WayBack, gone: Before) -> None:
        """What is taken back is so, whatever comes of the turns before it."""
        try:
            await in_thread_until_cancelled(lambda go_on: self._follow(way, gone, go_on))
        except CorpusError as error:
            logger.warning("turns before one that was taken back are not brought along: %s", error)
            told = "Of the turns before the one that was taken back, not all can be taken back any more."
            await self.tell(TextFinished(told, not_done=True))

    def _follow(self, way: WayBack, gone: Before, go_on: GoOn) -> None:
        """Keeps the turns before this one under the story as it is now, where ids are others than they were.

        Each stays in its place, the last first, so that none is lost where this ends early.
        """
        now = self.context.project
        assert now is not None
        if way.remaining:  # the earlier story has more than any editor was told
            self.store.note_undone(gone, fingerprint(now))
        else:
            self.store.drop_before(gone.id)
        given = self.execution.given_ids
        ids = {old: given.get(new, new) for old, new in way.new_ids.items()}
        followed = Counter[bool]()
        # what others have changed during this undo is between the first of them and the story as it is now
        is_shared = self.execution.shadow.is_shared
        before, after = fingerprint(way.before), fingerprint(now)
        while before != after and (kept := self.store.find_before(before)) is not None:
            if followed[kept.by_assistant] == KEPT_TURNS:
                return
            followed[kept.by_assistant] += 1
            before = fingerprint(parse(kept.content))
            content = content_with_ids(kept.content, ids, now)
            left = {ids.get(node, node): offset for node, offset in kept.left.items()}
            is_shared = kept.is_shared or is_shared
            self.store.move_before(replace(kept, content=content, is_shared=is_shared, left=left), after)
            after, is_shared = fingerprint(parse(content)), False
            go_on()

    async def _way(self, now: ArrowProject, content: str, left: Places) -> WayBack:
        selection = self._selection()
        return await in_thread_until_cancelled(lambda go_on: way_back(now, content, left, selection, go_on))

    async def _walk(self, way: WayBack) -> None:
        # Of what an assistant takes back nobody knows whether the user has ever seen the story from before it.
        restores = not self.request.by_assistant
        failure = await self.execution.replay(way.operations, agreed=way.now, restores=restores)
        if failure is not None:
            raise OperationRefused(Failure(failure.code, f"{failure.message} The turn is only partly taken back."))

    def _selection(self) -> Selection:
        return Selection(self.context.scene_id, self.context.selected_node_ids)


def _in_words(answer: dict[str, Any]) -> str:
    """What a reading function has answered, for the chat."""
    text = answer.get("text")
    if isinstance(text, str) and text:
        return text
    passages: list[dict[str, Any]] = answer.get("passages", [])
    if passages:
        return "\n\n".join(f"[{passage['number']}] {passage['document']}: {passage['text']}" for passage in passages)
    return json.dumps(answer, ensure_ascii=False, indent=2)
