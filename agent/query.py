"""What passages are looked for: the message, and what it is about without saying so."""

from typing import Any

from agent.request import TurnContext
from arrow_project import ArrowProject

# The fields of a node that are read in the story; the rest are ids and settings.
_SPOKEN = ("title", "content", "lines", "monolog", "actions", "prompt", "plaque", "label")
# A selection may be a whole scene; more than this would drown the message.
_MAX_CHARACTERS = 600


def build_query(message: str, context: TurnContext) -> str:
    """The query for a turn: the message, who speaks and what is said in the selected nodes, the open scene's name.

    "Make her angrier" finds nothing by itself.
    """
    if context.project is None:
        return message
    texts = [text for node_id in context.selected_node_ids for text in _node_texts(context.project, node_id)]
    scene = context.project.document.scenes.get(context.scene_id) if context.scene_id is not None else None
    # Arrow's made-up names, scene_4f, say nothing.
    if scene is not None and texts and not str(scene["name"]).startswith(("scene_", "macro_")):
        texts.append(str(scene["name"]))
    return f"{message} {' '.join(texts)[:_MAX_CHARACTERS]}".strip()


def _node_texts(project: ArrowProject, node_id: int) -> list[str]:
    node = project.document.nodes.get(node_id)
    if node is None:
        return []
    data: dict[str, Any] = node["data"]
    speaker = project.document.characters.get(data.get("character", -1))
    spoken = [text for name in _SPOKEN for text in _strings(data.get(name))]
    return [*([str(speaker["name"])] if speaker else []), *spoken]


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [text for text in value if isinstance(text, str)] if isinstance(value, list) else []
