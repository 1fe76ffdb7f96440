"""The editor behind the socket: operations go out as function calls, results come back as messages."""

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import replace

from agent import Failure, Outcome
from arrow_project import OperationResult
from server.dialects import Call, Dialect
from server.dialects.dialect import Frame
from server.dialects.spec import MAX_FRAME_BYTES
from server.messages import FunctionResult

SendFrame = Callable[[Frame], Awaitable[None]]


class RemoteEditor:
    """Executes operations in the client's Arrow, one call at a time."""

    def __init__(self, dialect: Dialect, send: SendFrame, call_timeout_s: float) -> None:
        self._dialect = dialect
        self._send = send
        self._timeout_s = call_timeout_s
        self._waiting: tuple[str, asyncio.Future[FunctionResult]] | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether a call has been sent and not been answered yet."""
        return self._waiting is not None

    async def apply(self, applied: OperationResult) -> Outcome:
        """Has the client execute the calls of one operation; the first that fails ends it."""
        outcome = Outcome(success=True)
        for executed, call in enumerate(self._dialect.calls(applied)):
            outcome = await self._execute(call)
            if not outcome.success:
                return replace(outcome, partial=executed > 0)
        return outcome

    def resolve(self, result: FunctionResult) -> bool:
        """Hands in a client's result; False when nobody waits for that request any more."""
        if self._waiting is None or self._waiting[0] != result.request_id or self._waiting[1].done():
            return False
        self._waiting[1].set_result(result)
        return True

    async def _execute(self, call: Call) -> Outcome:
        request_id = f"req_{secrets.token_hex(8)}"
        frame = self._dialect.function_call(request_id, call)
        if len(json.dumps(frame)) > MAX_FRAME_BYTES:
            message = f"This call is longer than the {MAX_FRAME_BYTES} bytes a client takes at once; use shorter texts."
            return Outcome(success=False, failure=Failure("TOO_LARGE", message))
        answer: asyncio.Future[FunctionResult] = asyncio.get_running_loop().create_future()
        self._waiting = (request_id, answer)
        try:
            await self._send(frame)
            return _outcome(await asyncio.wait_for(answer, self._timeout_s))
        except TimeoutError:
            message = (
                f"The editor has not answered {call.function} within {self._timeout_s:g} seconds; "
                "it may or may not have done it."
            )
            return Outcome(success=False, failure=Failure("TIMEOUT", message))
        finally:
            self._waiting = None


def _outcome(result: FunctionResult) -> Outcome:
    content = result.arrow_content or None
    if result.success:
        return Outcome(success=True, result=result.result, content=content)
    return Outcome(success=False, failure=_failure(result), content=content)


def _failure(result: FunctionResult) -> Failure:
    return Failure("EDITOR_ERROR", result.error or "The editor refused and gave no reason.")
