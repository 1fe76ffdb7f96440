"""Whether a scene agrees with the documents: both places side by side, the node and the page."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from nicegui import ui

from agent import Citation, Cited, Event, OperationFinished
from ingest import counted
from server import TurnBody
from workbench.citations import draw_citations
from workbench.place import PlaceView
from workbench.visit import Visit


class ContinuityView:
    """Checks a scene when asked to.

    Args:
        visit: The page.
        choose: Goes to a node.
    """

    def __init__(self, visit: Visit, choose: Callable[[int], Awaitable[None]]) -> None:
        self._visit = visit
        self._choose = choose
        with ui.expansion("Continuity").classes("folder"):
            ui.button("Check against the documents", on_click=self._check).props("no-caps outline")
            self._state = ui.label().props('role="status"').classes("status")
            self._findings = ui.column().classes("list")
            self._place = PlaceView(visit)
        visit.story_changed.subscribe(self._clear)

    def _clear(self) -> None:
        self._findings.clear()
        self._state.set_text("")
        self._place.close()

    async def _check(self) -> None:
        opened = self._visit.story
        if opened is None:
            return
        self._clear()
        self._state.set_text("Comparing all scenes with the documents …")
        findings = 0
        for scene_id in opened.story.scenes:
            result, cited = await self._checked(opened.text, scene_id)
            findings += len(result["findings"])
            with self._findings:
                for finding in result["findings"]:
                    self._draw(finding, cited)
        nothing = "Nothing in the story disagrees with the documents."
        self._state.set_text(f"{counted(findings, 'place')} to look at." if findings else nothing)

    async def _checked(self, content: str, scene_id: int) -> tuple[dict[str, Any], dict[int, Citation]]:
        results: list[Any] = []
        cited: dict[int, Citation] = {}

        async def tell(event: Event) -> None:
            if isinstance(event, OperationFinished) and event.success:
                results.append(event.result)
            elif isinstance(event, Cited):
                cited.update({citation.number: citation for citation in event.citations})

        body = TurnBody(arrow_content=content, function="check_continuity", function_params={"scene_id": scene_id})
        await self._visit.turn(body, tell)
        return results[0], cited

    def _draw(self, finding: dict[str, Any], cited: dict[int, Citation]) -> None:
        with ui.row().classes("line"):
            node_id: int = finding["node_id"]
            ui.button(f"Node {node_id}", on_click=partial(self._choose, node_id)).props("outline no-caps dense")
            ui.label(f"“{finding['text']}” {finding['problem']}")
            places = [cited[number] for number in finding["passages"] if number in cited]
            draw_citations(places, self._place.show)
