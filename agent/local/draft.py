"""The commands of one message, tried on a copy of the story: either all of them can be done, or none is."""

from typing import Any

from agent.editing.editor import OperationRefused
from agent.editing.validation import apply_checked
from agent.local.resolver import Resolver
from agent.local.steps import NotDone
from agent.questions.parameters import missing_parameters
from agent.turn.request import TurnContext
from arrow_project import ErrorCode, Operation, Selection, Story, left_of

_MOST_STEPS = 2_000  # of one message; each looks through the story
# What the steps of one message say together, in characters: each is told with all of it, and a step may give a tag by
# saying all tags.
_MOST_SAID = 2_000_000


class Incomplete(NotDone):
    """A command that lacks what only the user can say; `operation` is as far as it is known."""

    def __init__(self, operation: Operation) -> None:
        super().__init__("Something is missing in it.")
        self.operation = operation


class Draft:
    """The story as it becomes while the commands of one message are tried.

    Attributes:
        done: What was tried, in order, each with its result.
        told: What is said of it once it is done.
        last_created: The node that this message made last, of a scene its entry; None behind anything else.
    """

    def __init__(self, context: TurnContext) -> None:
        if context.project is None:
            raise NotDone("No Arrow project is open here, so nothing can be edited. Open one, or send its .arrow file.")
        self._project = context.project.copy()
        self._context = context
        self._story: Story | None = None
        self._exits: dict[int, int] = {}
        self._left_to_say = _MOST_SAID
        self.done: list[tuple[Operation, dict[str, Any]]] = []
        self.told: list[str] = []
        self.last_created: int | None = None

    @property
    def story(self) -> Story:
        """As it is after what was tried so far."""
        if self._story is None:
            self._story = Story(self._project)
        return self._story

    @property
    def refer(self) -> Resolver:
        """What words mean in it."""
        return Resolver(self.story, self._context.scene_id, self._context.selected_node_ids, self.last_created)

    def apply(self, function: str, **arguments: Any) -> dict[str, Any]:
        """Tries an operation; returns its result, which begins with the id of what it has made.

        Raises:
            NotDone: It would be refused, or it is `Incomplete`.
        """
        self.go_on()
        if len(self.done) >= _MOST_STEPS:
            raise NotDone(f"That takes more than {_MOST_STEPS:,} steps. Divide it into several messages or dialogues.")
        self._left_to_say = left_of(self._left_to_say, arguments)
        if self._left_to_say < 0:
            raise NotDone(f"That says more than {_MOST_SAID:,} characters in all. Divide it into several messages.")
        operation = Operation(function, arguments)
        if missing_parameters(operation):
            raise Incomplete(operation)
        try:
            result = apply_checked(self._project, operation, Selection()).result
        except OperationRefused as refused:
            in_use = refused.failure.code == ErrorCode.RESOURCE_IN_USE
            hint = " To do it all the same, add “by force”." if in_use else ""
            raise NotDone(f"{refused}{hint} ({refused.failure.code})") from refused
        self._story = None
        self.done.append((operation, result))
        return result

    def go_on(self) -> None:
        """Raises where the turn is stopped: between two steps of what takes long."""
        self._context.go_on()

    def create(self, function: str, **arguments: Any) -> int:
        """Tries an operation that makes something; returns the id of that."""
        self.last_created = None
        return int(next(iter(self.apply(function, **arguments).values())))

    def create_node(self, **arguments: Any) -> int:
        """Makes a node; what becomes several nodes in a row is left by the last of them."""
        result = self.apply("create_insert_node", **arguments)
        self.last_created = int(result["node_id"])
        self._exits[self.last_created] = int(result.get("last_node_id") or self.last_created)
        return self.last_created

    def exit_of(self, node_id: int) -> int:
        """The node that leads on from what was made as `node_id`."""
        return self._exits.get(node_id, node_id)

    def connect(self, from_id: int, from_slot: int, to_id: int, to_slot: int = 0) -> None:
        """Makes a connection; slots as the tools count them."""
        self.apply("create_connection", from_node_id=from_id, to_node_id=to_id, from_slot=from_slot, to_slot=to_slot)

    def cut(self, from_id: int, from_slot: int, to_id: int, to_slot: int) -> None:
        """Removes a connection."""
        self.apply("delete_connection", **{"from": from_id, "from_slot": from_slot, "to": to_id, "to_slot": to_slot})
