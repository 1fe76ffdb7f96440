"""What the continuity check says of scenes that cannot be compared."""

import json
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Event, ui

from agent import Failure, OperationFinished
from server import RequestError, TurnBody
from server.limits.turn_rate import TooManyTurns
from tests.workbench.test_forms import OPENED, STORY, on_a_page
from workbench.frame.bounded import LONGEST_NAME
from workbench.story.continuity import ContinuityView
from workbench.story.open_story import OpenStory
from workbench.story.shown_story import ShownStory

FIRST = next(iter(STORY.scenes.values()))
PROJECT_CHANGED = Event[[]]()
FINDING: dict[str, Any] = {"node_id": 1, "text": "bell", "problem": "The documents have a horn.", "passages": []}


def compared(problem: Exception | Failure | None) -> tuple[list[int], list[str]]:
    """The scenes that a check asked about, of which the first is no success, and all that it says."""
    asked = list[int]()

    async def begin_turn(body: TurnBody, tell: Any) -> None:
        asked.append(body.function_params["scene_id"])
        if len(asked) > 1:
            await tell(OperationFinished("check_continuity", {}, {"findings": [FINDING]}, None))
        elif isinstance(problem, Failure):
            await tell(OperationFinished("check_continuity", {}, None, problem))
        elif problem is not None:
            raise problem

    return asked, labels_of(begin_turn)


def labels_of(begin_turn: Callable[[TurnBody, Any], Awaitable[None]], story: OpenStory = OPENED) -> list[str]:
    """What a check says whose turns are these."""

    async def listed() -> Any:
        return SimpleNamespace(documents=["bible.md"])

    async def use() -> list[str]:
        visit: Any = SimpleNamespace(shown=ShownStory(), listed=listed, begin_turn=begin_turn, drawing=nullcontext)
        visit.project_changed = PROJECT_CHANGED
        with ui.column() as whole:
            view: Any = ContinuityView(visit, print, visit)
        visit.shown.open(story)
        await view._check()
        return [label.text for label in whole.descendants() if isinstance(label, ui.label)]

    return on_a_page(use)


def test_a_long_scene_is_compared_part_by_part_and_of_very_many_places_the_first_are_drawn() -> None:
    asked = list[tuple[int, int]]()

    async def begin_turn(body: TurnBody, tell: Any) -> None:
        asked.append((body.function_params["scene_id"], body.function_params["part"]))
        found: dict[str, Any] = {"findings": [FINDING] * 150, "cut": "There may be more."}
        await tell(OperationFinished("check_continuity", {}, found | ({"of_parts": 3} if len(asked) < 4 else {}), None))

    said = labels_of(begin_turn)
    first, *others = STORY.scenes
    assert asked == [(first, 1), (first, 2), (first, 3), *((scene, 1) for scene in others)]
    assert said.count(FINDING["problem"]) == 200
    assert f"Scene “{FIRST.name}”: There may be more." in said
    assert any(f"{150 * len(asked)} places to look at. The first 200 are shown." in one for one in said)


def test_of_very_many_parts_that_were_cut_the_first_are_named_and_not_by_all_of_a_long_name() -> None:
    async def begin_turn(body: TurnBody, tell: Any) -> None:
        cut = {"findings": [], "cut": "There may be more.", "of_parts": 300}
        await tell(OperationFinished("check_continuity", {}, cut, None))

    document = json.loads(OPENED.text)
    document["resources"]["scenes"] = {"0": document["resources"]["scenes"]["0"] | {"name": "pier " * 2_000}}
    said = labels_of(begin_turn, OpenStory.read("story.arrow", json.dumps(document).encode()))
    cut = [one for one in said if "There may be more." in one]
    assert len(cut) == 200
    assert max(map(len, cut)) < LONGEST_NAME + 50


def test_what_was_found_with_the_documents_of_a_project_is_not_shown_with_another_one() -> None:
    asked = list[int]()

    async def begin_turn(body: TurnBody, tell: Any) -> None:
        asked.append(body.function_params["scene_id"])
        if len(asked) == 2:
            PROJECT_CHANGED.emit()
        await tell(OperationFinished("check_continuity", {}, {"findings": [FINDING]}, None))

    said = labels_of(begin_turn)
    assert len(asked) == 2
    assert FINDING["problem"] not in said


@pytest.mark.parametrize("problem", [Failure("X", "It took too long."), RequestError(503, "X", "It took too long.")])
def test_a_scene_that_fails_is_named_and_the_others_are_compared(problem: Exception | Failure) -> None:
    asked, said = compared(problem)
    assert asked == list(STORY.scenes)
    assert f"Scene “{FIRST.name}” was not compared: It took too long." in said
    assert said.count(FINDING["problem"]) == len(asked) - 1
    assert any("1 scene could not be compared" in one for one in said)


def test_a_scene_whose_turn_has_no_result_is_named_too() -> None:
    asked, said = compared(None)
    assert asked == list(STORY.scenes)
    assert f"Scene “{FIRST.name}” was not compared: The check had no result; try again." in said


def test_who_has_no_turns_left_hears_how_far_the_check_came() -> None:
    asked, said = compared(TooManyTurns(10, 5))
    assert asked == [FIRST.id]
    assert any(f"in 0 of {len(STORY.scenes)} scenes. A workspace may begin 10 turns" in one for one in said)
