"""Arrow loads files that its texts name, and runs scripts in them: no turn writes such a text into a story."""

from typing import Any

import pytest

from agent import Asked, Event, InMemoryEditor, OperationFinished
from arrow_project import ArrowProject, Operation, diff, parse
from tests.agent.scripted_model import Use
from tests.agent.story import story, story_text
from tests.agent.test_undo import Reporting, failures
from tests.agent.turn_runner import TurnRunner

PICTURE = "[img]/tmp/a.tres[/img]"


def refused(events: list[Event]) -> list[str]:
    return [event.failure.message for event in events if isinstance(event, OperationFinished) and event.failure]


def with_a_picture() -> ArrowProject:
    """The story, whose user has written one."""
    shown = story()
    shown.apply(Operation("update_node", {"node_id": 3, "data": {"content": f"The pier. {PICTURE} It is empty."}}))
    return parse(shown.to_text())


@pytest.mark.parametrize(
    "call",
    [
        Use("create_insert_node", {"type": "frame", "data": {"label": PICTURE}}),
        Use("create_insert_node", {"type": "content", "preset": {"title": PICTURE, "content": "Rain."}}),
        Use("update_node", {"node_id": 1, "notes": PICTURE}),
        Use("update_node", {"node_id": 2, "data": {"lines": ["The lamp is cold.", PICTURE]}}),
        Use("create_variable", {"name": "pic", "type": "str", "initial_value": PICTURE}),
        Use("update_character", {"character_id": 21, "tags": {"face": "["}}),
    ],
)
@pytest.mark.parametrize("confirm", ["never", "destructive", "always"])
async def test_a_model_does_not_write_the_name_of_a_file(runner: TurnRunner, call: Use, confirm: str) -> None:
    runner.model.add([call], ["I could not."])
    editor = InMemoryEditor(story())
    (why,) = refused(await runner.events("Show her.", editor, confirm=confirm))
    assert "by hand in Arrow" in why
    assert editor.project.to_text() == story_text()


MADE = {
    "a removal": ("[xximg]/tmp/a.tres[/img]", {"operation": "rmc", "value": "xx"}),
    "a replacement": ("Ahoy.", {"operation": "rpl", "value": "Ahoy.|[?img]/tmp/a.tres"}),
    "another case": ("[IMG]/tmp/a.tres[/IMG]", {"operation": "stl", "value": ""}),
}


@pytest.mark.parametrize(("value", "update"), MADE.values(), ids=MADE)
async def test_no_story_that_is_played_makes_one_of_what_a_model_writes(
    runner: TurnRunner, value: str, update: dict[str, str]
) -> None:
    variable = Use("create_variable", {"name": "pic", "type": "str", "initial_value": value})
    changed = Use("create_insert_node", {"type": "variable_update", "data": {"variable": "pic", **update}})
    shown = Use("create_insert_node", {"type": "content", "data": {"content": "{pic}"}})
    runner.model.add([variable], [changed], [shown], ["Done."])
    editor = InMemoryEditor(story())
    events = await runner.events("Show her.", editor, confirm="never")
    assert any("a tag with which Arrow loads a file" in why for why in refused(events))
    assert "img]" not in editor.project.to_text().lower()


@pytest.mark.parametrize(
    "drawn",
    [{"generator_type": "ascii", "pool": "[x", "length": 1}, {"generator_type": "strst", "choices": ["[x", "b"]}],
)  # fmt: skip
async def test_a_generator_draws_no_bracket(runner: TurnRunner, drawn: dict[str, Any]) -> None:
    mood = Use("create_variable", {"name": "mood", "type": "str", "initial_value": "calm"})
    draws = Use("create_insert_node", {"type": "generator", "data": {"variable": "mood", **drawn}})
    runner.model.add([mood], [draws], ["Done."])
    editor = InMemoryEditor(story())
    assert len(refused(await runner.events("Draw one.", editor, confirm="never"))) == 1
    assert "[x" not in editor.project.to_text()


async def test_an_input_may_match_brackets_and_hint_at_them_and_suggests_none(runner: TurnRunner) -> None:
    asked = {"prompt": "Who?", "variable": "who", "input_type": "text"}
    who = Use("create_variable", {"name": "who", "type": "str", "initial_value": "Elena"})
    custom = [{"pattern": "[A-Z].*", "placeholder": "[your name]"}, {"default": "[xximg]/tmp/a.tres"}]
    inputs = [Use("create_insert_node", {"type": "user_input", "data": {**asked, "custom": one}}) for one in custom]
    hinted = Use("update_variable", {"variable_id": "who", "initial_value": "[your name]"})
    runner.model.add([who], [inputs[0]], [inputs[1]], [hinted], ["Done."])
    editor = InMemoryEditor(story())
    assert len(refused(await runner.events("Ask who it is.", editor, confirm="never"))) == 2
    assert "[A-Z]" in editor.project.to_text()
    assert editor.project.to_text().count("[your name]") == 1
    assert "[xx" not in editor.project.to_text()


async def test_values_with_brackets_that_a_story_has_and_patterns_stay_possible(runner: TurnRunner) -> None:
    project = story()
    made = project.apply(Operation("create_variable", {"name": "rank", "type": "str", "initial_value": "[b]Sir[/b]"}))
    again = Use("update_variable", {"variable_id": made.result["variable_id"], "initial_value": "[b]Sir[/b]"})
    test = {"variable": "rank", "operator": "rgx", "compare_to": {"type": "value", "value": "[A-Z].*"}}
    runner.model.add([again, Use("create_insert_node", {"type": "condition", "data": test})], ["Done."])
    assert not refused(await runner.events("Go on.", InMemoryEditor(parse(project.to_text()))))


async def test_a_picture_is_taken_away_only_after_a_yes(runner: TurnRunner) -> None:
    """However short the text is: no later turn could write it again."""
    runner.model.add([Use("update_node", {"node_id": 3, "data": {"content": "Rain."}})], ["Done."])
    editor = InMemoryEditor(with_a_picture())
    events = await runner.events("Make it rain.", editor)
    assert any(isinstance(event, Asked) for event in events)
    assert PICTURE in editor.project.to_text()


async def test_neither_does_whoever_names_a_function(runner: TurnRunner) -> None:
    editor = InMemoryEditor(story())
    fields = {"function": "update_node", "function_params": {"node_id": 3, "data": {"content": PICTURE}}}
    assert failures(await runner.events("", editor, **fields)) == ["PERMISSION_DENIED"]
    assert failures(await runner.events(f'/update_node node_id=1 notes="{PICTURE}"', editor)) == ["PERMISSION_DENIED"]
    assert editor.project.to_text() == story_text()


async def test_a_picture_of_the_users_own_stays_in_what_is_written(runner: TurnRunner) -> None:
    kept = Use("update_node", {"node_id": 3, "data": {"content": f"The long pier. {PICTURE} It is empty."}})
    other = Use("update_node", {"node_id": 3, "data": {"content": PICTURE.replace("a.tres", "b.tres")}})
    runner.model.add([kept, other], ["Done."])
    editor = InMemoryEditor(with_a_picture())
    events = await runner.events("Make it longer.", editor)
    assert len(refused(events)) == 1
    assert not any(isinstance(event, Asked) for event in events)
    assert f"The long pier. {PICTURE} It is empty." in editor.project.to_text()


async def test_what_the_user_takes_back_brings_it_back(runner: TurnRunner) -> None:
    runner.model.add([Use("update_node", {"node_id": 3, "data": {"content": "Rain."}})], ["Done."])
    before = with_a_picture()
    editor = Reporting(with_a_picture())
    await runner.events("Make it rain.", editor, project=with_a_picture(), confirm="never")
    assert PICTURE not in editor.project.to_text()
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    assert not failures(events)
    assert str(diff(before, editor.project)) == ""


async def test_what_an_assistant_takes_back_does_not(runner: TurnRunner) -> None:
    """Somebody else may have shown the server that story, and no editor has ever had it open."""
    runner.model.add([Use("update_node", {"node_id": 3, "data": {"content": "Rain."}})], ["Done."])
    editor = Reporting(with_a_picture())
    await runner.events("Make it rain.", editor, project=with_a_picture(), confirm="never")
    shown = parse(editor.project.to_text())
    await runner.events("", editor, project=shown, function="undo", by_assistant=True, confirm="never")
    assert PICTURE not in editor.project.to_text()
