"""Which of several stories that a client has shown is known afterwards: the newest, or nobody knows what is in it."""

import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent import Outcome
from arrow_project import OperationResult
from server.limits.turn_room import NoRoomForTurn
from server.socket import stories
from server.socket.open_turn import OpenTurn
from server.socket.read_story import ReadStory, read_story
from server.socket.remote_editor import RemoteEditor
from tests.agent.scripted_model import Part, Request, Until, Use
from tests.agent.story import story_text
from tests.server.client import Client, flat
from tests.server.dispatcher import Dispatcher
from tests.server.house import House, house
from tests.server.patience import Patience
from tests.server.test_half_done import ENDS, editor_of, follow

WRITTEN = "What the writer has written here by hand since, and what nobody has been asked about. " * 4
EMPTIED = Use("update_node", {"node_id": 3, "data": {"content": ""}})
ANEW = Use("update_node", {"node_id": 2, "data": {"lines": ["Anew."]}})
RENAMED = Use("update_node", {"node_id": 2, "name": "found"})


class Editor(Dispatcher):
    """Answers one call after the other, as it is told to."""

    def __init__(self, client: Client, dialect: str, content: str = "") -> None:
        super().__init__(content or story_text())
        self._client, self._dialect = client, dialect

    def ask(self, words: str, **fields: Any) -> None:
        """Says something, without the story."""
        self._client.ask(words, current_scene_id=0, **fields)

    def agree(self, words: str) -> None:
        """Asks for what takes something away, in the story as it is, and says yes to the question."""
        self.ask(words, arrow_content=self.content)
        self.until_the_end()
        self.ask("yes")

    def do(self) -> tuple[dict[str, Any], Any]:
        """Does what is asked for next: the call, and what comes of it."""
        call = self._client.call()
        asked = flat(call)
        return call, self.execute(asked["function"], asked["arguments"])

    def call_that_is_stopped(self, home: House) -> dict[str, Any]:
        """A call that is still to be done when its turn is stopped."""
        home.model.add([RENAMED])
        self.ask("Rename it.", arrow_content=story_text())
        call = self._client.call()
        self._client.send("stop")
        self.until_the_end()
        return call

    def until_the_end(self) -> list[dict[str, Any]]:
        """All that comes of a turn; what is asked for is done, and nothing is shown of it."""
        return follow(self._client, self, self._dialect, lambda _: False, reports=False)

    def written(self) -> str:
        """The story, into whose second node its writer has written."""
        document = json.loads(self.content)
        document["resources"]["nodes"]["2"]["data"]["lines"] = [WRITTEN]
        return json.dumps(document)


NO_ROOM = "The stories that turns work on now take too much memory."


def has_no_room(_turn: OpenTurn, _size: int, _content: str | None = None) -> None:
    """In the place of `OpenTurn.weigh`."""
    raise NoRoomForTurn(NO_ROOM)


def asks_first(home: House, editor: Editor, use: Use) -> bool:
    """Whether the next message, which brings no story, changes nothing there that the writer has not agreed to."""
    home.model.add([use], ["Done."])
    editor.ask("Say it anew.")
    return not any(frame["type"] == "function_call" for frame in editor.until_the_end())


@pytest.mark.parametrize("then", ["done", "refused", "stopped"])
@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_an_earlier_call_has_shown_replaces_nothing_newer(home: House, dialect: str, then: str) -> None:
    home.model.add([Use("delete_node", {"node_id": 3})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.agree("Remove the pier.")
        client.answer(*editor.do(), arrow_content=editor.content)
        second = client.call()
        client.sync(editor.written())
        if then == "stopped":
            client.send("stop")
        elif then == "refused":
            client.refuse(second, "The canvas is gone.")
        else:
            client.answer(second, editor.execute(flat(second)["function"], flat(second)["arguments"]))
        editor.until_the_end()
        assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("shown_by", ["file_sync", "result"])
@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_nor_what_has_ended_an_operation(home: House, dialect: str, shown_by: str) -> None:
    """Of three calls the last is not done, for what is written into the node that it would delete."""
    home.model.add([Use("delete_node", {"node_id": 3})])
    document = json.loads(story_text())
    document["resources"]["scenes"]["0"]["map"]["1"]["io"].append([1, 1, 3, 0])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, json.dumps(document))
        editor.agree("Remove the pier.")
        client.answer(*editor.do(), arrow_content=editor.content)
        second = editor.do()
        newer = editor.content.replace("The pier is empty.", WRITTEN)
        if shown_by == "file_sync":
            client.sync(newer)
        client.answer(*second, **({"arrow_content": newer} if shown_by == "result" else {}))
        frames = editor.until_the_end()
        assert not any(frame["type"] == "function_call" for frame in frames)
        assert asks_first(home, editor, Use("update_node", {"node_id": 3, "data": {"content": "Anew."}}))


@pytest.mark.parametrize("dialect", ["spec", "arrow-ai", "fletcher"])
def test_a_result_that_comes_once_its_story_is_open_again_is_of_that_one(home: House, dialect: str) -> None:
    home.model.add([RENAMED], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Rename it.", arrow_content=story_text())
        result = editor.do()
        client.sync(story_text("The Warm Lamp"), project_id=2)
        client.sync(story_text())
        client.answer(*result, arrow_content=editor.written())
        editor.until_the_end()
        assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_is_still_being_read_is_looked_at_before_anything_is_asked_for(
    home: House, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    asked, may_answer, reads, is_sent = (threading.Event() for _ in range(4))
    apply = RemoteEditor.apply

    async def sent(editor: RemoteEditor, applied: OperationResult) -> Outcome:
        is_sent.set()
        return await apply(editor, applied)

    def answer(_request: Request) -> Sequence[Part]:
        asked.set()
        return [Until(may_answer), ANEW]

    def slow(content: str, before: ReadStory | None) -> ReadStory:
        reads.set()
        is_sent.wait(0.5)  # it must not be
        return read_story(content, before)

    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        home.model.add(answer, ["Done."])
        editor.ask("Say it anew.", arrow_content=editor.content)
        assert asked.wait(60)
        monkeypatch.setattr(stories, "read_story", slow)
        monkeypatch.setattr(RemoteEditor, "apply", sent)
        client.sync(editor.written())
        assert reads.wait(60)
        may_answer.set()
        assert not any(frame["type"] == "function_call" for frame in editor.until_the_end())


@pytest.mark.parametrize(("has_changed", "shows"), [(True, False), (True, True), (False, False)])
@pytest.mark.parametrize("dialect", ["spec", "envelope"])
def test_a_stop_that_crosses_the_end_has_taken_all_of_that_turn_back(
    home: House, dialect: str, *, has_changed: bool, shows: bool
) -> None:
    """These clients do that by themselves."""
    full = story_text().replace("The pier is empty.", WRITTEN)
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, full)
        if has_changed:
            home.model.add([EMPTIED], ["Done."])
            editor.agree("Empty it.")
        else:
            home.model.add(["It is a pier."])
            editor.ask("What is there?", arrow_content=full)
        editor.until_the_end()
        if shows:  # what its calls have come to
            client.sync(editor.content)
        client.send("stop")
        editor.until_the_end()
        editor = Editor(client, dialect, full)
        anew = Use("update_node", {"node_id": 3, "data": {"content": "Anew."}}) if has_changed else RENAMED
        assert asks_first(home, editor, anew) == has_changed


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_what_its_user_may_have_taken_back_is_not_known_to_be_done(home: House, dialect: str, *, stops: bool) -> None:
    home.model.add([EMPTIED], [RENAMED], ["Done."])
    full = story_text().replace("The pier is empty.", WRITTEN)
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, full)
        editor.agree("Empty it.")
        client.answer(*editor.do())
        second = editor.do()
        client.sync(full)  # with Ctrl-Z
        if stops:
            client.send("stop")
        else:
            client.answer(*second)
        editor.until_the_end()
        assert asks_first(home, editor, Use("update_node", {"node_id": 3, "data": {"content": "Anew."}}))


@pytest.mark.parametrize("dialect", ["spec", "envelope"])
def test_where_a_stop_takes_a_turn_back_nobody_knows_what_its_results_have_shown(home: House, dialect: str) -> None:
    """The client takes its own calls back, and keeps what its writer has written meanwhile."""
    home.model.add([RENAMED], [Use("update_node", {"node_id": 3, "name": "quay"})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Rename them.", arrow_content=story_text())
        client.answer(*editor.do(), arrow_content=editor.written())
        client.call()
        client.send("stop")
        editor.until_the_end()
        assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("dialect", ["spec", "arrow-ai", "fletcher"])
def test_a_late_result_may_show_another_story_that_is_open_now(home: House, dialect: str) -> None:
    home.model.add([RENAMED])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        client.sync(editor.written())
        editor.ask("Rename it.")
        result = editor.do()
        client.sync(story_text("The Warm Lamp"), project_id=2)
        client.send("stop")
        editor.until_the_end()
        client.answer(*result, arrow_content=story_text("The Warm Lamp"))
        assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("is_done", [False, True])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_what_is_done_after_a_stop_and_a_newer_story_is_not_known_though_nothing_shows_it(
    home: House, dialect: str, *, is_done: bool
) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        call = editor.call_that_is_stopped(home)
        client.sync(story_text())
        if is_done:
            client.answer(call)
        else:
            client.refuse(call, "The canvas is gone.")
        assert asks_first(home, editor, ANEW) is is_done


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_is_written_where_an_operation_writes_as_well_is_no_late_story(home: House, dialect: str) -> None:
    """With the operations that it seems to lack it would be as expected: they write over it."""
    home.model.add([RENAMED], [Use("update_node", {"node_id": 3, "data": {"content": "One."}})], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Rename it.", arrow_content=story_text())
        client.answer(*editor.do())
        renamed = editor.content
        second, _ = editor.do()
        client.sync(renamed.replace("The pier is empty.", WRITTEN))
        client.refuse(second, "The canvas is gone.")
        editor.until_the_end()
        assert asks_first(home, editor, Use("update_node", {"node_id": 3, "data": {"content": "Anew."}}))


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_what_is_written_between_two_operations_on_the_same_text_is_asked_about(home: House, dialect: str) -> None:
    one, two = (Use("update_node", {"node_id": 3, "data": {"content": text}}) for text in ("One.", "Two."))
    home.model.add([one, RENAMED, two], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Write it.", arrow_content=story_text())
        client.answer(*editor.do())
        before = editor.content
        call, result = editor.do()
        client.sync(before.replace("One.", WRITTEN))
        client.answer(call, result)
        frames = editor.until_the_end()
        assert not any(frame["type"] == "function_call" for frame in frames)


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_what_is_written_since_the_model_was_asked_is_not_written_over_by_any_call_of_its_answer(
    home: House, dialect: str
) -> None:
    """However little it is: the first call has shown it here, and not to the model."""
    home.model.add([Use("update_node", {"node_id": 3, "notes": "Seen."}), ANEW], [ANEW], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Say it anew.", arrow_content=story_text())
        call, result = editor.do()
        document = json.loads(editor.content)
        document["resources"]["nodes"]["2"]["data"]["lines"] = ["Mine."]
        client.answer(call, result, arrow_content=json.dumps(document))
        again = flat(client.call())
        assert again["arguments"]["data"]["lines"] == ["Anew."]
    _, refused = home.model.requests[1].tool_results
    assert "what has come into node 2" in str(refused), "so the model knows, and has said it once more"


def test_nor_by_one_that_comes_with_a_yes_which_the_model_has_read(home: House) -> None:
    home.model.add([Use("delete_variable", {"variable_id": 20})])
    home.model.add([Use("answer_question", {"decision": "yes"}), ANEW], ["Done."])
    with home.client("/ws/chat?dialect=fletcher") as client:
        editor = Editor(client, "fletcher")
        editor.ask("No oil.", arrow_content=story_text())
        editor.until_the_end()
        editor.ask("ja bitte", arrow_content=editor.content)
        call, result = editor.do()
        document = json.loads(editor.content)
        document["resources"]["nodes"]["2"]["data"]["lines"] = ["Mine."]
        client.answer(call, result, arrow_content=json.dumps(document))
        assert not any(frame["type"] == "function_call" for frame in editor.until_the_end())
    assert "what has come into node 2" in str(home.model.requests[-1].tool_results)


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_notes_that_a_scene_has_got_since_the_first_call_are_not_written_over_by_the_second(
    home: House, dialect: str
) -> None:
    home.model.add([Use("update_scene", {"scene_id": 0, "name": "quay", "notes": "The model's."})], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Rename it.", arrow_content=story_text())
        call, result = editor.do()
        document = json.loads(editor.content)
        document["resources"]["nodes"]["1"]["notes"] = WRITTEN
        client.sync(json.dumps(document))
        client.answer(call, result)
        assert not any(frame["type"] == "function_call" for frame in editor.until_the_end())


@pytest.mark.parametrize("shown", [[0, 1], [], [0]], ids=["each", "none", "only the first"])
@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_only_the_first_call_has_shown_is_not_what_came_of_all(
    home: House, dialect: str, shown: list[int]
) -> None:
    home.model.add([Use("delete_node", {"node_id": 3})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.agree("Remove the pier.")
        for number in range(2):
            client.answer(*editor.do(), **({"arrow_content": editor.content} if number in shown else {}))
        said = json.dumps(editor.until_the_end())
        assert "RESOURCE_IN_USE" not in said
        client.sync(editor.content)
        editor.ask("undo")
        editor.until_the_end()
        assert "The pier is empty." in editor.content


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_a_result_that_shows_the_story_tells_what_is_in_it(home: House, dialect: str) -> None:
    """The one before could not be read."""
    home.model.add([Use("create_character", {"name": "Bram"})], [RENAMED], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        client.sync(story_text())
        client.sync("not json")
        editor.ask("Add him, and rename it.")
        call, result = editor.do()
        client.answer(call, result, arrow_content=editor.content)
        assert any(frame["type"] == "function_call" for frame in editor.until_the_end())


@pytest.mark.parametrize("dialect", list(ENDS))
def test_what_a_call_under_way_has_done_when_a_turn_is_stopped_is_not_known(home: House, dialect: str) -> None:
    home.model.add([Use("update_node", {"node_id": 2, "data": {"lines": [WRITTEN]}})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Write it.", arrow_content=story_text())
        editor.do()
        client.send("stop")
        editor.until_the_end()
        assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("is_answered", [True, False])
def test_a_story_that_has_half_of_an_operation_is_not_taken_for_all_that_came_of_it(
    home: House, *, is_answered: bool, times: int
) -> None:
    """To make a variable is two calls in the envelope: after the first it has neither the name nor the value."""
    given, document = 77, json.loads(story_text())
    home.model.add([Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})], ["Done."])
    with home.client("/ws/chat?dialect=envelope") as client:
        editor = Editor(client, "envelope")
        editor.ask("Gold.", arrow_content=story_text())
        first = client.call()
        document["resources"]["variables"][str(given)] = {"name": "v2", "type": "num", "init": 0}
        syncs = [json.dumps(document)] * times
        if is_answered:
            client.answer(first, given)
            second = client.call()
            list(map(client.sync, syncs))
        else:
            list(map(client.sync, syncs))
            client.answer(first, {"variable_id": given})
            second = client.call()
        client.answer(second)
        editor.until_the_end()
        taken = Use("update_variable", {"variable_id": given, "name": "silver", "initial_value": 1})
        assert asks_first(home, editor, taken)


@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_a_result_that_nobody_has_asked_for_is_of_no_story(home: House, dialect: str) -> None:
    """It may be of a call of the connection before, and of another story."""
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        client.sync(editor.written())
        client.answer({"request_id": "req_0"}, arrow_content=story_text())
        assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai", "fletcher"])
def test_a_story_that_has_all_of_an_operation_is_known_though_it_comes_before_the_result(
    home: House, dialect: str
) -> None:
    home.model.add([Use("delete_node", {"node_id": 3})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = editor_of(dialect)
        client.ask("Remove the pier.", arrow_content=story_text(), current_scene_id=0)
        follow(client, editor, dialect, lambda _: False, reports=False)
        client.ask("yes", current_scene_id=0)
        frames = [client.frame()]
        while frames[-1]["type"] != ENDS[dialect]:
            if frames[-1]["type"] == "function_call":
                asked = flat(frames[-1])
                result = editor.execute(asked["function"], asked["arguments"])
                client.sync(editor.content)
                client.answer(frames[-1], result)
            frames.append(client.frame())
        home.model.add([RENAMED], ["Done."])
        client.ask("Rename it.", current_scene_id=0)
        frames = follow(client, editor, dialect, lambda _: False, reports=False)
        assert any(frame["type"] == "function_call" for frame in frames)


@pytest.mark.parametrize("shows_it", [False, True])
@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_the_first_call_has_shown_is_not_all_once_the_second_is_not_answered(
    home: House, patience: Patience, dialect: str, *, shows_it: bool
) -> None:
    home.model.add([Use("delete_node", {"node_id": 3})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.agree("Remove the pier.")
        client.answer(*editor.do(), arrow_content=editor.content)
        editor.do()
        patience.end(client)
        editor.until_the_end()
        if shows_it:
            client.sync(editor.content)
            undo(editor)
            assert "The pier is empty." in editor.content
        else:
            assert asks_first(home, editor, ANEW)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_a_story_that_comes_while_a_call_is_out_does_not_tell_what_became_of_that(
    home: House, patience: Patience, dialect: str, times: int
) -> None:
    """It may be done afterwards, and the answer is lost."""
    home.model.add([Use("update_node", {"node_id": 2, "data": {"lines": [WRITTEN]}})], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        editor.ask("Write it.", arrow_content=story_text())
        client.call()
        for _ in range(times):
            client.sync(story_text().replace("The pier is empty.", "The pier is full."))
        patience.end(client)
        editor.until_the_end()
        assert asks_first(home, editor, ANEW)


def with_a_node_alone(text: str) -> str:
    """A story with node 50, to which nothing leads."""
    document = json.loads(story_text())
    document["resources"]["nodes"]["50"] = {"type": "content", "name": "50", "data": {"content": text}}
    document["resources"]["scenes"]["0"]["map"]["50"] = {"offset": [0, 0]}
    return json.dumps(document)


def undo(editor: Editor) -> None:
    """With a yes to the question whether it may be its user who has done that."""
    for words in ("undo", "yes"):
        editor.ask(words)
        editor.until_the_end()


@pytest.mark.parametrize(
    ("edited", "answer"),
    [("meanwhile", ""), ("never", "late"), ("never", "late and shown"), ("later", "late"), ("later", "late and shown")],
)
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_what_is_deleted_after_another_story_was_shown_can_be_had_back(
    home: House, patience: Patience, dialect: str, edited: str, answer: str
) -> None:
    home.model.add([Use("delete_node", {"node_id": 50})])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(WRITTEN))
        editor.agree("Delete it.")
        call = client.call()
        before, changed = editor.content, editor.content.replace("The pier is empty.", "The pier is full.")
        client.sync(changed if edited == "meanwhile" else before)
        patience.end(client)
        editor.until_the_end()
        if answer:
            client.sync(changed if edited == "later" else before)
        result = editor.execute(flat(call)["function"], flat(call)["arguments"])
        if answer:
            client.answer(call, result, **({"arrow_content": editor.content} if answer == "late and shown" else {}))
        assert WRITTEN not in editor.content
        client.sync(editor.content)
        undo(editor)
        assert WRITTEN in editor.content


@pytest.mark.parametrize("dialect", ["envelope", "arrow-ai", "fletcher"])
def test_what_the_first_call_shows_and_the_last_does_not_is_heeded_by_the_rest_of_the_turn(
    tmp_path: Path, dialect: str
) -> None:
    with house(tmp_path / "data", local=True) as home, home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone("x"))
        editor.agree("delete node 3 and change the text of node 50 to “two”")
        call, result = editor.do()
        client.answer(call, result, arrow_content=editor.content.replace('"x"', json.dumps(WRITTEN)))
        client.answer(*editor.do())
        assert not any(frame["type"] == "function_call" for frame in editor.until_the_end())


@pytest.mark.parametrize("is_asked", [True, False])
@pytest.mark.parametrize("dialect", ["arrow-ai", "fletcher"])
def test_nor_is_it_known_to_the_turn_in_which_that_is_told(home: House, dialect: str, *, is_asked: bool) -> None:
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect)
        late = editor.call_that_is_stopped(home)
        home.model.add([Use("create_variable", {"name": "gold", "type": "num"})], [ANEW], ["Done."])
        editor.ask("Gold, and say it anew.", arrow_content=story_text())
        call, result = editor.do()
        client.answer(late if is_asked else {"request_id": "req_0"}, True)
        client.answer(call, result)
        assert not any(frame["type"] == "function_call" for frame in editor.until_the_end())


@pytest.mark.parametrize("dialect", ["spec", "envelope", "arrow-ai", "fletcher"])
def test_a_story_that_its_turn_has_no_room_for_is_not_known(
    home: House, monkeypatch: pytest.MonkeyPatch, dialect: str
) -> None:
    home.model.add([Use("update_node", {"node_id": 50, "data": {"content": WRITTEN}})], ["Done."])
    with home.client(f"/ws/chat?dialect={dialect}") as client:
        editor = Editor(client, dialect, with_a_node_alone(""))
        editor.ask("Write it.", arrow_content=editor.content)
        call = client.call()
        with monkeypatch.context() as full:
            full.setattr(OpenTurn, "weigh", has_no_room)
            client.sync(editor.content.replace("The pier is empty.", "The pier is full."))
            while NO_ROOM not in json.dumps(client.frame()):
                pass
        client.answer(call, editor.execute(flat(call)["function"], flat(call)["arguments"]))
        editor.until_the_end()
        assert asks_first(home, editor, Use("update_node", {"node_id": 50, "data": {"content": "Anew."}}))


def test_a_story_that_has_half_of_a_batch_is_not_taken_for_all_of_it(home: House) -> None:
    """To delete a node to which another one leads is two calls."""
    home.model.add([Use("delete_node", {"node_id": 3})])
    with home.client("/ws/chat?dialect=fletcher") as client:
        client.send("hello", capabilities=["batch"])
        editor = Editor(client, "fletcher")
        editor.agree("Remove the pier.")
        batch = client.until("function_call_batch")[-1]
        document = json.loads(editor.content)
        for place in document["resources"]["scenes"]["0"]["map"].values():
            place.pop("io", None)
        client.sync(json.dumps(document))
        client.answer(batch, {"created_nodes": []})
        editor.until_the_end()
        assert asks_first(home, editor, ANEW)
