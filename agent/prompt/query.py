"""What passages are looked for: the message, and what it is about without saying so; constants in docs/retrieval.md."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from agent.turn.request import TurnContext
from arrow_project import ArrowProject, texts_of

_EXPOSED = re.compile(r"\{([^{}.\s]{1,80})(?:\.[^{}]*)?\}")
# A message of this many words says by itself what it is about; what was said before would drown it.
_SPEAKS_FOR_ITSELF = 12
# How much of each part may stand in the query, in characters.
_MESSAGE = 2_000
_SELECTION = 600
_AROUND = 200
_NAMED = 5
# A scene may have thousands of nodes, and who speaks in the first hundreds is enough; a node may say megabytes.
_NODES_READ = 200
_CHARACTERS_READ = 2_000


class Query(NamedTuple):
    """What is looked for, and what it is said in, which tells where to look."""

    text: str
    open_scene: str


def build_query(message: str, context: TurnContext) -> Query:
    """The query for a turn.

    "Make her angrier" finds nothing by itself. What is selected always counts: who speaks there and what is said. A
    short message is also joined by what the user said before it. The open scene does not speak, it only surrounds: its
    name, and the characters and variables that are named there most. "Where was the king?" is then asked of the right
    story, and is not answered by whoever is named there most.
    """
    project = context.project
    message = message[:_MESSAGE]
    texts = (text for key in context.selected_node_ids for text in _node_texts(project, key)) if project else ()
    selected = [text[:_SELECTION] for text in islice(texts, _SELECTION)]
    parts = [message, " ".join(selected)[:_SELECTION]]
    if len(message.split()) <= _SPEAKS_FOR_ITSELF:
        parts.append(_said_before(context))
    text = " ".join(part for part in parts if part).strip()
    open_scene = " ".join(_scene_words(project, context, bool(selected)))[:_AROUND] if project else ""
    return Query(text or open_scene, open_scene)


def _said_before(context: TurnContext) -> str:
    """The user's last words before this message; what was answered would lead to the same passages again."""
    said = next((exchange.message for exchange in reversed(context.history) if exchange.message.strip()), "")
    return said[:_AROUND]


def _scene_words(project: ArrowProject, context: TurnContext, anything_selected: bool) -> list[str]:
    """The open scene's name; without a selection also who and what is named in it."""
    scene = project.data.scenes.get(context.scene_id) if context.scene_id is not None else None
    if scene is None:
        return []
    # Arrow's made-up names, scene_4f, say nothing.
    name = str(scene["name"])
    words = [] if name.startswith(("scene_", "macro_")) else [name]
    return words if anything_selected else words + _named_most(project, list(scene["map"])[:_NODES_READ])


def _named_most(project: ArrowProject, node_ids: Iterable[int]) -> list[str]:
    counted: Counter[str] = Counter()
    for node_id in node_ids:
        node = project.data.nodes.get(node_id)
        if node is not None:
            counted.update(set(_names(project, node["data"])))
    return [name for name, _ in counted.most_common(_NAMED)]


def _names(project: ArrowProject, data: dict[str, Any]) -> Iterator[str]:
    """Characters and variables that a node uses: by id, or between braces in its texts."""
    tables = (("character", project.data.characters), ("variable", project.data.variables))
    for field, table in tables:
        used = table.get(data.get(field, -1)) if isinstance(data.get(field), int) else None
        if used is not None:
            yield str(used["name"])
    for text in _read(data):
        yield from _EXPOSED.findall(text)


def _node_texts(project: ArrowProject, node_id: int) -> list[str]:
    node = project.data.nodes.get(node_id)
    if node is None:
        return []
    data: dict[str, Any] = node["data"]
    return [*dict.fromkeys(_names(project, data)), *_read(data)]


def _read(data: dict[str, Any]) -> Iterator[str]:
    """As much of what a node says as is looked at."""
    left = _CHARACTERS_READ
    for text in texts_of(data):
        yield text[:left]
        left -= len(text)
        if left <= 0:
            return
