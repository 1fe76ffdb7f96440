"""What a dialect is: how the events of a turn, and operations, are said in one kind of client's words."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from agent import Event, Failure, TextFinished, Usage
from arrow_project import ArrowProject, Operation, OperationResult
from ingest import IngestReport
from server.socket.reports import in_words

Frame = dict[str, Any]

EndReason = Literal["done", "question", "stopped", "error"]

# Godot's WebSocketPeer takes 65,535 bytes unless told otherwise, and a longer frame breaks the connection silently.
MAX_FRAME_BYTES = 60_000


@dataclass(frozen=True)
class Client:
    """What a client has said of itself.

    Attributes:
        capabilities: Of `batch`, `confirm`, `progress`, `citations`, `offset`, `preview`, those it declared.
        max_frame_bytes: The longest frame it takes, counted after escaping to ASCII.
    """

    capabilities: frozenset[str] = frozenset()
    max_frame_bytes: int = MAX_FRAME_BYTES


_ANY_CLIENT = Client()


@dataclass(frozen=True)
class Call:
    """One function for the client to execute.

    Attributes:
        created: The ids that the client is expected to give to what the call creates (of a scene: scene, entry).
    """

    function: str
    arguments: dict[str, Any]
    created: tuple[int, ...] = ()


@dataclass(frozen=True)
class View:
    """What the client's editor shows when an operation is lowered.

    Attributes:
        project: The shadow, with the operation applied.
        scene_id: The open scene; None where the client has not said.
        content: What the client has last reported, as it wrote it; None where it reports nothing.
    """

    project: ArrowProject
    scene_id: int | None = None
    content: str | None = None


class CannotExecute(Exception):
    """This client cannot execute an operation, and nothing of it was tried."""

    def __init__(self, message: str, code: str = "PERMISSION_DENIED") -> None:
        super().__init__(message)
        self.failure = Failure(code, message)


class Dialect(ABC):
    """The wire form of one kind of client, and what of a turn has been said in it so far.

    Attributes:
        rolls_back: Whether the client undoes the whole turn by itself when it sends `stop`.
        longest_sent: The longest frame that the client can send, in bytes; None where that is not known.
        client: What the client has said of itself.
    """

    rolls_back: ClassVar[bool]
    longest_sent: ClassVar[int | None] = None

    def __init__(self, client: Client = _ANY_CLIENT) -> None:
        self.client = client

    @abstractmethod
    def turn_started(self, turn_id: str, /) -> Iterator[Frame]:
        """What tells the client that its message is being worked on."""

    def guest_started(self, turn_id: str, name: str, doing: str, /) -> Iterator[Frame]:
        """What tells the client that an assistant called `name` works in its story from now on."""
        yield from self.turn_started(turn_id)
        yield from self.event(TextFinished(f"{name}: {doing}"))

    def story_request(self, _request_id: str, /) -> Iterator[Frame]:
        """What has the client show its story as it is now; nothing for one that cannot be asked."""
        yield from ()

    def undo_request(self, _request_id: str, _turn_id: str, /) -> Frame | None:
        """What has the client take its last turn back by itself, if it is that one; None where it cannot be asked."""
        return None

    @abstractmethod
    def event(self, event: Event) -> Iterator[Frame]:
        """What of an event the client is told."""

    @abstractmethod
    def turn_ended(self, reason: EndReason, usage: Usage, /) -> Iterator[Frame]:
        """What returns the client to idle; always the last frames of a turn."""

    @abstractmethod
    def calls(self, applied: OperationResult, view: View) -> tuple[Call, ...]:
        """The calls that this client executes for one operation, in order.

        Raises:
            CannotExecute: It has no way to do it.
        """

    @abstractmethod
    def done(self, applied: OperationResult, calls: Sequence[Call], count: int, /) -> tuple[Operation, ...] | None:
        """What the first `count` calls of an operation have done, as operations; None where none says it."""

    def function_call(self, request_id: str, call: Call) -> Frame:
        """The frame that asks the client to execute `call`: flat, as most have it."""
        return {
            "type": "function_call",
            "request_id": request_id,
            "function": call.function,
            "arguments": call.arguments,
        }

    @property
    def takes_batches(self) -> bool:
        """Whether the client takes several calls in one frame."""
        return False

    def batch(self, _request_id: str, _calls: Sequence[Call], /) -> Frame | None:
        """The frame that asks for several calls at once; None where the client takes none."""
        return None

    @abstractmethod
    def say(self, text: str) -> Iterator[Frame]:
        """Text for the chat, in as many frames as the client's limit takes."""

    def error(self, failure: Failure) -> Iterator[Frame]:
        """What went wrong with a message or a turn."""
        yield from self.say(f"{failure.code}: {failure.message}")

    def corpus_progress(self, _document: str, _phase: str, _done: int, _total: int, /) -> Iterator[Frame]:
        """How far an upload is; nothing for clients that only take the report."""
        yield from ()

    def corpus_report(self, report: IngestReport) -> Iterator[Frame]:
        """What became of an upload."""
        yield from self.say(in_words(report))
