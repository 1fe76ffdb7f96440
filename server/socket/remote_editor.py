"""The editor behind the socket: operations go out as function calls, results come back as messages."""

import asyncio
import secrets
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from agent import Failure, Outcome, Unread, in_thread
from arrow_project import ArrowProject, Operation, OperationResult, ParseError, parse, renumbered_data
from server.dialects import Call, CannotExecute, Dialect, Frame, View, fits
from server.socket.messages import FunctionResult
from server.socket.state import State

_LONGEST_REASON = 2000  # characters
_REQUESTS_REMEMBERED = 1000
_LARGEST_EXACT = 2**53
_NUMBER_BYTES = 40  # of a story, which each call names
_INEXACT = (
    "This names a number over 2^53, of which an editor reads the first 53 bits alone: it would change something else. "
    "Ids that are made of the time (meta.epoch) become so long. Nothing was done: do it in the editor."
)
ANOTHER_STORY = Failure("CONFLICT", "Another story has been opened in this editor meanwhile. Nothing is done there.")
"""Why an editor is left that shows another story than its turn's."""
NOT_FOLLOWED = Failure(
    "CONFLICT",
    "The project has been changed meanwhile, and as it is now it could not be read, or there is no room in memory for "
    "it. Nothing more is done in this turn.",
)
"""Why one is left whose story the turn cannot look at."""
WRITTEN_MEANWHILE = Failure(
    "CONFLICT",
    "The project has been changed meanwhile, and the rest of this step would take away what has come into it. Nothing "
    "more is done in this turn. Ask for it again to be asked about that, too.",
)
"""Why one is left whose user has written into what is half done."""

SendFrames = Callable[[Iterable[Frame]], Awaitable[None]]

# What the new id is called in the result of a call that creates something.
_CREATED_BY = {
    "create_insert_node": "node",
    "create_scene": "scene",
    "create_new_scene": "scene",
    "create_variable": "variable",
    "create_new_variable": "variable",
    "create_character": "character",
    "create_new_character": "character",
}


@dataclass
class _Progress:
    """How far one operation is."""

    done: list[Call] = field(default_factory=list[Call])
    ids: dict[int, int] = field(default_factory=dict[int, int])  # expected id: the one that the client has given
    result: Any = None


@dataclass(frozen=True)
class _Request:
    """What the client is asked for one operation, or for several: all of it in one frame, where it takes that."""

    calls: Sequence[Call]
    id: str
    at_once: Frame | None


class RemoteEditor:
    """Executes the operations of one turn in the client's Arrow, one call at a time.

    Args:
        dialect: The client's wire form.
        send: Sends frames to the client, each taken from what it is given once those before it are sent.
        move: Tells the session what it is doing: waiting for the client, or not.
        view: What the client shows now, with the operation applied that is to be executed, from what it has last
            reported.
        call_timeout_s: How long the client may take for one call.
        unread: Stories that the client shows by now: nothing is sent before they are known.

    Attributes:
        request_ids: Of the last calls that have been sent.
        content: What the client has reported with its last answer of an operation that is not finished; None when it
            has not.
        came: The number of that among all stories that the client has shown.
        last_content: What it has last reported at all, as it wrote it.
        left: Why nothing more is done there; None as long as it is.
        parts_asked: For how many parts of an operation the client has been asked by now; 0 of one that has only one.
        has_more: Whether of the operation under way the client is still to be asked for something.
    """

    def __init__(
        self,
        dialect: Dialect,
        send: SendFrames,
        move: Callable[[State], None],
        view: Callable[[str | None], View],
        call_timeout_s: float,
        unread: Unread,
    ) -> None:
        self._dialect = dialect
        self._send = send
        self._move = move
        self._view = view
        self._timeout_s = call_timeout_s
        self._unread = unread
        self._waiting: tuple[str, asyncio.Future[tuple[FunctionResult, int]]] | None = None
        self._is_closed = False
        self.left: Failure | None = None
        self.has_more = False
        self.parts_asked = 0
        self.request_ids: deque[str] = deque(maxlen=_REQUESTS_REMEMBERED)
        self.content: str | None = None
        self.came = 0
        self.last_content: str | None = None

    def close(self) -> None:
        """The turn is over: nothing is sent any more."""
        self._is_closed = True

    def leave(self, why: Failure) -> None:
        """The client shows a story that the turn does not follow: nothing is done there, and no report is looked at."""
        self.left = why

    def waits_for(self, result: FunctionResult) -> bool:
        """Whether the result is that of the request that was sent last, and the first one."""
        return self._waiting is not None and self._waiting[0] == result.request_id and not self._waiting[1].done()

    def resolve(self, result: FunctionResult, came: int) -> bool:
        """Hands in a client's result with its story's number; False when nobody waits for that request any more."""
        if self._waiting is None or not self.waits_for(result):
            return False
        if self.left is not None:
            result = result.model_copy(update={"arrow_content": None})
        self._waiting[1].set_result((result, came))
        return True

    async def apply(self, applied: OperationResult) -> Outcome:
        """Has the client execute the calls of one operation; the first that fails ends it."""
        view = self._view(self.last_content)
        self.has_more = True
        try:
            request = await self._beside_others([applied], view, self._asked_at_once)
        except CannotExecute as error:
            return Outcome(success=False, failure=error.failure)
        self.content = None
        outcome = await (self._batch(request) if request.at_once else self._apply_one_by_one(applied, request, view))
        self.content, self.parts_asked = None, 0
        return outcome

    async def take_back(self, turn_id: str) -> Outcome | None:
        """Has the client take that turn back, if it is its last one; None where it cannot be asked for that."""
        request_id = _new_request_id()
        frame = self._dialect.undo_request(request_id, turn_id)
        return None if frame is None else await self._execute(request_id, frame, "undo")

    @property
    def takes_batches(self) -> bool:
        """Whether the client has declared it, and its dialect has a message for it."""
        return self._dialect.takes_batches

    async def apply_together(self, applied: Sequence[OperationResult]) -> Sequence[Outcome] | None:
        """Has the client execute several operations in one message, where no call needs an id that another one gave.

        Of what was made right before, a batch says `last_created`.
        """
        view = self._view(self.last_content)
        self.has_more = True
        try:
            request = await self._beside_others(applied, view, self._asked_together)
        except CannotExecute:
            return None
        if request.at_once is None:
            return None
        outcome = await self._execute_at_once(request)
        self.last_content = outcome.content or self.last_content
        if not outcome.success:
            return [outcome]
        return _outcome_of_each(applied, request.calls, outcome)

    async def _beside_others(
        self, applied: Sequence[OperationResult], view: View, ask: Callable[[Sequence[Call]], _Request]
    ) -> _Request:
        """What is asked of the client, worked out in a thread."""

        def asked() -> _Request:
            calls = [call for one in applied for call in self._dialect.calls(one, view)]
            if not all(_is_exact(call.arguments) for call in calls):
                raise CannotExecute(_INEXACT)
            return ask(calls)

        # A dialect may look into what the client shows, and each call may bring long notes of the story along.
        return await in_thread(asked)

    def _asked_at_once(self, calls: Sequence[Call]) -> _Request:
        """All calls in one message, where there are several, the client takes that, and they fit."""
        request_id = _new_request_id()
        frame = self._dialect.batch(request_id, calls) if len(calls) > 1 else None
        if frame is not None and fits(frame, self._most_bytes):
            return _Request(calls, request_id, frame)
        return self._asked_one_by_one(calls)

    @property
    def _most_bytes(self) -> int:
        return self._dialect.client.max_frame_bytes - _NUMBER_BYTES

    def _asked_one_by_one(self, calls: Sequence[Call]) -> _Request:
        """Raises `CannotExecute` where one is too long."""
        for call in calls:
            if not fits(self._dialect.function_call(_new_request_id(), call), self._most_bytes):
                limit = self._dialect.client.max_frame_bytes
                raise CannotExecute(
                    f"{call.function} is longer than the {limit} bytes that the client takes at once, and nothing "
                    "of it was done. Use shorter texts, or several nodes.",
                    "TOO_LARGE",
                )
        return _Request(calls, "", None)

    def _asked_together(self, calls: Sequence[Call]) -> _Request:
        """All calls of several operations in one message, where they fit and no call needs an id of another one."""
        request_id = _new_request_id()
        frame = self._dialect.batch(request_id, calls)
        is_whole = frame is not None and fits(frame, self._most_bytes) and not _names_expected_ids(frame, calls)
        return _Request(calls, request_id, frame if is_whole else None)

    async def _batch(self, request: _Request) -> Outcome:
        outcome = await self._execute_at_once(request)
        created = _created_nodes(outcome.result)
        if outcome.success and created and request.calls[0].function == "create_insert_node":
            return replace(outcome, result=created[0])
        return outcome

    async def _execute_at_once(self, request: _Request) -> Outcome:
        assert request.at_once is not None
        self.parts_asked = len(request.calls)
        outcome = await self._execute(request.id, request.at_once, "function_call_batch")
        self.parts_asked = 0
        return outcome

    async def _apply_one_by_one(self, applied: OperationResult, request: _Request, view: View) -> Outcome:
        calls = request.calls
        progress, outcome = _Progress(), Outcome(success=True)
        subject = next(iter(applied.result.values()), None)  # what the operation is about; the rest is by the way
        for call in calls:
            request_id = _new_request_id()
            asked = replace(call, arguments=renumbered_data(call.arguments, progress.ids))
            frame, has_more = self._dialect.function_call(request_id, asked), len(progress.done) + 1 < len(calls)
            self.parts_asked += len(calls) > 1
            outcome = await self._execute(request_id, frame, call.function, has_more=has_more)
            if outcome.success or outcome.content is not None:  # else nothing has been done since, or nobody knows
                self.content, self.came = outcome.content, max(outcome.came, self.came)
            self.last_content = outcome.content or self.last_content
            if not outcome.success:
                return self._broken_off(outcome, progress, applied, calls)
            if subject in call.created:
                progress.result = outcome.result
            progress.done.append(asked)
            if call.created and len(progress.done) < len(calls):
                progress.ids |= await in_thread(_given_ids, call, outcome, view.project)
        result = outcome.result if progress.result is None else progress.result
        return replace(outcome, result=result, came=self.came)

    def _broken_off(
        self, outcome: Outcome, progress: _Progress, applied: OperationResult, calls: Sequence[Call]
    ) -> Outcome:
        if not progress.done or outcome.failure is None:
            return replace(outcome, content=self.content, came=self.came)
        left = [call.function for call in calls[len(progress.done) :]]
        message = (
            f"{outcome.failure.message} Done before that, and still in the project: "
            f"{', '.join(call.function for call in progress.done)}. Not done: {', '.join(left)}."
        )
        is_as_expected = all(expected == given for expected, given in progress.ids.items())
        done = self._dialect.done(applied, calls, len(progress.done)) if is_as_expected else None
        confirmed = tuple(Operation(call.function, call.arguments) for call in progress.done)
        if done is None and self.content is None:
            message += (
                " The editor has not shown what came of it: before you change that, the user has to sync the project."
            )
        failure = replace(outcome.failure, message=message)
        shown = replace(outcome, content=self.content, came=self.came)
        return replace(shown, failure=failure, confirmed=confirmed, done=done)

    async def _execute(self, request_id: str, frame: Frame, function: str, *, has_more: bool = False) -> Outcome:
        answer: asyncio.Future[tuple[FunctionResult, int]] = asyncio.get_running_loop().create_future()

        def asked() -> Iterator[Frame]:
            """The frame, unless a story has come while something else was sent: taken as it is sent itself."""
            if self._unread.is_any or self._is_closed or self.left is not None:
                return
            self.has_more, self._waiting = has_more, (request_id, answer)
            self.request_ids.append(request_id)
            self._move(State.EXECUTING)
            yield frame

        try:
            while self._waiting is None:
                await self._unread.all_read()
                if self._is_closed:
                    raise asyncio.CancelledError
                if self.left is not None:
                    self.has_more = has_more
                    return Outcome(success=False, failure=self.left)
                await self._send(asked())
            # Not `wait_for`: in Python 3.11 it forgets a stop that comes together with the answer.
            async with asyncio.timeout(self._timeout_s):
                result, came = await answer
            return replace(_outcome(result), came=came)
        except TimeoutError:
            message = (
                f"The editor has not answered {function} within {self._timeout_s:g} seconds; "
                "it may or may not have done it."
            )
            return Outcome(success=False, failure=Failure("TIMEOUT", message))
        finally:
            if self._waiting is not None and not self._is_closed:
                self._move(State.PROCESSING)
            self._waiting = None


def _new_request_id() -> str:
    return f"req_{secrets.token_hex(8)}"


def _outcome(result: FunctionResult) -> Outcome:
    content = result.arrow_content or None
    inner = cast("dict[str, Any]", result.result) if isinstance(result.result, dict) else {}
    affected = result.affected_nodes or inner.get("affected_nodes")
    told = {"affected_nodes": affected} if affected else {}
    if result.success and inner.get("success") is not False:
        warned = {"warning": result.error[:_LONGEST_REASON]} if result.error else {}
        return Outcome(success=True, result=result.result, content=content, remarks=told | warned)
    # Some clients show the reasons beside the error, and some put all of it into the result.
    error = result.error or inner.get("error")
    message = error if isinstance(error, str) and error else "The editor refused and gave no reason."
    reasons = {"referenced_by": result.referenced_by, "used_by": result.used_by, **inner}
    details = {name: reasons[name] for name in ("referenced_by", "used_by") if reasons.get(name)}
    if details:
        message = f"{message} ({'; '.join(f'{name}: {value}' for name, value in details.items())})"
    failure = Failure("EDITOR_ERROR", message[:_LONGEST_REASON], details | told)
    return Outcome(success=False, failure=failure, content=content)


def _names_expected_ids(frame: Frame, calls: Sequence[Call]) -> bool:
    """Whether a call of the batch names an id that another one is only expected to get."""
    expected = dict.fromkeys((created for call in calls for created in call.created), -1)
    asked = [function["arguments"] for function in frame["data"]["functions"]]
    return any(arguments != renumbered_data(arguments, expected) for arguments in asked)


def _outcome_of_each(applied: Sequence[OperationResult], calls: Sequence[Call], outcome: Outcome) -> list[Outcome]:
    """What a batch did, by operation: the nodes that it created, in order, and at last what the client shows."""
    created = _created_nodes(outcome.result)
    made = sum(call.function == "create_insert_node" for call in calls)
    given = iter(created if len(created) == made else ())
    outcomes: list[Outcome] = []
    for one in applied:
        ids = [next(given, None) for _ in one.created] if one.operation.function != "create_scene" else []
        outcomes.append(Outcome(success=True, result=ids[0] if ids else None))
    outcomes[-1] = replace(outcomes[-1], content=outcome.content, came=outcome.came, remarks=outcome.remarks)
    return outcomes


def _created_nodes(result: Any) -> list[int]:
    nodes = cast("dict[str, Any]", result).get("created_nodes") if isinstance(result, dict) else None
    ids = [_whole(node) for node in cast("list[Any]", nodes)] if isinstance(nodes, list) else []
    return [node for node in ids if node is not None]


def _given_ids(call: Call, outcome: Outcome, expected: ArrowProject) -> dict[int, int]:
    """The ids that the client has really given, where they are others than expected.

    What was created is what the reported content has and the shadow does not; a client that reports none may say the
    id in its result.
    """
    kind = _CREATED_BY[call.function]
    if outcome.content is not None:
        try:
            return _new_in(parse(outcome.content), kind, call, expected)
        except ParseError:
            return {}
    inner = cast("dict[str, Any]", outcome.result) if isinstance(outcome.result, dict) else {}
    given = _whole(inner.get(f"{kind}_id", outcome.result))
    real = {call.created[0]: given} if given is not None else {}
    entry = _whole(inner.get("entry_node_id"))
    return real | ({call.created[1]: entry} if entry is not None and len(call.created) > 1 else {})


def _new_in(reported: ArrowProject, kind: str, call: Call, expected: ArrowProject) -> dict[int, int]:
    there = reported.data.table(kind)
    new = [key for key in there if key not in expected.data.table(kind)]
    if call.created[0] in there or len(new) != 1:
        return {}
    real = {call.created[0]: new[0]}
    return real | ({call.created[1]: there[new[0]]["entry"]} if kind == "scene" else {})


def _is_exact(value: Any) -> bool:
    """Whether an editor reads the numbers in it as they are: Godot takes those of JSON for fractions of 53 bits."""
    if isinstance(value, dict):
        return all(map(_is_exact, cast("dict[str, Any]", value).values()))
    if isinstance(value, list | tuple):
        return all(map(_is_exact, cast("Sequence[Any]", value)))
    return not isinstance(value, int) or abs(value) <= _LARGEST_EXACT


def _whole(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != int(value):
        return None
    return int(value)
