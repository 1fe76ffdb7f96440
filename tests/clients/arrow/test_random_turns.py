"""200 random turns over all functions, a third of them stopped or refused in the middle: nothing comes apart."""

import json
import os
import random
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from arrow_project import Operation, OperationError, check_text, parse
from tests.arrow_project.conform.sequences import invented
from tests.arrow_project.conform.starts import NAMES, text_of
from tests.arrow_project.conform.writer import Writer
from tests.clients.arrow.editor import Editor, Godot, running
from tests.clients.arrow.relay import Relay, relaying
from tests.end_to_end.messages_api import Answer, Hang, MessagesApi, Text, ToolUse
from tests.real_client.house import House

_TURNS = int(os.environ.get("ARROW_TURNS", "200"))
_TURNS_OF_A_PROJECT = 12

Fate = Literal["done", "stopped", "stopped and taken back", "no", "by hand"]
_BROKEN: tuple[Fate, ...] = ("stopped", "stopped and taken back", "no", "by hand")


def _operations(text: str, chance: random.Random) -> list[Operation]:
    """What a model might want, one after the other; some of it cannot be."""
    writer = Writer(parse(text), chance)
    wanted: list[Operation] = []
    for _ in range(chance.randint(2, 7)):
        operation = invented(writer)
        with suppress(OperationError):
            writer.project.apply(operation, writer.selection)
            wanted.append(operation)
            continue
        wanted += [operation] * (chance.random() < 0.2)
    return wanted


def _answers(operations: list[Operation], chance: random.Random) -> list[list[Text | ToolUse]]:
    answers: list[list[Text | ToolUse]] = []
    while operations:
        count = chance.randint(1, 3)
        calls = [ToolUse(o.function, dict(o.arguments)) for o in operations[:count]]
        answers.append([Text(["I do ", "this. "]), *calls] if chance.random() < 0.5 else list(calls))
        operations = operations[count:]
    return answers


def _meddle(editor: Editor, answer: list[Text | ToolUse]) -> Answer:
    """The user makes a character, and takes away what the model is about to change."""
    editor.call("mind", "create_new_character")
    for block in answer:
        node_id = block.input.get("node_id") if isinstance(block, ToolUse) else None
        node = json.loads(editor.text)["resources"]["nodes"].get(str(node_id))
        if node is not None and node["type"] != "entry" and "use" not in node:
            editor.call("mind", "remove_resource", node_id, "nodes")
    editor.call("mind", "reset_project_save_status", False)
    return answer


def _play(editor: Editor, server: House, fate: Fate, answers: list[Any], chance: random.Random) -> MessagesApi:
    cut = chance.randint(1, len(answers)) if answers else 0
    end: list[Answer] = [[Text(["That is all."])]] * 12
    if fate.startswith("stopped"):
        script: list[Any] = [*answers[:cut], Hang()]
    elif fate == "by hand" and cut:
        script = [*answers]
        script[cut - 1] = lambda _, answer=answers[cut - 1]: _meddle(editor, answer)
        script += end
    else:
        script = [*answers, *end]
    api = server.model.play(script)
    reason = _take(editor, api, fate, "send", "Go on with the story.")
    while reason == "question":
        reason = _take(editor, api, fate, "answer", "no" if fate == "no" else "yes")
    editor.frames()
    return api


def _take(editor: Editor, api: MessagesApi, fate: Fate, method: str, words: str) -> str:
    since = editor.mark()
    assert editor.fletcher(method, words)
    if fate.startswith("stopped"):
        _stop(editor, api, since, takes_back=fate.endswith("back"))
    return editor.wait("turn_ended", since)[0]["reason"]


def _stop(editor: Editor, api: MessagesApi, since: int, *, takes_back: bool) -> None:
    """Stops once the model says nothing more; a question may have ended the turn before."""
    while not api.hanging.wait(0.05):
        if any(name == "turn_ended" for name, _ in editor.signals[since:]):
            return
    editor.fletcher("stop", takes_back)


def _errors(text: str) -> set[tuple[int | str, str]]:
    return {(finding.rule, finding.place) for finding in check_text(text) if finding.severity == "error"}


def _turns(editor: Editor, since: int) -> int:
    return sum(name == "turn_ended" for name, _ in editor.signals[since:])


def _changing(editor: Editor, since: int, fate: Fate) -> int:
    """How many turns have changed something that has not been taken back."""
    summaries = [args[0] for name, args in editor.signals[since:] if name == "turn_ended"]
    taken_back = "stopped" if fate == "stopped and taken back" else ""
    return sum(summary["changed"] and summary["reason"] != taken_back for summary in summaries)


def _is_known_to_server(editor: Editor, relay: Relay, server: House) -> bool:
    """Whether a message without content is answered from what the editor has: the model is shown the same for both."""
    api = server.model.play([[Text(["Seen."])]] * 2)
    message = {"type": "user_message", "message": "What is there?", "current_project_id": editor.call("project", "key")}
    relay.ask(**message)
    relay.ask(**message, arrow_content=editor.text)
    known, sent = (_shown(request) for request in api.requests)
    return known == sent


def _shown(request: dict[str, Any]) -> str:
    (text,) = (text for text in map(str, request["messages"]) if "<project>" in text)
    return text[text.index("<project>") : text.index("</project>")]


def test_after_each_of_many_random_turns_all_agree(godot: Godot, server: House, tmp_path: Path) -> None:
    with relaying(server.url) as relay, running(godot, tmp_path, relay.url) as editor:
        _all_agree(editor, relay, server)
        assert editor.errors() == []


def _all_agree(editor: Editor, relay: Relay, server: House) -> None:
    chance = random.Random(12)
    fates: list[tuple[Fate, bool]] = []
    for number in range(_TURNS):
        if number % _TURNS_OF_A_PROJECT == 0:
            editor.open(text_of(NAMES[number // _TURNS_OF_A_PROJECT % len(NAMES)]), f"story{number}")
        editor.call("project", "save_if_wanted")
        before, scene = editor.file.read_bytes(), editor.call("project", "open_scene")
        fate: Fate = chance.choice(_BROKEN) if number % 3 == 0 else "done"
        server.take_log()
        since = editor.mark()
        api = _play(editor, server, fate, _answers(_operations(before.decode(), chance), chance), chance)

        told = f"turn {number}, {fate}"
        after = editor.text
        assert editor.state == "idle", told
        assert editor.file.read_bytes() == after.encode() or not editor.call("project", "is_saved"), told
        assert editor.call("project", "is_saved") or fate == "by hand", told
        assert not any("Traceback" in line for line in server.take_log()), told
        if fate != "by hand":
            assert _errors(after) <= _errors(before.decode()), told
            assert not any(b"not_as_expected" in body for body in api.bodies), told
        assert editor.drawn == editor.drawable, told
        assert _is_known_to_server(editor, relay, server), told
        fates.append((fate, after.encode() != before))
        changing = _changing(editor, since, fate)
        if not changing and fate != "by hand":
            assert after.encode() == before, told
        # What the user did by hand before a question was answered is no part of the turn that follows.
        if chance.random() < 0.5 and (fate != "by hand" or _turns(editor, since) == 1):
            for _ in range(changing):
                assert editor.fletcher("undo", fate == "by hand"), told
                editor.frames()
            assert editor.file.read_bytes() == before, told
            assert editor.text.encode() == before or not changing, told
            assert editor.call("project", "open_scene") == scene, told
            assert editor.drawn == editor.drawable, told
            assert _is_known_to_server(editor, relay, server), told
        if chance.random() < 0.2:
            editor.call(
                "mind", "scene_editorial_open", chance.choice([int(s) for s in editor.document["resources"]["scenes"]])
            )
            editor.frames()
    assert {fate for fate, _ in fates} == {"done", *_BROKEN} or _TURNS < 100
    assert sum(changed for _, changed in fates) > _TURNS / 3
