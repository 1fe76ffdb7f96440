"""A message becomes text and operations: the turn, its prompt, its tools and the models."""

from agent.answering.answer import ModelAnswerer
from agent.answering.answerer import Answerer
from agent.answering.planned_answer import LOCAL, LocalPlanner
from agent.editing.editor import Editor, Failure, InMemoryEditor, Outcome
from agent.models.failures import ModelNotAvailable
from agent.models.models import NoAnswerer, open_answerer
from agent.prompt.quoting import MATERIAL, inert, quoted_lines, quoted_name
from agent.questions.confirmation import ConfirmationPolicy, describe
from agent.questions.pending import Origin, PendingQuestion, PendingStore
from agent.questions.reply import read_reply
from agent.reading.citations import Citations
from agent.reading.reading_tools import READING_TOOLS, ReadingTool, TurnReader
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
from agent.turn.thread import Threads, ask_store, in_thread, working_in
from agent.turn.turn import Assistant, Turn

__all__ = [
    "LOCAL",
    "MATERIAL",
    "READING_TOOLS",
    "Answerer",
    "Asked",
    "Assistant",
    "Citation",
    "Citations",
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
    "ReadingTool",
    "Suggested",
    "Suggestion",
    "TextChunk",
    "TextFinished",
    "Threads",
    "Timings",
    "Turn",
    "TurnContext",
    "TurnReader",
    "TurnRequest",
    "Usage",
    "ask_store",
    "describe",
    "in_thread",
    "inert",
    "open_answerer",
    "quoted_lines",
    "quoted_name",
    "read_reply",
    "working_in",
]
