"""What a conversation is: what the writer says and does, what the model answers, what must come of it."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from arrow_project import Operation
from tests.end_to_end.messages_api import Answer, Script, Text, ToolUse


@dataclass(frozen=True)
class Stop:
    """When the writer presses stop: once `value` calls are executed, once the chat shows `value`, or at the start."""

    when: Literal["calls", "text", "start"]
    value: Any = True


@dataclass(frozen=True)
class Turn:
    """One message of the writer.

    Attributes:
        message: What is typed.
        does: What Arrow does because of it, in order; what is refused is not among it.
        before: What the writer edits by hand before sending it.
        at_start: What the writer edits by hand when the server has begun to work on it.
        opens: The scene that is opened before that; None where it stays the same.
        select: Nodes that are selected on the canvas.
        stop: When stop is pressed.
        as_far_as_it_came: How much of `does` is done depends on when the stop arrives; the executed calls tell.
        clear: The chat is cleared first.
        shows: What the chat must show afterwards.
        hides: What it must not show.
        ends: Whether the turn ends; otherwise nothing may come within the patience.
        patience_s: How long its end is waited for.
    """

    message: str
    does: tuple[Operation, ...] = ()
    before: tuple[Operation, ...] = ()
    at_start: tuple[Operation, ...] = ()
    opens: int | None = None
    select: tuple[int, ...] = ()
    stop: Stop | None = None
    as_far_as_it_came: bool = False
    clear: bool = False
    shows: tuple[str, ...] = ()
    hides: tuple[str, ...] = ()
    ends: bool = True
    patience_s: int = 60


@dataclass(frozen=True)
class Conversation:
    """A conversation with one client.

    Attributes:
        name: Its row in the table.
        covers: What it is there for.
        start: The text of the document that the writer opens.
        answers: The model's answer to each of its requests; none may be left.
        turns: What the writer says.
        reads: What the model must have read, by the number of its request (from 0).
        any_requests: A stop decides how many of the answers are asked for.
        documents: Design documents of the project: names and texts.
    """

    name: str
    covers: str
    start: str
    answers: Script
    turns: tuple[Turn, ...]
    reads: Mapping[int, tuple[str, ...]] = field(default_factory=dict[int, tuple[str, ...]])
    any_requests: bool = False
    documents: Mapping[str, str] = field(default_factory=dict[str, str])


def op(function: str, **arguments: Any) -> Operation:
    """An operation of the protocol."""
    return Operation(function, arguments)


def calls(*operations: Operation, saying: Sequence[str] = ()) -> list[Text | ToolUse]:
    """A model's answer: a text, if any, and a tool call for each operation."""
    text = [Text(saying)] if saying else []
    return [*text, *(ToolUse(each.function, dict(each.arguments)) for each in operations)]


def says(*pieces: str) -> list[Text | ToolUse]:
    """A model's answer that is nothing but text."""
    return [Text(pieces)]


def by_message(answers: Mapping[str, Sequence[Answer]]) -> list[Callable[[dict[str, Any]], Answer]]:
    """A script for stops: what is answered depends on the message and on how far its turn has come.

    A turn that is stopped early leaves answers unasked, which must not shift those of the next one.
    """

    def answer(request: dict[str, Any]) -> Answer:
        messages: list[dict[str, Any]] = request["messages"]
        place, key = max((_last(messages, key), key) for key in answers)
        step = sum(message["role"] == "assistant" for message in messages[place:])
        return answers[key][step]

    return [answer] * sum(map(len, answers.values()))


def _last(messages: Sequence[dict[str, Any]], words: str) -> int:
    """Index of the last message of the user that says `words`; -1 if there is none."""
    said = [i for i, message in enumerate(messages) if message["role"] == "user" and words in json.dumps(message)]
    return said[-1] if said else -1
