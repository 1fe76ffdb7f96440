"""The tab `Story`: a story is opened, looked at scene by scene, checked, and changed."""

from nicegui import ui

from server import RequestError
from workbench.changing.panel import ChangePanel
from workbench.documents.place import PlaceView
from workbench.frame.long_select import LongSelect
from workbench.story.checks import ChecksView
from workbench.story.continuity import ContinuityView
from workbench.story.folders import StoryFolders
from workbench.story.graph_view import GraphView
from workbench.story.node_card import draw_node
from workbench.story.open_story import OpenStory
from workbench.story.opening import Opening
from workbench.story.scene_view import SceneView, view_scene
from workbench.visit import Visit

_NOT_DRAWN = "This cannot be drawn. Take the last change back, discard the preview, or choose another scene."


class _Outdated(Exception):
    """Nobody looks at that any more."""


class StoryPanel:
    """Shows the story that is open.

    Attributes:
        place: Where a page of the documents is shown beside it.
    """

    def __init__(self, visit: Visit) -> None:
        self._visit = visit
        self._shown = visit.shown
        self._drawn: object = None
        self._view: SceneView | None = None
        folders = StoryFolders(visit.services, visit.workspace)
        ui.label("Story").classes("title").props('role="heading" aria-level="1"')
        Opening(visit, folders)
        with ui.element("div").classes("beside") as self._whole:
            main = ui.element("div").classes("main")
            with ui.element("div").classes("side"):
                self.place = PlaceView(visit)
                self._change = ChangePanel(visit, folders)
            with main:
                self._draw_main()
        self._whole.set_visibility(False)
        self._shown.was_changed.subscribe(self._refresh)
        self._shown.on_close.append(self._let_go)

    def _draw_main(self) -> None:
        self._name = ui.label().classes("title").props('role="heading" aria-level="2"')
        with ui.row().classes("line"):
            self._scenes = LongSelect("Scene", self._choose_scene).props("dense outlined")
            self._nodes = LongSelect("Go to node", self._choose_listed).props("dense outlined")
        self._problem = ui.label().props('role="alert"').classes("problem")
        with ui.column().classes("list") as self._views:
            self._graph = GraphView(self._choose_node)
            self._card = ui.column().classes("list card").props('tabindex="-1"')
            self._checks = ChecksView(self._go_to_node)
            with ui.expansion("Outline").classes("folder"):
                self._outline = ui.label().classes("page-text")
                self._outline.props('tabindex="0" role="region" aria-label="Outline of the story"')
            ContinuityView(self._visit, self._go_to_node, self.place)

    async def _refresh(self) -> None:
        """Draws the story, or its preview, unless it is another one already when that is made."""
        story, preview, scene = self._shown.story, self._shown.preview, self._shown.scene
        self._whole.set_visibility(story is not None)
        if story is None:
            return

        def is_shown() -> bool:
            shown = self._shown
            is_still = shown.story is story and shown.preview is preview and shown.scene == scene
            return is_still and not self._visit.is_over

        def go_on() -> None:
            if not is_shown():
                raise _Outdated

        try:
            view = await self._visit.compute(lambda: view_scene(story, preview, scene, go_on))
            go_on()
        except _Outdated:
            return
        except Exception:
            if is_shown():
                self._say_drawn(story, _NOT_DRAWN)  # what was drawn before is another state of it
            raise
        try:
            self._visit.admit_view(view, self._view)  # before it waits
        except RequestError as error:
            self._say_drawn(story, str(error))
            return
        async with self._visit.drawing():
            if not is_shown():
                return
            self._shown.scene, self._view = view.scene, view
            self._say_drawn(story)
            if view.left_out:
                self._name.set_text(f"{self._name.text}: {view.left_out} of the scene's nodes are not drawn")
            self._draw(view, story.name)

    def _let_go(self) -> None:
        self._view = None

    def _say_drawn(self, story: OpenStory, problem: str = "") -> None:
        """Names what is drawn, or why nothing is."""
        self._name.set_text(f"{story.name}{' (preview)' if self._shown.preview else ''}")
        self._problem.set_text(problem)
        self._views.set_visibility(not problem)

    def _draw(self, view: SceneView, name: str) -> None:
        self._scenes.offer(view.scenes, view.scene)
        self._nodes.offer(view.nodes, None)
        self._graph.draw(view.drawing, is_other_scene=self._drawn != (name, view.scene))
        self._drawn = name, view.scene
        self._outline.set_text(view.outline)
        self._checks.show(view.findings)
        self._draw_card()
        chosen = self._shown.node
        if view.marked:
            self._graph.show_node(view.marked[0])
        elif chosen is not None and chosen.scene_id == view.scene:
            self._graph.show_node(chosen.id)

    def _choose_scene(self) -> None:
        if self._scenes.value is not None:
            self._shown.show_scene(self._scenes.value)

    def _choose_listed(self) -> None:
        if self._nodes.value is not None:
            self._go_to_node(self._nodes.value)

    def _choose_node(self, node_id: int) -> None:
        """Goes to a node, also one of another scene, and says all about it."""
        drawn = self._shown.drawn
        node = drawn.story.nodes.get(node_id) if drawn is not None else None
        if node is None:
            return
        self._shown.choose(node)
        self._draw_card()
        self._graph.show_node(node_id)

    def _go_to_node(self, node_id: int) -> None:
        """As `_choose_node`, from elsewhere than the graph: what is said of the node is read on."""
        self._choose_node(node_id)
        focus = f"getHtmlElement({self._card.id}).focus({{preventScroll: true}})"
        ui.run_javascript(f"requestAnimationFrame(() => {focus})")

    def _draw_card(self) -> None:
        self._card.clear()
        drawn, node = self._shown.drawn, self._shown.node
        if drawn is not None and node is not None and node.scene_id == self._shown.scene:
            with self._card:
                draw_node(drawn.story, node, self._go_to_node)
                if self._shown.selected:
                    ui.button("Edit this node", icon="edit", on_click=self._change.edit_node).props("no-caps outline")
