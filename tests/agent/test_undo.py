"""The last turn is taken back in one step."""

import asyncio
import json
import random
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent import (
    KEPT_TURNS,
    Asked,
    Before,
    Ended,
    Event,
    Failed,
    Failure,
    InMemoryEditor,
    OperationFinished,
    Outcome,
    Suggested,
    TextFinished,
)
from agent.turn.undo import asks_for_undo
from arrow_project import ArrowProject, Operation, OperationResult, diff, fingerprint, parse
from retrieval import CorpusError
from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story, story_text
from tests.agent.turn_runner import Pendings, TurnRunner
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.writer import Writer
from tests.arrow_project.test_restoring import NO_DIFFERENCE

GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
RAIN = Use("create_insert_node", {"type": "content", "preset": {"content": "Rain."},
                                  "connect_from": {"node_id": 3, "slot": 0}})  # fmt: skip
DELETE = Use("delete_node", {"node_id": 2})
RENAME = Use("update_character", {"character_id": 21, "name": "Helena"})

LAMP = (Path(__file__).parents[1] / "arrow_project" / "documents" / "lamp.arrow").read_text("utf-8")


class Reporting:
    """An Arrow behind a socket: it executes, it reports its whole content, and nothing can be put in its place."""

    def __init__(self, project: ArrowProject) -> None:
        self.project = project
        self.applied: list[str] = []
        self.refuses: str | None = None

    async def apply(self, applied: OperationResult) -> Outcome:
        if applied.operation.function == self.refuses:
            return Outcome(success=False, failure=Failure("PERMISSION_DENIED", "That scene is not open."))
        self.applied.append(applied.operation.function)
        done = self.project.apply(applied.operation)
        return Outcome(success=True, result=done.result, content=self.project.to_text())


def ran(events: list[Event]) -> list[str]:
    return [event.function for event in events if isinstance(event, OperationFinished) and event.success]


def failures(events: list[Event]) -> list[str]:
    return [event.failure.code for event in events if isinstance(event, Failed)]


@pytest.mark.parametrize(
    "message",
    [
        "undo",
        "Undo!",
        "undo that",
        "take that back",
        "please undo",
        "undo the last change",
        "Undo it, please.",
        "undo your last change",
        "revert the last change",
        "please undo that for me",
        "can you undo that?",
    ],
)
def test_words_for_it(message: str) -> None:
    assert asks_for_undo(message)


@pytest.mark.parametrize(
    "message",
    ["undo node 3", "undo the last change but keep gold", "what does undo do?", "take the lamp back", "redo", ""],
)
def test_other_words(message: str) -> None:
    assert not asks_for_undo(message)


@pytest.mark.parametrize(
    "how", [{"message": "undo that"}, {"message": "/undo"}, {"message": "", "function": "undo"}], ids=str
)
async def test_every_way_to_ask_for_it(runner: TurnRunner, how: dict[str, str]) -> None:
    fields = dict(how)
    runner.model.add([GOLD, RAIN, DELETE, RENAME], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Do much.", editor, confirm="never")
    assert editor.project.to_text() != story_text()
    events = await runner.events(fields.pop("message"), editor, **fields)
    assert editor.project.to_text() == story_text(), "in memory every byte is as before"
    assert ran(events) == ["undo"]
    (text,) = [event.text for event in events if isinstance(event, TextFinished)]
    assert "gold" in text
    end = events[-1]
    assert isinstance(end, Ended)
    assert end.changed
    assert len(runner.model.requests) == 2


async def test_two_turns_are_taken_back_one_after_the_other(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."], [RENAME], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Add gold.", editor)
    between = editor.project.to_text()
    await runner.events("Call her Helena.", editor)
    await runner.events("undo", editor)
    assert editor.project.to_text() == between
    await runner.events("undo", editor)
    assert editor.project.to_text() == story_text()
    events = await runner.events("undo", editor)
    assert failures(events) == ["NOTHING_TO_UNDO"]
    assert [event.failure.message for event in events if isinstance(event, Failed)] == [
        "There is no turn to take back in this project; the last 20 are kept for a week."
    ]


async def test_an_undo_whose_answer_is_lost_can_be_asked_for_again(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."], [RENAME], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Add gold.", editor)
    between = editor.project.to_text()
    await runner.events("Call her Helena.", editor)
    now = editor.project.to_text()
    for led_to, expected in ((now, between), (now, between), (between, story_text())):
        editor = InMemoryEditor(parse(led_to))  # whoever asked has it as it was
        await runner.events("undo", editor)
        assert editor.project.to_text() == expected


async def test_what_the_editor_has_taken_back_by_itself_is_not_taken_back_again(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Add gold.", editor)
    assert failures(await runner.events("undo", editor, project=story())) == ["NOTHING_TO_UNDO"]
    await runner.events("undo", editor)
    assert editor.project.to_text() == story_text(), "the turn is still kept for the story that it led to"


async def test_what_was_changed_since_is_not_lost(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Add gold.", editor)
    editor.project.apply(Operation("update_node", {"node_id": 3, "name": "quay"}))
    changed = editor.project.to_text()
    assert failures(await runner.events("undo", editor)) == ["CONFLICT"]
    assert editor.project.to_text() == changed


async def test_saving_and_moving_nodes_is_no_conflict(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Add gold.", editor)
    raw = json.loads(editor.project.to_text())
    raw["meta"]["last_save"] = "2026-01-01 10:00:00"
    raw["resources"]["scenes"]["0"]["map"]["3"]["offset"] = [900, 900]
    events = await runner.events("undo", editor, project=parse(json.dumps(raw)))
    assert not failures(events)


@pytest.mark.parametrize("kind", [InMemoryEditor, Reporting])
async def test_a_layout_made_by_hand_since_stays(
    runner: TurnRunner, kind: type[InMemoryEditor] | type[Reporting]
) -> None:
    """What a turn has moved goes back, under its new id too, unless it has been moved on by hand."""
    runner.model.add([GOLD, move(2), move(3)], ["Done."], [DELETE], ["Done."])
    editor = kind(story())
    await runner.events("Add gold, and make room.", editor, project=sent(editor))
    by_hand(editor, 3, [900, 900])
    await runner.events("Remove the greeting.", editor, project=sent(editor), confirm="never")
    by_hand(editor, 1, [7, 7])
    events = await runner.events("undo", editor, project=sent(editor))
    assert places(editor) == {"start": [7, 7], "greeting": [500, 40], "pier": [900, 900]}
    assert "moved" not in "".join(event.text for event in events if isinstance(event, TextFinished))
    await runner.events("undo", editor, project=sent(editor))
    assert places(editor) == {"start": [7, 7], "greeting": [280, 100], "pier": [900, 900]}


async def test_an_undo_that_ends_early_still_knows_what_the_turn_has_moved(runner: TurnRunner) -> None:
    runner.model.add([GOLD, move(2)], ["Done."])
    editor = Reporting(story())
    await runner.events("Add gold, and make room.", editor, project=parse(story_text()))
    by_hand(editor, 3, [900, 900])
    editor.refuses = "update_node_map"
    assert failures(await runner.events("undo", editor, project=parse(editor.project.to_text())))
    editor.refuses = None
    by_hand(editor, 1, [7, 7])
    await runner.events("undo", editor, project=parse(editor.project.to_text()))
    assert places(editor) == {"start": [7, 7], "greeting": [280, 100], "pier": [900, 900]}


def move(node: int) -> Use:
    return Use("update_node_map", {"node_id": node, "modifications": {"offset": [500, 40]}})


def by_hand(editor: InMemoryEditor | Reporting, node: int, offset: list[int]) -> None:
    editor.project = parse(editor.project.to_text())
    editor.project.data.scenes[0]["map"][node]["offset"] = offset


def sent(editor: InMemoryEditor | Reporting) -> ArrowProject:
    """The story as a client sends it; an editor in memory edits that itself."""
    return editor.project if isinstance(editor, InMemoryEditor) else parse(editor.project.to_text())


def places(editor: InMemoryEditor | Reporting) -> dict[str, Any]:
    data = editor.project.data
    return {data.nodes[key]["name"]: place["offset"] for key, place in data.scenes[0]["map"].items()}


async def test_a_client_that_reports_is_led_back_by_operations(runner: TurnRunner) -> None:
    runner.model.add([GOLD, RAIN, RENAME], ["Done."])
    editor = Reporting(story())
    await runner.events("Do much.", editor)
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    assert not failures(events)
    assert editor.applied[3:] == ran(events)
    assert fingerprint(editor.project) == fingerprint(story())


class WrittenIn(Reporting):
    """In which its user writes a line by hand before each answer."""

    def __init__(self, project: ArrowProject, written: str = "By hand.") -> None:
        super().__init__(project)
        self.written = written

    async def apply(self, applied: OperationResult) -> Outcome:
        self.project.apply(Operation("update_node", {"node_id": 3, "data": {"content": self.written}}))
        return await super().apply(applied)


async def test_what_the_user_has_written_during_the_turn_is_taken_back_only_after_a_yes(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."])
    editor = WrittenIn(story())
    await runner.events("Add gold.", editor)
    calls = len(editor.applied)
    asked = next(event for event in await runner.events("/undo", editor, project=parse(editor.project.to_text()))
                 if isinstance(event, Asked))  # fmt: skip
    assert len(editor.applied) == calls
    assert "By hand." in asked.text
    events = await runner.events(
        "yes", Reporting(editor.project), project=parse(editor.project.to_text()), pending_id=asked.pending_id
    )
    assert not failures(events)
    assert str(diff(editor.project, story())) == ""


@pytest.mark.parametrize("how", [{}, {"plan": True}], ids=["asked", "planned"])
async def test_the_question_of_an_undo_names_what_the_user_has_written(runner: TurnRunner, how: dict[str, Any]) -> None:
    said, written = "The pier is empty. " * 50, "This was written by hand."
    project = story()
    project.apply(Operation("update_node", {"node_id": 3, "data": {"content": said}}))
    runner.model.add([GOLD], ["Done."])
    editor = WrittenIn(project.copy(), said + written)
    await runner.events("Add gold.", editor, project=project)
    events = await runner.events("/undo", editor, project=parse(editor.project.to_text()), **how)
    (asked,) = [event for event in events if isinstance(event, Asked)]
    assert written in asked.diff
    assert "content of node 3: " in asked.text.partition("What would be lost: ")[2]


async def test_what_the_user_writes_while_a_turn_is_taken_back_is_asked_about_by_the_next_undo(
    runner: TurnRunner,
) -> None:
    runner.model.add([GOLD], ["Done."], [RENAME], ["Done."])
    editor = Reporting(story())
    await runner.events("Add gold.", editor)
    await runner.events("Call her Helena.", editor, project=parse(editor.project.to_text()))
    written_in = WrittenIn(editor.project)
    assert not failures(await runner.events("/undo", written_in, project=parse(editor.project.to_text())))
    events = await runner.events("/undo", Reporting(editor.project), project=parse(editor.project.to_text()))
    assert [event.kind for event in events if isinstance(event, Asked)] == ["confirmation"]


async def test_an_undo_that_breaks_off_while_the_user_writes_asks_before_it_goes_on(runner: TurnRunner) -> None:
    runner.model.add([GOLD, RENAME], ["Done."])
    editor = Reporting(story())
    await runner.events("Do both.", editor)
    written_in = WrittenIn(editor.project)
    written_in.refuses = "update_character"
    broken_off = await runner.events("/undo", written_in, project=parse(editor.project.to_text()))
    assert failures(broken_off) == ["PERMISSION_DENIED"]
    events = await runner.events("/undo", Reporting(editor.project), project=parse(editor.project.to_text()))
    assert [event.kind for event in events if isinstance(event, Asked)] == ["confirmation"]


async def test_what_the_user_writes_meanwhile_is_not_taken_back_by_an_undo(runner: TurnRunner) -> None:
    pier = Use("update_node", {"node_id": 3, "data": {"content": "Rain."}})
    runner.model.add([pier, GOLD], ["Done."])
    editor = Reporting(story())
    await runner.events("Do both.", editor)
    written_in = WrittenIn(editor.project)
    events = await runner.events("/undo", written_in, project=parse(editor.project.to_text()))
    assert failures(events) == ["CONFLICT"]
    assert len(written_in.applied) == 1
    assert editor.project.data.nodes[3]["data"]["content"] == "By hand."
    asked = await runner.events("/undo", Reporting(editor.project), project=parse(editor.project.to_text()))
    assert "By hand." in next(event.text for event in asked if isinstance(event, Asked))


async def test_what_was_deleted_comes_back_under_a_new_id_and_that_is_said(runner: TurnRunner) -> None:
    runner.model.add([DELETE], ["Done."])
    editor = Reporting(story())
    await runner.events("Remove the greeting.", editor, confirm="never")
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    (text,) = [event.text for event in events if isinstance(event, TextFinished)]
    (new_id,) = set(editor.project.data.nodes) - {1, 3}
    assert f"2 is now {new_id}" in text
    node = editor.project.data.nodes[new_id]
    assert (node["name"], node["data"]["lines"]) == ("greeting", ["The lamp is cold."])
    assert [way[2] for way in editor.project.data.outgoing(new_id, 0)] == [3]
    assert [way[0] for way in editor.project.data.incoming(new_id, 0)] == [1]


@pytest.mark.parametrize(("refused", "changed"), [("delete_node", True), ("update_character", False)])
async def test_an_undo_that_the_editor_refuses_can_be_tried_again(
    runner: TurnRunner, refused: str, changed: bool
) -> None:
    runner.model.add([RAIN, RENAME], ["Done."])
    editor = Reporting(story())
    await runner.events("Do much.", editor)
    editor.refuses = refused
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    assert failures(events) == ["PERMISSION_DENIED"]
    assert isinstance(events[-1], Ended)
    assert events[-1].changed is changed
    editor.refuses = None
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    assert not failures(events)
    assert fingerprint(editor.project) == fingerprint(story())


async def test_undo_goes_on_behind_what_came_back_under_a_new_id(runner: TurnRunner) -> None:
    """Three turns; every one is kept under ids that the undo of the last has changed."""
    runner.model.add([GOLD], ["Done."], [RENAME], ["Done."], [DELETE], ["Done."])
    editor = Reporting(story())
    for message in ("Add gold.", "Call her Helena.", "Remove the greeting."):
        await runner.events(message, editor, project=parse(editor.project.to_text()), confirm="never")
    for _ in range(3):
        assert not failures(await runner.events("undo", editor, project=parse(editor.project.to_text())))
    (greeting,) = set(editor.project.data.nodes) - {1, 3}
    assert greeting != 2
    assert editor.project.data.nodes[greeting]["data"]["character"] == 21
    assert not editor.project.data.by_name("variable").get("gold")
    assert editor.project.data.characters[21]["name"] == "Elena"
    assert failures(await runner.events("undo", editor, project=parse(editor.project.to_text()))) == ["NOTHING_TO_UNDO"]


async def test_what_an_undo_cannot_bring_back_is_said_and_stays_kept(runner: TurnRunner) -> None:
    runner.model.add([DELETE], ["Done."])
    written = story()
    written.data.nodes[2]["data"]["mood"] = "gloomy"
    written.data.nodes[2]["colour"] = 0
    written.data.scenes[0]["map"][2]["pinned"] = True
    content = written.to_text()
    editor = Reporting(parse(content))
    await runner.events("Remove the greeting.", editor, project=parse(content), confirm="never")
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    said = "".join(event.text for event in events if isinstance(event, TextFinished))
    (_, lost) = said.split("This could not be taken back:\n")
    fields = sorted(line.split(": ")[0].split()[-1] for line in lost.splitlines())
    assert fields == ["colour", "mood", "pinned"]
    assert [before.content for _, before in runner.pendings.before] == [content]
    assert failures(await runner.events("undo", editor, project=parse(editor.project.to_text()))) == ["NOTHING_TO_UNDO"]


class OneByOne(Pendings):
    """Hands out each story by itself, as a catalog does, and counts how many of them are in memory at once."""

    breaks_at = 10_000

    def __init__(self) -> None:
        super().__init__()
        self.moved: list[str] = []
        self.most = 0
        self._in_memory = weakref.WeakSet[Before]()

    def find_before(self, content_sha256: str) -> Before | None:
        if (found := super().find_before(content_sha256)) is None:
            return None
        found = replace(found)
        self._in_memory.add(found)
        self.most = max(self.most, len(self._in_memory))
        return found

    def move_before(self, before: Before, content_sha256: str) -> None:
        if len(self.moved) == self.breaks_at:
            raise CorpusError("The catalog does not answer.")
        self.moved.append(before.id)
        super().move_before(before, content_sha256)


class StoppedAtTheFirst(OneByOne):
    """While the first turn is brought along, the task is cancelled."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self.loop = loop
        self.task: asyncio.Task[Any] | None = None

    def move_before(self, before: Before, content_sha256: str) -> None:
        super().move_before(before, content_sha256)
        asyncio.run_coroutine_threadsafe(self._stop(), self.loop).result(PATIENCE_S)

    async def _stop(self) -> None:
        assert self.task is not None
        self.task.cancel()
        for _ in range(10):  # it hears of that when it has its turn
            await asyncio.sleep(0)


async def test_an_undo_that_is_stopped_looks_at_no_more_turns_before_it(runner: TurnRunner) -> None:
    stopped = StoppedAtTheFirst(asyncio.get_running_loop())
    stopped.task = asyncio.create_task(undo_of_a_deletion(runner, by_assistant=0, own=5, pendings=stopped))
    await asyncio.wait((stopped.task,))
    assert stopped.task.cancelled()
    assert stopped.moved == ["before_5"]
    assert [before.id for _, before in stopped.before] == [f"before_{n}" for n in range(1, 6)]


async def undo_of_a_deletion(
    runner: TurnRunner, *, by_assistant: int, own: int, pendings: OneByOne | None = None
) -> tuple[OneByOne, Reporting, list[Event]]:
    """Turns that rename a node, the first ones an assistant's, then a deletion that is taken back."""
    runner.pendings = pendings = pendings or OneByOne()
    project = story()
    for number in range(by_assistant + own):
        before = Before(project.to_text(), by_assistant=number < by_assistant)
        project.apply(Operation("update_node", {"node_id": 3, "name": f"n{number}"}))
        pendings.keep_before(before, fingerprint(project))
    runner.model.add([DELETE], ["Done."])
    editor = Reporting(project)
    await runner.events("Remove the greeting.", editor, project=parse(project.to_text()), confirm="never")
    events = await runner.events("undo", editor, project=parse(project.to_text()))
    return pendings, editor, events


async def test_turns_before_an_undo_are_looked_at_one_at_a_time_and_of_each_kind_so_many(runner: TurnRunner) -> None:
    pendings, _, _ = await undo_of_a_deletion(runner, by_assistant=KEPT_TURNS + 5, own=3)
    assert pendings.most <= 3
    assert len(pendings.moved) == KEPT_TURNS + 3
    assert [before.id for _, before in pendings.before] == [f"before_{n}" for n in range(1, KEPT_TURNS + 9)]
    assert pendings.moved == [before.id for _, before in reversed(pendings.before)][: KEPT_TURNS + 3]


async def test_where_an_undo_ends_early_no_turn_before_it_is_lost(
    runner: TurnRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OneByOne, "breaks_at", 2)
    pendings, editor, events = await undo_of_a_deletion(runner, by_assistant=0, own=4)
    assert len(pendings.moved) == 2
    assert not failures(events), "what is taken back is so"
    assert "not all can be taken back any more" in "".join(e.text for e in events if isinstance(e, TextFinished))
    assert [before.id for _, before in pendings.before] == [f"before_{n}" for n in range(1, 5)]
    monkeypatch.undo()
    for name in ("n2", "n1"):
        assert not failures(await runner.events("undo", editor, project=parse(editor.project.to_text())))
        assert editor.project.data.nodes[3]["name"] == name


async def test_an_undo_writes_no_large_story_as_json_at_once(
    runner: TurnRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    raw = json.loads(story_text())
    more = [str(key) for key in range(50, 500)]
    raw["resources"]["nodes"] |= {key: {"type": "content", "name": f"n{key}", "data": {}} for key in more}
    raw["resources"]["scenes"]["0"]["map"] |= {key: {"offset": [0, 0]} for key in more}
    raw["meta"]["authors"]["0"][1] = 500
    runner.model.add([GOLD], ["Done."], [DELETE], ["Done."])
    editor = Reporting(parse(json.dumps(raw)))
    for message in ("Add gold.", "Remove the greeting."):
        await runner.events(message, editor, project=parse(editor.project.to_text()), confirm="never")
    written, encode = list[int](), json.JSONEncoder.encode

    def recorded(encoder: json.JSONEncoder, value: object) -> str:
        text = encode(encoder, value)
        written.append(len(text))
        return text

    monkeypatch.setattr(json.JSONEncoder, "encode", recorded)
    assert not failures(await runner.events("undo", editor, project=parse(editor.project.to_text())))
    assert max(written) < len(editor.project.to_text()) / 10
    assert not failures(await runner.events("undo", editor, project=parse(editor.project.to_text())))
    assert not editor.project.data.by_name("variable").get("gold")


async def test_after_an_undo_none_is_suggested_for_what_was_just_done(runner: TurnRunner) -> None:
    runner.model.add([GOLD], ["Done."])
    editor = InMemoryEditor(story())
    assert any(
        s.function == "undo"
        for e in await runner.events("x", editor)
        if isinstance(e, Suggested)
        for s in e.suggestions
    )
    events = await runner.events("undo", editor)
    assert not any(s.function == "undo" for e in events if isinstance(e, Suggested) for s in e.suggestions)


async def test_a_stopped_turn_can_be_taken_back(runner: TurnRunner) -> None:
    runner.model.add([GOLD], [Hang()])
    editor = InMemoryEditor(story())
    async with runner.stopped_turn("Add gold.", editor) as events:
        assert isinstance(await events.get(), OperationFinished)
    await runner.events("undo", editor)
    assert editor.project.to_text() == story_text()


@pytest.mark.parametrize("how", [{"confirm": "always"}, {"plan": True}], ids=["asked", "planned"])
async def test_an_undo_that_is_asked_about_is_an_undo(runner: TurnRunner, how: dict[str, Any]) -> None:
    runner.model.add([GOLD], ["Done."], [DELETE], ["Done."])
    editor = InMemoryEditor(story())
    await runner.events("Add gold.", editor, confirm="never")
    await runner.events("Remove the greeting.", editor, confirm="never")
    for _ in range(2):
        now = editor.project.to_text()
        (asked,) = [e for e in await runner.events("undo", editor, **how) if isinstance(e, Asked)]
        assert asked.kind == ("plan" if "plan" in how else "confirmation")
        assert asked.diff
        assert asked.operations
        assert editor.project.to_text() == now
        confirm = how.get("confirm", "destructive")
        events = await runner.events("yes", editor, pending_id=asked.pending_id, confirm=confirm)
        assert ran(events) == ["undo"]
        assert not any(s.function == "undo" for e in events if isinstance(e, Suggested) for s in e.suggestions)
    assert editor.project.to_text() == story_text(), "in memory every byte is as before"
    assert failures(await runner.events("undo", editor)) == ["NOTHING_TO_UNDO"]


async def test_a_model_that_has_taken_a_turn_back_does_nothing_more(runner: TurnRunner) -> None:
    """What has come back is the user's, and that turn could not be taken back."""
    runner.model.add([DELETE], ["Done."])
    editor = Reporting(story())
    await runner.events("Remove the greeting.", editor, confirm="never")
    shown = parse(editor.project.to_text())
    (asked,) = [e for e in await runner.events("undo", editor, project=shown, confirm="always") if isinstance(e, Asked)]
    runner.model.add([Use("answer_question", {"decision": "yes"})], [GOLD], ["Done."])
    shown = parse(editor.project.to_text())
    events = await runner.events("はい", editor, project=shown, pending_id=asked.pending_id)
    assert "create_insert_node" in ran(events)
    assert [e.failure.code for e in events if isinstance(e, OperationFinished) and e.failure] == ["NOT_RUN"]
    assert "gold" not in editor.project.to_text()


async def test_nothing_can_be_left_out_of_an_undo(runner: TurnRunner) -> None:
    runner.is_local = True
    editor = InMemoryEditor(story())
    await runner.events("create a variable gold = 10", editor, confirm="never")
    (asked,) = [e for e in await runner.events("undo", editor, confirm="always") if isinstance(e, Asked)]
    events = await runner.events("yes, but keep gold", editor, pending_id=asked.pending_id, confirm="always")
    assert ran(events) == []
    assert "gold" in editor.project.to_text()


async def test_a_turn_that_changes_nothing_leaves_nothing_to_undo(runner: TurnRunner) -> None:
    runner.model.add(["Hello."])
    editor = InMemoryEditor(story())
    events = await runner.events("Hello.", editor)
    assert not any(isinstance(event, Suggested) for event in events)
    assert failures(await runner.events("undo", editor)) == ["NOTHING_TO_UNDO"]


@pytest.mark.parametrize("seed", range(12))
async def test_any_turn(runner: TurnRunner, seed: int) -> None:
    """Operations at random, through an editor that reports, and back."""
    before = parse(LAMP)
    chance, tried = random.Random(seed), before.copy()
    operations = [invented(Writer(tried, chance)) for _ in range(8)]
    runner.model.add([Use(operation.function, dict(operation.arguments)) for operation in operations])
    runner.model.otherwise = ["Done."]
    editor = Reporting(before.copy())
    await runner.events("Do much.", editor, project=before.copy(), confirm="never")
    events = await runner.events("undo", editor, project=parse(editor.project.to_text()))
    differences = [line for line in diff(before, editor.project).lines if not line.endswith(NO_DIFFERENCE)]
    if differences:  # something was made again, under another id
        assert any("is now" in event.text for event in events if isinstance(event, TextFinished))
    assert failures(events) in ([], ["NOTHING_TO_UNDO"])
