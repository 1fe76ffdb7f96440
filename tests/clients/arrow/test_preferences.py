"""What the user sets, and the file that it is kept in."""

import resource
import stat
import sys
from pathlib import Path

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Godot, running
from tests.clients.arrow.relay import relaying
from tests.end_to_end.messages_api import Text
from tests.real_client.house import House

_NOWHERE = "http://127.0.0.1:9"


def _file(folder: Path) -> Path:
    return next((folder / "data").rglob("fletcher.cfg"))


def test_they_are_kept_in_a_file_that_only_the_user_reads(godot: Godot, tmp_path: Path) -> None:
    with running(godot, tmp_path, _NOWHERE) as editor:
        editor.put("preferences", "token", "a-secret")
        editor.put("preferences", "port", 8123)
        editor.call("preferences", "save")
    if sys.platform != "win32":
        assert stat.S_IMODE(_file(tmp_path).stat().st_mode) == 0o600
    with running(godot, tmp_path, "") as editor:
        assert editor.get("preferences", "token") == "a-secret"
        assert editor.call("preferences", "url") == "http://127.0.0.1:8123"
        assert editor.errors() == []


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
def test_on_a_full_disk_they_stay_as_they_were_and_that_is_said(godot: Godot, tmp_path: Path) -> None:
    with running(godot, tmp_path, _NOWHERE) as editor:
        editor.put("preferences", "token", "a-secret")
        editor.call("preferences", "save")
        before = _file(tmp_path).read_bytes()
        since = editor.mark()
        with editor.full_disk():
            editor.call("preferences", "save")
        code, message = editor.wait("failed", since)
        assert code == "PREFERENCES_NOT_KEPT"
        assert "fletcher.cfg cannot be written: the disk is full" in message
        assert _file(tmp_path).read_bytes() == before
        assert editor.errors() == []


def test_a_file_that_says_nonsense_costs_nothing(godot: Godot, tmp_path: Path) -> None:
    with running(godot, tmp_path, _NOWHERE) as editor:
        editor.call("preferences", "save")
    _file(tmp_path).write_text('[fletcher]\nport="many"\nhost=7\nauto_connect=false\n')
    with running(godot, tmp_path, "") as editor:
        assert editor.call("preferences", "url") == "http://127.0.0.1:8000"
        assert editor.get("/root/Fletcher", "connection_text") == ""


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("project_ids={}", 'project_ids={"/story.arrow": "1"'),
        ("[fletcher]", "\ufeff[fletcher]"),  # as Windows' Notepad writes it
        ("[fletcher]", "[fletchr]"),
        ("[fletcher]", "port=8000\n[fletcher]"),
        ("token=", "[server]\ntoken="),
        ("port=8000", 'port="8000"'),
        ("port=8000", "port=8000x"),
        ("token=", "token:"),
    ],
)
def test_a_file_with_a_slip_of_the_hand_is_kept_and_that_is_said(
    right: str, wrong: str, godot: Godot, tmp_path: Path
) -> None:
    with running(godot, tmp_path, _NOWHERE) as editor:
        editor.put("preferences", "token", "a-secret")
        editor.call("preferences", "save")
    file = _file(tmp_path)
    assert right in file.read_text()
    spoilt = file.read_text().replace(right, wrong)
    file.write_text(spoilt, encoding="utf-8")
    with running(godot, tmp_path, _NOWHERE) as editor:
        since = editor.mark()
        editor.call("preferences", "save")
        code, message = editor.wait("failed", since)
        assert code == "PREFERENCES_UNREADABLE"
        assert "is kept as fletcher.cfg.unreadable" in message
        assert "a-secret" not in message
        assert editor.errors() == []
    aside = file.with_name("fletcher.cfg.unreadable")
    assert aside.read_text(encoding="utf-8") == spoilt
    assert right != "project_ids={}" or "a-secret" not in file.read_text(), "nothing of it can be read"
    if sys.platform != "win32":
        assert stat.S_IMODE(aside.stat().st_mode) == 0o600


@pytest.mark.parametrize("form", ["http://{}", "ws://{}", "ws://{}/ws/chat", "{}", "http://{}/"])
def test_the_address_of_the_environment_wins(form: str, godot: Godot, server: House, tmp_path: Path) -> None:
    with running(godot, tmp_path, form.format(server.url.removeprefix("http://"))) as editor:
        editor.open(text_of("lamp"))
        server.model.play([[Text(["Hello."])]])
        assert editor.turn("send", "Hello?")["text"] == "Hello."


def test_another_server_or_token_that_is_set_is_gone_to_at_once(godot: Godot, tmp_path: Path) -> None:
    with relaying() as first, relaying() as second, running(godot, tmp_path, "") as editor:
        for relay, token in ((first, "one"), (second, "one"), (second, "another")):
            said = len(relay.said)
            editor.put("preferences", "port", int(relay.url.rsplit(":", 1)[1]))
            editor.put("preferences", "token", token)
            editor.call("preferences", "save")
            assert relay.heard("hello", said)["token"] == token
        said = len(second.said)
        editor.put("preferences", "panel_width", 500)
        editor.call("preferences", "save")
        editor.open(text_of("lamp"))
        second.heard("file_sync", said)
        assert "hello" not in [frame["type"] for frame in second.said[said:]]


@pytest.mark.parametrize(("url", "expected"), [("http://127.0.0.1:9", "of-the-environment"), ("", "of-the-user")])
def test_a_token_of_the_environment_is_for_its_server_alone(
    url: str, expected: str, godot: Godot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLETCHER_TOKEN", "of-the-environment")
    with running(godot, tmp_path, url) as editor:
        editor.put("preferences", "token", "of-the-user")
        assert editor.call("preferences", "access_token") == expected
