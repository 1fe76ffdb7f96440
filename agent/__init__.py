"""A message becomes text and operations: the turn, its prompt, its tools and the models."""

from agent.answer import ModelAnswerer
from agent.answerer import Answerer
from agent.confirmation import ConfirmationPolicy, describe
from agent.editor import Editor, Failure, InMemoryEditor, Outcome
from agent.events import (
    Asked,
    Citation,
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
from agent.fingerprint import fingerprint
from agent.models import ModelNotAvailable, open_answerer
from agent.pending import Origin, Pending, PendingStore
from agent.planned_answer import LOCAL, LocalPlanner
from agent.reply import read_reply
from agent.request import Exchange, TurnContext, TurnRequest
from agent.thread import in_thread
from agent.turn import Assistant, Turn

__all__ = [
    "LOCAL",
    "Answerer",
    "Asked",
    "Assistant",
    "Citation",
    "Cited",
    "ConfirmationPolicy",
    "Editor",
    "Ended",
    "Event",
    "EventSink",
    "Exchange",
    "Failed",
    "Failure",
    "InMemoryEditor",
    "LocalPlanner",
    "ModelAnswerer",
    "ModelNotAvailable",
    "OperationFinished",
    "Origin",
    "Outcome",
    "Pending",
    "PendingStore",
    "Suggested",
    "Suggestion",
    "TextChunk",
    "TextFinished",
    "Timings",
    "Turn",
    "TurnContext",
    "TurnRequest",
    "Usage",
    "describe",
    "fingerprint",
    "in_thread",
    "open_answerer",
    "read_reply",
]
