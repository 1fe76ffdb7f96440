"""Which story a call is about."""

from pathlib import Path

from agent import look_at_drive
from mcp_server.allowed_paths import AllowedPaths
from mcp_server.projects import PROJECT, project_of
from mcp_server.stories import EditableStory, EditorStory, FileStory
from mcp_server.tool import AssistantCall, ToolError
from server import OpenEditor

STORY = {
    "type": "string",
    "maxLength": 4096,
    "description": "an .arrow file, or an editor's id; default: the one that is open",
}
ABOUT = {"story": STORY, "project": PROJECT}
"""What a tool of stories takes beside its own: which story, and whose documents go with it."""

_SUFFIX = ".arrow"
_FIRST_PROJECT = "1"  # as on the command line
_NONE = "there is none; a client that has not said its dialect is one once its user has sent a message"


async def story_of(call: AssistantCall) -> EditableStory:
    """The story that the call names, the one that the assistant was started for, or that of the only editor.

    Raises:
        ToolError: None of these is there, or it may not be read.
    """
    caller, editors = call.caller, call.services.editors
    named: str | None = call.arguments.get("story")
    if named is None and caller.file is not None:
        named = str(caller.file)
    open_now = editors.of(caller.workspace)
    if named is None and len(open_now) == 1:
        return _in_editor(call, open_now[0])
    if named is None:
        known = ", ".join(f"{one.id} (project {one.project_id})" for one in open_now) or _NONE
        raise ToolError(
            "STORY_NEEDED",
            f"Name the story in 'story': the path of an .arrow file, or an editor of list_editors ({known}).",
        )
    if (editor := editors.get(caller.workspace, named)) is not None:
        return _in_editor(call, editor)
    return await _file(call, named)


def _in_editor(call: AssistantCall, editor: OpenEditor) -> EditorStory:
    project = call.arguments.get("project") or editor.project_id
    if project != editor.project_id:
        raise ToolError(
            "INVALID_ARGUMENTS",
            f"The story in editor {editor.id} is of project {editor.project_id}, not {project}. Leave 'project' out.",
        )
    return EditorStory(editor, call.services)


async def _file(call: AssistantCall, named: str) -> FileStory:
    path, folder = await look_at_drive(_found, call, named)
    return FileStory(path, folder, await project_of(call, _FIRST_PROJECT), call.files, call.services)


def _found(call: AssistantCall, named: str) -> tuple[Path, Path]:
    """As `AllowedPaths.admit`, for stories alone; on a drive that hangs it waits as for a store."""
    path, folder = AllowedPaths(call.services.roots, call.caller).admit(named)
    if path.suffix.lower() != _SUFFIX or not path.is_file():
        raise ToolError("NOT_A_STORY", f"{named} is not an {_SUFFIX} file; add_documents reads documents.")
    return path, folder
