"""The conversations of docs/protocol.md, held with a real server; and its tables, compared with what is really sent."""

import asyncio
import base64
import json
import random
import re
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any, get_args

import pytest

from arrow_project import parse
from server.dialects import DIALECTS, Client, View
from server.socket.messages import Confirmation, DesignDocSync, FileSync, FunctionResult, Hello, Stop, UserMessage
from tests.agent.scripted_model import PATIENCE_S, Hang, Script, Use
from tests.agent.story import story_text
from tests.arrow_project.conform.writer import Writer
from tests.mcp_server.assistant import assistant
from tests.server.client import Client as SocketClient
from tests.server.client import Frame
from tests.server.dispatcher import Dispatcher
from tests.server.house import House
from tests.server.test_lowering import LAMP, tried

ROOT = Path(__file__).parents[2]
PROTOCOL = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
BIBLE = "# People\n\nElena keeps the lighthouse. She has not slept since the storm.\n"

GOLD = Use("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
RENAMED = Use("update_node", {"node_id": 3, "name": "quay"})
LINE = Use(
    "create_insert_node",
    {"type": "dialog", "preset": {"character": 21, "lines": ["Hm."]}, "connect_from": {"node_id": 3, "slot": 0}},
)
REMOVED = Use("delete_node", {"node_id": 3})
# What the model says in each conversation, which is held in the dialect that its name begins with.
SCRIPTS: dict[str, list[Script]] = {
    "spec": [["I add a variable.", GOLD], ["There it is."]],
    "spec-failure": [[RENAMED], ["That name is taken already."]],
    "envelope": [["I add ", "a line.", LINE], ["There it is."]],
    "arrow-ai": [["I add a variable.", GOLD], ["There it is."]],
    "fletcher": [["Elena ", "does [1]."]],
    "fletcher-batch": [[LINE], ["There it is."]],
    "spec-batch": [[LINE], ["There it is."]],
    "fletcher-function": [],
    "fletcher-stop": [[GOLD], ["Now the ", Hang()]],
    "spec-stop": [[RENAMED]],
    "upload": [],
    "envelope-upload": [],
    "fletcher-upload": [],
    "fletcher-confirmation": [[REMOVED], [RENAMED], ["It is the quay now."]],
    "spec-confirmation": [[REMOVED]],
    "fletcher-error": [],
    "fletcher-assistant": [],
    "error": [],
}
# These show how the dialect is found: by the first message, or by a hello.
WITHOUT_A_NAME = {
    "spec", "envelope", "arrow-ai", "fletcher", "fletcher-batch", "spec-batch", "fletcher-upload", "fletcher-assistant"
}  # fmt: skip

_BLOCK = re.compile(r"^```json (\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_FUNCTION = re.compile(r"`(\w+) \{([^\"]*?)\}`")
_SPEAKER = re.compile(r"^// (client|server|assistant).*\n", re.MULTILINE)
_EXAMPLE_ID = re.compile(r"(req|turn|id)_\d+")
CONVERSATIONS = dict(_BLOCK.findall(PROTOCOL))


def lines_of(conversation: str) -> Iterator[tuple[str, Frame]]:
    """Who says what, in order."""
    _, *parts = _SPEAKER.split(CONVERSATIONS[conversation])
    for speaker, said in zip(parts[::2], parts[1::2], strict=True):
        rest = said.strip()
        while rest:
            message, end = json.JSONDecoder().raw_decode(rest)
            yield speaker, message
            rest = rest[end:].strip()


@dataclass
class Reader:
    """Compares what is shown with what comes, and learns what the example ids stand for."""

    ids: dict[str, str] = field(default_factory=dict[str, str])

    def same(self, shown: Any, sent: Any, name: str = "") -> bool:
        """Whether `sent` is what the document shows; of numbers that a provider counts, only that they are there."""
        match shown:
            case dict():
                return (
                    isinstance(sent, dict)
                    and set(shown) == set(sent)
                    and all(
                        self.same(value, sent[key], name if name == "usage" else key) for key, value in shown.items()
                    )
                )
            case list():
                return isinstance(sent, list) and len(shown) == len(sent) and all(map(self.same, shown, sent))
            case str() if _EXAMPLE_ID.fullmatch(shown):
                return isinstance(sent, str) and self.ids.setdefault(shown, sent) == sent
            case str() if shown.endswith("…"):
                return isinstance(sent, str) and sent.startswith(shown[:-1])
            case _:
                return type(shown) is type(sent) and (shown == sent or name == "usage")

    def filled(self, message: Any, contents: dict[str, str]) -> Any:
        """A client's message with what its examples stand for."""
        match message:
            case dict():
                return {key: self.filled(value, contents) for key, value in message.items()}
            case str():
                return contents.get(message, self.ids.get(message, message))
            case _:
                return message


def test_every_conversation_is_held() -> None:
    assert set(CONVERSATIONS) == set(SCRIPTS)
    assert PROTOCOL.count("```json") == len(CONVERSATIONS), "a block without a name is not held"


@pytest.mark.parametrize("conversation", list(SCRIPTS))
def test_conversation(home: House, conversation: str) -> None:
    home.model.add(*SCRIPTS[conversation])
    home.model.otherwise = ["Very well."]
    if conversation == "fletcher":
        home.put("bible.md", BIBLE)
    dialect = "" if conversation in WITHOUT_A_NAME else conversation.split("-")[0]
    reader, editor, assistants = Reader(), Dispatcher(story_text()), list[Future[str]]()
    with home.client(f"/ws/chat?dialect={dialect}" if dialect in DIALECTS else "/ws/chat") as client:
        for speaker, message in lines_of(conversation):
            if speaker == "client":
                contents = {
                    "<the .arrow file>": editor.content,
                    "<base64>": base64.b64encode(BIBLE.encode()).decode(),
                }
                client.send_raw(json.dumps(reader.filled(message, contents)))
                continue
            if speaker == "assistant":
                client.assert_quiet()  # what the client has sent has arrived
                assistants.append(begin_call(home, message))
                continue
            sent = next_of(client, message["type"])
            assert reader.same(message, sent), f"shown:\n{json.dumps(message)}\nsent:\n{json.dumps(sent)}"
            if sent["type"] == "function_call" and not conversation.startswith("spec"):
                call = sent.get("data", sent)
                editor.execute(call["function"], call["arguments"])
        assert [one.result(PATIENCE_S) for one in assistants] == ["done"] * len(assistants)
        client.send("is that all?")
        assert "is that all?" in json.dumps(next_of(client, "")), "more is sent than is shown"


def begin_call(home: House, message: Frame) -> Future[str]:
    """Has an assistant call a tool; the status that it is answered with."""

    async def call() -> str:
        async with assistant(home.url) as scribe:
            return (await scribe.ok(message["tool"], **message["arguments"]))["status"]

    answer: Future[str] = Future()
    Thread(target=lambda: answer.set_result(asyncio.run(call())), daemon=True).start()
    return answer


def next_of(client: SocketClient, type_: str) -> Frame:
    """The next message; how far vectors are is told whenever they are made, so it may come between any two."""
    frame = client.frame()
    while frame["type"] == "corpus_progress" and (
        type_ != "corpus_progress" or frame["phase"] in ("embedding", "done")
    ):
        frame = client.frame()
    return frame


# --- completeness --------------------------------------------------------------------------------------------------


def shown_by(speaker: str, conversations: list[str]) -> set[str]:
    return {message["type"] for name in conversations for who, message in lines_of(name) if who == speaker}


@pytest.mark.parametrize("dialect", list(DIALECTS))
def test_every_message_that_a_dialect_has_is_shown(dialect: str) -> None:
    module = ROOT / "server" / "dialects" / f"{dialect.replace('-', '_')}.py"
    has = set(re.findall(r'"type": "(\w+)"', module.read_text(encoding="utf-8")))
    held = [name for name in CONVERSATIONS if name == dialect or name.startswith(f"{dialect}-")]
    shown = shown_by("server", held)
    if dialect == "arrow-ai":
        shown |= shown_by("server", ["upload"])  # said in the same form before the dialect is known
    assert has - shown == set()


CLIENT_MESSAGES = (Hello, FileSync, DesignDocSync, UserMessage, FunctionResult, Confirmation, Stop)


def test_every_message_of_a_client_is_shown_and_its_fields_are_listed() -> None:
    listed, known = functions_of(0, columns=2), set[str]()
    for message in CLIENT_MESSAGES:
        fields = {name: each for name, each in message.model_fields.items() if name not in ("type", "enveloped")}
        (type_,) = get_args(message.model_fields["type"].annotation)
        always = {name for name, each in fields.items() if each.is_required()}
        assert listed[type_] == (always, set(fields)), type_
        known.add(type_)
    assert set(listed) == known
    assert shown_by("client", list(CONVERSATIONS)) - {"smile"} == known


# --- the table of functions ----------------------------------------------------------------------------------------


def functions_of(column: int, columns: int = 3) -> dict[str, tuple[set[str], set[str]]]:
    """What one column of a table lists: the arguments that are always there, and those that may be."""
    rows = [line.split("|")[1:-1] for line in PROTOCOL.splitlines() if line.startswith("|")]
    table: dict[str, tuple[set[str], set[str]]] = {}
    for row in (row for row in rows if len(row) == columns):
        for name, arguments in _FUNCTION.findall(row[column]):
            listed = [argument.strip() for argument in arguments.split(",") if argument.strip()]
            always = {argument for argument in listed if not argument.endswith("?")}
            table[name] = (always, {argument.rstrip("?") for argument in listed})
    return table


@pytest.mark.parametrize(("dialect", "column"), [("spec", 0), ("envelope", 1), ("arrow-ai", 2), ("fletcher", 2)])
def test_the_table_of_functions_is_what_is_called(dialect: str, column: int) -> None:
    table, called = functions_of(column), set[str]()
    for seed in range(60):
        project, writer = parse(LAMP), None
        writer = Writer(project, random.Random(seed))
        for _ in range(8):
            applied = tried(project, writer)
            client = Client(frozenset({"offset"} if seed % 2 else ()))
            for call in DIALECTS[dialect](client).calls(applied, View(project, writer.scene())) if applied else ():
                always, possible = table[call.function]
                assert always <= set(call.arguments) <= possible, call
                called.add(call.function)
    assert called == set(table)
