"""What there is to see of a scene, made in one go and away from the event loop."""

from dataclasses import dataclass, field
from itertools import chain, islice
from sys import getsizeof

from arrow_project import Finding, GoOn, check, outline, shorten
from server.limits.story_size import size_of_findings
from workbench.frame.bounded import LONGEST_NAME, LONGEST_OUTLINE, MOST_NODES
from workbench.story.graph import marks, scene_drawing
from workbench.story.open_story import OpenStory


@dataclass(frozen=True)
class SceneView:
    """One scene of a story, or of its preview.

    Attributes:
        name: The story's.
        scene: Its id.
        scenes: The names of all scenes, by id.
        nodes: What its nodes are, by id.
        drawing: The scene as SVG.
        outline: The text that a model is shown of the story.
        findings: What the checks find in the whole story.
        marked: The nodes of the scene that the preview changes.
        left_out: How many of its nodes are not drawn, as they are too many.
        size: What a page keeps of it, in bytes of memory.
    """

    name: str
    scene: int
    scenes: dict[int, str]
    nodes: dict[int, str]
    drawing: str
    outline: str
    findings: list[Finding]
    marked: list[int]
    left_out: int
    size: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        texts = chain(self.scenes.values(), self.nodes.values(), (self.drawing, self.outline))
        size = sum(map(getsizeof, texts)) + size_of_findings(self.findings)
        object.__setattr__(self, "size", size)  # once: it is asked for whenever any page opens a story


def view_scene(before: OpenStory, preview: OpenStory | None, scene: int, go_on: GoOn) -> SceneView:
    """The scene, or where there is none of that id the one that the story begins with, or that the preview changes.

    `go_on` is called while the checks look at the story; what it raises ends them.
    """
    shown = preview or before
    changed = _changes(before, preview) if preview is not None else {}
    story = shown.story
    if changed and scene not in changed:
        scene = next((one for one in changed if one in story.scenes), scene)
    if scene not in story.scenes:
        scene = shown.scene_of_entry
    return SceneView(
        before.name,
        scene,
        {
            one.id: f"{shorten(one.name, LONGEST_NAME)}{' (macro)' if one.is_macro else ''}"
            for one in islice(story.scenes.values(), MOST_NODES)
        },
        {node.id: story.describe(node.id) for node in story.nodes_of(scene)[:MOST_NODES]},
        scene_drawing(shown, scene, before if preview is not None else None),
        outline(shown.project, scene, max_characters=LONGEST_OUTLINE),
        check(shown.project, go_on),
        changed.get(scene, []),
        max(0, len(story.nodes_of(scene)) - MOST_NODES),
    )


def _changes(before: OpenStory, after: OpenStory) -> dict[int, list[int]]:
    """The nodes that differ, by the scene that they are in; first what is there no more or not yet, then the rest."""
    scenes: dict[int, list[int]] = {}
    marked = marks(before.story, after.story)
    for node_id in sorted(marked, key=lambda key: (marked[key] == "changed", key)):
        node = after.story.nodes.get(node_id) or before.story.nodes[node_id]
        scenes.setdefault(node.scene_id, []).append(node_id)
    return scenes
