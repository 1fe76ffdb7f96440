"""The tab `Story`: a story is opened, looked at scene by scene, checked, and changed."""

import re
from functools import partial
from pathlib import Path

from nicegui import ui

from arrow_project import Finding, check, outline
from corpora.samples import SAMPLE
from workbench.change import ChangePanel
from workbench.continuity import ContinuityView
from workbench.graph import marks, scene_drawing
from workbench.graph_view import GraphView
from workbench.node_card import draw_node
from workbench.open_story import OpenStory
from workbench.story_drop import StoryDrop
from workbench.story_folders import StoryFolders
from workbench.visit import Visit

_NODE = re.compile(r"\bnode (\d+)")
_MOST_LINES = 200


class StoryPanel:
    """Shows the story that is open."""

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._files = StoryFolders(visit.services, visit.workspace)
        self._scene = 0
        self._drawn: object = None
        ui.label("Story").classes("title").props('role="heading" aria-level="1"')
        self._refusal = ui.label().props('role="alert"').classes("problem")
        with ui.row().classes("opening"):
            self._draw_opening()
        with ui.element("div").classes("beside") as self._whole:
            with ui.element("div").classes("main"):
                self._draw_main()
            ChangePanel(visit, self._files)
        self._whole.set_visibility(False)
        visit.story_changed.subscribe(self._refresh)

    def _draw_opening(self) -> None:
        StoryDrop(self._visit, self._open, self._refusal.set_text)
        ui.button("Open the sample story", on_click=self._open_sample).props("no-caps outline")
        pick = ui.button("Pick one on the server", on_click=self._list_files).props("no-caps outline")
        pick.set_visibility(self._files.has_folders)
        self._picked = ui.select([], label="Story on the server", on_change=self._open_picked).classes("wide")
        self._picked.props("dense outlined").set_visibility(False)

    def _draw_main(self) -> None:
        with ui.row().classes("line"):
            self._name = ui.label().classes("title")
            self._scenes = ui.select({}, label="Scene", on_change=self._choose_scene).props("dense outlined")
            self._nodes = ui.select({}, label="Go to node", with_input=True, on_change=self._choose_listed)
            self._nodes.props("dense outlined")
        self._graph = GraphView(self._choose_node)
        self._card = ui.column().classes("list")
        self._checks = ui.expansion("Checks").classes("folder")
        with ui.expansion("Outline").classes("folder"):
            self._outline = ui.label().classes("page-text")
            self._outline.props('tabindex="0" role="region" aria-label="Outline of the story"')
        self._continuity = ContinuityView(self._visit, self._choose_node)

    async def _open(self, story: OpenStory) -> None:
        self._refusal.set_text("")
        self._scene = story.scene_of_entry
        self._visit.open(story)

    async def _open_sample(self) -> None:
        data = SAMPLE.arrow_file.read_bytes()
        await self._open(await self._visit.compute(partial(OpenStory.dropped, SAMPLE.arrow_file.name, data)))

    async def _list_files(self) -> None:
        files = await self._visit.ask(self._files.found)
        self._picked.set_options([str(file) for file in files])
        self._picked.set_visibility(True)
        if not files:
            self._refusal.set_text("There is no .arrow file in the folders that FLETCHER_FOLDERS names.")

    async def _open_picked(self) -> None:
        if file := self._picked.value:
            await self._open(await self._visit.compute(partial(self._files.read, Path(file))))

    async def _refresh(self) -> None:
        """Shows the story, or its preview, from the scene on that was shown, or that is changed."""
        opened, preview = self._visit.story, self._visit.preview
        self._whole.set_visibility(opened is not None)
        self._card.clear()
        if opened is None:
            return
        shown = await self._visit.compute(lambda: opened.changed(preview.to_text())) if preview else opened
        marked = self._go_to_change(opened, shown) if preview else []
        story = shown.story
        if self._scene not in story.scenes:
            self._scene = shown.scene_of_entry
        self._name.set_text(f"{opened.name}{' (preview)' if preview else ''}")
        names = {scene.id: f"{scene.name}{' (macro)' if scene.is_macro else ''}" for scene in story.scenes.values()}
        self._scenes.set_options(names, value=self._scene)
        draw = partial(scene_drawing, shown.project, self._scene, opened.project if preview else None)
        drawing, drawn = await self._visit.compute(draw), (opened.name, self._scene)
        self._graph.draw(drawing, is_other_scene=drawn != self._drawn)
        self._drawn = drawn
        self._nodes.set_options({node.id: story.describe(node.id) for node in story.nodes_of(self._scene)}, value=None)
        self._outline.set_text(await self._visit.compute(partial(outline, shown.project, self._scene)))
        self._draw_checks(await self._visit.compute(partial(check, shown.project)))
        if marked:
            self._graph.show_node(marked[0])

    def _go_to_change(self, before: OpenStory, after: OpenStory) -> list[int]:
        """Shows a scene in which nodes are marked; returns these."""
        scenes: dict[int, list[int]] = {}
        for node_id in sorted(marks(before.project, after.project)):
            node = after.story.nodes.get(node_id) or before.story.nodes[node_id]
            scenes.setdefault(node.scene_id, []).append(node_id)
        shown = [scene_id for scene_id in scenes if scene_id in after.story.scenes]
        if shown and self._scene not in shown:
            self._scene = shown[0]
        return scenes.get(self._scene, [])

    async def _choose_scene(self) -> None:
        if self._scenes.value is not None and self._scenes.value != self._scene:
            self._scene = self._scenes.value
            await self._refresh()

    async def _choose_listed(self) -> None:
        if self._nodes.value is not None:
            await self._choose_node(self._nodes.value)

    async def _choose_node(self, node_id: int) -> None:
        """Goes to a node, also one of another scene, and says all about it."""
        opened = self._visit.story
        if opened is None:
            return
        project = self._visit.preview or opened.project
        story = opened.changed(project.to_text()).story if self._visit.preview else opened.story
        node = story.nodes.get(node_id)
        if node is None:
            return
        if node.scene_id != self._scene:
            self._scene = node.scene_id
            await self._refresh()
        self._card.clear()
        with self._card:
            draw_node(story, node, self._choose_node)
        self._graph.show_node(node_id)

    def _draw_checks(self, findings: list[Finding]) -> None:
        errors = sum(finding.severity == "error" for finding in findings)
        self._checks.set_text(f"Checks: {errors} broken rules, {len(findings) - errors} warnings")
        self._checks.clear()
        with self._checks, ui.column().classes("list"):
            if not findings:
                ui.label("Nothing to find fault with.")
            for finding in findings[:_MOST_LINES]:
                self._draw_finding(finding)

    def _draw_finding(self, finding: Finding) -> None:
        said = f"{finding.place}: {finding.message}"
        place = _NODE.search(finding.place) or _NODE.search(finding.message)
        if place is None:
            ui.label(said).classes("hint")
        else:
            button = ui.button(said, on_click=partial(self._choose_node, int(place[1])))
            button.props("flat no-caps dense align=left").classes("entry")
