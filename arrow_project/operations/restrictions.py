"""What Arrow's canvas and inspectors forbid a node."""

from arrow_project.errors import ErrorCode, OperationError
from arrow_project.node_types import Part
from arrow_project.operations.editing import listed
from arrow_project.project_data import ProjectData


def check_part(project: ProjectData, part: Part, scene_id: int, node_id: int | None = None) -> None:
    """Refuse what could not be played: macros in macros, jumps that never end.

    Raises:
        OperationError: CIRCULAR_REFERENCE or PERMISSION_DENIED.
    """
    if part.type == "macro_use":
        _check_macro(project, part.data["macro"], scene_id)
    if part.type == "jump" and node_id is not None:
        _check_jump(project, node_id, part.data["target"])


def _check_macro(project: ProjectData, macro: int, scene_id: int) -> None:
    if macro == scene_id:
        raise OperationError(
            ErrorCode.CIRCULAR_REFERENCE, f"Macro {macro} cannot use itself; that would never end. Use a jump."
        )
    if project.is_macro(scene_id):
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Scene {scene_id} is a macro, and Arrow allows no macro_use in macros: it would not return. "
            "Use the macros one after the other in the calling scene.",
        )


def _check_jump(project: ProjectData, node_id: int, target: int) -> None:
    if target == node_id:
        raise OperationError(ErrorCode.CIRCULAR_REFERENCE, f"Jump {node_id} cannot jump to itself; name another node.")
    other = project.nodes.get(target, {})
    if other.get("type") == "jump" and project.data(target).get("target") == node_id:
        raise OperationError(
            ErrorCode.CIRCULAR_REFERENCE,
            f"Jump {target} jumps to {node_id}, so a jump back would never end; name another node.",
        )


def protect_entries(project: ProjectData, node_id: int) -> None:
    """Refuse to lose the place where the story or a scene begins.

    Raises:
        OperationError: PERMISSION_DENIED, with the way out.
    """
    if node_id == project.entry:
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Node {node_id} is the project's entry: the story begins there. First set_project_entry to another node.",
        )
    scenes = [s for s, scene in project.scenes.items() if scene["entry"] == node_id]
    if scenes:
        raise OperationError(
            ErrorCode.PERMISSION_DENIED,
            f"Node {node_id} is the entry of scene {listed(scenes)}. First set_scene_entry to another node of it.",
        )
