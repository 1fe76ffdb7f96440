"""Stop: at any moment the turn ends, `end` is sent, nothing follows, and the story is as the turn found it."""

import threading

import pytest

from tests.agent.scripted_model import PATIENCE_S, Hang, Use
from tests.agent.story import story_text
from tests.server.client import Client, texts, types
from tests.server.house import House

GOLD = {"name": "gold", "type": "num", "initial_value": 10}


def assert_stopped(home: House, client: Client, before: str) -> None:
    """The client is idle, and the model is shown the story as it was."""
    client.assert_quiet()
    home.model.add(["Here I am."])
    frames = client.turn("Are you there?")
    assert texts(frames)[0] == "Here I am."
    assert project_part(home) == before
    client.assert_quiet()


def project_part(home: House) -> str:
    return home.model.requests[-1].context.split("</project>")[0]


@pytest.fixture
def before(home: House, client: Client) -> str:
    """The story as the model is shown it before the turn that is stopped."""
    home.model.add(["Hello."])
    client.turn("Hello?")
    return project_part(home)


def test_while_waiting_for_a_result(home: House, client: Client, before: str) -> None:
    home.model.add([Use("create_variable", GOLD)])
    client.ask("Add gold.")
    call = client.call()
    client.send("stop")
    assert types(client.until("end")) == ["status", "end"]
    client.answer(call)
    assert_stopped(home, client, before)


def test_between_two_calls_of_one_operation(home: House, client: Client, before: str) -> None:
    home.model.add([Use("create_insert_node", {"type": "hub", "connect_from": {"node_id": 3, "slot": 0}})])
    client.ask("Add a hub.")
    client.answer(client.call())
    client.call()
    client.send("stop")
    assert types(client.until("end")) == ["status", "end"]
    assert_stopped(home, client, before)


def test_after_operations_were_done(home: House, client: Client, before: str) -> None:
    home.model.add([Use("create_variable", GOLD)], [Use("delete_connection", {"from": 2, "to": 3}), Hang()])
    client.ask("Add gold.")
    client.answer(client.call())
    assert home.model.hanging.wait(PATIENCE_S)
    client.send("stop")
    assert types(client.until("end")) == ["status", "end"]
    assert home.model.cancelled.wait(PATIENCE_S)
    assert_stopped(home, client, before)


def test_after_the_editors_content_was_adopted(home: House, client: Client, before: str) -> None:
    home.model.add([Use("create_variable", GOLD)], [Hang()])
    client.ask("Add gold.")
    client.answer(client.call(), arrow_content=story_text().replace('"oil"', '"fish"'))
    assert home.model.hanging.wait(PATIENCE_S)
    client.send("stop")
    client.until("end")
    assert_stopped(home, client, before)


def test_after_the_client_has_sent_the_changed_story(home: House, client: Client, before: str) -> None:
    home.model.add([Use("create_variable", GOLD)], [Hang()])
    client.ask("Add gold.")
    call = client.call()
    client.sync(story_text().replace('"oil"', '"fish"'))
    client.answer(call)
    assert home.model.hanging.wait(PATIENCE_S)
    client.send("stop")
    client.until("end")
    assert_stopped(home, client, before)


@pytest.mark.parametrize("said", [[], ["Let me think"]], ids=["silent", "in mid-sentence"])
def test_while_the_model_hangs(home: House, client: Client, before: str, said: list[str]) -> None:
    home.model.add([*said, Hang()])
    client.ask("Add gold.")
    assert home.model.hanging.wait(PATIENCE_S)
    client.send("stop")
    assert types(client.until("end")) == ["status", "status", "end"]
    assert home.model.cancelled.wait(PATIENCE_S)
    assert_stopped(home, client, before)


def test_while_retrieving(home: House, client: Client, before: str, monkeypatch: pytest.MonkeyPatch) -> None:
    home.put("bible.md", "# People\n\nElena keeps the lighthouse.\n")
    retrieving, may_go_on, retrieve = threading.Event(), threading.Event(), home.retriever.retrieve

    def slow(*args: object) -> object:
        retrieving.set()
        assert may_go_on.wait(PATIENCE_S)
        return retrieve(*args)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(home.retriever, "retrieve", slow)
        client.ask("Who is Elena?")
        assert retrieving.wait(PATIENCE_S)
        client.send("stop")
        assert types(client.until("end")) == ["status", "status", "end"]
        may_go_on.set()
    asked = len(home.model.requests)
    client.assert_quiet()
    assert len(home.model.requests) == asked, "the model was not asked after the stop"
    assert_stopped(home, client, before)


def test_when_idle(home: House, client: Client, before: str) -> None:
    for _ in range(3):
        client.send("stop")
        assert types(client.until("end")) == ["status", "end"]
    assert_stopped(home, client, before)


def test_at_once_and_again_and_again(home: House, client: Client, before: str) -> None:
    home.model.otherwise = ["Yes, here."]
    for _ in range(60):
        client.ask("Are you there?")
        client.send("stop")
        client.send("are they still coming?")
        frames = [client.frame()]
        while "are they still coming?" not in frames[-1].get("message", ""):
            frames.append(client.frame())
        assert types(frames)[0] == "status"
        assert types(frames)[-3:-1] == ["status", "end"]
    assert not {task for task in home.watched.tasks() if "_run_turn" in task}
    assert_stopped(home, client, before)
