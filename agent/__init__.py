"""A message becomes text and operations: the turn, its prompt, its tools and the models."""

from agent.confirmation import ConfirmationPolicy, Pending, PendingStore
from agent.editor import Editor, Failure, InMemoryEditor, Outcome
from agent.events import (
    Asked,
    Citation,
    Cited,
    Ended,
    Event,
    Failed,
    OperationFinished,
    TextChunk,
    TextFinished,
    Usage,
)
from agent.models import LOCAL, ModelNotAvailable, ModelSource, open_model
from agent.request import Exchange, TurnContext, TurnRequest
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
    "Exchange",
    "Failed",
    "Failure",
    "InMemoryEditor",
    "ModelNotAvailable",
    "ModelSource",
    "OperationFinished",
    "Outcome",
    "Pending",
    "PendingStore",
    "TextChunk",
    "TextFinished",
    "Turn",
    "TurnContext",
    "TurnRequest",
    "Usage",
    "open_model",
]
