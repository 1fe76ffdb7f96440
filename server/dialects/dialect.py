"""What a dialect does: it says the events of a turn, and operations, in one kind of client's words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from agent import Event
from arrow_project import OperationResult

Frame = dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One function for the client to execute."""

    function: str
    arguments: dict[str, Any]


class Dialect(Protocol):
    """The wire form of one kind of client."""

    def turn_started(self) -> Iterator[Frame]:
        """What tells the client that its message is being worked on."""
        ...

    def event(self, event: Event) -> Iterator[Frame]:
        """What of an event the client is told."""
        ...

    def turn_ended(self) -> Iterator[Frame]:
        """What returns the client to idle; always the last frames of a turn."""
        ...

    def calls(self, applied: OperationResult) -> tuple[Call, ...]:
        """The calls that this client executes for one operation, in order."""
        ...

    def function_call(self, request_id: str, call: Call) -> Frame:
        """The frame that asks the client to execute `call`."""
        ...

    def say(self, text: str) -> Iterator[Frame]:
        """Text for the chat, in as many frames as the client's limit takes."""
        ...
