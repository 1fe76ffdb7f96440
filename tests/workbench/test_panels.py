"""What a page does of itself, without a browser: what opens beside an answer, and what becomes of one that is gone."""

import asyncio
import gc
import json
import tracemalloc
import weakref
from collections import defaultdict
from functools import partial
from itertools import pairwise
from pathlib import Path
from time import time
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import Request
from nicegui import Client, app, ui
from nicegui.page import page
from starlette.exceptions import HTTPException
from starlette.types import Message

from agent import Asked, Citation, Cited, TextFinished
from arrow_project import MOST_VALUES, Operation
from corpora import ProjectCounts
from corpora.samples import SAMPLE
from server import RequestError
from server.http.form import Form
from server.limits.pace import Pace
from tests.agent.scripted_model import PATIENCE_S
from tests.looks import looks_at
from tests.workbench.test_forms import beside_playwright, on_a_page
from workbench import shell
from workbench.access.farewells import farewell_s, free_elements
from workbench.access.page_sockets import give_up_a_page
from workbench.asking.panel import AskPanel
from workbench.frame.giving_up import unsaved
from workbench.frame.latest import Latest
from workbench.projects import ProjectsPanel
from workbench.story import drop, scene_view
from workbench.story.folders import StoryFolders
from workbench.story.keeper import NOT_HEARD, TURN
from workbench.story.open_story import OpenStory
from workbench.story.opening import Opening
from workbench.story.panel import StoryPanel
from workbench.story.room import OpenStories
from workbench.story.scene_view import view_scene
from workbench.visit import Visit

STOPPED = "What was under way when the page was loaded anew was stopped, and has changed nothing: ask for it again."
LEFT = "What was under way when another story or project was chosen has changed nothing: ask for it again."


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the pages say above everything else."""
    said = list[str]()
    monkeypatch.setattr(ui, "notify", lambda message, **_: said.append(message))
    return said


def sent(story: OpenStory, **fields: str) -> Request:
    """A request with a story that a browser's tab has kept."""
    form = httpx.Request("POST", "http://page/", data=fields, files={"files": (story.name, story.text.encode())})

    async def receive() -> Message:
        return {"type": "http.request", "body": form.read()}

    headers = [(name.lower().encode(), value.encode()) for name, value in form.headers.items()]
    state = {"workspace": "red", "take_file": lambda: None}
    return Request({"type": "http", "method": "POST", "headers": headers, "state": state}, receive)


def visited(room: OpenStories | None = None) -> Any:
    """The visit of a page on a server that does everything at once."""

    async def wait(_workspace: str) -> None: ...

    async def run(_workspace: str, work: Any) -> Any:
        return work()

    services: Any = SimpleNamespace(
        assistant=SimpleNamespace(answerer=SimpleNamespace(converses=False)),
        asking=SimpleNamespace(run=run),
        computing=SimpleNamespace(run=run),
        drives=SimpleNamespace(run=run),
        intake=SimpleNamespace(under_way=lambda _: ()),
        lists=SimpleNamespace(known=lambda _: SimpleNamespace(documents=["bible.pdf"])),
        limits=SimpleNamespace(message_bytes=1),
        roots=SimpleNamespace(roots={}, is_ours=lambda _: False),
        rounds=SimpleNamespace(wait=wait),
        paces=defaultdict(Pace),
    )
    return Visit(services, "red", is_owner=False, project="1", room=room or OpenStories())


def opened() -> OpenStory:
    """A story of its own for each test."""
    return OpenStory.read("story.arrow", SAMPLE.arrow_file.read_bytes())


def refuse_to_draw(*_: Any, **_named: Any) -> None:
    """What drawing does where something in a story is not of the kind that it should be."""
    raise TypeError


def test_a_question_closes_the_source_of_the_answer_before_and_opens_the_one_that_its_own_names_first() -> None:
    cited = tuple(Citation(number, "bible.pdf", "a760", number, number, f"p{number}", "The lamp.") for number in (1, 8))

    async def use() -> list[str]:
        visit, happened = visited(), list[str]()

        async def begin_turn(_body: Any, tell: Any) -> dict[str, Any]:
            happened.append("asked")
            await tell(Cited(cited))
            await tell(TextFinished("“The lamp.” [8] “The bell.” [1]"))
            return {}

        async def show(place: Any) -> None:
            happened.append(f"shows {place.passage}")

        visit.begin_turn = begin_turn
        panel: Any = AskPanel(visit)
        panel.place = SimpleNamespace(close=lambda: happened.append("closed"), show=show)
        panel._question.set_value("Why?")
        await panel._begin(panel._ask)
        return happened

    assert on_a_page(use) == ["closed", "asked", "shows p8"]


def test_a_story_is_handed_out_only_as_the_last_answer_has_it() -> None:
    async def use() -> list[bool]:
        visit, can_be_taken = visited(), list[bool]()
        panel: Any = StoryPanel(visit)
        visit.shown.open(opened())
        change: Any = panel._change

        async def begin_turn(_body: Any, _tell: Any) -> dict[str, Any]:
            return {"changed": True, "arrow_content": visit.shown.story.text, "suggestions": []}

        async def compute(work: Any) -> Any:
            can_be_taken.append(change._take_along.enabled)
            return work()

        visit.begin_turn, visit.compute = begin_turn, compute
        await change._run("Undo", function="undo")
        return [can_be_taken[0], change._take_along.enabled]

    assert on_a_page(use) == [False, True]


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"title": "x" * 100_001}, "A text or name in it has 100,003 characters"),
        ({"notes": [0] * MOST_VALUES}, "The text has more than 500,000 values"),
    ],
)
def test_a_turn_after_which_a_story_would_not_be_opened_again_leaves_it_as_it_was(
    fields: dict[str, Any], problem: str, monkeypatch: Any
) -> None:
    said = list[str]()
    monkeypatch.setattr(ui, "notify", lambda message, **_: said.append(message))

    async def use() -> bool:
        visit = visited()
        panel: Any = StoryPanel(visit)
        visit.shown.open(story := opened())
        text = json.dumps(json.loads(story.text) | fields)

        async def begin_turn(_body: Any, _tell: Any) -> dict[str, Any]:
            return {"changed": True, "arrow_content": text, "suggestions": []}

        visit.begin_turn = begin_turn
        await panel._change._run("Rename it", message="rename it")
        return visit.shown.story is story

    assert on_a_page(use)
    assert said[0].startswith(f"The story stays as it was. story.arrow would not be opened again: {problem}")


def test_a_story_that_cannot_be_drawn_is_not_opened_in_place_of_the_one_that_is(monkeypatch: Any) -> None:
    async def use() -> tuple[bool, str]:
        visit = visited()
        opening: Any = Opening(visit, StoryFolders(visit.services, "red"))
        visit.shown.open(before := opened())
        monkeypatch.setattr(scene_view, "outline", refuse_to_draw)
        with pytest.raises(RequestError) as refused:
            await opening._read(lambda: OpenStory("odd.arrow", opened().text))
        return visit.shown.story is before, str(refused.value)

    stays, said = on_a_page(use)
    assert stays
    assert said.startswith("odd.arrow cannot be drawn")


def test_of_what_cannot_be_drawn_nothing_else_is_shown_until_it_can_be(monkeypatch: Any) -> None:
    async def use() -> list[tuple[str, bool, bool]]:
        visit, said = visited(), list[tuple[str, bool, bool]]()
        panel: Any = StoryPanel(visit)
        visit.shown.story = before = opened()

        def look() -> None:
            said.append((panel._name.text, panel._views.visible, bool(panel._problem.text)))

        await panel._refresh()
        look()
        with monkeypatch.context() as patch:
            patch.setattr(scene_view, "outline", refuse_to_draw)
            visit.shown.preview = opened()
            with pytest.raises(TypeError):
                await panel._refresh()
        look()
        visit.shown.change(before)
        await panel._refresh()
        look()
        return said

    drawn = ("story.arrow", True, False)
    assert on_a_page(use) == [drawn, ("story.arrow (preview)", False, True), drawn]


def test_a_kept_story_for_which_another_is_given_up_still_has_its_changes() -> None:
    async def use() -> tuple[bool, bool]:
        visit = visited()
        opening: Any = Opening(visit, StoryFolders(visit.services, "red"))
        visit.shown.open(opened(), is_unsaved=True)
        opening._open(kept := opened(), is_unsaved=True)
        asked = visit.shown.story is not kept
        opening._open_waiting()  # what the button does
        return asked, visit.shown.story is kept and visit.shown.is_unsaved

    assert on_a_page(use) == (True, True)


def test_stories_on_the_server_are_looked_for_where_a_drive_that_hangs_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "story.arrow").write_bytes(SAMPLE.arrow_file.read_bytes())
    looks, begun = looks_at(tmp_path, monkeypatch), list[str]()

    async def use() -> None:
        visit, is_open = visited(), asyncio.Event()
        visit.services.roots.roots["red"], visit.services.limits.message_bytes = (tmp_path,), 2**20
        visit.shown.was_opened.subscribe(is_open.set)

        async def ask_drive(work: Any, _file: str) -> Any:
            begun.append("ask the drive")
            return await asyncio.to_thread(work)

        async def compute(work: Any) -> Any:
            begun.append("compute")
            (tmp_path / "story.arrow").unlink()  # nothing of the drive is needed any more
            return await asyncio.to_thread(work)

        async def scan(work: Any) -> Any:
            begun.append("scan")
            assert not opening._pick.enabled, "one look at a time"
            return await asyncio.to_thread(work)

        visit.ask_drive, visit.compute, visit.scan = ask_drive, compute, scan
        opening: Any = Opening(visit, StoryFolders(visit.services, "red"))
        await opening._list_files()
        assert opening._pick.enabled
        opening._picked.set_value(opening._picked.options[0])
        await asyncio.wait_for(is_open.wait(), PATIENCE_S)

    on_a_page(use)
    assert looks == {"asyncio"}
    # A thread that reads stories is taken once the drive has answered.
    assert begun == ["scan", "ask the drive", "compute"]


@pytest.mark.parametrize(
    ("ends", "changing", "comes_back", "told"),
    [
        ("it came to something", "1", True, []),
        ("it came to something", TURN, True, []),
        ("it was stopped", "1", False, [STOPPED]),
        ("its page is gone", TURN, False, [STOPPED]),
        ("its page is gone", "1", False, [NOT_HEARD]),  # it may have written a file
        ("its tab shows another page", TURN, False, [STOPPED]),
        ("its click was lost", "2", False, [STOPPED]),
    ],
)
def test_a_page_that_is_loaded_anew_waits_for_what_a_turn_came_to_or_says_that_it_has_changed_nothing(
    said: list[str], monkeypatch: pytest.MonkeyPatch, ends: str, changing: str, *, comes_back: bool, told: list[str]
) -> None:
    async def use() -> list[bool]:
        before, after, back = visited(), visited(), list[OpenStory]()
        before.shown.open(story := opened())
        begun, waited_for, leave_off = asyncio.Event(), asyncio.Event(), before.leave_off
        before.shown.clicks, tab = 1, "tab" if ends == "its tab shows another page" else None
        page = SimpleNamespace(has_socket_connection=tab is not None, tab_id=tab)  # nobody has noticed that it is away
        pages = {} if ends == "its page is gone" else {"before": page}
        monkeypatch.setattr(drop, "Client", SimpleNamespace(instances=pages))
        monkeypatch.setattr(drop, "visit_of", lambda _: before)
        monkeypatch.setattr(drop, "StoryKeeper", lambda *given: answered.append(given[-1]))
        answered = list[Any]()
        taken: Any = drop.StoryDrop(after, lambda story, _: back.append(story), said.append)
        taken._client = SimpleNamespace(tab_id=tab)

        async def asked_for() -> bool:
            waited_for.set()
            return await leave_off()

        async def turn() -> None:
            with before.busy(), before.shown.changing():
                begun.set()
                if ends == "it came to something":
                    await waited_for.wait()
                    before.shown.change(story.changed(story.text.replace("Inland Light", "Darker")))
                elif ends != "its click was lost":
                    before._turns.add(never := asyncio.ensure_future(asyncio.Event().wait()))
                    await asyncio.wait([never])

        before.leave_off = asked_for
        under_way = asyncio.ensure_future(turn())
        await begun.wait()
        answer = await taken._take(sent(story, page="before", changing=changing))
        waited_for.set()
        before.end()
        await under_way
        for _ in range(2):
            await answered[0](json.loads(answer.body))
        return ["Darker" in story.text for story in back]

    assert on_a_page(use) == [comes_back]
    assert said == told


def test_a_page_of_another_tab_says_that_a_turn_is_under_way_and_leaves_it_alone(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use() -> None:
        before, after, answered = visited(), visited(), list[Any]()
        before.shown.open(story := opened())
        page = SimpleNamespace(has_socket_connection=True, tab_id="one")
        monkeypatch.setattr(drop, "Client", SimpleNamespace(instances={"before": page}))
        monkeypatch.setattr(drop, "visit_of", lambda _: before)
        monkeypatch.setattr(drop, "StoryKeeper", lambda *given: answered.append(given[-1]))
        taken: Any = drop.StoryDrop(after, print, print)
        taken._client = SimpleNamespace(tab_id="another")
        with before.shown.changing():
            before._turns.add(never := asyncio.ensure_future(asyncio.Event().wait()))
            answer = await taken._take(sent(story, page="before", changing="1"))
        await answered[0](json.loads(answer.body))
        assert not never.cancelling()

    on_a_page(use)
    (told,) = said
    assert "Something is under way on another page that shows this story" in told


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (None, "Too many files are open."),
        ({"detail": "what stands between says so"}, "The server has not taken the story. Try it again."),
    ],
    ids=["too many files", "a proxy"],
)
def test_a_story_that_was_not_taken_is_told(answer: Any, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def use() -> list[str]:
        refused, answered = list[str](), list[Any]()
        monkeypatch.setattr(drop, "StoryKeeper", lambda *given: answered.append(given[-1]))
        monkeypatch.setattr(Form, "spool_max_size", 1)
        taken: Any = drop.StoryDrop(visited(), print, refused.append)
        request = sent(opened())

        def take_file() -> None:
            raise HTTPException(503, "Too many files are open.")

        request.state.take_file = take_file
        await answered[0](answer or json.loads((await taken._take(request)).body))
        return refused

    assert on_a_page(use) == [problem]


def test_a_turn_that_was_stopped_is_told_also_where_its_story_finds_no_room(
    said: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def use() -> None:
        room = OpenStories(most=9 * opened().size, each=opened().size)
        holds, after, answered = visited(room), visited(room), list[Any]()
        holds.shown.open(story := opened())
        monkeypatch.setattr(drop, "StoryKeeper", lambda *given: answered.append(given[-1]))
        taken: Any = drop.StoryDrop(after, print, lambda _: None)
        answer = await taken._take(sent(story, changing=TURN))
        await answered[0](json.loads(answer.body))

    on_a_page(use)
    assert said == [STOPPED]


def test_while_a_story_is_written_back_no_turn_begins_that_would_be_lost() -> None:
    async def use() -> list[bool]:
        visit, began = visited(), list[bool]()
        panel: Any = StoryPanel(visit)
        change: Any = panel._change
        visit.shown.open(opened())

        async def ask_drive(_work: Any, _file: str) -> OpenStory:
            began.append(change._apply.enabled)
            began.append(await change._run("Undo", function="undo"))
            return opened()

        visit.ask_drive = ask_drive
        await change._write_back()
        return [*began, change._apply.enabled]

    assert on_a_page(use) == [False, False, True]


@pytest.mark.parametrize("asks", [False, True])
def test_what_a_turn_came_to_is_not_shown_in_place_of_a_story_that_was_opened_meanwhile(
    said: list[str], *, asks: bool
) -> None:
    async def use() -> bool:
        visit = visited()
        panel: Any = StoryPanel(visit)
        visit.shown.open(opened())
        another = OpenStory("another.arrow", opened().text)

        async def begin_turn(body: Any, tell: Any) -> dict[str, Any]:
            if asks:
                await tell(Asked("plan", "Remove it?", "1", operations=(Operation("delete_node", {"node_id": 13}),)))
            return {"changed": not asks, "arrow_content": body.arrow_content, "suggestions": []}

        async def compute(work: Any) -> Any:
            if visit.shown.story is not another:
                visit.shown.open(another)
            return work()

        async def preview_story(_story: Any, preview: Any) -> Any:
            return await compute(preview)

        visit.begin_turn = begin_turn
        panel._change._visit = SimpleNamespace(
            project=visit.project, is_over=False, compute=compute, preview_story=preview_story
        )
        await panel._change._run("Undo", function="undo")
        return visit.shown.story is another and visit.shown.preview is None

    assert on_a_page(use)
    assert said == [LEFT]


@pytest.mark.parametrize("has_ended", [True, False])
def test_a_turn_that_has_ended_as_another_project_is_chosen_has_changed_the_story_and_another_one_says_that_it_has_not(
    said: list[str], *, has_ended: bool
) -> None:
    async def use() -> tuple[bool, str | None, str]:
        visit = visited()
        change: Any = StoryPanel(visit)._change  # type: ignore[reportPrivateUsage]
        visit.shown.open(story := opened())
        change._message.set_value("make it darker")
        text = json.dumps(json.loads(story.text) | {"title": "Darker"})

        async def turn() -> dict[str, Any]:
            if not has_ended:
                visit.show("2")
                await asyncio.Event().wait()
            return {"changed": True, "arrow_content": text, "suggestions": []}

        async def came_to(*state: Any) -> Any:
            visit.show("2")
            return await show_what_it_came_to(*state)

        visit.begin_turn = lambda _body, _tell: asyncio.ensure_future(turn())
        show_what_it_came_to, change._came_to = change._came_to, came_to if has_ended else change._came_to
        await change._send("apply")
        return "Darker" in visit.shown.story.text, change._changed_in, change._message.value

    assert on_a_page(use) == ((True, "1", "") if has_ended else (False, None, "make it darker"))
    assert said == ([] if has_ended else [LEFT])


def test_a_story_that_is_written_back_is_not_shown_in_place_of_one_that_was_opened_meanwhile() -> None:
    async def use() -> tuple[bool, bool]:
        visit = visited()
        panel: Any = StoryPanel(visit)
        visit.shown.open(opened())
        another = OpenStory("another.arrow", opened().text)

        async def ask_drive(_work: Any, _file: str) -> OpenStory:
            visit.shown.open(another, is_unsaved=True)
            return opened()

        visit.ask_drive = ask_drive
        await panel._change._write_back()
        return visit.shown.story is another, visit.shown.is_unsaved

    assert on_a_page(use) == (True, True)


def test_signing_out_asks_again_where_more_would_be_lost_by_now(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, asked, happened = visited(), visited(), list[tuple[str, Any]](), list[str]()

    async def leave_pages(_session: Any) -> None:
        happened.append("left")

    async def end_pages(_session: Any) -> None:
        happened.append("pages ended")

    def ask_to_give_up(what: str, _title: str, _action: str, give_up: Any) -> None:
        parent = ui.context.slot.parent  # a dialog in one that is closed is not seen
        assert parent.parent_slot is not None
        assert parent.parent_slot.parent is ui.context.client.content
        assert not ui.context.slot.children, "however often it is clicked there is one"
        ui.label("Sign out?")
        asked.append((what, give_up))

    monkeypatch.setattr(shell, "pages_of", lambda _: [first, second])
    monkeypatch.setattr(shell, "visit_of", lambda page: page)
    monkeypatch.setattr(shell, "leave_pages", leave_pages)
    monkeypatch.setattr(shell, "end_pages", end_pages)
    monkeypatch.setattr(shell, "ask_to_give_up", ask_to_give_up)

    async def use() -> None:
        request: Any = SimpleNamespace(state=SimpleNamespace(session=object()), cookies=defaultdict(str), headers={})
        access: Any = SimpleNamespace(sessions=SimpleNamespace(end=lambda _: happened.append("session ended")))
        of_page: Any = shell
        sign_out = of_page._sign_out(request, access)
        first.shown.open(OpenStory("first.arrow", opened().text), is_unsaved=True)
        await sign_out()
        second.shown.open(OpenStory("second.arrow", opened().text), is_unsaved=True)
        for _ in range(2):
            with ui.card():  # of the dialog, which the button closes
                await asked[-1][1]()

    on_a_page(use)
    assert [what for what, _ in asked] == [unsaved(["first.arrow"]), unsaved(["first.arrow", "second.arrow"])]
    assert happened == ["left", "session ended", "pages ended"], "no page can be had meanwhile"


def test_of_a_preview_what_is_removed_is_looked_at_first() -> None:
    story = opened()
    project = story.project.copy()
    project.apply(Operation("delete_node", {"node_id": 13}))
    view = view_scene(story, story.changed(project.to_text()), 0, print)
    assert view.marked[0] == 13
    assert len(view.marked) > 1


def test_the_check_of_a_story_ends_with_its_page() -> None:
    async def use() -> list[str]:
        visit, ended = visited(), list[str]()

        async def compute(work: Any) -> Any:
            visit.end()
            try:
                return work()
            except Exception as error:
                ended.append(type(error).__name__)
                raise

        panel: Any = StoryPanel(visit)
        visit.shown.story = opened()
        visit.compute = compute
        await panel._refresh()
        return ended

    assert on_a_page(use) == ["_Outdated"]


def test_of_a_page_that_is_gone_neither_its_story_nor_its_address_is_kept() -> None:
    async def use() -> tuple[Any, int, int]:
        before = len(app.routes)
        visit = visited()
        StoryPanel(visit)
        client = ui.context.client
        client.on_delete(visit.end)
        visit.shown.open(opened())
        client.delete()
        return weakref.ref(visit), before, len(app.routes)

    visit, before, after = on_a_page(use)
    gc.collect()
    assert visit() is None
    assert before == after


def test_a_button_that_is_there_still_hears_who_clicks() -> None:
    """What is drawn anew has others: a click on the first one, just then, would be lost."""

    async def use() -> list[list[int]]:
        visit, counts = visited(), list[ProjectCounts]()
        visit.services.catalog = SimpleNamespace(project_counts=lambda _: list(counts))
        visit.services.listing = visit.services.asking
        with ui.column(), ui.tabs() as tabs:
            tabs.value = "Projects"
            panel: Any = ProjectsPanel(visit, tabs)
        buttons = list[list[int]]()
        for begun in ("", "", "tower"):
            counts += [ProjectCounts(begun, 1, 1, 1)] if begun else []
            await panel._refresh()
            buttons.append([one.id for one in panel._list.descendants() if isinstance(one, ui.button)])
        return buttons

    first, second, third = on_a_page(use)
    assert first == second
    assert first != third


def test_what_is_asked_for_again_and_again_is_shown_once_more() -> None:
    async def use() -> int:
        shown, may_end = list[int](), asyncio.Event()

        async def show() -> None:
            shown.append(1)
            await may_end.wait()

        latest = Latest(show)
        asked = [asyncio.create_task(latest.run()) for _ in range(100)]
        await asyncio.wait(asked[1:])
        may_end.set()
        await asked[0]
        return len(shown)

    assert beside_playwright(use()) == 2


@pytest.mark.parametrize("comes_to_something", [True, False])
def test_a_message_is_kept_until_something_came_of_it(*, comes_to_something: bool) -> None:
    async def use() -> tuple[list[Any], str]:
        visit, told = visited(), list[Any]()
        change: Any = StoryPanel(visit)._change  # type: ignore[reportPrivateUsage]
        change._message._draft.run_method = lambda *call: told.append(call)
        visit.shown.open(opened())
        change._message.set_value("Gold!")

        async def turn() -> dict[str, Any]:
            told.append("under way")
            if not comes_to_something:
                raise RequestError(503, "TOO_BUSY", "There is no room.")
            return {"changed": False, "suggestions": []}

        visit.begin_turn = lambda _body, _tell: asyncio.ensure_future(turn())
        await change._send("apply")
        return told, change._message.value

    told, left = on_a_page(use)
    assert told[:3] == [("send", "Gold!"), "under way", ("done",)]
    assert told[3:] == ([] if comes_to_something else [("keep", "Gold!")])
    assert left == ("" if comes_to_something else "Gold!")


_LEAVING = 200


def test_pages_whose_browsers_leave_together_are_not_given_up_together() -> None:
    async def use() -> list[float]:
        """What the library's own tasks are told, which are called so."""
        asleep, sleep = list[float](), asyncio.sleep

        async def noted(seconds: float) -> None:
            if seconds < 30.0:  # somebody else
                await sleep(seconds)
            else:
                asleep.append(seconds)

        leaving: Any = Client(page("/x"))
        with leaving as client, pytest.MonkeyPatch.context() as patched:
            patched.setattr("nicegui.client.asyncio.sleep", noted)
            patched.setattr(client.page, "resolve_reconnect_timeout", partial(farewell_s, 30.0))
            patched.setattr(Client, "instances", dict.fromkeys(map(str, range(101))))
            patched.setattr(client, "delete", lambda: None)
            for number in range(_LEAVING):
                client._socket_to_document_id[f"s{number}"] = f"d{number}"
                client._num_connections[f"d{number}"] = 1
                client.handle_disconnect(f"s{number}")
            assert client.page.resolve_reconnect_timeout() == 30.0, "for how long messages are kept, for instance"
            while len(asleep) < _LEAVING or client._delete_tasks:
                await sleep(0)
        return asleep

    due = sorted(on_a_page(use))
    assert 30.0 <= due[0] < due[_LEAVING // 2] < due[-1] <= 60.0
    assert all(later - sooner < 3.0 for sooner, later in pairwise(due)), "twenty of them, at any time in 30 seconds"


def test_a_page_that_is_left_gives_way_to_a_new_one_unless_something_of_it_would_be_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Else a workspace whose thirty people load their pages anew together would have to wait half a minute."""
    gone = list[str]()

    def opened(
        name: str, whose: str = "red", *, is_seen: bool = True, is_left: bool = True, ago_s: float = 60, **shown: Any
    ) -> Any:
        story = SimpleNamespace(is_changing=False, at_risk=()) if not shown else SimpleNamespace(**shown)
        state = SimpleNamespace(workspace=whose, visit=SimpleNamespace(shown=story))
        return SimpleNamespace(
            name=name,
            request=SimpleNamespace(state=state),
            environ={} if is_seen else None,
            has_socket_connection=not is_left,
            created=time() - ago_s,
            delete=lambda: gone.append(name),
        )

    asked_for = opened("asked for now", is_seen=False, ago_s=0)
    pages = [
        opened("another's", "blue"),
        opened("open", is_left=False),
        opened("with changes", is_changing=False, at_risk=["story.arrow"]),
        opened("in a turn", is_changing=True, at_risk=()),
        asked_for,
        opened("on its way", is_seen=False, ago_s=2),
        opened("left"),
        opened("unseen", is_seen=False),
    ]
    for _ in range(4):
        monkeypatch.setattr(Client, "instances", {n: one for n, one in enumerate(pages) if one.name not in gone})
        give_up_a_page("red", asked_for)
    assert gone == ["unseen", "left", "on its way"]


def test_a_page_that_gives_way_is_ended_once() -> None:
    """The library waits half a minute for its browser to come back, and would end it again."""

    async def use() -> list[str]:
        ended = list[str]()
        client: Any = Client(page("/x"))
        client.on_delete(free_elements)
        client.on_delete(lambda: ended.append("ended"))
        client._socket_to_document_id["s"] = "d"
        client._num_connections["d"] = 1
        client.handle_disconnect("s")
        (waiting,) = client._delete_tasks.values()
        client.delete()
        await asyncio.wait([waiting])
        return ended

    assert on_a_page(use) == ["ended"]


def test_what_a_page_that_is_gone_has_drawn_is_freed_without_looking_for_garbage() -> None:
    async def use() -> tuple[int, int]:
        with Client(page("/x")) as client:
            panel: Any = AskPanel(visited())
            for _ in range(300):
                with panel._answers, ui.row():
                    ui.button("Open", on_click=panel._forget).props("flat")
            client.on_delete(free_elements)
        drawn = [weakref.ref(element) for element in client.elements.values()]
        client.delete()
        del client, panel
        await asyncio.sleep(0)
        return len(drawn), sum(element() is not None for element in drawn)

    gc.collect()
    gc.disable()
    try:
        drawn, kept = on_a_page(use)
    finally:
        gc.enable()
    assert drawn > 500
    assert kept < 100


def test_what_a_page_that_is_gone_has_shown_is_freed_though_its_panels_know_each_other() -> None:
    """The drawing of a scene may have 22 MB, and counts only while its page is there."""

    async def use() -> tuple[int, int]:
        with Client(page("/x")) as client:
            panel: Any = StoryPanel(visited())
            client.on_delete(free_elements)
        panel._graph.draw("x" * 2**20)
        panel._outline.set_text("y" * 2**20)
        shown = tracemalloc.get_traced_memory()[0]
        client.delete()
        await asyncio.sleep(0)
        return shown, tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        shown, kept = on_a_page(use)
    finally:
        tracemalloc.stop()
    assert kept < shown - 2 * 2**20
