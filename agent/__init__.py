"""A message becomes text and operations: the turn, its prompt, its tools and the models."""

from agent.answering.answer import ModelAnswerer
from agent.answering.answerer import Answerer
from agent.answering.planned_answer import LOCAL, LocalPlanner
from agent.editing.editor import Editor, Failure, InMemoryEditor, Outcome
from agent.models.failures import ModelNotAvailable
from agent.models.models import NoAnswerer, open_answerer
from agent.questions.confirmation import ConfirmationPolicy, describe
from agent.questions.pending import Origin, PendingQuestion, PendingStore
from agent.questions.reply import read_reply
from agent.turn.events import (
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
from agent.turn.request import Exchange, TurnContext, TurnRequest
from agent.turn.thread import Threads, in_thread, working_in
from agent.turn.turn import Assistant, Turn

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
    "NoAnswerer",
    "OperationFinished",
    "Origin",
    "Outcome",
    "PendingQuestion",
    "PendingStore",
    "Suggested",
    "Suggestion",
    "TextChunk",
    "TextFinished",
    "Threads",
    "Timings",
    "Turn",
    "TurnContext",
    "TurnRequest",
    "Usage",
    "describe",
    "in_thread",
    "open_answerer",
    "read_reply",
    "working_in",
]
