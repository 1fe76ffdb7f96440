"""Where turns are counted and written down: the one place that looks at their events for the operator."""

import asyncio
import json
import logging
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from agent import Asked, Cited, Ended, Event, Failed, OperationFinished, TurnRequest, read_reply
from arrow_project import OPERATIONS
from corpora import InvalidName, ProjectKey
from server.limits.turn_rate import TooManyTurns, TurnRate
from server.metrics import Metrics

logger = logging.getLogger("fletcher.turn")


class TurnRecord:
    """What of one turn is counted. It keeps numbers, names of functions and codes, and nothing that anybody wrote."""

    def __init__(self) -> None:
        self.outcome = "error"  # until it is known better
        self.code: str | None = None
        self.ended: Ended | None = None
        self.answer: str | None = None
        self.question: str | None = None
        self.calls: list[tuple[str, str]] = []  # function and result
        self.corrections: list[str] = []
        self.citations = 0

    def begin(self, request: TurnRequest) -> None:
        """Notes what is asked: whether it answers a question."""
        if request.pending_id is not None:
            self.answer = read_reply(request.message) or "other"

    def add(self, event: Event) -> None:
        """Notes one event."""
        match event:
            case OperationFinished(function=function, success=success, reached_editor=reached_editor):
                name = function if function in OPERATIONS else "unknown"  # a model may make up any
                if reached_editor:
                    self.calls.append((name, "ok" if success else "failed"))
                elif not success:
                    self.corrections.append(name)
            case Asked(kind=kind):
                self.question = kind
            case Cited(citations=citations):
                self.citations = len(citations)
            case Failed(failure=failure):
                self.code = failure.code
            case Ended():
                self.ended = event
                self.outcome = event.reason
            case _:
                pass

    def as_dict(self) -> dict[str, Any]:
        """The fields of the log line that come from the turn itself."""
        fields: dict[str, Any] = {
            "outcome": self.outcome,
            "code": self.code,
            "question": self.question,
            "answer": self.answer,
            "calls": len(self.calls),
            "calls_failed": sum(result == "failed" for _, result in self.calls),
            "corrections": len(self.corrections),
            "citations": self.citations,
        }
        if self.ended is not None:
            timings = self.ended.timings
            fields |= {
                "retrieval_s": round(timings.retrieval_s, 4),
                "model_s": round(timings.model_s, 4),
                "editor_s": round(timings.editor_s, 4),
            }
            fields |= vars(self.ended.usage)
        return fields


class TurnLedger:
    """Counts the turns of a server, and refuses those that are too many.

    Args:
        metrics: Where they are counted.
        rate: How many a workspace may begin.
    """

    def __init__(self, metrics: Metrics, rate: TurnRate) -> None:
        self._metrics = metrics
        self._rate = rate

    @contextmanager
    def turn(self, workspace: str, project_id: str, client: str) -> Generator[TurnRecord]:
        """A turn while the block runs; what it ends with, an exception too, is its outcome.

        Args:
            workspace: Whose turn it is.
            project_id: As the client sent it.
            client: The dialect, or `http`.

        Raises:
            TooManyTurns: The workspace has begun too many; this one is no turn and is only counted as refused.
        """
        try:
            self._rate.take(workspace)
        except TooManyTurns:
            self._metrics.refusals.labels("turns_per_minute").inc()
            raise
        record, began_at = TurnRecord(), perf_counter()
        try:
            with self._metrics.turns_under_way.track_inprogress():
                yield record
        except asyncio.CancelledError:
            record.outcome = "stopped"
            raise
        except Exception as error:
            record.outcome, record.code = "error", _code(error)
            raise
        finally:
            seconds = perf_counter() - began_at
            self._count(record, seconds)
            line = {
                "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
                "event": "turn",
                "workspace": workspace,
                "project_id": _printable(workspace, project_id),
                "client": client,
                "seconds": round(seconds, 4),
            }
            logger.info("%s", json.dumps(line | record.as_dict()))

    def _count(self, record: TurnRecord, seconds: float) -> None:
        metrics = self._metrics
        metrics.seconds.labels("total").observe(seconds)
        metrics.turns.labels(record.outcome).inc()
        for function, result in record.calls:
            metrics.calls.labels(function, result).inc()
        for function in record.corrections:
            metrics.corrections.labels(function).inc()
        if record.question is not None:
            metrics.questions.labels(record.question).inc()
        if record.answer is not None and record.code != "NOT_PENDING":
            metrics.answers.labels(record.answer).inc()
        if record.ended is not None:
            for stage in ("retrieval", "model", "editor"):
                metrics.seconds.labels(stage).observe(getattr(record.ended.timings, f"{stage}_s"))
            metrics.add_usage(record.ended.usage)


def _code(error: Exception) -> str:
    """Our own exceptions have codes in capitals; a library's may have anything."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and code.isupper() else "INTERNAL"


def _printable(workspace: str, project_id: str) -> str | None:
    """The project id if it is one; a client may send any text in its place."""
    try:
        return ProjectKey(workspace, project_id).project_id
    except InvalidName:
        return None
