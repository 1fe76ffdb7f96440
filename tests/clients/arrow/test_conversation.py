"""What was said about a project: kept from one session to the next, for this user alone, until it is cleared."""

import resource
import sys
from pathlib import Path

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Godot, running
from tests.end_to_end.messages_api import Text
from tests.real_client.house import House

_SAID = {"message": "Hello?", "output": "Good evening."}


def _kept(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("fletcher/*.json") if path.is_file()]


def test_it_is_there_again_when_arrow_is_started_again(godot: Godot, server: House, tmp_path: Path) -> None:
    api = server.model.play([[Text(["Good evening."])], [Text(["As I said."])]])
    with running(godot, tmp_path, server.url) as editor:
        number = editor.open(text_of("lamp"))
        editor.turn("send", "Hello?")
    (kept,) = _kept(tmp_path)
    if sys.platform != "win32":
        assert kept.stat().st_mode & 0o077 == 0

    with running(godot, tmp_path, server.url) as again:
        again.call("mind", "open_project", number, True)
        again.wait_state("idle")
        assert again.fletcher("history") == [_SAID]
        again.turn("send", "What did you say?")
        assert "Good evening." in str(api.requests[-1])
        again.open(text_of("lamp"), "another")
        assert again.fletcher("history") == []
        again.call("mind", "open_project", number, True)
        again.wait_state("idle")
        assert len(again.fletcher("history")) == 2

        again.fletcher("clear_history")
        assert _kept(tmp_path) == []
        assert again.errors() == []


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
def test_a_full_disk_leaves_it_as_it_was(godot: Godot, server: House, tmp_path: Path) -> None:
    server.model.play([[Text(["Good evening. " * 20])], [Text(["As I said."])]])
    with running(godot, tmp_path, server.url) as editor:
        editor.open(text_of("lamp"))
        editor.turn("send", "Hello?")
        (kept,) = _kept(tmp_path)
        before = kept.read_bytes()
        with editor.full_disk():
            editor.turn("send", "What did you say?")
        assert kept.read_bytes() == before
        assert editor.errors() == []


@pytest.mark.parametrize("damaged", ["", "[3, {}]", "{", '"x"'])
def test_a_file_that_is_damaged_is_no_conversation(damaged: str, godot: Godot, server: House, tmp_path: Path) -> None:
    server.model.play([[Text(["Good evening."])]])
    with running(godot, tmp_path, server.url) as editor:
        number = editor.open(text_of("lamp"))
        editor.turn("send", "Hello?")
        (kept,) = _kept(tmp_path)
        kept.write_text(damaged, "utf-8")
        editor.open(text_of("blank"), "another")
        editor.call("mind", "open_project", number, True)
        editor.wait_state("idle")
        assert editor.fletcher("history") == []
        assert editor.errors() == []
