"""Messages and their answers: one turn after the other, each of which can be stopped."""

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from agent import Citation
from corpora import CorpusError
from server import RequestError, TurnBody
from server.http.turn_routes import HistoryEntry
from server.limits.turn_rate import TooManyTurns
from server.problems import first_problems
from workbench.asking.kept_conversation import Exchange, KeptConversation
from workbench.asking.telling import Telling
from workbench.visit import Visit


class Conversation:
    """What has been said on one tab of a page, in the project that is shown.

    Args:
        visit: The page, which stops the turn that is under way when it is gone.
        tab: Which tab it is.
        on_change: Called when it is busy, or an answer under way, and when that is not so any more.
        on_recall: Gets what was said before the page was loaded.
        about: Returns what else than the project it is about.

    Attributes:
        is_busy: Until what was said is answered and shown, nothing else can be said.
    """

    def __init__(
        self,
        visit: Visit,
        tab: str,
        on_change: Callable[[], None],
        on_recall: Callable[[list[Exchange]], None],
        about: Callable[[], str] = str,
    ) -> None:
        self._visit = visit
        self._tab = tab
        self._on_change = on_change
        self._on_recall = on_recall
        self._about = about
        self.is_busy = False
        self._exchanges: list[Exchange] = []
        self._kept = KeptConversation(self._recall)
        self._turn: asyncio.Task[dict[str, Any]] | None = None

    @property
    def is_running(self) -> bool:
        """Whether an answer is under way that can be stopped."""
        return self._turn is not None

    @contextmanager
    def busy(self) -> Generator[None]:
        """Meanwhile nothing else is begun: what it is about stays as it is, and clicks are nobody's tasks."""
        self.is_busy = True
        self._on_change()
        try:
            with self._visit.busy():
                yield
        finally:
            self.is_busy = False
            self._on_change()

    async def say(self, said: str, telling: Telling, **fields: Any) -> dict[str, Any] | None:
        """One turn, of a `TurnBody` with these fields; `said` is what the history calls it.

        Returns:
            The answer of `POST …/turns`; None where the turn was stopped or refused, which `telling` then says.
        """
        exchanges = self._exchanges  # what comes of it is not said of another project
        history = [HistoryEntry(message=one.said, output=one.answer) for one in exchanges if not one.is_search]
        try:
            body = TurnBody.model_validate(fields | {"history": history})
        except ValidationError as error:  # as of a form in which more is written than a function takes
            problems = first_problems(error.errors(include_url=False, include_context=False, include_input=False))
            telling.refuse(f"Nothing was changed: {problems}.")
            return None
        self._turn = self._visit.begin_turn(body, telling.tell)
        self._on_change()
        try:
            outcome = await self._turn
        except asyncio.CancelledError:
            telling.add("(stopped; nothing was changed)")
            return None
        except (RequestError, TooManyTurns, CorpusError) as error:
            telling.was_postponed = not isinstance(error, RequestError)
            telling.refuse(str(error))
            return None
        finally:
            self._turn = None
            self._on_change()
        exchanges.append(Exchange(said, telling.text, tuple(telling.citations), is_open=telling.asked is not None))
        return outcome

    def add_search(self, query: str, remark: str, found: Sequence[Citation]) -> None:
        """What was searched for is there again as well."""
        self._exchanges.append(Exchange(query, remark, tuple(found), is_search=True))
        self.keep()

    def keep(self) -> None:
        """Lets the browser keep what has been said, of what it is about now; the page keeps no more either."""
        self._exchanges = self._kept.keep(self._name, self._about(), self._exchanges)

    def recall(self) -> None:
        """Asks the browser for what it has kept."""
        self._kept.read(self._name, self._about())

    @property
    def _name(self) -> str:
        return f"fletcher/{self._tab}/{self._visit.workspace}/{self._visit.project}"  # no name has a slash

    def _recall(self, exchanges: list[Exchange]) -> None:
        if not self._exchanges and not self.is_running:
            self._exchanges = exchanges
            self._on_recall(exchanges)

    def stop(self) -> None:
        """Ends the turn that is under way."""
        if self._turn is not None:
            self._turn.cancel()

    def forget(self) -> None:
        """Begins anew; whoever still works on what is stopped keeps nothing from being recalled."""
        self.stop()
        self._turn = None
        self._exchanges = []
