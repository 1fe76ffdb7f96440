"""Servers that go and come back, large stories, two Arrows, and errors in our own scripts."""

import json
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import CLIENT, Editor, Godot, running
from tests.clients.arrow.relay import relaying
from tests.end_to_end.messages_api import Hang, Text, ToolUse
from tests.real_client.house import House, house

_GOLD = ToolUse("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
_HELLO = [[Text(["Hello."])]]


def _large_story(megabytes: int) -> str:
    """A story of many scenes that has so many megabytes."""
    document = json.loads(text_of("blank"))
    template, size, node_id = "The tide came in. " * 60, 0, 1000
    while size < megabytes * 1_000_000:
        scene_id = node_id
        scene: dict[str, Any] = {
            "name": f"s{scene_id}",
            "entry": node_id + 1,
            "map": {},
        }
        document["resources"]["scenes"][str(scene_id)] = scene
        for offset in range(40):
            node_id += 1
            content = {"type": "content", "name": f"n{node_id}", "data": {"content": template}}
            document["resources"]["nodes"][str(node_id)] = content
            scene["map"][str(node_id)] = {"offset": [100 + 300 * offset, 100]}
            size += 1100
        node_id += 1
    document["meta"]["authors"] = {"0": ["A Writer", node_id + 1]}
    return json.dumps(document)


def test_a_server_that_is_killed_in_a_turn_and_comes_back(godot: Godot, tmp_path: Path) -> None:
    with house(tmp_path / "data") as first, running(godot, tmp_path / "arrow", first.url) as editor:
        editor.open(text_of("lamp"))
        before = editor.file.read_bytes()
        api = first.model.play([[_GOLD], Hang()])
        since = editor.mark()
        assert editor.fletcher("send", "Gold.")
        api.hanging.wait()
        first.process.kill()
        summary = editor.wait("turn_ended", since)[0]
        assert (summary["reason"], summary["changed"]) == ("cut off", True)
        assert "Gold." in editor.wait("failed", since)[1]
        editor.wait_state("offline")
        assert "Trying again" in editor.wait("connection_changed", since, lambda text: "Trying again" in text)[0]
        assert editor.text == editor.file.read_text(encoding="utf-8")
        first.process.wait()
        port = int(first.url.rsplit(":", 1)[1])
        with house(tmp_path / "data", port) as second:
            editor.wait_state("idle")
            second.model.play(_HELLO)
            assert editor.turn("send", "Are you there?")["text"] == "Hello."
            assert editor.fletcher("undo")
            editor.frames()
            assert editor.file.read_bytes() == before
        assert editor.errors() == []


def test_a_turn_ends_whose_server_does_not_answer_any_more(godot: Godot, tmp_path: Path) -> None:
    """As where a line is dead: nobody says so."""
    with house(tmp_path / "data") as stopped, running(godot, tmp_path / "arrow", stopped.url) as editor:
        editor.open(text_of("lamp"))
        api = stopped.model.play([[_GOLD], Hang()])
        since = editor.mark()
        assert editor.fletcher("send", "Gold.")
        api.hanging.wait()
        stopped.process.send_signal(signal.SIGSTOP)
        editor.fletcher("stop")
        assert editor.wait("turn_ended", since)[0]["reason"] == "cut off"
        editor.wait("connection_changed", since, lambda text: "does not answer any more" in text)
        assert editor.text == editor.file.read_text(encoding="utf-8")
        stopped.process.send_signal(signal.SIGCONT)
        editor.wait_state("idle")
        assert editor.errors() == []


def test_a_server_that_closes_what_it_has_just_opened_is_asked_less_and_less_often(
    godot: Godot, tmp_path: Path
) -> None:
    with relaying() as relay, running(godot, tmp_path, relay.url) as editor:
        since, waits = editor.mark(), list[int]()
        while not waits or waits[-1] < 3:
            editor.wait("connection_changed", since, lambda text: "Connected" in text)
            since = editor.mark()
            relay.drop()
            told = editor.wait("connection_changed", since, lambda text: "Trying again" in text)[0]
            waits.append(int(told.removesuffix(" s.").rsplit(" ", 1)[1]))
        assert waits == sorted(waits)


def test_a_story_of_four_megabytes(editor: Editor, server: House) -> None:
    editor.open(_large_story(4))
    before = editor.file.read_bytes()
    assert len(before) > 4_000_000
    node = ToolUse("create_insert_node", {"type": "content", "scene_id": 1000, "preset": {"title": "Quay"}})
    server.model.play([[_GOLD], [node], [Text(["There."])]])

    summary = editor.turn("send", "Gold, and a quay.")

    assert summary["functions"] == ["create_variable", "create_insert_node"]
    assert editor.text == editor.file.read_text(encoding="utf-8")
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before


def test_two_arrows_at_once(editor: Editor, godot: Godot, server: House, tmp_path: Path) -> None:
    with running(godot, tmp_path, server.url) as other:
        editor.open(text_of("lamp"), "same name")
        other.open(text_of("blank"), "same name")
        untouched = other.file.read_bytes()
        assert editor.get("/root/Fletcher", "_key") != other.get("/root/Fletcher", "_key")
        document = tmp_path / "secret.md"
        document.write_text("# Secret\n\nThe password is halibut.\n")
        editor.call("corpus", "add", [f"/host{document}"])
        other.call("corpus", "refresh")
        assert other.get("corpus", "documents") == []
        assert [each["name"] for each in editor.get("corpus", "documents")] == ["secret.md"]
        server.model.play([[_GOLD], [Text(["There."])], *_HELLO])

        assert editor.turn("send", "Gold.")["changed"]
        assert other.turn("send", "Hello?")["text"] == "Hello."

        assert other.file.read_bytes() == untouched
        assert other.errors() == []


@pytest.mark.parametrize(
    ("script", "error"),
    [
        ("fletcher.gd", "func broken( -> void:\n"),
        ("dispatcher.gd", "func broken( -> void:\n"),
        ("connection.gd", "\nvar never := _never()\n\n\nfunc _never() -> int:\n\treturn [][3]\n"),
        ("project.gd", "\nextends Nothing\n"),
        ("panel/panel.gd", "extends Node\n\n\nfunc broken( -> void:\n"),
        ("panel/panel.gd", "extends Node\n\n\nfunc attach(_fletcher: Node, _main: Node) -> void:\n\tprint([][3])\n"),
    ],
)
def test_an_error_in_our_scripts_does_not_disturb_arrow(script: str, error: str, godot: Godot, tmp_path: Path) -> None:
    client = tmp_path / "client"
    shutil.copytree(CLIENT, client)
    if script.startswith("panel"):
        shutil.rmtree(client / "panel", ignore_errors=True)
        (client / "panel").mkdir()
    with (client / script).open("a", encoding="utf-8") as file:
        file.write(error)
    with running(godot, tmp_path / "arrow", "http://127.0.0.1:9", client / "boot.tscn") as editor:
        story = tmp_path / "story.arrow"
        story.write_text(text_of("lamp"))
        assert editor.ask("open", path=f"/host{story}") == 0
        editor.call("mind", "create_new_variable", "num")
        editor.call("mind", "save_project")
        saved = Path(editor.call("projects", "get_project_file_path", 0).replace("user:/", ""))
        files = list((tmp_path / "arrow").rglob(saved.name))
        assert '"var_' in files[0].read_text(encoding="utf-8")
        assert editor.call("mind", "close_project") is True
        editor.call("main", "quit_app")
        assert editor.process.wait(60) == 0
        assert all("clients" in line or "client/" in line for line in editor.errors())
