"""Turns in the real Arrow: what is said, done, previewed, answered, stopped and taken back."""

import json
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor, Godot, running
from tests.end_to_end.messages_api import Hang, Text, ToolUse
from tests.real_client.house import House

_GOLD = ToolUse("create_variable", {"name": "gold", "type": "num", "initial_value": 10})
_INSPECTOR = "/root/Main/FloatingTools/Control/Inspector/Sections/Tabs/Node"
_PANEL = "/root/Main/Editor/Center/FletcherPanel"
_NOTES = f"{_INSPECTOR}/Properties/Parameters/Notes"
_SCENE = ToolUse("create_scene", {"name": "Quay", "notes": "Fog"})


def _stopped_after_one_call(editor: Editor, server: House, *, takes_back: bool) -> dict[str, Any]:
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Add ten gold.")
    api.hanging.wait()
    editor.fletcher("stop", takes_back)
    summary = editor.wait("turn_ended", since)[0]
    editor.frames()
    return summary


def test_a_question_is_answered_and_changes_nothing(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[Text(["Good ", "evening."])]])

    summary = editor.turn("send", "Hello?")

    assert summary["reason"] == "done"
    assert summary["text"] == "Good evening."
    assert not summary["changed"]
    assert editor.file.read_bytes() == before
    assert editor.fletcher("history") == [{"message": "Hello?", "output": "Good evening."}]


def test_a_change_is_done_and_taken_back_byte_for_byte(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[_GOLD], [Text(["There it is."])]])

    summary = editor.turn("send", "Add ten gold.")

    assert summary["changed"]
    assert summary["functions"] == ["create_variable"]
    assert b'"gold"' in editor.file.read_bytes()
    assert editor.text == editor.file.read_text(encoding="utf-8")
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
def test_what_is_taken_back_on_a_full_disk_is_not_saved_and_is_said(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.text
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    in_file, since = editor.file.read_bytes(), editor.mark()

    with editor.full_disk():
        assert editor.fletcher("undo")
        editor.frames()

    assert editor.text == before
    assert editor.file.read_bytes() == in_file
    assert not editor.call("project", "is_saved")
    code, message = editor.wait("failed", since)[:2]
    assert code == "NOT_WRITTEN"
    assert "cannot be written (not all of it could be written)." in message


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits the files of another process")
def test_what_is_to_be_saved_on_a_full_disk_stays_in_the_file_as_it_was_and_in_the_editor_as_it_is(
    editor: Editor, server: House
) -> None:
    """Arrow empties the file, and believes that it is saved."""
    editor.open(text_of("lamp"))
    before, since = editor.file.read_bytes(), editor.mark()
    editor.call("mind", "update_resource", 15, {"notes": "A page of notes."}, "nodes", False)
    editor.call("mind", "reset_project_save_status", False)
    server.model.play([[Text(["Good evening."])]])

    with editor.full_disk():
        editor.turn("send", "Hello?")
        editor.frames()

    assert editor.wait("failed", since)[0] == "NOT_SAVED"
    assert editor.file.read_bytes() == before
    assert not editor.call("project", "is_saved")
    assert "A page of notes." in editor.text
    assert [file.name for file in editor.file.parent.glob("*.fletcher")] == []


def test_nothing_is_written_through_a_link_that_lies_beside_the_story(editor: Editor, server: House) -> None:
    """Somebody else's project may bring it."""
    editor.open(text_of("lamp"))
    theirs = editor.file.parent / "theirs.txt"
    theirs.write_text("Theirs.", "utf-8")
    link = editor.file.with_name(f"{editor.file.name}.fletcher")
    link.symlink_to(theirs)
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    editor.frames()
    assert b'"gold"' in editor.file.read_bytes()
    assert theirs.read_text("utf-8") == "Theirs."
    assert sorted(editor.file.parent.glob("*.fletcher")) == [link]
    link.unlink()


@pytest.mark.parametrize("is_question", [True, False])
def test_what_another_program_has_written_into_the_file_is_not_overwritten_and_that_is_said(
    editor: Editor, server: House, *, is_question: bool
) -> None:
    """The page, for instance, which writes a story back."""
    editor.open(text_of("lamp"))
    editor.frames()
    editor.call("mind", "update_resource", 15, {"notes": "A page of notes."}, "nodes", False)
    editor.call("mind", "reset_project_save_status", False)
    theirs, since = editor.file.read_bytes().replace(b"lamp", b"lantern"), editor.mark()
    editor.file.write_bytes(theirs)
    server.model.play([[Text(["Good evening."])]] if is_question else [[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    code, message = editor.wait("failed", since)[:2]
    assert code == "NOT_SAVED"
    assert f"{editor.file} has something else on the disk" in message
    assert editor.file.read_bytes() == theirs
    assert not editor.call("project", "is_saved")

    editor.call("mind", "save_project")  # as its user may
    editor.frames()
    since = editor.mark()
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Once more.")
    assert editor.call("project", "is_saved")
    assert editor.file.read_bytes() == editor.text.encode()


def _written_by_another(editor: Editor) -> bytes:
    """What the file has from now on, as it is in Arrow's own form, or not."""
    document = json.loads(editor.file.read_bytes())
    document["resources"]["nodes"]["2"]["notes"] = "A page of notes, written elsewhere."
    editor.file.write_text(json.dumps(document), "utf-8")
    return editor.file.read_bytes()


def _asks_with_something_unsaved(editor: Editor, server: House) -> list[str]:
    """The codes of what has failed."""
    editor.call("mind", "update_resource", 15, {"notes": f"Note {editor.mark()}."}, "nodes", False)
    editor.call("mind", "reset_project_save_status", False)
    server.model.play([[Text(["Good evening."])]])
    since = editor.mark()
    editor.turn("send", "Hello?")
    editor.frames()
    return [args[0] for signal, args in editor.signals[since:] if signal == "failed"]


@pytest.mark.parametrize("meanwhile", ["undo", "a stop that takes back", "a look at a snapshot"])
def test_nor_is_it_taken_for_arrows_own_afterwards(editor: Editor, server: House, meanwhile: str) -> None:
    editor.open(text_of("lamp"))
    editor.call("mind", "take_snapshot")
    editor.frames()
    editor.call("mind", "save_project")
    editor.frames()
    theirs = _written_by_another(editor)
    match meanwhile:
        case "undo":
            server.model.play([[_GOLD], [Text(["There it is."])]])
            editor.turn("send", "Add ten gold.")
            assert editor.fletcher("undo")
        case "a stop that takes back":
            _stopped_after_one_call(editor, server, takes_back=True)
        case _:
            editor.call("mind", "preview_snapshot", 0)
            editor.frames(8)
            editor.call("mind", "return_to_master_project")
    editor.frames(8)
    assert _asks_with_something_unsaved(editor, server) == ["NOT_SAVED"]
    assert editor.file.read_bytes() == theirs


def test_a_story_of_another_work_folder_is_not_saved_over(godot: Godot, server: House, tmp_path: Path) -> None:
    """Each counts its projects from 0, and Arrow keeps the story that is open where its user sets another one."""
    folders = [tmp_path / name for name in ("one", "other")]
    with running(godot, tmp_path, server.url) as editor:
        for folder in folders:
            folder.mkdir()
            editor.call("main", "change_local_app_dir_path_preference_in_runtime", f"/host{folder}/")
            editor.frames(8)
            editor.open(text_of("lamp"), f"of-{folder.name}")
            editor.frames(8)
            if folder == folders[0]:
                editor.call("mind", "close_project", True)
                editor.frames(8)
        _type(editor, "A page of notes.")
        editor.call("main", "change_local_app_dir_path_preference_in_runtime", f"/host{folders[0]}/")
        editor.frames(8)
        since, theirs = editor.mark(), editor.file.read_bytes()
        assert editor.file.stem == "of-one"
        server.model.play([[Text(["Good evening."])]])
        editor.turn("send", "Hello?")
        assert editor.wait("failed", since)[0] == "NOT_SAVED"
        assert editor.file.read_bytes() == theirs


def test_what_its_user_has_opened_anew_is_saved_as_ever(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    editor.frames()
    _written_by_another(editor)
    editor.call("mind", "revert_project")
    editor.frames(8)
    assert _asks_with_something_unsaved(editor, server) == []
    assert b"written elsewhere" in editor.file.read_bytes()
    assert b"Note " in editor.file.read_bytes()


@pytest.mark.parametrize("saves", ["", "twice", "and closes"])
def test_what_has_a_vertical_tab_is_sent_and_saved_as_json(editor: Editor, server: House, saves: str) -> None:
    """Godot writes it as none, and what is on a clipboard may have one; also where its user saves it."""
    number = editor.open(text_of("lamp"))
    _type(editor, "A page\v of notes with a \\v.")
    file = editor.file
    if saves:
        editor.call("project", "pull_inspector")
        for _ in range(2 if saves == "twice" else 1):
            editor.call("mind", "save_project", saves == "and closes")
            editor.frames(30)
            json.loads(file.read_bytes())
    if saves == "and closes":
        editor.call("mind", "open_project", number, True)
        editor.wait_state("idle")
    server.model.play([[Text(["Good ", "evening."])]])
    assert editor.turn("send", "Hello?")["reason"] == "done"
    assert editor.call("project", "is_saved")
    for node in (json.loads(editor.text), json.loads(editor.file.read_bytes())):
        assert node["resources"]["nodes"]["2"]["notes"] == "A page\v of notes with a \\v."

    editor.open(text_of("blank"), "another")
    editor.call("mind", "open_project", number, True)
    editor.wait_state("idle")
    assert _typed(editor) == "A page\v of notes with a \\v."


def test_a_question_leaves_what_arrow_can_redo(godot: Godot, server: House, tmp_path: Path) -> None:
    """Where its user has switched its history on."""
    settings = {"appearance_theme": 0, "language": "en", "app_local_dir_path": "user://", "history_size": 20}
    (tmp_path / ".arrow.config").write_text(json.dumps(settings | {"window": None, "panels": None}))
    with running(godot, tmp_path, server.url) as editor:
        editor.open(text_of("lamp"))
        for text in ("A first.", "A second.", "A third."):
            modified = {"id": 2, "modification": {"notes": text}, "field": "nodes"}
            editor.call("mind", "central_event_dispatcher", "update_resource", modified)
            editor.frames()
        editor.call("mind", "history_rotate", -1)
        editor.frames(8)
        assert _typed(editor) == "A second."
        editor.call("mind", "inspect_node", 2, -1, True)
        editor.frames(8)
        server.model.play([[Text(["Good evening."])]])
        editor.turn("send", "Hello?")
        editor.call("mind", "history_rotate", 1)
        editor.frames(8)
        assert _typed(editor) == "A third."


def _type(editor: Editor, text: str) -> None:
    """Writes into the notes of node 2 in Arrow's inspector, which Arrow takes over when another node is opened."""
    editor.call("mind", "inspect_node", 2, -1, True)
    editor.frames(6)
    editor.put(_NOTES, "text", text)
    editor.frames()


def _typed(editor: Editor) -> str:
    return editor.document["resources"]["nodes"]["2"].get("notes", "")


def test_an_undo_would_lose_what_stands_typed_in_the_inspector_and_says_so(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    _type(editor, "A page of notes")
    since = editor.mark()
    assert not editor.fletcher("undo")
    assert editor.wait("failed", since)[0] == "CONFLICT"
    assert _typed(editor) == "A page of notes"


def test_what_is_typed_in_the_inspector_during_a_turn_stays(editor: Editor, server: House) -> None:
    """Also where the turn changes the very node, and Arrow reads its fields anew."""
    editor.open(text_of("lamp"))

    def rename(_request: Any) -> list[ToolUse]:
        _type(editor, "typed meanwhile")
        return [ToolUse("update_node", {"node_id": 2, "name": "quay"})]

    server.model.play([[_GOLD], rename, [Text(["There."])]])
    editor.turn("send", "Add ten gold, and rename node 2.")
    editor.frames(6)
    assert editor.document["resources"]["nodes"]["2"]["name"] == "quay"
    assert _typed(editor) == "typed meanwhile"


def test_what_is_typed_in_the_inspector_is_not_taken_back_by_a_stop(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Add ten gold.")
    api.hanging.wait()
    _type(editor, "typed meanwhile")
    editor.fletcher("stop", True)
    editor.wait("turn_ended", since)
    assert editor.wait("failed", since)[0] == "CONFLICT"
    assert _typed(editor) == "typed meanwhile"


def test_what_was_done_before_a_stop_stays_and_can_be_taken_back(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()

    summary = _stopped_after_one_call(editor, server, takes_back=False)

    assert (summary["reason"], summary["changed"]) == ("stopped", True)
    assert b'"gold"' in editor.file.read_bytes()
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before


def _look_at_a_snapshot(editor: Editor) -> None:
    editor.call("mind", "preview_snapshot", 0)
    editor.frames(6)


def _return(editor: Editor) -> None:
    editor.call("mind", "return_to_master_project")
    editor.frames(6)


def test_whoever_looks_at_a_snapshot_can_take_back_afterwards_what_was_done_before(
    editor: Editor, server: House
) -> None:
    editor.open(text_of("lamp"))
    editor.call("mind", "take_snapshot")
    before = editor.file.read_bytes()
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")

    _look_at_a_snapshot(editor)
    assert not editor.fletcher("undo")
    _return(editor)

    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before


@pytest.mark.parametrize("takes_back", [False, True])
def test_a_turn_amid_which_a_snapshot_is_looked_at_ends_and_can_be_taken_back(
    editor: Editor, server: House, *, takes_back: bool
) -> None:
    editor.open(text_of("lamp"))
    editor.call("mind", "take_snapshot")
    before = editor.file.read_bytes()
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Add ten gold.")
    api.hanging.wait()

    _look_at_a_snapshot(editor)
    editor.fletcher("stop", takes_back)
    summary = editor.wait("turn_ended", since)[0]
    _return(editor)

    assert summary["reason"] == "stopped"
    assert not summary["edited_meanwhile"]
    assert '"gold"' in editor.text
    assert [said["message"] for said in editor.fletcher("history")] == ["Add ten gold."]
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before


def test_a_stop_takes_everything_back_where_the_user_wants_that(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before, scene = editor.file.read_bytes(), editor.call("project", "open_scene")

    summary = _stopped_after_one_call(editor, server, takes_back=True)

    assert summary["reason"] == "stopped"
    assert editor.file.read_bytes() == before
    assert editor.text.encode() == before
    assert editor.call("project", "open_scene") == scene
    assert editor.call("project", "is_saved")
    assert not editor.get("/root/Fletcher", "can_undo")


def test_a_preview_changes_nothing_until_it_is_applied(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[_SCENE, _GOLD], [Text(["A scene and a variable."])], [Text(["Done."])]])
    since = editor.mark()

    summary = editor.turn("preview", "A quay, and gold.")

    diff, operations = editor.wait("preview_ready", since)
    assert summary["reason"] == "question"
    assert "Quay" in diff
    assert [each["function"] for each in operations] == ["create_scene", "create_variable"]
    assert editor.file.read_bytes() == before
    since = editor.mark()
    assert editor.turn("apply")["changed"]
    assert b"Quay" in editor.file.read_bytes()
    steps = [args for name, args in editor.signals[since:] if name == "step_started"]
    assert steps[0][:2] == [1, 2]
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.file.read_bytes() == before


def test_a_discarded_preview_is_forgotten(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[_SCENE], [Text(["A scene."])]])
    editor.turn("preview", "A quay.")

    assert not editor.turn("discard")["changed"]

    assert editor.file.read_bytes() == before
    assert not editor.fletcher("apply")  # there is no question any more


def test_an_undo_would_lose_what_the_user_did_since_and_says_so(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    server.model.play([[_GOLD], [Text(["There."])]])
    editor.turn("send", "Gold.")
    editor.call("mind", "create_new_character")
    since = editor.mark()

    assert not editor.fletcher("undo")
    assert editor.wait("failed", since)[0] == "CONFLICT"
    assert editor.fletcher("undo", True)
    editor.frames()
    assert editor.file.read_bytes() == before


def test_that_is_not_asked_any_more_once_another_turn_has_begun(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[_GOLD], [Text(["There it is."])], [Text(["Good evening."])]])
    editor.turn("send", "Add ten gold.")
    editor.call("mind", "create_new_character")
    editor.call(_PANEL, "_take_back")
    editor.frames()
    assert editor.get(f"{_PANEL}/TakeBackAnyway", "visible")

    editor.turn("send", "Hello?")

    assert not editor.get(f"{_PANEL}/TakeBackAnyway", "visible")


def test_a_project_that_is_not_saved_is_not_saved_afterwards_either(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    editor.call("mind", "create_new_character")
    editor.call("mind", "reset_project_save_status", False)
    unsaved = editor.text
    server.model.play([[_GOLD], [Text(["There."])]])
    editor.turn("send", "Gold.")

    assert editor.fletcher("undo")
    editor.frames()

    assert editor.file.read_bytes() == before
    assert editor.text == unsaved
    assert not editor.call("project", "is_saved")


def test_without_saving_the_file_is_left_alone(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    editor.put("preferences", "save_with_calls", False)
    try:
        server.model.play([[_GOLD], [Text(["There."])]])
        assert editor.turn("send", "Gold.")["changed"]
        assert editor.file.read_bytes() == before
        assert '"gold"' in editor.text
        assert not editor.call("project", "is_saved")
    finally:
        editor.put("preferences", "save_with_calls", True)


@pytest.mark.parametrize("other", [text_of("blank").encode(), None], ids=["written", "removed"])
@pytest.mark.parametrize("how", ["undo", "stop"])
def test_what_something_else_does_to_the_file_after_the_turn_stays(
    other: bytes | None, how: str, editor: Editor, server: House
) -> None:
    editor.open(text_of("lamp"))
    before, file = editor.text, editor.file
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Add ten gold.")
    api.hanging.wait()
    if how == "undo":
        editor.fletcher("stop")
        editor.wait("turn_ended", since)

    file.unlink()
    if other is not None:
        file.write_bytes(other)
    if how == "undo":
        assert editor.fletcher("undo")
    else:
        editor.fletcher("stop", True)  # with taking back
        editor.wait("turn_ended", since)

    editor.frames()
    assert (file.read_bytes() if file.exists() else None) == other
    assert editor.text == before
    assert not editor.call("project", "is_saved")
    assert editor.wait("failed", since)[0] == "NOT_WRITTEN"


@pytest.mark.parametrize("is_away_again", [False, True])
def test_a_file_that_was_away_as_the_turn_began_has_what_the_editor_has_or_that_is_not_saved(
    editor: Editor, server: House, *, is_away_again: bool
) -> None:
    editor.open(text_of("lamp"))
    before, file = editor.document, editor.file
    file.unlink()
    server.model.play([[_GOLD], [Text(["There."])]])
    editor.turn("send", "Gold.")
    assert b'"gold"' in file.read_bytes()
    if is_away_again:
        file.unlink()
    assert editor.fletcher("undo")
    editor.frames()
    assert editor.document == before
    assert editor.call("project", "is_saved") is not is_away_again
    assert is_away_again or json.loads(file.read_bytes()) == json.loads(editor.text)


def test_what_was_not_saved_before_the_turn_and_is_saved_after_it_stays_in_the_file(
    editor: Editor, server: House
) -> None:
    editor.open(text_of("lamp"))
    editor.call("mind", "create_new_character")
    editor.call("mind", "reset_project_save_status", False)
    before = editor.document
    editor.put("preferences", "save_with_calls", False)
    try:
        server.model.play([[_GOLD], [Text(["There."])]])
        editor.turn("send", "Gold.")
        editor.call("mind", "save_project")
        saved = editor.file.read_bytes()
        since = editor.mark()
        assert editor.fletcher("undo")
    finally:
        editor.put("preferences", "save_with_calls", True)
    editor.frames()
    assert editor.file.read_bytes() == saved
    assert editor.document == before
    assert not editor.call("project", "is_saved")
    assert editor.wait("failed", since)[0] == "NOT_WRITTEN"


def test_what_the_user_has_saved_after_the_turn_is_taken_back_in_the_file(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    before = editor.file.read_bytes()
    editor.put("preferences", "save_with_calls", False)
    try:
        server.model.play([[_GOLD], [Text(["There."])]])
        editor.turn("send", "Gold.")
        editor.call("mind", "save_project")
        assert b'"gold"' in editor.file.read_bytes()
        assert editor.fletcher("undo")
    finally:
        editor.put("preferences", "save_with_calls", True)
    editor.frames()
    assert editor.file.read_bytes() == before


def test_another_project_is_asked_about_alone(editor: Editor, server: House) -> None:
    api = server.model.play([[_GOLD], [Text(["There."])], [Text(["Hello."])]])
    editor.open(text_of("lamp"), "one")
    one = editor.get("/root/Fletcher", "_key")
    editor.turn("send", "Gold.")
    editor.open(text_of("blank"), "two")
    assert editor.get("/root/Fletcher", "_key") != one
    assert editor.fletcher("history") == []
    assert not editor.get("/root/Fletcher", "can_undo")

    editor.turn("send", "Who are you?")

    assert "gold" not in str(api.requests[-1]).lower()


def test_a_project_without_a_name_disables_fletcher(editor: Editor) -> None:
    editor.call("mind", "open_new_blank_project", True)
    editor.wait_state("disabled")
    since = editor.mark()
    assert not editor.fletcher("send", "Hello?")
    assert "named project" in editor.wait("failed", since)[1]


def test_a_turn_of_a_project_that_is_closed_meanwhile_does_not_reach_another_one(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"), "left")
    left = editor.file
    api = server.model.play([[_GOLD], Hang()])
    since = editor.mark()
    assert editor.fletcher("send", "Gold.")
    api.hanging.wait()
    done = left.read_bytes()
    assert b'"gold"' in done

    editor.open(text_of("blank"), "opened")

    assert editor.wait("turn_ended", since)[0]["reason"] == "stopped"
    assert not editor.fletcher("undo", True)
    assert left.read_bytes() == done
    assert editor.file.read_text(encoding="utf-8") == text_of("blank")
    assert editor.text == text_of("blank")
    assert editor.fletcher("history") == []


def test_a_node_whose_scene_has_a_number_of_more_than_32_bits_can_be_changed(editor: Editor, server: House) -> None:
    editor.open(text_of("chapter"))
    editor.call("mind", "reset_active_author", 0)

    def rename(_request: Any) -> list[ToolUse]:
        (hall,) = (each for each in editor.document["resources"]["scenes"].values() if each["name"] == "hall")
        assert hall["entry"] > 2**43
        return [ToolUse("update_node", {"node_id": hall["entry"], "name": "door"})]

    server.model.play([[ToolUse("create_scene", {"name": "hall"})], rename, [Text(["There."])]])
    assert editor.turn("send", "A hall.")["failed_calls"] == 0
    assert "door" in [each["name"] for each in editor.document["resources"]["nodes"].values()]


def test_ids_of_another_author_than_the_first_are_the_right_ones(editor: Editor, server: House) -> None:
    editor.open(text_of("chapter"))
    editor.call("mind", "reset_active_author", 0)
    start = 2
    node = {"type": "content", "preset": {"title": "Quay"}, "connect_from": {"node_id": start}, "name": "quay"}
    server.model.play([[ToolUse("create_insert_node", node)], [Text(["There."])]])

    assert editor.turn("send", "A quay.")["changed"]

    resources = editor.document["resources"]
    (quay,) = (int(key) for key, each in resources["nodes"].items() if each["name"] == "quay")
    assert quay >> 37 == 1 << 6  # chapter 1, author 0
    assert any(
        [start, 0, quay, 0] in scene["map"].get(str(start), {}).get("io", []) for scene in resources["scenes"].values()
    )


@pytest.mark.parametrize("calls", [[], [_GOLD]], ids=["a question", "a change"])
def test_a_line_that_is_being_written_goes_on_while_fletcher_works(
    calls: list[ToolUse], editor: Editor, server: House
) -> None:
    editor.open(text_of("lamp"))
    field = editor.inspected(15) + "/Line/Edit"

    def write(_request: Any) -> list[Any]:
        editor.put(field, "text", "A line that I am still")
        editor.frames(3)
        return [*calls] or [Text(["Good evening."])]

    server.model.play([write, [Text(["There."])]])
    editor.turn("send", "Hello?")
    editor.frames(8)
    assert editor.get(field, "text") == "A line that I am still"


def test_what_is_written_beside_such_a_line_stays_when_its_node_is_changed(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    shown = editor.inspected(15)

    def write(_request: Any) -> list[Any]:
        editor.put(f"{shown}/Line/Edit", "text", "A line that I am still")
        editor.put(_NOTES, "text", "A page of notes")
        editor.frames(3)
        return [ToolUse("update_node", {"node_id": 15, "name": "quay"})]

    server.model.play([write, [Text(["There."])]])
    editor.turn("send", "Rename node 15.")
    editor.frames(8)
    assert editor.get(_NOTES, "text") == "A page of notes"
    editor.inspected(2)
    assert editor.document["resources"]["nodes"]["15"]["notes"] == "A page of notes"
    assert editor.document["resources"]["nodes"]["15"]["name"] == "quay"


_INSPECTOR_PANEL = "/root/Main/FloatingTools/Control/Inspector"
_TABS = f"{_INSPECTOR_PANEL}/Sections/Tabs"
_TOOLS = f"{_TABS}/Node/Properties/Versioning/Tools"
_CHARACTER = f"{_TABS}/Characters/Manager/Editor/Tools"
_TAG = f"{_CHARACTER}/Tags/Initials/Edit/Value"
_VARIABLE = f"{_TABS}/Variables/Manager/Editor/Tools/Identifier/Name"
_BRAM = ToolUse("create_character", {"name": "Bram"})
_PAGE = "A page of what is being writ"


def _choose(editor: Editor, tab: str) -> None:
    """Opens the tab of Arrow's inspector, and in it what is listed first."""
    editor.call(_INSPECTOR_PANEL, "show_tab_of_title", tab)
    editor.frames(8)
    editor.call(f"{_TABS}/{tab}/Manager/" + ("Listing/Items" if tab == "Scenes" else "List"), "select", 0)
    editor.call(f"{_TABS}/{tab}", f"_on_{tab.lower()}_list_item_selected", 0)
    editor.frames(3)


@pytest.fixture
def _tabs(editor: Editor) -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    editor.put(_INSPECTOR_PANEL, "visible", True)
    editor.call(_INSPECTOR_PANEL, "show_tab_of_title", "Node")
    editor.frames(8)


@pytest.mark.usefixtures("_tabs")
@pytest.mark.parametrize(
    ("tab", "field", "call", "is_hidden"),
    [
        ("Characters", _TAG, _BRAM, False),
        ("Characters", _TAG, _BRAM, True),
        (
            "Characters",
            f"{_CHARACTER}/Configs/Name",
            ToolUse("update_character", {"character_id": 6, "color": "aa00bb"}),
            False,
        ),
        ("Variables", _VARIABLE, _GOLD, False),
        ("Scenes", f"{_TABS}/Scenes/Manager/Configs/Name", ToolUse("create_scene", {"name": "Quay"}), False),
    ],
)
def test_what_is_being_written_in_another_tab_of_the_inspector_stays(
    tab: str, field: str, call: ToolUse, editor: Editor, server: House, *, is_hidden: bool
) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[ToolUse("update_node", {"node_id": 2, "name": "quay"})], [Text(["There."])]])
    editor.turn("send", "Rename node 2.")

    def write(_request: Any) -> list[ToolUse]:
        _choose(editor, tab)
        editor.put(field, "text", _PAGE)
        editor.put(_INSPECTOR_PANEL, "visible", not is_hidden)
        editor.frames(3)
        return [call]

    server.model.play([write, [Text(["There."])]])
    assert editor.turn("send", "Go on.")["failed_calls"] == 1
    since = editor.mark()
    assert not editor.fletcher("undo")
    assert editor.wait("failed", since)[0] == "CONFLICT"
    assert editor.get(field, "text") == _PAGE
    editor.put(field, "text", "")
    assert editor.fletcher("undo")


@pytest.mark.usefixtures("_tabs")
def test_what_is_being_written_of_a_character_stays_where_another_begins_to_pass_the_filter(
    editor: Editor, server: House
) -> None:
    """Arrow would select that one."""
    editor.open(text_of("lamp"))

    def write(_request: Any) -> list[ToolUse]:
        editor.put(f"{_TABS}/Characters/Manager/Filters/Input", "text", ".mood")
        editor.call(f"{_TABS}/Characters", "refresh_characters_list")
        _choose(editor, "Characters")
        editor.put(_TAG, "text", _PAGE)
        editor.frames(3)
        return [ToolUse("update_character", {"character_id": 7, "tags": {"mood": "sly"}})]

    server.model.play([write, [Text(["There."])]])
    assert editor.turn("send", "Tam is sly.")["failed_calls"] == 1
    assert editor.get(_TAG, "text") == _PAGE
    editor.put(f"{_TABS}/Characters/Manager/Filters/Input", "text", "")
    editor.call(f"{_TABS}/Characters", "refresh_characters_list")


@pytest.mark.parametrize(("link", "is_followed"), [("node:13", True), ("node:17", False), ("scene:16", False)])
def test_a_link_of_an_answer_loses_nothing_that_is_being_written(
    editor: Editor, link: str, *, is_followed: bool
) -> None:
    """Arrow inspects what is selected, and empties its inspector as another scene is opened."""
    editor.open(text_of("lamp"))
    field = f"{editor.inspected(15)}/Line/Edit"
    editor.put(field, "text", _PAGE)
    editor.frames(3)

    since = editor.mark()
    editor.call("/root/Main/Editor/Center/FletcherPanel", "_on_link", link, [])
    editor.frames(8)

    assert editor.get(field, "text") == _PAGE
    assert editor.get(_INSPECTOR, "_CURRENT_INSPECTED_NODE_RESOURCE_ID") == 15
    failed = [args[0] for name, args in editor.signals[since:] if name == "failed"]
    assert failed == ([] if is_followed else ["NOT_OPENED"])
    editor.put(field, "text", "")
    editor.call("/root/Main/Editor/Center/FletcherPanel", "_on_link", link, [])
    editor.frames(8)
    assert editor.call("mind", "get_current_open_scene_id") == (0 if is_followed else 16)


@pytest.mark.usefixtures("_tabs")
def test_what_is_being_written_in_another_tab_stays_where_one_of_the_selected_nodes_is_to_go(
    editor: Editor, server: House
) -> None:
    """Arrow would inspect what is selected then."""
    editor.open(text_of("lamp"))
    editor.call("mind", "force_select_group", [12, 13], True)
    editor.frames(8)
    server.model.play([[ToolUse("delete_node", {"node_id": 13})], [Text(["There."])]])
    assert editor.turn("send", "Delete it.")["reason"] == "question"
    _choose(editor, "Characters")
    editor.put(_TAG, "text", _PAGE)
    editor.frames(3)
    editor.turn("answer", "yes")
    editor.frames(8)
    assert editor.get(_TAG, "text") == _PAGE
    assert "13" in editor.document["resources"]["nodes"]


@pytest.mark.usefixtures("_tabs")
def test_what_a_filter_hides_is_not_taken_for_written(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    editor.call(_INSPECTOR_PANEL, "show_tab_of_title", "Variables")
    editor.frames(8)
    for words, rename in (("oil", [ToolUse("update_variable", {"variable_id": 3, "name": "fuel"})]), ("", [_GOLD])):
        if words:
            editor.put(f"{_TABS}/Variables/Manager/Filters/Input", "text", words)
            editor.call(f"{_TABS}/Variables", "refresh_variables_list")
            _choose(editor, "Variables")
            assert editor.get(_VARIABLE, "text") == "oil"
        server.model.play([rename, [Text(["There."])]])
        assert editor.turn("send", "Go on.")["failed_calls"] == 0
    editor.put(f"{_TABS}/Variables/Manager/Filters/Input", "text", "")
    assert editor.fletcher("undo")


def test_what_arrow_is_told_not_to_take_in_by_itself_stays_where_it_is_typed(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    editor.put("main", "_AUTO_NODE_UPDATE", False)
    field = editor.inspected(2) + "/Content"
    page = editor.get(field, "text")
    editor.put(field, "text", "A page that is being writ")
    editor.frames()
    rename = ToolUse("update_variable", {"variable_id": 3, "name": "fuel"})
    for call in (ToolUse("update_node", {"node_id": 2, "name": "quay"}), rename):
        server.model.play([[call], [Text(["There."])]])
        assert editor.turn("send", "Rename it.")["failed_calls"] == 1
    assert not editor.fletcher("undo")
    assert editor.get(field, "text") == "A page that is being writ"
    editor.put(field, "text", page)

    shown = editor.inspected(15)
    editor.call(shown, "append_new_line", "A line that is only listed")
    server.model.play([[ToolUse("update_node", {"node_id": 15, "name": "quay"})], [Text(["There."])]])
    assert editor.turn("send", "Rename it.")["failed_calls"] == 1
    assert not editor.fletcher("undo")
    assert editor.call(f"{shown}/Lines", "get_item_text", 2) == "A line that is only listed"
    editor.put("main", "_AUTO_NODE_UPDATE", True)


@pytest.mark.parametrize(
    ("node", "control", "name", "value"),
    [
        (11, "Rhs/Parameter/Value/Number", "value", 7),
        (11, "Operator", "selected", 0),
        (14, "ClearPage", "button_pressed", True),
        (14, "Title", "text", ""),
        (14, "Title", "text", "shine"),
    ],
    ids=["number", "option", "tick", "emptied", "text"],
)
def test_nor_does_it_lose_what_is_set_there_and_not_taken_in(
    editor: Editor, server: House, node: int, control: str, name: str, value: object
) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    editor.put("main", "_AUTO_NODE_UPDATE", False)
    field = f"{editor.inspected(node)}/{control}"
    before = editor.get(field, name)
    assert before != value
    rename = ToolUse("update_node", {"node_id": node, "name": "quay"})
    editor.put(field, name, value)
    editor.frames()
    server.model.play([[rename], [Text(["There."])]])
    assert editor.turn("send", "Rename it.")["failed_calls"] == 1
    assert not editor.fletcher("undo")
    assert editor.get(field, name) == value
    editor.put(field, name, before)
    editor.frames()
    server.model.play([[rename], [Text(["There."])]])
    assert editor.turn("send", "Rename it.")["failed_calls"] == 0
    editor.put("main", "_AUTO_NODE_UPDATE", True)


def test_a_line_in_the_inspector_stays_though_something_begins_to_lead_to_its_node(
    editor: Editor, server: House
) -> None:
    editor.open(text_of("lamp"))
    editor.put("main", "_RESET_ON_REINSPECTION", False)
    shown = editor.inspected(15)
    editor.call(shown, "append_new_line", "A line that is only listed")
    editor.put(f"{shown}/Line/Edit", "text", "And one that is being writ")
    editor.frames()
    server.model.play([[ToolUse("update_node", {"node_id": 22, "data": {"target": 15}})], [Text(["There."])]])
    assert editor.turn("send", "Jump there.")["failed_calls"] == 0
    editor.frames(8)
    assert editor.call(f"{shown}/Lines", "get_item_text", 2) == "A line that is only listed"
    assert editor.get(f"{shown}/Line/Edit", "text") == "And one that is being writ"
    editor.put("main", "_RESET_ON_REINSPECTION", True)


def test_a_link_to_the_scene_that_is_open_closes_nothing(editor: Editor) -> None:
    editor.open(text_of("lamp"))
    field = f"{editor.inspected(15)}/Line/Edit"
    editor.put(field, "text", "A line that is being writ")
    assert editor.fletcher("open_scene", 0)
    editor.frames(8)
    assert editor.get(field, "text") == "A line that is being writ"
    assert not editor.fletcher("open_scene", 16)


@pytest.mark.parametrize("hidden_by", ["another tab", "several selected"])
def test_what_is_not_taken_in_is_known_as_such_while_it_is_not_shown(
    editor: Editor, server: House, hidden_by: str
) -> None:
    editor.open(text_of("lamp"))
    editor.put("main", "_AUTO_NODE_UPDATE", False)
    editor.put("main", "_RESET_ON_REINSPECTION", hidden_by == "another tab")
    field = f"{editor.inspected(14)}/Content"
    notes = f"{_TABS}/Node/Properties/Parameters/Notes" if hidden_by == "another tab" else field
    editor.put(notes, "text", "What is being writ")
    editor.frames()
    if hidden_by == "another tab":
        editor.call(_INSPECTOR_PANEL, "show_tab_of_title", "Characters")
    else:
        editor.call(f"{_TABS}/Node", "block_node_tab")
        editor.frames(8)
        editor.call("mind", "inspect_node", 14, -1, True)
    editor.frames(8)
    server.model.play([[ToolUse("update_node", {"node_id": 14, "name": "gleam"})], [Text(["There."])]])
    assert editor.turn("send", "Rename it.")["failed_calls"] == 1
    assert editor.get(notes, "text") == "What is being writ"
    editor.put("main", "_AUTO_NODE_UPDATE", True)
    editor.put("main", "_RESET_ON_REINSPECTION", True)


@pytest.mark.parametrize("written", ["", "-", "7"])
def test_a_number_that_is_being_written_is_not_put_back(editor: Editor, server: House, written: str) -> None:
    """By a call that has Arrow set the fields of its node anew."""
    editor.open(text_of("lamp"))
    field = f"{editor.inspected(11)}/Rhs/Parameter/Value/Number"
    field += f"/{str(editor.call(field, 'get_line_edit')).partition(':')[0]}"
    editor.call(field, "edit")
    editor.put(field, "text", written)
    editor.frames()
    server.model.play([[ToolUse("update_node", {"node_id": 11, "notes": "Enough?"})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    editor.frames(8)
    assert editor.get(field, "text") == written


@pytest.mark.parametrize("column", [3, 40])
def test_whoever_writes_where_somebody_is_named_goes_on_there(editor: Editor, server: House, column: int) -> None:
    """Arrow writes the new name into the text, before the caret or behind it."""
    editor.open(text_of("lamp"))
    field = editor.inspected(14) + "/Content"
    before = str(editor.get(field, "text"))
    editor.call(field, "set_caret_column", column)
    server.model.play([[ToolUse("update_character", {"character_id": 6, "name": "Miranda"})], [Text(["There."])]])
    assert editor.turn("send", "She is Miranda.")["failed_calls"] == 0
    editor.frames(8)
    text = str(editor.get(field, "text"))
    assert text == before.replace("Mira.", "Miranda.")
    moved = column if before.index("Mira") >= column else column + len("nda")
    assert editor.call(field, "get_caret_column") == moved


@pytest.mark.parametrize("changed", [2, 11], ids=["its own node", "another"])
def test_what_is_read_of_a_long_text_stays_in_sight(editor: Editor, server: House, changed: int) -> None:
    editor.open(text_of("lamp"))
    data = {"content": "\n".join(f"Line {line} of the log." for line in range(120))}
    editor.call("mind", "update_resource", 2, {"data": data}, "nodes")
    field = editor.inspected(2) + "/Content"
    editor.call(field, "grab_focus")
    editor.put(field, "scroll_vertical", 60)
    editor.frames()
    server.model.play([[ToolUse("update_node", {"node_id": changed, "notes": "Read."})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    editor.frames(8)
    assert editor.get(field, "scroll_vertical") == 60
    editor.inspected(9)


@pytest.mark.parametrize("end", [3, 18], ids=["before its end", "to its end"])
@pytest.mark.parametrize("from_behind", [False, True])
def test_what_is_selected_to_be_written_over_stays_selected_where_it_is_known_from_where(
    editor: Editor, server: House, end: int, *, from_behind: bool
) -> None:
    editor.open(text_of("lamp"))
    editor.call("mind", "update_resource", 2, {"data": {"title": "One two three four"}}, "nodes")
    field = editor.inspected(2) + "/Title"
    editor.call(field, "edit")
    editor.call(field, "select", 0, end)
    editor.put(field, "caret_column", 0 if from_behind else end)
    server.model.play([[ToolUse("update_node", {"node_id": 2, "notes": "Read."})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    editor.frames(8)
    assert editor.call(field, "has_selection") == (not from_behind or end == 18)
    editor.inspected(9)


@pytest.mark.parametrize(("node_type", "link"), [("sequencer", [1, 4, 2, 0]), ("hub", [2, 0, 1, 4])])
def test_whoever_turns_a_number_of_slots_cuts_nothing_off_on_the_way(
    editor: Editor, server: House, node_type: str, link: list[int]
) -> None:
    editor.open(text_of("blank"))
    at = {"vec": [600, 100]}
    slots = int(editor.call("mind", "create_insert_node", node_type, at, -1, True, "", {"data": {"slots": 5}}))
    other = int(editor.call("mind", "create_insert_node", "content", at, -1, True, "", {}))
    node = {1: slots, 2: other}
    io = [node[link[0]], link[1], node[link[2]], link[3]]
    editor.call("mind", "update_node_map", io[0], {"io": {"push": [io]}}, -1)
    number = editor.inspected(slots) + "/Slots"

    def turn(_request: Any) -> list[Any]:
        editor.put(number, "value", 3)
        editor.frames()
        return [ToolUse("update_node", {"node_id": other, "notes": "Later."})]

    own = ToolUse("update_node", {"node_id": slots, "notes": "Five ways."})
    server.model.play([turn, [own], [Text(["There."])]])
    done = editor.turn("send", "Note it.")
    assert done["failed_calls"] == 1
    editor.put(number, "value", 5)
    editor.frames()
    editor.inspected(other)
    assert editor.document["resources"]["nodes"][str(slots)]["data"] == {"slots": 5}
    assert editor.document["resources"]["nodes"][str(other)]["notes"] == "Later."
    assert editor.document["resources"]["scenes"]["0"]["map"][str(io[0])]["io"] == [io]


def test_nothing_is_connected_to_slots_that_are_others_by_now(editor: Editor, server: House) -> None:
    editor.open(text_of("blank"))
    at = {"vec": [600, 100]}
    slots = int(editor.call("mind", "create_insert_node", "sequencer", at, -1, True, "", {"data": {"slots": 3}}))
    other = int(editor.call("mind", "create_insert_node", "content", at, -1, True, "", {}))
    number = editor.inspected(slots) + "/Slots"
    modifications = {"io": {"push": [[slots, 2, other, 0]]}}

    def turn(_request: Any) -> list[Any]:
        editor.put(number, "value", 5)
        editor.frames()
        return [ToolUse("update_node_map", {"node_id": slots, "modifications": modifications})]

    server.model.play([turn, [Text(["There."])]])
    assert editor.turn("send", "Connect the last one.")["failed_calls"] == 1
    assert editor.document["resources"]["nodes"][str(slots)]["data"] == {"slots": 5}
    assert "io" not in editor.document["resources"]["scenes"]["0"]["map"][str(slots)]


def test_whoever_goes_through_choices_loses_nothing_on_the_way(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    lamp = {"variable": 3, "operator": "set", "with": [0, 42]}
    at = {"vec": [600, 900]}
    node = int(editor.call("mind", "create_insert_node", "variable_update", at, 0, True, "", {"data": lamp}))
    mode = editor.inspected(node) + "/With/Parameter/Mode"

    def choose(item: int) -> None:
        editor.call(mode, "select", item)
        editor.call(mode, "emit_signal", "item_selected", item)
        editor.frames()

    def turn(_request: Any) -> list[Any]:
        choose(1)
        return [ToolUse("update_node", {"node_id": 11, "notes": "Later."})]

    server.model.play([turn, [ToolUse("update_node", {"node_id": node, "notes": "Mine."})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 1
    choose(0)
    editor.inspected(11)
    assert editor.document["resources"]["nodes"][str(node)]["data"] == lamp
    assert editor.document["resources"]["nodes"]["11"]["notes"] == "Later."
    editor.inspected(node)
    choose(1)
    editor.inspected(11)
    assert editor.document["resources"]["nodes"][str(node)]["data"]["with"][0] == 1, "as Arrow does"


def test_an_older_version_that_is_only_looked_at_is_not_taken_in(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    for text in ("First.", "Second.", "Third."):
        field = editor.inspected(2) + "/Content"
        editor.put(field, "text", text)
        editor.inspected(9)
    editor.call("mind", "update_resource", 2, {"data": {"brief": 5}}, "nodes")  # which no version has
    editor.inspected(2)
    editor.call(f"{_TABS}/Node", "rotate_node_history", True)
    editor.frames()
    assert editor.get(field, "text") == "Second."
    notes = [[ToolUse("update_node", {"node_id": 11, "notes": text})] for text in ("Later.", "Much later.")]
    server.model.play([*notes, [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    editor.call(f"{_TABS}/Node", "rotate_node_history", False)
    editor.inspected(9)
    assert editor.document["resources"]["nodes"]["2"]["data"]["content"] == "Third."


def test_next_comes_back_to_what_a_call_has_written(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    for text in ("First.", "Second."):
        field = editor.inspected(2) + "/Content"
        editor.put(field, "text", text)
        editor.inspected(9)
    editor.inspected(2)
    longer = ToolUse("update_node", {"node_id": 2, "data": {"content": "Second. And a third."}})
    server.model.play([[longer], [Text(["There."])]])
    assert editor.turn("send", "Go on with node 2.")["failed_calls"] == 0

    def go_back_and_forth(before: str, now: str) -> None:
        field = editor.inspected(2) + "/Content"
        for is_back, text in ((True, before), (False, now)):
            editor.call(f"{_TOOLS}/{'Previous' if is_back else 'Next'}", "emit_signal", "pressed")
            editor.frames()
            assert editor.get(field, "text") == text
        editor.inspected(9)
        assert editor.document["resources"]["nodes"]["2"]["data"]["content"] == now

    go_back_and_forth("Second.", "Second. And a third.")
    assert editor.fletcher("undo")
    editor.frames()
    go_back_and_forth("Second. And a third.", "Second.")


def test_next_comes_back_to_what_the_node_did_not_have_before(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    for text in ("First.", "Second."):
        shown = editor.inspected(2)
        editor.put(f"{shown}/Content", "text", text)
        editor.inspected(9)
    editor.inspected(2)
    editor.put(f"{shown}/Title", "text", "The bay")
    editor.inspected(9)
    editor.inspected(2)
    for button in ("Previous", "Next"):
        editor.call(f"{_TOOLS}/{button}", "emit_signal", "pressed")
        editor.frames()
    server.model.play([[ToolUse("update_node", {"node_id": 11, "notes": "Later."})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    assert editor.document["resources"]["nodes"]["2"]["data"] == {"content": "Second.", "title": "The bay"}


def test_a_frame_that_is_drawn_larger_meanwhile_becomes_larger(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    data = {"data": {"label": "Harbour", "rect": [300, 200]}}
    frame = int(editor.call("mind", "create_insert_node", "frame", {"vec": [3000, 3000]}, 0, True, "", data))
    shown = editor.inspected(frame)
    drawn = f"/root/Main/Editor/Center/Grid/GRID_GRAPH_NODE_WITH_ID_{frame}"
    notes = [[ToolUse("update_node", {"node_id": 11, "notes": text})] for text in ("Later.", "Much later.")]
    server.model.play([*notes, [Text(["There."])]])
    editor.put(f"{shown}/TextEdit", "text", "Harbour at night")
    editor.call(drawn, "emit_signal", "resize_request", {"vec": [420, 280]})
    editor.frames()
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    data = editor.document["resources"]["nodes"][str(frame)]["data"]
    assert (data["label"], data["rect"]) == ("Harbour at night", [420, 280])
    editor.put(f"{shown}/Width/Value", "value", 555)
    editor.inspected(2)
    assert editor.document["resources"]["nodes"][str(frame)]["data"]["rect"] == [555, 280]


def test_a_destination_that_begins_as_another_name_is_not_taken_in(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    jump = {"data": {"target": 9, "reason": ""}}
    node = int(editor.call("mind", "create_insert_node", "jump", {"vec": [600, 900]}, 0, True, "", jump))
    name = editor.document["resources"]["nodes"]["11"]["name"]
    editor.call("mind", "create_insert_node", "hub", {"vec": [600, 600]}, 0, True, "", {"name": f"{name}_at_night"})
    shown = editor.inspected(node)
    editor.put(f"{shown}/Reason", "text", "The fog is gone.")
    field = f"{shown}/Destination"
    editor.call(field, "edit")
    editor.put(field, "text", name)
    editor.call(field, "emit_signal", "text_changed", name)
    server.model.play([[ToolUse("update_node", {"node_id": 2, "notes": "Later."})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    assert editor.document["resources"]["nodes"][str(node)]["data"] == {"target": 9, "reason": "The fog is gone."}
    editor.inspected(2)
    assert editor.document["resources"]["nodes"][str(node)]["data"]["target"] == 11, "as Arrow does"


def test_a_node_that_a_turn_has_deleted_is_no_more_suggested(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    _, pilot, node = (
        int(editor.call("mind", "create_insert_node", kind, {"vec": [600, 900]}, 0, True, "", {"name": name}))
        for kind, name in (("hub", "Pier"), ("hub", "Pilot"), ("jump", "Leap"))
    )
    shown = editor.inspected(node)
    editor.put(f"{shown}/Destination", "text", "Pi")
    editor.call(f"{shown}/Destination", "emit_signal", "text_changed", "Pi")
    suggested = f"{shown}/Suggestion/List"
    assert editor.get(suggested, "item_count") == 2
    delete = ToolUse("delete_node", {"node_id": pilot})
    server.model.play([[delete], [Text(["Gone."])]])
    editor.turn("send", "Delete Pilot.")
    assert editor.turn("answer", "yes")["failed_calls"] == 0
    assert editor.get(suggested, "item_count") == 0


@pytest.mark.parametrize("is_caret_there", [True, False])
def test_where_a_jump_leads_by_a_turn_is_not_what_was_chosen_before(
    editor: Editor, server: House, *, is_caret_there: bool
) -> None:
    editor.open(text_of("lamp"))
    pier, pilot, other, node = (
        int(editor.call("mind", "create_insert_node", kind, {"vec": [600, 900]}, 0, True, "", {"name": name}))
        for kind, name in (("hub", "Pier"), ("hub", "Pilot"), ("hub", "Zed"), ("jump", "Leap"))
    )
    shown = editor.inspected(node)
    field, suggested = f"{shown}/Destination", f"{shown}/Suggestion/List"
    editor.call(field, "edit")
    editor.put(field, "text", "Pi")
    editor.call(field, "emit_signal", "text_changed", "Pi")
    editor.frames()
    editor.call(suggested, "emit_signal", "item_activated", 0)
    if not is_caret_there:
        editor.call(field, "release_focus")
    editor.frames()
    assert editor.get(field, "text") == "Pier"

    leads = ToolUse("update_node", {"node_id": node, "data": {"target": pilot}})
    server.model.play([[leads], [ToolUse("update_node", {"node_id": other, "notes": "x"})], [Text(["There."])]])
    assert editor.turn("send", "Let Leap lead to Pilot.")["failed_calls"] == 0
    assert editor.get(field, "text") == "Pilot"
    editor.inspected(other)
    assert editor.document["resources"]["nodes"][str(node)]["data"]["target"] == pilot
    assert editor.fletcher("undo")
    assert editor.document["resources"]["nodes"][str(node)]["data"]["target"] == pier


def test_an_entry_that_another_one_is_to_replace_keeps_where_the_last_one_leads(editor: Editor, server: House) -> None:
    editor.open(text_of("blank"))
    at = {"vec": [600, 100]}
    choices = {"data": {"actions": ["Wait", "Go", "Sing"]}}
    node = int(editor.call("mind", "create_insert_node", "interaction", at, -1, True, "", choices))
    other = int(editor.call("mind", "create_insert_node", "content", at, -1, True, "", {}))
    editor.call("mind", "update_node_map", node, {"io": {"push": [[node, 2, other, 0]]}}, -1)
    shown = editor.inspected(node)
    editor.call(f"{shown}/Actions", "remove_item", 1)
    server.model.play([[ToolUse("update_node", {"node_id": other, "notes": "Later."})], [Text(["There."])]])
    assert editor.turn("send", "Note it.")["failed_calls"] == 0
    editor.call(f"{shown}/Actions", "add_item", "Run")
    editor.inspected(other)
    assert editor.document["resources"]["nodes"][str(node)]["data"] == {"actions": ["Wait", "Sing", "Run"]}
    assert editor.document["resources"]["scenes"]["0"]["map"][str(node)]["io"] == [[node, 2, other, 0]]


def test_a_node_that_is_only_looked_at_is_not_being_written(editor: Editor) -> None:
    """A jump lists where it might lead, and shows the name of where it does."""
    editor.open(text_of("lamp"))
    editor.put("main", "_AUTO_NODE_UPDATE", False)
    for node in map(int, editor.document["resources"]["scenes"]["0"]["map"]):
        editor.inspected(node)
        assert not editor.call("inspector", "has_typed"), node
    shown = f"{editor.inspected(12)}/With/Parameter/Value/Static/String"
    assert not editor.get(shown, "visible")
    editor.put(shown, "text", "of another node that was looked at before")
    assert not editor.call("inspector", "has_typed")
    editor.call("mind", "create_insert_node", "tag_pass", {"vec": [0, 0]}, 0)
    editor.inspected(max(map(int, editor.document["resources"]["nodes"])))
    assert not editor.call("inspector", "has_typed"), "of no tag Arrow shows none"
    tagged = {"data": {"character": 6, "pass": [0, [["mood", "glad"]]]}}
    editor.call("mind", "create_insert_node", "tag_pass", {"vec": [0, 0]}, 0, True, "", tagged)
    shown = editor.inspected(max(map(int, editor.document["resources"]["nodes"])))
    editor.call(shown, "refresh_checkable_tags")
    editor.frames(8)
    assert not editor.call("inspector", "has_typed"), "Arrow makes what shows a tag anew"
    editor.put("main", "_AUTO_NODE_UPDATE", True)


@pytest.mark.parametrize("is_taken_out", [True, False])
def test_while_the_caret_is_where_lines_are_written_only_one_that_was_taken_out_is_waited_for(
    editor: Editor, server: House, *, is_taken_out: bool
) -> None:
    editor.open(text_of("lamp"))
    shown = editor.inspected(15)
    before = editor.document["resources"]["nodes"]["15"]["data"]["lines"]
    if is_taken_out:
        editor.call(f"{shown}/Lines", "remove_item", 0)
    else:
        editor.call(shown, "append_new_line", "Another line")
    editor.call(f"{shown}/Line/Edit", "grab_focus")
    server.model.play([[ToolUse("update_node", {"node_id": 15, "name": "quay"})], [Text(["There."])]])
    assert editor.turn("send", "Rename it.")["failed_calls"] == is_taken_out
    after = editor.document["resources"]["nodes"]["15"]["data"]["lines"]
    assert after == (before if is_taken_out else [*before, "Another line"])


def test_a_tag_that_is_added_is_not_being_written_any_more(editor: Editor, server: House) -> None:
    """Arrow leaves it in its fields."""
    editor.open(text_of("lamp"))
    data = {"character": 6, "pass": [0, [["mood", "tired"]]]}
    node = editor.call("mind", "create_insert_node", "tag_pass", {"vec": [50, 900]}, -1, True, "", {"data": data})
    editor.frames(6)
    shown = editor.inspected(int(node))
    for name, text in (("Key", "trust"), ("Value", "low")):
        editor.put(f"{shown}/Checkables/Parts/Edit/Params/{name}", "text", text)
    assert editor.call("inspector", "is_writing")
    editor.call(shown, "read_and_add_checkable")
    editor.frames()
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    assert ["trust", "low"] in editor.document["resources"]["nodes"][str(node)]["data"]["pass"][1]
    assert editor.fletcher("undo")


def test_after_an_undo_a_node_is_shown_as_it_is_also_where_arrow_does_not_show_one_anew(
    editor: Editor, server: House
) -> None:
    editor.open(text_of("lamp"))
    editor.put("main", "_RESET_ON_REINSPECTION", False)
    shown = editor.get(editor.inspected(2) + "/Content", "text")
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    assert editor.fletcher("undo")
    editor.frames(8)
    assert editor.get(editor.inspected(2) + "/Content", "text") == shown != ""
    editor.put("main", "_RESET_ON_REINSPECTION", True)


def test_whoever_writes_on_meanwhile_has_all_of_it(editor: Editor) -> None:
    editor.open(text_of("lamp"))
    line = editor.inspected(15) + "/Line/Edit"
    for field, text in (line, "A line that I am still"), (_NOTES, "A page of notes"):
        editor.put(field, "text", text)
    editor.frames(3)
    editor.call("project", "pull_inspector")
    for field, text in (line, "A line that I am still typing"), (_NOTES, "A page of notes, and more"):
        editor.put(field, "text", text)
    editor.frames(6)
    assert editor.get(line, "text") == "A line that I am still typing"
    assert editor.get(_NOTES, "text") == "A page of notes, and more"


def test_a_line_that_is_added_meanwhile_does_not_stand_there_once_more(editor: Editor) -> None:
    editor.open(text_of("lamp"))
    shown = editor.inspected(15)
    editor.put(f"{shown}/Line/Edit", "text", "A whole line")
    editor.frames(3)
    editor.call("project", "pull_inspector")
    editor.call(shown, "append_new_line")
    editor.frames(6)
    assert editor.get(f"{shown}/Line/Edit", "text") == ""
    editor.inspected(2)
    assert editor.document["resources"]["nodes"]["15"]["data"]["lines"][-1] == "A whole line"


def test_what_the_user_has_written_while_a_model_thought_is_not_changed_unseen(editor: Editor, server: House) -> None:
    """What a call takes away is asked about by the story that was shown last."""
    editor.open(text_of("lamp"))
    long = "A line that was written while Fletcher was thinking, longer than what anybody may take away unasked. "
    lines = ["Ask the sea.", "Ask her.", "Ask him."]
    anew = ToolUse("update_node", {"node_id": 15, "data": {"lines": lines}})

    def write(_request: Any) -> list[Any]:
        own = [*lines[:2], long]
        editor.call("mind", "update_resource", 15, {"data": {"lines": own}}, "nodes", False)
        editor.frames(3)
        return [anew]

    api = server.model.play([write, [anew]])
    since = editor.mark()
    editor.turn("send", "Give node 15 a third line.")
    (question,) = [args for signal, args in editor.signals[since:] if signal == "question_asked"]
    assert editor.document["resources"]["nodes"]["15"]["data"]["lines"] == [*lines[:2], long]
    assert "has written meanwhile" in str(api.requests[-1])
    assert long[:40] in str(question)


def test_a_node_in_which_a_line_is_being_written_is_not_deleted(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[ToolUse("delete_node", {"node_id": 15, "force": True})]])
    since = editor.mark()
    editor.turn("send", "Delete node 15.")
    assert [args for signal, args in editor.signals[since:] if signal == "question_asked"]
    editor.put(editor.inspected(15) + "/Line/Edit", "text", "A line that I am still")
    editor.put(_NOTES, "text", "A page of notes")
    editor.frames(3)
    editor.turn("answer", "yes")
    assert "15" in editor.document["resources"]["nodes"]
    assert editor.get(_NOTES, "text") == "A page of notes"


def test_a_scene_in_which_a_line_is_being_written_is_not_deleted(editor: Editor, server: House) -> None:
    document = json.loads(text_of("lamp"))
    resources = document["resources"]
    places = {"27": {"offset": [0, 0]}, "28": {"offset": [300, 0]}}
    resources["scenes"]["26"] = {"name": "loft", "entry": 27, "map": places}
    resources["nodes"]["27"] = {"type": "entry", "name": "e27", "data": {"plaque": ""}}
    dialog = {"character": 7, "lines": ["One."], "playable": True}
    resources["nodes"]["28"] = {"type": "dialog", "name": "d28", "data": dialog}
    for author in document["meta"]["authors"].values():
        author[1] = 40
    editor.open(json.dumps(document))
    server.model.play([[ToolUse("delete_scene", {"scene_id": 26})], [Text(["It stays."])]])
    editor.turn("send", "Delete the loft.")
    editor.put(editor.inspected(28) + "/Line/Edit", "text", "A line that I am still")
    editor.frames(3)
    editor.turn("answer", "yes")
    assert "28" in editor.document["resources"]["nodes"]


def test_a_node_that_the_user_has_made_meanwhile_is_not_connected_in_place_of_the_new_one(
    editor: Editor, server: House
) -> None:
    """It has the number that the server expects its own to have."""
    editor.open(text_of("lamp"))
    own = {"title": "", "content": "The user's own.", "brief": 10, "auto_play": False, "clear": False}
    by_user = {"type": "content", "scene_id": 0, "offset": [50, 60], "preset": {"name": "own", "data": own}}
    made = ToolUse(
        "create_insert_node", {"type": "content", "name": "made", "connect_from": {"node_id": 24, "slot": 0}}
    )

    def make(_request: Any) -> list[Any]:
        editor.call("dispatcher", "execute", "create_insert_node", by_user)
        return [made]

    server.model.play([make, [made], [Text(["There it is."])]])
    editor.turn("send", "Add one.")
    nodes = {node["name"]: int(key) for key, node in editor.document["resources"]["nodes"].items()}
    ends = [to for _, _, to, _ in editor.document["resources"]["scenes"]["0"]["map"]["24"].get("io", [])]
    assert nodes["made"] in ends
    assert nodes["own"] not in ends


@pytest.mark.parametrize("is_entry", [False, True], ids=["notes", "a line"])
def test_no_key_is_lost_while_the_very_node_is_changed(is_entry: bool, editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    field = f"{editor.inspected(15)}/Line/Edit" if is_entry else _NOTES
    editor.put(field, "text", "So: ")
    editor.call(field, "grab_focus")
    editor.call(field, "set_caret_column", 4)
    editor.frames(3)
    typed = "".join(chr(ord("a") + number % 26) for number in range(60))

    def renaming(number: int) -> Any:
        def rename(_request: Any) -> list[Any]:
            for key in typed[10 * number : 10 * number + 10]:
                editor.call(field, "insert_text_at_caret", key)
            return [ToolUse("update_node", {"node_id": 15, "name": f"quay{number}"})]

        return rename

    server.model.play([*map(renaming, range(6)), [Text(["There."])]])
    editor.turn("send", "Rename node 15 again and again.")
    editor.frames(8)
    assert editor.get(field, "text") == f"So: {typed}"


def _add_a_line_and_write_another(editor: Editor, shown: str) -> None:
    editor.put(f"{shown}/Line/Edit", "text", "A line that is added.")
    editor.call(shown, "append_new_line")
    editor.put(f"{shown}/Line/Edit", "text", "A line that I am still")
    editor.frames(3)


def _lines_once_it_is_whole(editor: Editor, shown: str) -> list[str]:
    """Those of node 15, which its user leaves then."""
    editor.call(shown, "append_new_line")
    editor.inspected(2)
    return editor.document["resources"]["nodes"]["15"]["data"]["lines"]


@pytest.mark.parametrize("change", [{"name": "quay"}, {"notes": "x"}, {"data": {"lines": ["One.", "Two."]}}])
def test_a_node_with_lines_that_are_only_in_the_list_is_not_changed_while_another_is_being_written(
    change: dict[str, Any], editor: Editor, server: House
) -> None:
    """Arrow reads no list meanwhile, and shows all of its node anew afterwards."""
    editor.open(text_of("lamp"))
    shown = editor.inspected(15)

    def write(_request: Any) -> list[Any]:
        _add_a_line_and_write_another(editor, shown)
        return [ToolUse("update_node", {"node_id": 15, **change})]

    api = server.model.play([write, [Text(["Later."])]])
    since = editor.mark()
    editor.turn("send", "Change node 15.")
    if [args for signal, args in editor.signals[since:] if signal == "question_asked"]:
        editor.turn("answer", "yes")
    editor.frames(8)
    assert "has written meanwhile" in str(api.requests[-1]) or "lines" in change.get("data", {})
    assert editor.get(f"{shown}/Line/Edit", "text") == "A line that I am still"
    assert _lines_once_it_is_whole(editor, shown)[-2:] == ["A line that is added.", "A line that I am still"]


def test_a_node_that_is_selected_is_not_deleted_while_another_is_being_written(editor: Editor, server: House) -> None:
    """Arrow reads the inspector as it is deselected: a line that is taken out to be changed would be gone."""
    editor.open(text_of("lamp"))
    editor.put("main", "_AUTO_INSPECT", False)
    selected = int(editor.call("mind", "create_insert_node", "content", {"vec": [50, 900]}, -1, True, "", {}))
    editor.frames(8)
    editor.call("mind", "force_select_group", [selected], False)
    editor.frames(8)
    shown = editor.inspected(15)
    lines = editor.document["resources"]["nodes"]["15"]["data"]["lines"]

    def write(_request: Any) -> list[Any]:
        editor.call(shown, "extract_selected_line", [0])
        return [ToolUse("delete_node", {"node_id": selected})]

    server.model.play([write, [Text(["Later."])]])
    since = editor.mark()
    ended = editor.turn("send", "Delete it.")
    if [args for signal, args in editor.signals[since:] if signal == "question_asked"]:
        ended = editor.turn("answer", "yes")
    editor.put("main", "_AUTO_INSPECT", True)
    editor.frames(8)
    assert "has written meanwhile" in str(ended)
    assert editor.document["resources"]["nodes"]["15"]["data"]["lines"] == lines


def test_nor_is_the_character_of_such_a_node_changed(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    shown = editor.inspected(15)

    def write(_request: Any) -> list[Any]:
        _add_a_line_and_write_another(editor, shown)
        return [ToolUse("update_character", {"character_id": 7, "name": "Marya"}), _GOLD]

    server.model.play([write, [Text(["Later."])]])
    summary = editor.turn("send", "Rename her, and add gold.")
    editor.frames(8)
    assert summary["functions"] == ["create_variable"]
    assert _lines_once_it_is_whole(editor, shown)[-2:] == ["A line that is added.", "A line that I am still"]


def test_of_a_turn_that_is_taken_back_at_a_stop_nothing_is_said_to_stay(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    summary = _stopped_after_one_call(editor, server, takes_back=True)
    assert summary["taken_back"]
    assert "stays" not in summary["text"]
    assert "undo" not in summary["text"]


@pytest.mark.parametrize("calls", [[], [_GOLD]], ids=["a question", "a change"])
def test_a_choice_that_is_taken_out_to_be_changed_stays_in_the_story(
    calls: list[ToolUse], editor: Editor, server: House
) -> None:
    """Arrow would take the list for shorter, and cut off where the choice leads."""
    editor.open(text_of("lamp"))
    before = editor.document["resources"]
    shown = editor.inspected(10)

    def take_out(_request: Any) -> list[Any]:
        editor.call(f"{shown}/Actions", "select", 1)
        editor.call(shown, "extract_selected_action")
        editor.frames(3)
        return [*calls] or [Text(["Good evening."])]

    server.model.play([take_out, [Text(["There."])]])
    editor.turn("send", "Hello?")
    editor.frames(8)
    after = editor.document["resources"]
    assert after["nodes"]["10"] == before["nodes"]["10"]
    assert after["scenes"] == before["scenes"]
    assert editor.get(f"{shown}/Choice/Edit", "text") == before["nodes"]["10"]["data"]["actions"][1]


def test_what_is_being_written_is_not_lost_by_an_undo_unasked(editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    server.model.play([[_GOLD], [Text(["There it is."])]])
    editor.turn("send", "Add ten gold.")
    editor.put(editor.inspected(15) + "/Line/Edit", "text", "A line that I am still")
    editor.put(_NOTES, "text", "and notes beside it")
    editor.frames()
    since = editor.mark()
    assert not editor.fletcher("undo")
    code, message = editor.wait("failed", since)[:2]
    assert code == "CONFLICT"
    assert "being written in the inspector" in message


@pytest.mark.parametrize("name", ["Content", "Title"])
def test_whoever_types_goes_on_where_the_caret_was(name: str, editor: Editor, server: House) -> None:
    editor.open(text_of("lamp"))
    field = f"{editor.inspected(2)}/{name}"

    def write(_request: Any) -> list[Any]:
        editor.put(field, "text", "Fog over the bay. The lamp is d")
        editor.call(field, "set_caret_column", 31)
        editor.frames(3)
        return [_GOLD]

    server.model.play([write, [Text(["There."])]])
    editor.turn("send", "Add ten gold.")
    editor.frames(8)
    editor.call(field, "insert_text_at_caret", "ark.")
    editor.frames(3)
    assert editor.get(field, "text") == "Fog over the bay. The lamp is dark."
