"""Operations on scenes, macros and entries."""

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.names import unique
from arrow_project.node_types.kinds import mismatch, own_name, own_text
from arrow_project.operations.detaching import in_use, release
from arrow_project.operations.editing import Editing
from arrow_project.operations.function import Function, function, schema
from arrow_project.project_data import ProjectData
from arrow_project.values import Record, integer, shown

_SCENE: Record = {"type": ["integer", "string"], "description": "id, or current for the open scene"}
_NODE: Record = {"type": ["integer", "string"], "description": "id, or a word such as last_created"}


def _create_scene(editing: Editing, arguments: Record) -> Record:
    is_macro = arguments.get("is_macro", False)
    if not isinstance(is_macro, bool):
        raise mismatch(f'"is_macro" must be true or false, not {shown(is_macro)}.')
    scene_id, entry_id = editing.mind.create_scene(is_macro, own_name(arguments.get("name", "")))
    notes = own_text("notes", arguments.get("notes", ""))
    if notes:
        # a scene's description is the notes of its entry
        editing.mind.update_node(entry_id, notes=notes)
    name = editing.project.name("scene", scene_id)
    editing.created.append(entry_id)
    return {"scene_id": scene_id, "entry_node_id": entry_id, "name": name}


def _update_scene(editing: Editing, arguments: Record) -> Record:
    scene_id = editing.find("scene", arguments["scene_id"])
    project = editing.project
    name = own_name(arguments.get("name", ""))
    if name and name != project.name("scene", scene_id):
        editing.mind.update_scene(scene_id, unique(name, project.scene_names().__contains__))
    if "notes" in arguments:
        entry = editing.scene_entry(scene_id)
        editing.mind.update_node(entry, notes=own_text("notes", arguments["notes"]))
    return {"scene_id": scene_id, "name": project.name("scene", scene_id)}


def _delete_scene(editing: Editing, arguments: Record) -> Record:
    scene_id = editing.find("scene", arguments["scene_id"])
    project = editing.project
    _protect_scene(editing, scene_id)
    force = arguments.get("force") is True
    inside = project.scene_map(scene_id)
    macro_users = [n for n in project.usage.users("scene", scene_id) if n not in inside]
    used = {n: [u for u in project.usage.users("node", n) if u not in inside] for n in inside}
    everyone = sorted({*macro_users, *(u for users in used.values() for u in users)})
    if everyone and not force:
        raise in_use(editing, "scene", scene_id, everyone)
    release(editing, "scene", scene_id, force=True, users=macro_users)
    for node_id, users in used.items():
        release(editing, "node", node_id, force=True, users=users)
    return {"removed_id": scene_id, "removed_nodes": editing.mind.delete_scene(scene_id)}


def _protect_scene(editing: Editing, scene_id: int) -> None:
    project = editing.project
    if project.entry in project.scene_map(scene_id):
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Scene {scene_id} holds the project's entry, node {project.entry}. First set_project_entry to a node of "
            "another scene.",
        )
    if editing.selection.scene_id == scene_id:
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Scene {scene_id} is open in the editor, and Arrow does not remove it. Open another one first.",
        )


def _set_scene_entry(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    scene_id = editing.owner(node_id)
    previous = editing.project.scenes[scene_id]["entry"]
    if previous != node_id:
        editing.mind.set_scene_entry(node_id, scene_id)
    return {"node_id": node_id, "scene_id": scene_id, "previous_entry": integer(previous)}


def _set_project_entry(editing: Editing, arguments: Record) -> Record:
    node_id = editing.find("node", arguments["node_id"])
    scene_id = editing.owner(node_id)
    project: ProjectData = editing.project
    if project.is_macro(scene_id):
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Node {node_id} is in macro {scene_id}; the story must begin in an ordinary scene. Name a node of one.",
        )
    previous = project.entry
    if previous != node_id:
        editing.mind.set_project_entry(node_id)
    return {"node_id": node_id, "previous_entry": previous}


FUNCTIONS: tuple[Function, ...] = (
    function(
        "create_scene",
        _create_scene,
        "Make a new scene (or a macro: a scene that macro_use nodes play and return from) with its entry node.",
        schema(
            {
                "name": {"type": "string"},
                "is_macro": {"type": "boolean", "default": False},
                "notes": {"type": "string", "description": "the scene's description"},
            }
        ),
    ),
    function(
        "update_scene",
        _update_scene,
        "Rename a scene or change its description.",
        schema(
            {"scene_id": _SCENE, "name": {"type": "string"}, "notes": {"type": "string"}},
            "scene_id",
        ),
    ),
    function(
        "delete_scene",
        _delete_scene,
        "Remove a scene with all its nodes. Refused for the scene where the project begins and for the open scene; if "
        "nodes elsewhere jump into it or use it as a macro, only with force.",
        schema(
            {"scene_id": _SCENE, "force": {"type": "boolean", "default": False}},
            "scene_id",
        ),
        destructive=True,
        aliases={"forced": "force"},
        asks_for_users=True,
    ),
    function(
        "set_scene_entry",
        _set_scene_entry,
        "Let a node's scene begin at that node.",
        schema({"node_id": _NODE}, "node_id"),
    ),
    function(
        "set_project_entry",
        _set_project_entry,
        "Let the whole story begin at a node of an ordinary scene.",
        schema({"node_id": _NODE}, "node_id"),
    ),
)
