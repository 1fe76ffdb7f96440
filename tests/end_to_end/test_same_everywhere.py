"""The same conversation through the socket, over HTTP and on the command line ends in the same document."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import agent
from arrow_project import ArrowProject, Operation, fingerprint, parse
from fletcher.__main__ import main
from tests.agent.scripted_model import ScriptedModel, Use
from tests.agent.story import NEXT_ID, story, story_text
from tests.server.client import Client
from tests.server.house import house


@dataclass(frozen=True)
class Conversation:
    """Messages of a user, one after the other; an open question is answered by the next one.

    Attributes:
        messages: What the user says.
        script: What the model answers; the planner needs none.
        holds: What is true of the story afterwards.
    """

    messages: tuple[str, ...]
    script: tuple[Sequence[Any], ...]
    holds: Callable[[ArrowProject], bool]


def names(project: ArrowProject, kind: str) -> set[str]:
    return {str(resource["name"]) for resource in project.data.table(kind).values()}


GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
RAIN = Use("create_insert_node", {"type": "content", "preset": {"content": "Rain."},
                                  "connect_from": {"node_id": 3, "slot": 0}})  # fmt: skip
DELETE_3, DELETE_2 = Use("delete_node", {"node_id": 3}), Use("delete_node", {"node_id": 2})
CHANGE = Use("answer_question", {"decision": "change"})
UNTOUCHED = fingerprint(story())

TEN = {
    "create": Conversation(
        ("create a variable gold = 10",), ([GOLD], ["Done."]), lambda p: "gold" in names(p, "variable")
    ),
    "insert and connect": Conversation(
        ("add a content after node 3: Rain.",), ([RAIN], ["Done."]), lambda p: bool(p.data.incoming(NEXT_ID, 0))
    ),
    "several at once": Conversation(
        ("create a character Bram\ncreate a variable gold = 10\ncreate a scene cellar",),
        ([Use("create_character", {"name": "Bram"}), GOLD, Use("create_scene", {"name": "cellar"})], ["Done."]),
        lambda p: "Bram" in names(p, "character") and "cellar" in names(p, "scene"),
    ),
    "a yes": Conversation(("delete node 3", "yes"), ([DELETE_3], ["Gone."]), lambda p: set(p.data.nodes) == {1, 2}),
    "a no": Conversation(("delete node 3", "no"), ([DELETE_3],), lambda p: fingerprint(p) == UNTOUCHED),
    "a change": Conversation(
        ("delete node 3\ndelete node 2", "delete node 3", "yes"),
        ([DELETE_3, DELETE_2], [CHANGE, DELETE_3], ["Gone."]),
        lambda p: set(p.data.nodes) == {1, 2},
    ),
    "the rest after a yes": Conversation(
        ("delete node 3\ncreate a variable gold = 10", "yes"),
        ([DELETE_3, GOLD], [GOLD], ["Done."]),
        lambda p: set(p.data.nodes) == {1, 2} and "gold" in names(p, "variable"),
    ),
    "missing parameters": Conversation(
        ("/create_variable", "name=gold, type=num"), (), lambda p: "gold" in names(p, "variable")
    ),
    "a slash command": Conversation(("/delete_node 3",), (), lambda p: set(p.data.nodes) == {1, 2}),
    "undo": Conversation(
        ("create a variable gold = 10", "undo"), ([GOLD], ["Done."]), lambda p: fingerprint(p) == UNTOUCHED
    ),
}


class Arrow:
    """A client of the protocol with an editor of its own."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.project = story()
        client.sync()

    def say(self, message: str) -> None:
        """Sends a message, executes what it is asked to, and waits for the end."""
        self._client.ask(message)
        while (frame := self._client.frame())["type"] != "end":
            if frame["type"] == "function_call":
                done = self.project.apply(Operation(frame["function"], frame["arguments"]))
                self._client.answer(frame, done.result)


def over_the_socket(conversation: Conversation, path: Path, *, local: bool) -> ArrowProject:
    with house(path, *conversation.script, local=local) as home, home.client() as client:
        arrow = Arrow(client)
        for message in conversation.messages:
            arrow.say(message)
        return arrow.project


def over_http(conversation: Conversation, path: Path, *, local: bool) -> ArrowProject:
    content, pending_id = story_text(), None
    with house(path, *conversation.script, local=local) as home, home.http() as http:
        for message in conversation.messages:
            body = {"message": message, "arrow_content": content, "pending_id": pending_id}
            answer = http.post("/projects/1/turns", json=body).raise_for_status().json()
            content = answer["arrow_content"]
            pending_id = answer["question"]["pending_id"] if answer["question"] else None
    return parse(content)


@dataclass(frozen=True)
class Terminal:
    """The command line, in this process."""

    folder: Path
    capsys: pytest.CaptureFixture[str]

    def chat(self, conversation: Conversation) -> ArrowProject:
        file = self.folder / "story.arrow"
        file.write_text(story_text(), "utf-8")
        pending: list[str] = []
        for message in conversation.messages:
            arguments = ["chat", str(file), "-m", message, "--json", "--data-dir", str(self.folder / "data"), *pending]
            with pytest.raises(SystemExit):
                main(arguments)
            question = json.loads(self.capsys.readouterr().out)["question"]
            pending = ["--pending", question["pending_id"]] if question else []
        return parse(file.read_bytes())


@pytest.mark.parametrize("local", [True, False], ids=["local", "scripted"])
@pytest.mark.parametrize("name", TEN)
def test_the_same_document(
    name: str, local: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation = TEN[name]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLETCHER_MODEL", "local" if local else "anthropic:scripted")
    if not local:
        answerer = ScriptedModel(*conversation.script).answerer()
        monkeypatch.setattr(agent, "open_answerer", lambda _name: answerer)
    documents = [
        over_the_socket(conversation, tmp_path / "socket", local=local),
        over_http(conversation, tmp_path / "http", local=local),
        Terminal(tmp_path, capsys).chat(conversation),
    ]
    assert [conversation.holds(project) for project in documents] == [True] * 3
    assert len({fingerprint(project) for project in documents}) == 1


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ((["Not done is the door: it stays open.\nNot done: that is a quote."],), 0),
        (tuple([[Use("update_node", {"node_id": 99, "name": "x"})]] * 6), 1),
    ],
    ids=["an answer in these words", "something was not done"],
)
def test_the_exit_code_follows_what_happened_and_no_words(
    script: tuple[Sequence[Any], ...], code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FLETCHER_MODEL", "anthropic:scripted")
    answerer = ScriptedModel(*script).answerer()
    monkeypatch.setattr(agent, "open_answerer", lambda _name: answerer)
    file = tmp_path / "story.arrow"
    file.write_text(story_text(), "utf-8")
    with pytest.raises(SystemExit) as end:
        main(["chat", str(file), "-m", "What of the door?", "--json", "--data-dir", str(tmp_path / "data")])
    assert end.value.code == code
