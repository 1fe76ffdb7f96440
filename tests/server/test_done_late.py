"""What is done after its turn, once another story was shown, can be had back."""

import asyncio
import json
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from agent import Outcome
from agent.editing import execution
from arrow_project import ArrowProject, ParseError
from server.socket import conversation, stories
from server.socket.open_turn import OpenTurn
from tests.agent.scripted_model import Hang, Part, Request, Until, Use
from tests.server.client import Client, flat
from tests.server.house import House
from tests.server.patience import Patience
from tests.server.test_newest_story import NO_ROOM, RENAMED, WRITTEN, Editor, has_no_room, undo, with_a_node_alone


def deletion(home: House, client: Client, editor: Editor) -> dict[str, Any]:
    """The call that an agreed deletion leads to."""
    home.model.add([Use("delete_node", {"node_id": 50})])
    editor.agree("Delete it.")
    return client.call()


def late_deletion(home: House, client: Client, editor: Editor, patience: Patience) -> dict[str, Any]:
    """The same, whose turn has ended without an answer."""
    call = deletion(home, client, editor)
    patience.end(client)
    editor.until_the_end()
    return call


def delete(editor: Editor) -> Any:
    """Does it now: what comes of it."""
    result = editor.execute("delete_node", {"node_id": 50, "force": True})
    assert WRITTEN not in editor.content
    return result


def writes_on(editor: Editor) -> str:
    """The story, in which its user has written something meanwhile."""
    editor.execute("update_node", {"node_id": 3, "data": {"content": "The pier is full."}})
    return editor.content


def show(client: Client, content: str, refusal: str) -> None:
    """Shows a story, and waits until it is refused."""
    client.sync(content)
    while refusal not in json.dumps(client.frame()):
        pass


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("does", ["something", "nothing"])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_also_in_the_middle_of_the_next_turn(
    home: House, patience: Patience, dialect: str, does: str, *, is_shown: bool
) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        late = late_deletion(home, client, editor, patience)
        if does == "something":
            home.model.add([Use("create_variable", {"name": "gold", "type": "num"})])
        home.model.add(["Done."])
        editor.ask("Gold.", arrow_content=writes_on(editor))
        call = client.call() if does == "something" else None
        client.answer(late, delete(editor), **({"arrow_content": editor.content} if is_shown else {}))
        if call is not None:
            client.answer(call, editor.execute(flat(call)["function"], flat(call)["arguments"]))
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai", "fletcher"])
def test_also_what_was_written_there_since_and_shown_with_a_result(
    home: House, patience: Patience, dialect: str
) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone("What was there before."))
        late = late_deletion(home, client, editor, patience)
        client.sync(editor.content)
        home.model.add([RENAMED], ["Done."])
        editor.ask("Rename it.", arrow_content=editor.content)
        call, result = editor.do()
        editor.execute("update_node", {"node_id": 50, "data": {"content": WRITTEN}})
        client.answer(call, result, arrow_content=editor.content)
        editor.until_the_end()
        client.answer(late, delete(editor))
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("with_result", [False, True])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_also_what_was_shown_since_a_turn_began_that_has_done_something(
    home: House, patience: Patience, dialect: str, *, with_result: bool
) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone("What was there before."))
        late = late_deletion(home, client, editor, patience)
        client.sync(editor.content)
        gold, silver = (Use("create_variable", {"name": name, "type": "num"}) for name in ("gold", "silver"))
        home.model.add([gold], [RENAMED], [silver], ["Done."])
        editor.ask("Gold and silver.", arrow_content=editor.content)
        client.answer(*editor.do())
        call, result = editor.do()
        editor.execute("update_node", {"node_id": 50, "data": {"content": WRITTEN}})
        if not with_result:
            client.sync(editor.content)
        client.answer(call, result, **({"arrow_content": editor.content} if with_result else {}))
        call = client.call()
        client.answer(late, delete(editor), arrow_content=editor.content)
        client.answer(call, editor.execute(flat(call)["function"], flat(call)["arguments"]))
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content
        assert '"gold"' in editor.content
        undo(editor)
        assert WRITTEN not in editor.content
        assert "What was there before." in editor.content
        assert '"gold"' not in editor.content


@pytest.mark.parametrize("ends", ["late", "stopped"])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_also_where_an_earlier_turn_has_led_to_the_same_story(
    home: House, patience: Patience, dialect: str, ends: str
) -> None:
    said = Use("update_node", {"node_id": 50, "data": {"content": "Anew."}})
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone("What was there before."))
        home.model.add([said], ["Done."], [said])
        editor.ask("Say it anew.", arrow_content=editor.content)
        client.answer(*editor.do(), arrow_content=editor.content)
        editor.until_the_end()
        editor.execute("update_node", {"node_id": 50, "data": {"content": WRITTEN}})
        editor.agree("Say it anew.")
        late = client.call()
        if ends == "late":
            patience.end(client)
        else:
            client.send("stop")
        editor.until_the_end()
        asked = flat(late)
        client.answer(late, editor.execute(asked["function"], asked["arguments"]), arrow_content=editor.content)
        assert WRITTEN not in editor.content
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_also_while_the_turn_before_is_still_measured(
    home: House, patience: Patience, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    may_go_on, size_in_memory = threading.Event(), stories.size_in_memory
    may_go_on.set()

    def slow(project: ArrowProject) -> int:
        may_go_on.wait(60)
        return size_in_memory(project)

    def answer(_request: Request) -> Sequence[str]:
        may_go_on.clear()
        return ["It is a pier."]

    monkeypatch.setattr(stories, "size_in_memory", slow)
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        late = late_deletion(home, client, editor, patience)
        home.model.add(answer)
        editor.ask("What is there?", arrow_content=writes_on(editor))
        editor.until_the_end()
        client.answer(late, delete(editor))
        may_go_on.set()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


def test_also_where_that_turn_has_nothing_else_to_do_than_to_end(
    home: House, patience: Patience, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, may_answer, may_go_on = threading.Event(), threading.Event(), threading.Event()
    to_text = ArrowProject.to_text

    def answer(_request: Request) -> Sequence[Part]:
        asked.set()
        return [Until(may_answer), "It is a pier."]

    def slow(project: ArrowProject) -> str:
        may_answer.set()
        may_go_on.wait(60)
        return to_text(project)

    with home.client("/ws/chat?dialect=fletcher") as client:
        editor = Editor(client, "fletcher", with_a_node_alone(WRITTEN * 20))  # so that it is written in a thread
        late = late_deletion(home, client, editor, patience)
        home.model.add(answer)
        editor.ask("What is there?", arrow_content=writes_on(editor))
        assert asked.wait(60)
        monkeypatch.setattr(ArrowProject, "to_text", slow)
        client.answer(late, delete(editor))
        client.until("text_chunk")
        may_go_on.set()
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai", "fletcher"])
def test_also_where_that_turn_is_stopped(home: House, patience: Patience, dialect: str) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        late = late_deletion(home, client, editor, patience)
        home.model.add([Hang()])
        editor.ask("What is there?", arrow_content=writes_on(editor))
        assert home.model.hanging.wait(60)
        client.answer(late, delete(editor))
        client.send("stop")
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("is_answered", [False, True])
@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai", "fletcher"])
def test_also_after_a_stop_that_has_crossed_its_call(home: House, dialect: str, *, is_answered: bool) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        call = deletion(home, client, editor)
        client.send("stop")
        result = delete(editor)
        if is_answered:
            client.answer(call, result)
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


def test_also_where_the_canvas_is_cleaned_once_it_has_answered(home: House, patience: Patience) -> None:
    """As Arrow-AI's is: what it answers with still has the connection to the node that is gone."""
    story = json.loads(with_a_node_alone(WRITTEN))
    story["resources"]["scenes"]["0"]["map"]["3"]["io"] = [[3, 0, 50, 0]]
    with home.client("/ws/chat?dialect=arrow-ai") as client:
        editor = Editor(client, "arrow-ai", json.dumps(story))
        late = late_deletion(home, client, editor, patience)
        result = delete(editor)
        cleaned = json.loads(editor.content)
        place = cleaned["resources"]["scenes"]["0"]["map"]["3"]
        cleaned["resources"]["scenes"]["0"]["map"]["3"] = place | {"io": [[3, 0, 50, 0]]}
        client.answer(late, result, arrow_content=json.dumps(cleaned))
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("is_shown", [False, True])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_also_what_is_done_whose_story_was_being_read_at_a_stop(
    home: House, monkeypatch: pytest.MonkeyPatch, dialect: str, *, is_shown: bool
) -> None:
    reading = threading.Event()

    async def read(_outcome: Outcome) -> None:
        reading.set()
        await asyncio.Event().wait()

    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        call = deletion(home, client, editor)
        shown = writes_on(editor)
        if is_shown:
            client.sync(shown)
        with monkeypatch.context() as hanging:
            hanging.setattr(execution, "reported_project", read)
            client.answer(call, delete(editor), arrow_content=editor.content)
            assert reading.wait(60)
            client.send("stop")
            editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("has_shown", [False, True])
@pytest.mark.parametrize("why", ["no room", "unreadable", "no message"])
@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai", "fletcher"])
def test_also_where_its_turn_could_not_follow_what_was_shown_meanwhile(
    home: House, monkeypatch: pytest.MonkeyPatch, dialect: str, why: str, *, has_shown: bool
) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        call = deletion(home, client, editor)
        if has_shown:
            home.model.add([Use("create_variable", {"name": "gold", "type": "num"})], ["Done."])
            client.answer(call, delete(editor), arrow_content=editor.content)
            call = client.call()
        shown = writes_on(editor)
        if why == "no room":
            with monkeypatch.context() as full:
                full.setattr(OpenTurn, "weigh", has_no_room)
                show(client, shown, NO_ROOM)
        elif why == "unreadable":
            show(client, "{", "PARSE_ERROR")
        else:
            show(client, f"[{'1,' * 500_010}1]", "INVALID_MESSAGE")
        asked = flat(call)
        client.answer(call, editor.execute(asked["function"], asked["arguments"]) if has_shown else delete(editor))
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_nothing_goes_with_an_undo_that_was_only_tried_when_an_answer_came_twice(home: House, dialect: str) -> None:
    story = json.loads(with_a_node_alone(WRITTEN))
    resources = story["resources"]
    other = "What nobody has deleted. " * 20
    resources["nodes"]["49"] = resources["nodes"]["50"] | {"name": "other", "data": {"content": other}}
    resources["scenes"]["0"]["map"]["49"] = {"offset": [900, 900]}
    home.model.add([Use("delete_node", {"node_id": 50}), Use("delete_node", {"node_id": 49})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, json.dumps(story))
        editor.agree("Delete both.")
        first = client.call()
        client.answer(first, delete(editor))
        second = client.call()
        client.answer(first)
        client.refuse(second, "The canvas is gone.")
        editor.until_the_end()
        client.sync(editor.content)
        undo(editor)
        assert other in editor.content
        assert WRITTEN in editor.content


@pytest.mark.parametrize("then", ["saved", "moved"])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_what_was_never_done_is_no_step_of_undo_though_the_story_is_not_the_same_text(
    home: House, dialect: str, then: str
) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        home.model.add([RENAMED], ["Done."], [Use("create_variable", {"name": "gold", "type": "num"})])
        editor.ask("Rename it.", arrow_content=editor.content)
        client.answer(*editor.do())
        editor.until_the_end()
        editor.ask("Gold.", arrow_content=editor.content)
        client.call()
        client.send("stop")
        editor.until_the_end()
        document = json.loads(editor.content)
        if then == "saved":
            document["meta"]["last_save"] = {"year": 2026, "month": 11, "day": 29}
        else:
            document["resources"]["scenes"]["0"]["map"]["3"]["offset"] = [500, 300]
        client.sync(json.dumps(document))
        editor.ask("undo")
        editor.until_the_end()
        assert '"found"' not in editor.content


def test_what_has_become_too_long_to_be_read_is_no_step_of_undo_and_costs_no_story(
    home: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    with home.client("/ws/chat?dialect=spec") as client:
        editor = Editor(client, "spec")
        editor.call_that_is_stopped(home)

        def too_long(_: str) -> ArrowProject:
            raise ParseError("It has more values than a story may have.", 0)

        monkeypatch.setattr(conversation, "parse", too_long)
        client.sync(writes_on(editor))
        client.assert_quiet()
        home.model.add(["Hello."])
        assert "Hello." in str(client.turn("Hello?"))
