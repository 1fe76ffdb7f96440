"""Messages and their answers: one turn after the other, each of which can be stopped."""

import asyncio
from collections.abc import Callable
from typing import Any

from server import RequestError, TurnBody
from server.http.turn_routes import HistoryEntry
from server.limits.turn_rate import TooManyTurns
from workbench.asking.telling import Telling
from workbench.visit import Visit


class Conversation:
    """What has been said on one tab of a page.

    Args:
        visit: The page, which stops the turn that is under way when it is gone.
        on_change: Called when an answer is under way, and when it is not any more.
    """

    def __init__(self, visit: Visit, on_change: Callable[[], None]) -> None:
        self._visit = visit
        self._on_change = on_change
        self._history: list[HistoryEntry] = []
        self._turn: asyncio.Task[dict[str, Any]] | None = None

    @property
    def is_running(self) -> bool:
        """Whether an answer is under way; until it is there, nothing else can be said."""
        return self._turn is not None

    async def say(self, said: str, telling: Telling, **fields: Any) -> dict[str, Any] | None:
        """One turn, of a `TurnBody` with these fields; `said` is what the history calls it.

        Returns:
            The answer of `POST …/turns`; None where the turn was stopped or refused, which `telling` then says.
        """
        body = TurnBody.model_validate(fields | {"history": self._history})
        self._turn = self._visit.begin_turn(body, telling.tell)
        self._on_change()
        try:
            outcome = await self._turn
        except asyncio.CancelledError:
            telling.add("(stopped; nothing was changed)")
            return None
        except (RequestError, TooManyTurns) as error:
            telling.refuse(str(error))
            return None
        finally:
            self._turn = None
            self._on_change()
        self._history.append(HistoryEntry(message=said, output=telling.text))
        return outcome

    def stop(self) -> None:
        """Ends the turn that is under way."""
        if self._turn is not None:
            self._turn.cancel()

    def forget(self) -> None:
        """Begins anew."""
        self.stop()
        self._history.clear()
