"""Whether the story agrees with the documents: both places side by side, the node and the page."""

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

from nicegui import ui

from agent import Citation, Cited, Event, Failure, OperationFinished
from arrow_project import shorten
from corpora import CorpusError
from ingest import counted
from server import RequestError, TurnBody
from server.limits.turn_rate import TooManyTurns
from workbench.asking.citations import draw_citations
from workbench.documents.place import Place, PlaceView
from workbench.frame.bounded import LONGEST_NAME, MOST_ELEMENTS, beginning
from workbench.story.open_story import OpenStory
from workbench.visit import Visit

_Places = dict[int, Citation]  # by the number that a finding names

_NO_DOCUMENTS = "Project {} has no documents to compare with: add some in the tab Documents."
_NOTHING = "Nothing in the story disagrees with the documents."


class ContinuityView:
    """Checks a story when asked to.

    Args:
        visit: The page.
        choose: Goes to a node.
        place: Where a page is shown.
    """

    def __init__(self, visit: Visit, choose: Callable[[int], object], place: PlaceView) -> None:
        self._visit = visit
        self._choose = choose
        self._place = place
        self._compared: OpenStory | None = None
        self._is_checking = False
        with ui.expansion("Continuity").classes("folder"):
            ui.label("Compares what the story says with what the documents say.").classes("hint")
            self._button = ui.button("Check against the documents", on_click=self._check).props("no-caps outline")
            self._state = ui.label().props('role="status"').classes("status")
            self._findings = ui.column().classes("list")
        visit.shown.was_changed.subscribe(self._clear_old)
        visit.project_changed.subscribe(self._clear)
        visit.shown.on_close.append(self._forget)

    def _clear_old(self) -> None:
        if self._visit.shown.story is not self._compared:
            self._clear()

    def _clear(self) -> None:
        """Another story is open, or it is looked at with another project's documents."""
        self._compared = None
        self._findings.clear()
        self._state.set_text("")

    def _forget(self) -> None:
        self._compared = None

    async def _check(self) -> None:
        story = self._visit.shown.story
        if story is None or self._is_checking:
            return
        self._compared, self._is_checking = story, True
        self._button.disable()
        self._findings.clear()
        self._state.set_text("Comparing the story with the documents …")
        try:
            said = await self._compare(story)
        except (RequestError, TooManyTurns, CorpusError) as error:
            said = str(error)
        except asyncio.CancelledError:
            said = "(stopped)"
        finally:
            self._is_checking = False
            self._button.enable()
        if self._compared is story:
            self._state.set_text(said)

    async def _compare(self, story: OpenStory) -> str:
        """Lists what is found, scene by scene; returns what there is to say of it as a whole."""
        visit = self._visit
        if not (await visit.listed()).documents:
            return _NO_DOCUMENTS.format(visit.project)
        found = cut = failed = 0
        scenes = story.story.scenes
        for number, (scene_id, scene) in enumerate(scenes.items(), start=1):
            name = shorten(scene.name, LONGEST_NAME)
            self._state.set_text(f"Comparing scene {number} of {len(scenes)}, “{name}”, with the documents …")
            try:
                async for compared, cited in self._compared_scene(story, scene_id):
                    async with visit.drawing():
                        if self._compared is not story:
                            break
                        left = max(MOST_ELEMENTS - found, 0)
                        found += len(compared["findings"])
                        cut += "cut" in compared
                        with self._findings:
                            for finding in compared["findings"][:left]:
                                self._draw(finding, cited)
                            if left and "cut" in compared and cut <= MOST_ELEMENTS:
                                ui.label(f"Scene “{name}”: {compared['cut']}").classes("hint")
            except RequestError as error:
                failed += 1
                if failed <= MOST_ELEMENTS and self._compared is story:
                    with self._findings:
                        problem = f"Scene “{name}” was not compared: {error}"
                        ui.label(problem).props('role="alert"').classes("problem")
            except TooManyTurns as error:  # for the other scenes too
                return f"{counted(found, 'place')} to look at in {number - 1} of {len(scenes)} scenes. {error}"
            if self._compared is not story:
                break
        return _said(found, failed)

    async def _compared_scene(self, story: OpenStory, scene_id: int) -> AsyncIterator[tuple[dict[str, Any], _Places]]:
        """What the check says of each part of a scene; a long one has several."""
        part = parts = 1
        while part <= parts:
            compared, cited = await self._compared_part(story, scene_id, part)
            yield compared, cited
            part, parts = part + 1, compared.get("of_parts", 1)

    async def _compared_part(self, story: OpenStory, scene_id: int, part: int) -> tuple[dict[str, Any], _Places]:
        results: list[dict[str, Any]] = []
        failures: list[Failure] = []
        cited = _Places()

        async def tell(event: Event) -> None:
            if isinstance(event, OperationFinished) and event.success:
                results.append(event.result)
            elif isinstance(event, OperationFinished) and event.failure is not None:
                failures.append(event.failure)
            elif isinstance(event, Cited):
                cited.update({citation.number: citation for citation in event.citations})

        given = {"scene_id": scene_id, "part": part}
        body = TurnBody(arrow_content=story.text, function="check_continuity", function_params=given)
        await self._visit.begin_turn(body, tell)
        for failure in failures:
            raise RequestError(422, failure.code, failure.message)
        if not results:
            raise RequestError(500, "INTERNAL", "The check had no result; try again.")
        return results[0], cited

    def _draw(self, finding: dict[str, Any], cited: _Places) -> None:
        node_id: int = finding["node_id"]

        async def show(place: Place) -> None:
            self._choose(node_id)
            await self._place.show(place)

        with ui.element("section").classes("finding"):
            ui.label(f"“{beginning(finding['text'])}”").classes("passage")
            ui.label(finding["problem"])
            with ui.row().classes("line"):
                ui.button(f"Node {node_id}", on_click=partial(self._choose, node_id)).props("outline no-caps dense")
                draw_citations([cited[number] for number in finding["passages"] if number in cited], show)


def _said(found: int, failed: int) -> str:
    """What there is to say of the whole story."""
    if not failed and not found:
        return _NOTHING
    shown = f" The first {MOST_ELEMENTS} are shown." if found > MOST_ELEMENTS else ""
    problem = f" {counted(failed, 'scene')} could not be compared." if failed else ""
    return f"{counted(found, 'place')} to look at.{shown}{problem}"
