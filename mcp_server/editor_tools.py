"""The tool that tells which editors are connected."""

from agent import quoted_name
from mcp_server.tool import AssistantCall, Tool, ToolAnswer, closed
from server import OpenEditor
from server.socket.state import State

_NONE = (
    "No editor has a story open here. The user starts 'fletcher serve' and opens the story in an Arrow with Fletcher; "
    "or name an .arrow file as the story. A client that has not said its dialect is one once its user has sent a "
    "message."
)


async def _list(call: AssistantCall) -> ToolAnswer:
    open_now = call.services.editors.of(call.caller.workspace)
    fields = {"editors": [_fields(session) for session in open_now]}
    return ToolAnswer(fields, "\n".join(_line(session) for session in open_now) or _NONE)


def _fields(session: OpenEditor) -> dict[str, object]:
    return {
        "id": session.id,
        "client": session.client or session.dialect_name,
        "project": session.project_id,
        "open_scene": session.situation.scene_id,
        "selected_nodes": list(session.situation.selected_node_ids),
        "busy": session.state is not State.IDLE,
    }


def _line(session: OpenEditor) -> str:
    busy = ", busy" if session.state is not State.IDLE else ""
    client = quoted_name(session.client or session.dialect_name)
    return f"- {session.id}: {client} with project {session.project_id}{busy}"


EDITOR_TOOLS = (
    Tool("list_editors", "The Arrow editors that are connected, with the story that each has open.", closed({}), _list),
)
