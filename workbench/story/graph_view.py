"""The drawing of a scene on the page: it scrolls, zooms, and tells which node is clicked."""

from collections.abc import Callable

from nicegui import ui
from nicegui.events import GenericEventArguments

# Zooming is the browser's own, about the middle of what is seen: nothing is asked of the server for it.
_ZOOM = """() => {
  const box = getHtmlElement(%d), view = box?.querySelector("svg")?.viewBox.baseVal;
  if (!view) return;
  const zoom = Number(getComputedStyle(box).getPropertyValue("--zoom"));
  const fit = Math.min(box.clientWidth / view.width, box.clientHeight / view.height);
  const next = Math.max(0.02, Math.min(3, %s)), [x, y] = [box.clientWidth / 2, box.clientHeight / 2];
  const [left, top] = [(box.scrollLeft + x) * next / zoom - x, (box.scrollTop + y) * next / zoom - y];
  box.style.setProperty("--zoom", next);
  box.scrollTo(left, top);
}"""
_WHEELED = """(event) => {
  if (!event.ctrlKey) return;
  event.preventDefault();
  (%s)();
}"""
_READABLE = "Math.max(0.75, Math.min(1, fit))"
# Of a click or a key on the drawing only the node's id comes here; the rest is the browser's own scrolling. One node is
# a stop of the tab key, and arrows lead from it to the next.
_CHOSEN = """(event) => {
  const node = event.target.closest("[data-node]");
  if (!node) return;
  const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
  if (step) {
    const nodes = [...event.currentTarget.querySelectorAll("[data-node]")], next = nodes[nodes.indexOf(node) + step];
    event.preventDefault();
    if (next) [node.tabIndex, next.tabIndex] = [-1, 0];
    next?.focus();
  }
  if (event.type === "keydown" && !["Enter", " "].includes(event.key)) return;
  event.preventDefault();
  emit(Number(node.dataset.node));
}"""
_DRAGGED = "(event) => { if (event.buttons === 1) event.currentTarget.scrollBy(-event.movementX, -event.movementY) }"


class GraphView:
    """Shows one drawing.

    Args:
        on_choose: Hears the id of a node that is chosen.
    """

    def __init__(self, on_choose: Callable[[int], object]) -> None:
        with ui.element("div").classes("graph-and-tools"):
            tools = ui.row().classes("graph-tools")
            self._box = ui.element("div").classes("graph").props('tabindex="0" role="region" aria-label="Graph"')
        with self._box:
            self._drawing = ui.html("", sanitize=False)
        with tools:
            self._draw_tool("zoom_in", "Zoom in", "zoom * 1.25")
            self._draw_tool("zoom_out", "Zoom out", "zoom / 1.25")
            self._draw_tool("fit_screen", "Fit", "fit")

        def chosen(event: GenericEventArguments) -> None:
            on_choose(int(event.args))

        for kind in ("click", "keydown"):
            self._box.on(kind, chosen, js_handler=_CHOSEN)
        # What was drawn while another tab was shown is not in the page before this one is.
        self._box.on("vnodeMounted", js_handler=_ZOOM % (self._box.id, _READABLE))
        self._box.on("pointermove", js_handler=_DRAGGED)
        self._box.on("wheel", js_handler=_WHEELED % (_ZOOM % (self._box.id, "zoom * Math.exp(-event.deltaY / 300)")))

    def _draw_tool(self, icon: str, name: str, zoom: str) -> None:
        button = ui.button(icon=icon).props(f'flat round dense aria-label="{name}"')
        button.on("click", js_handler=_ZOOM % (self._box.id, zoom))

    def draw(self, svg: str, *, is_other_scene: bool = False) -> None:
        """Shows a drawing of `scene_drawing`, in which every text is text; another scene as large as can be read."""
        self._drawing.set_content(svg)
        if is_other_scene:
            ui.run_javascript(f"requestAnimationFrame({_ZOOM % (self._box.id, _READABLE)})")

    def show_node(self, node_id: int) -> None:
        """Scrolls to a node and marks it."""
        ui.run_javascript(
            f"""const box = getHtmlElement({self._box.id});
            if (!box) return;
            box.querySelectorAll(".chosen").forEach((node) => node.classList.remove("chosen"));
            const node = box.querySelector('[data-node="{node_id}"]');
            if (node) box.querySelectorAll("[tabindex='0']").forEach((other) => (other.tabIndex = -1));
            if (node) node.tabIndex = 0;
            node?.classList.add("chosen");
            node?.scrollIntoView({{block: "nearest", inline: "center"}});"""
        )
