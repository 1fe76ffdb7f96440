"""A message becomes text and operations: the turn, its prompt, its tools and the models."""

from agent.confirmation import ConfirmationPolicy, describe, read_reply
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
from agent.models import LOCAL, ModelNotAvailable, ModelSource, open_model
from agent.pending import Origin, Pending, PendingStore
from agent.request import Exchange, TurnContext, TurnRequest
from agent.thread import in_thread
from agent.turn import Assistant, Turn

__all__ = [
    "LOCAL",
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
    "ModelNotAvailable",
    "ModelSource",
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
    "in_thread",
    "open_model",
    "read_reply",
]
