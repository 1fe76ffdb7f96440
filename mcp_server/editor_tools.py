"""The tool that tells which editors are connected."""

from agent import quoted_name
from mcp_server.tool import AssistantCall, Tool, ToolAnswer, closed
from server import OpenEditor
from server.socket.state import State

# Of all editors together: a workspace may have hundreds of them, each with thousands of selected nodes.
_MOST_SELECTED = 2_000
_LONGEST_CLIENT = 100
_NONE = (
    "No editor has a story open here. The user starts 'fletcher serve' and opens the story in an Arrow with Fletcher; "
    "or name an .arrow file as the story. A client that has not said its dialect is one once its user has sent a "
    "message."
)


async def _list(call: AssistantCall) -> ToolAnswer:
    open_now = call.services.editors.of(call.caller.workspace)
    selected_of_each = _MOST_SELECTED // max(len(open_now), 1)
    fields = {"editors": [_fields(session, selected_of_each) for session in open_now]}
    return ToolAnswer(fields, "\n".join(_line(session) for session in open_now) or _NONE)


def _fields(session: OpenEditor, most_selected: int) -> dict[str, object]:
    selected = session.situation.selected_node_ids
    return {
        "id": session.id,
        "client": _client(session),
        "project": session.project_id,
        "open_scene": session.situation.scene_id,
        "selected_nodes": list(selected[:most_selected]),
        "selected_count": len(selected),
        "busy": session.state is not State.IDLE,
    }


def _line(session: OpenEditor) -> str:
    busy = ", busy" if session.state is not State.IDLE else ""
    return f"- {session.id}: {quoted_name(_client(session))} with project {session.project_id}{busy}"


def _client(session: OpenEditor) -> str:
    return (session.client or session.dialect_name)[:_LONGEST_CLIENT]


EDITOR_TOOLS = (
    Tool("list_editors", "The Arrow editors that are connected, with the story that each has open.", closed({}), _list),
)
