"""What the commands of one message work with: the story as it is now, and the tools."""

from typing import Any

from agent.local.context import PlanningContext
from agent.local.references import References
from agent.local.steps import Call, NotDone, Steps
from agent.local.story import Story

_HINTS = {"RESOURCE_IN_USE": " To do it all the same, add “by force” to the command."}


class Desk:
    """One message's workplace.

    Attributes:
        context: The running turn.
        last_created: The node that this message made last.
        remarks: What the tools remarked since the remarks were last told.
    """

    def __init__(self, context: PlanningContext) -> None:
        self.context = context
        self.last_created: int | None = None
        self.remarks: list[str] = []
        self._exits: dict[int, int] = {}

    def story(self) -> Story:
        """The project as it is now.

        Raises:
            NotDone: There is none.
        """
        if self.context.project is None:
            raise NotDone("No Arrow project is open here, so nothing can be edited. Open one, or send its .arrow file.")
        return Story(self.context.project)

    def references(self) -> References:
        """What words mean in the project as it is now."""
        return References(
            self.story(), self.context.scene_id, self.context.selected_node_ids, self.last_created, self._exits
        )

    def call(self, tool: str, arguments: dict[str, Any]) -> Steps[dict[str, Any]]:
        """Calls a tool; ends with its answer.

        Raises:
            NotDone: The tool refused; the message is the tool's own.
        """
        answer = (yield Call(tool, arguments)) or {}
        if "error" in answer:
            raise NotDone(refusal(answer["error"]))
        self.remarks += [str(remark) for remark in answer.get("remarks", ())]
        return answer

    def create_node(self, arguments: dict[str, Any]) -> Steps[int]:
        """Creates a node and remembers it; ends with its id.

        What the protocol has as one node may become several in Arrow, in a row; then it is left by the last one.
        """
        answer = yield from self.call("create_insert_node", arguments)
        node_id = created_id(answer)
        self.last_created = node_id
        if isinstance(last := answer.get("last_node_id"), int):
            self._exits[node_id] = last
        return node_id

    def exit_of(self, node_id: int) -> int:
        """The node that leads on from what was created as `node_id`."""
        return self._exits.get(node_id, node_id)

    def connect(self, from_id: int, from_slot: int, to_id: int, to_slot: int = 0) -> Steps[None]:
        """Connects two nodes; slots as the protocol counts them."""
        arguments = {"from_node_id": from_id, "to_node_id": to_id, "from_slot": from_slot, "to_slot": to_slot}
        yield from self.call("create_connection", arguments)


def created_id(answer: dict[str, Any]) -> int:
    """The id that a tool's answer begins with.

    Raises:
        NotDone: It has none.
    """
    for value in answer.values():
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    raise NotDone("The editor did not say which id the new part got, so nothing that depends on it was done.")


def refusal(error: Any) -> str:
    """A tool's error as a sentence."""
    if isinstance(error, dict):
        code, message = error.get("code", ""), str(error.get("message", "")).strip()
        hint = _HINTS.get(str(code), "")
        return f"{message or 'The editor refused it.'}{hint}" + (f" ({code})" if code else "")
    return str(error)
