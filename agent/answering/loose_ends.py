"""Nodes that were made and that nothing leads to."""

from collections.abc import Iterable

from arrow_project import ArrowProject, Story

_SHOWN = 12


def unreached(project: ArrowProject, node_ids: Iterable[int]) -> list[int]:
    """Those of the nodes that no connection, no jump and no beginning of a scene leads to."""
    wanted = list(dict.fromkeys(node_ids))
    loose = {node.id for node in Story(project).loose} if wanted else set[int]()
    return [key for key in wanted if key in loose]


def remark_for_the_model(project: ArrowProject, node_ids: list[int]) -> str:
    """What the model is told before it may end."""
    shown = ", ".join(f"{key} ({project.data.nodes[key]['type']})" for key in node_ids[:_SHOWN])
    return (
        f"Nothing leads to these nodes that you created: {shown}. They would never be played. Connect them with "
        "create_connection if the user wants them in the story; if they are meant to stand alone, say so in one "
        "sentence."
    )
