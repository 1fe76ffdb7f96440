"""What starts a turn, and what a turn knows while it runs."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.editing.unread import Unread
from agent.questions.confirmation import ConfirmationPolicy
from arrow_project import ArrowProject, GoOn, Loss, Operation
from retrieval import CitedPassage, Document, ProjectKey, Relevance


@dataclass(frozen=True)
class Exchange:
    """One earlier message of the user and what was answered; either may be empty."""

    message: str
    output: str


@dataclass(frozen=True)
class TurnRequest:
    """A user's message and the state it was written in.

    Attributes:
        key: The project whose documents are searched; None when the client has no project open.
        message: The user's words; may be empty when `function` is given.
        project: The story as the client has it; None when the client has not sent any.
        history: Earlier exchanges, oldest first.
        selected_node_ids: What the user has selected in the editor, the first selected first.
        scene_id: The open scene; None means the scene of the project's entry.
        function: One operation to execute without a model, with `function_params`.
        operations: Operations to execute without a model, all or none; `created_1` in the arguments of a later one is
            the id of what the first has created.
        pending_id: The question that `message` answers.
        may_mean_another: It may as well answer one that was open before that: a yes is asked for once more.
        confirm: When to ask before an operation is executed.
        being_read: Documents of the project that are being taken in and cannot be searched yet, by name.
        plan: Run everything on a copy and ask before the editor is touched.
        characters: How long the story's text is, where somebody has counted.
        taken: What assistants of the user's own have taken away unasked in this story: each of their calls is a turn,
            and any number of them follow from one message of the user, so it counts on over them until a yes.
        by_assistant: It is the turn of such an assistant.
        may_undo: An assistant's turn, which it may take back unasked, by the id of what is kept from before it.
        is_outdated: The user has another story before their eyes, which cannot be read: nothing of it is taken away.
        unread: Stories that the client shows by now: nothing is asked of its editor before they are known.
    """

    key: ProjectKey | None
    message: str
    project: ArrowProject | None
    history: tuple[Exchange, ...] = ()
    selected_node_ids: tuple[int, ...] = ()
    scene_id: int | None = None
    function: str | None = None
    function_params: dict[str, Any] = field(default_factory=dict[str, Any])
    operations: tuple[Operation, ...] = ()
    pending_id: str | None = None
    may_mean_another: bool = False
    confirm: ConfirmationPolicy = "destructive"
    being_read: tuple[str, ...] = ()
    plan: bool = False
    characters: int = sys.maxsize
    taken: set[Loss] = field(default_factory=set[Loss])
    by_assistant: bool = False
    may_undo: str = ""
    is_outdated: bool = False
    unread: Unread = field(default_factory=Unread)


def _on() -> None:
    """Somebody wants the answer."""


@dataclass
class TurnContext:
    """What prompt, tools and planner read of a running turn; `project` is the shadow of the client's story.

    `planned` are the operations that the planner without weights is about to call: they are asked about as one.
    `characters` is at least the length of the story's text, where somebody has counted. The planner calls `go_on` with
    each operation that it tries; it raises once nobody wants the answer any more.
    """

    project: ArrowProject | None
    scene_id: int | None
    selected_node_ids: tuple[int, ...]
    history: tuple[Exchange, ...]
    passages: tuple[CitedPassage, ...] = ()
    documents: Sequence[Document] = ()
    being_read: tuple[str, ...] = ()
    text_only: bool = False  # the passages were found without vectors, which are away
    relevance: Relevance | None = None  # whether the documents answer the message; None if they were not asked
    planned: tuple[Operation, ...] = ()
    characters: int = sys.maxsize
    go_on: GoOn = _on


NO_STORY = TurnContext(None, None, (), ())
"""What is read of the documents alone."""
