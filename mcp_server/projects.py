"""Which project's documents a call is about."""

from functools import partial

from corpora import ProjectKey
from mcp_server.tool import AssistantCall, ToolError

PROJECT = {"type": "string", "description": "project id; needed only where there are several"}
_NAMED = 20


async def project_of(call: AssistantCall, otherwise: str | None = None) -> ProjectKey:
    """The project that the call names, the one that the assistant was started for, or the only one there is.

    Args:
        call: The call.
        otherwise: The project where there is none yet.

    Raises:
        ToolError: There are several, or none.
    """
    named = call.arguments.get("project") or call.caller.project
    if named is not None:
        return ProjectKey(call.caller.workspace, str(named))
    workspace, editors = call.caller.workspace, call.services.editors
    known = await call.services.asking.run(workspace, partial(call.services.catalog.projects, workspace))
    open_now = {editor.project_id for editor in editors.of(workspace)}
    candidates = open_now if len(open_now) == 1 else {*known, *open_now}
    if len(candidates) == 1:
        return ProjectKey(workspace, candidates.pop())
    if not candidates and otherwise is not None:
        return ProjectKey(workspace, otherwise)
    if not candidates:
        raise ToolError(
            "PROJECT_NOT_FOUND",
            "There is no project yet. Name one in 'project', such as \"1\", and add documents to it.",
        )
    names = ", ".join(sorted(candidates)[:_NAMED])
    raise ToolError("PROJECT_NEEDED", f"There are several projects: {names}. Name one in 'project'.")
