"""The drawing of a scene on the page: it scrolls, zooms, and tells which node is clicked."""

from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui
from nicegui.events import GenericEventArguments

_STEP = 1.25
_LEAST, _MOST = 0.1, 3.0
# Of a click or a key on the drawing only the node's id comes here; the rest is the browser's own scrolling.
_CHOSEN = """(event) => {
  const node = event.target.closest("[data-node]");
  if (!node || (event.type === "keydown" && !["Enter", " "].includes(event.key))) return;
  event.preventDefault();
  emit(Number(node.dataset.node));
}"""
_DRAGGED = "(event) => { if (event.buttons === 1) event.currentTarget.scrollBy(-event.movementX, -event.movementY) }"


class GraphView:
    """Shows one drawing.

    Args:
        on_choose: Hears the id of a node that is chosen.
    """

    def __init__(self, on_choose: Callable[[int], Awaitable[None]]) -> None:
        self._zoom = 1.0
        with ui.row().classes("line"):
            for icon, name, factor in (("zoom_in", "Zoom in", _STEP), ("zoom_out", "Zoom out", 1 / _STEP)):
                button = ui.button(icon=icon, on_click=partial(self._zoom_by, factor))
                button.props(f'flat round dense aria-label="{name}"')
            ui.button(icon="fit_screen", on_click=self._fit).props('flat round dense aria-label="Fit"')
        self._box = ui.element("div").classes("graph").props('tabindex="0" role="region" aria-label="Graph"')
        with self._box:
            self._drawing = ui.html("", sanitize=False)

        async def chosen(event: GenericEventArguments) -> None:
            await on_choose(int(event.args))

        for kind in ("click", "keydown"):
            self._box.on(kind, chosen, js_handler=_CHOSEN)
        self._box.on("pointermove", js_handler=_DRAGGED)

    def draw(self, svg: str) -> None:
        """Shows a drawing of `scene_drawing`, in which every text is text."""
        self._drawing.set_content(svg)

    def show_node(self, node_id: int) -> None:
        """Scrolls to a node and marks it."""
        ui.run_javascript(
            f"""const box = getHtmlElement({self._box.id});
            box.querySelectorAll(".chosen").forEach((node) => node.classList.remove("chosen"));
            const node = box.querySelector('[data-node="{node_id}"]');
            node?.classList.add("chosen");
            node?.scrollIntoView({{block: "nearest", inline: "center"}});"""
        )

    def _zoom_by(self, factor: float) -> None:
        self._set_zoom(self._zoom * factor)

    def _set_zoom(self, zoom: float) -> None:
        self._zoom = max(_LEAST, min(_MOST, zoom))
        self._box.style(f"--zoom: {self._zoom:.3f}")

    async def _fit(self) -> None:
        zoom = await ui.run_javascript(
            f"""const box = getHtmlElement({self._box.id}), view = box.querySelector("svg").viewBox.baseVal;
            return Math.min(box.clientWidth / view.width, box.clientHeight / view.height)"""
        )
        self._set_zoom(float(zoom))
