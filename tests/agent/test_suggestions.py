"""What could be done next: grounded, and executable as it stands."""

import json
from pathlib import Path

import pytest

from agent import Event, Failed, InMemoryEditor, OperationFinished, Suggested, Suggestion, TurnContext
from agent.turn.suggestions import suggest
from arrow_project import ArrowProject, Operation, Story, parse
from corpora.samples import SAMPLE
from tests.agent.scripted_model import Use
from tests.agent.story import NEXT_ID, story
from tests.agent.turn_runner import TurnRunner

DOCUMENTS = Path(__file__).parents[1] / "arrow_project" / "documents"
STORIES = {file.name: file.read_bytes() for file in [*DOCUMENTS.glob("*.arrow"), SAMPLE.arrow_file]}
LOOSE = Use("create_insert_node", {"type": "content", "preset": {"content": "Rain."}})
CHOICES = Use("create_insert_node", {"type": "interaction", "preset": {"actions": ["Stay", "Go"]},
                                     "connect_from": {"node_id": 3, "slot": 0}})  # fmt: skip


def suggested(events: list[Event]) -> list[Suggestion]:
    return [one for event in events if isinstance(event, Suggested) for one in event.suggestions]


async def test_after_a_change_its_undo_comes_first_and_it_works(runner: TurnRunner) -> None:
    runner.model.add([LOOSE], ["Done."], ["It stands alone."])
    editor = InMemoryEditor(story())
    undo, connect = suggested(await runner.events("Add rain.", editor))
    assert undo.function == "undo"
    assert connect.params == {"from_node_id": 3, "to_node_id": NEXT_ID, "from_slot": 0, "to_slot": 0}
    events = await runner.events("", editor, function=connect.function, function_params=dict(connect.params))
    assert editor.project.data.incoming(NEXT_ID, 0)
    assert suggested(events)[0].function == "undo"


async def test_choices_that_lead_nowhere(runner: TurnRunner) -> None:
    runner.model.add([CHOICES], ["Done."])
    found = suggested(await runner.events("Add choices."))
    assert [(one.function, one.params.get("connect_from")) for one in found] == [
        ("undo", None),
        ("create_insert_node", {"node_id": NEXT_ID, "slot": 0}),
        ("create_insert_node", {"node_id": NEXT_ID, "slot": 1}),
    ]
    assert "Stay" in found[1].label


async def test_who_speaks_in_the_documents_and_is_not_in_the_project(runner: TurnRunner) -> None:
    runner.put("talk.md", "# The pier\n\nODILE: The lamp is cold.\n\nELENA: I know.\n\nODILE: Light the lamp.\n")
    runner.model.add(["Odile does."])
    (found,) = suggested(await runner.events("Who says that the lamp is cold?"))
    assert (found.function, found.params) == ("create_character", {"name": "Odile"})
    assert "talk.md" in found.label


async def test_who_does_not_speak_and_a_label_are_nobody(runner: TurnRunner) -> None:
    runner.put("bible.md", "# Characters\n\n## Bram\n\nBram mends the lamp.\n\nMood: cold\n\nLamp: The cold one.\n")
    runner.put("scenes.md", "# The pier\n\nPlace: The lamp\n\nPlace: The Kitchen\n\nODO: The lamp.\n\nODO: Yes.\n")
    runner.model.add(["Bram does."])
    found = suggested(await runner.events("Who mends the cold lamp?"))
    assert [suggestion.params for suggestion in found] == [{"name": "Odo"}]


async def test_nothing_is_suggested_with_an_open_question(runner: TurnRunner) -> None:
    runner.model.add([CHOICES, Use("delete_node", {"node_id": 2})])
    assert not suggested(await runner.events("Add choices, remove the greeting."))


async def test_without_anything_to_suggest_nothing_is(runner: TurnRunner) -> None:
    runner.model.add(["Hello."])
    assert not suggested(await runner.events("Hello"))
    runner.model.add(["Hello."])
    assert not suggested(await runner.events("Hello", project=None))


@pytest.mark.parametrize("name", sorted(STORIES))
async def test_every_suggestion_can_be_executed(runner: TurnRunner, name: str) -> None:
    """From each suggestion to the next, a walk of eight turns."""
    project, executed = parse(STORIES[name]), 0
    for scene_id in list(project.data.scenes)[:4]:
        editor = InMemoryEditor(project.copy())
        editor.project.apply(Operation("create_insert_node", {"type": "content", "scene_id": scene_id}))
        for _ in range(8):
            for one in suggest(_context(editor.project, scene_id), (), changed=False)[:1]:
                events = await runner.events(
                    "", editor, scene_id=scene_id, function=one.function, function_params=dict(one.params)
                )
                assert not [event for event in events if isinstance(event, Failed)], (one, events)
                assert [event.success for event in events if isinstance(event, OperationFinished)] == [True]
                assert any(later.function == "undo" for later in suggested(events))
                executed += 1
    assert executed


def _context(project: ArrowProject, scene_id: int) -> TurnContext:
    return TurnContext(project, scene_id, (), (), (), ())


async def test_after_edits_the_scene_can_be_checked_against_the_documents(runner: TurnRunner) -> None:
    runner.put("bible.md", "# The pier\n\nThe lamp is warm, and Helena keeps it.\n")
    runner.model.add([Use("create_variable", {"name": "gold", "type": "num"})], ["Done."])
    editor = InMemoryEditor(story())
    check = suggested(await runner.events("Add gold.", editor))[-1]
    assert (check.function, check.params) == ("check_continuity", {"scene_id": 0})
    events = await runner.events("", editor, function=check.function, function_params=dict(check.params))
    assert [event.success for event in events if isinstance(event, OperationFinished)] == [True]


def test_of_many_loose_ends_only_some_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each costs a look through the story; that nothing can be connected to any of them must not cost all of them."""
    document = json.loads(story().to_text())
    scene, nodes = document["resources"]["scenes"]["0"], document["resources"]["nodes"]
    for key in range(100, 400):  # each leads to itself only: nothing leads to it, and nothing can lead on from it
        scene["map"][str(key)] = {"offset": [key, 0], "io": [[key, 0, key, 0]]}
        nodes[str(key)] = {"type": "hub", "name": f"hub {key}", "data": {"slots": 2}}
    scene["map"]["3"]["io"] = [[3, 0, 2, 0]]
    document["meta"]["authors"] = {"0": ["Ada", 400]}
    project = parse(json.dumps(document))
    assert len(Story(project).loose) == 300
    looks: list[object] = []
    reached = Story.reached_from
    monkeypatch.setattr(Story, "reached_from", lambda *args: looks.append(args) or reached(*args))
    assert suggest(TurnContext(project, None, (), (), (), ()), (), changed=False) == ()
    assert len(looks) == 20
