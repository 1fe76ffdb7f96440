"""Nodes that were made and that nothing leads to."""

from collections.abc import Iterable

from arrow_project import ArrowProject

_NEEDS_NOTHING = ("entry", "frame")
_SHOWN = 12


def unreached(project: ArrowProject, node_ids: Iterable[int]) -> list[int]:
    """Those of the nodes that no connection, no jump and no beginning of a scene leads to."""
    document = project.document
    candidates = [key for key in dict.fromkeys(node_ids) if key in document.nodes]
    candidates = [key for key in candidates if document.nodes[key]["type"] not in _NEEDS_NOTHING]
    if not candidates:
        return []
    reached = {document.entry, *(scene["entry"] for scene in document.scenes.values())}
    reached |= {node["data"].get("target") for node in document.nodes.values() if node["type"] == "jump"}
    placed: set[int] = set()
    for scene_id, scene in document.scenes.items():
        placed |= scene["map"].keys()
        reached |= {way[2] for key in scene["map"] for way in document.outgoing(key, scene_id) if way[2] != key}
    return [key for key in candidates if key in placed and key not in reached]


def remark_for_the_model(project: ArrowProject, node_ids: list[int]) -> str:
    """What the model is told before it may end."""
    shown = ", ".join(f"{key} ({project.document.nodes[key]['type']})" for key in node_ids[:_SHOWN])
    return (
        f"Nothing leads to these nodes that you created: {shown}. They would never be played. Connect them with "
        "create_connection if the user wants them in the story; if they are meant to stand alone, say so in one "
        "sentence."
    )
