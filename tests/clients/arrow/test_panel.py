"""The panel in the real Arrow: where it stands, and what it shows of what the client tells it."""

import json
from pathlib import Path

from arrow_project import check_text
from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor, Godot, running
from tests.end_to_end.messages_api import Text, ToolUse
from tests.real_client.house import House

_CENTER = "/root/Main/Editor/Center"
_PANEL = f"{_CENTER}/FletcherPanel"
_TABS = f"{_PANEL}/Row/Column/Tabs"
_MESSAGES = f"{_TABS}/Chat/Scroll/Messages"
_CONTEXT = f"{_TABS}/Chat/Composer/Context"
_INSPECTOR = "/root/Main/FloatingTools/Control/Inspector"
_PAGE_WORDS = f"{_PANEL}/Page/Background/Column/Words"
_GHOSTS = f"{_CENTER}/FletcherGhosts"
_ADD = ToolUse("create_insert_node", {"type": "dialog", "scene_id": 0, "preset": {"lines": ["A [b]bright[/b] line."]}})


def _open(editor: Editor) -> None:
    editor.open(text_of("lamp"))
    editor.wait_state("idle")
    editor.frames()


def _words(editor: Editor, message: str) -> str:
    editor.frames()
    return editor.call(f"{_MESSAGES}/{message}/Column/Words", "get_parsed_text")


def test_the_panel_takes_its_room_from_the_grid_and_gives_it_back(editor: Editor) -> None:
    at_first = editor.get(_INSPECTOR, "position")
    assert editor.call("/root", "get_child", 0).startswith("Main:")
    assert editor.get(f"{_CENTER}/Grid", "offset_right") == editor.get(_PANEL, "offset_left") < 0

    editor.call(_PANEL, "open", False)
    editor.frames()
    assert editor.get(f"{_CENTER}/Grid", "offset_right") == 0
    assert not editor.get(_PANEL, "visible")

    assert editor.get(_INSPECTOR, "position") != at_first

    editor.call(_PANEL, "open", True)
    editor.frames()
    assert editor.get(_INSPECTOR, "position") == at_first
    assert editor.errors() == []


def test_the_width_is_remembered(godot: Godot, server: House, tmp_path: Path) -> None:
    with running(godot, tmp_path, server.url) as editor:
        editor.put("preferences", "panel_width", 345)
        editor.call("preferences", "save")
    with running(godot, tmp_path, server.url) as again:
        assert again.get(_PANEL, "offset_left") == -345


def test_without_a_named_project_the_panel_says_what_to_do(editor: Editor) -> None:
    editor.wait_state("disabled")
    assert not editor.get(_TABS, "visible")
    _open(editor)
    assert editor.get(_TABS, "visible")


def test_an_answer_is_shown_as_it_was_said(editor: Editor, server: House) -> None:
    _open(editor)
    server.model.play([[Text(["Call it **bright**", " [img]res://icon.svg[/img]."])]])
    editor.turn("send", "What [b]now[/b]?")
    assert _words(editor, "You") == "What [b]now[/b]?"
    assert _words(editor, "Fletcher2") == "Call it bright [img]res://icon.svg[/img]."
    assert editor.errors() == []


def test_a_preview_has_ghosts_until_it_is_settled(editor: Editor, server: House) -> None:
    _open(editor)
    before = editor.file.read_bytes()
    for settled, message in (("Discard", "Preview"), ("Apply", "Preview2")):
        server.model.play([[_ADD], [Text(["So it would be."])], [Text(["There it is."])]])
        editor.turn("preview", "Add a bright line.")
        editor.frames()
        assert editor.ask("is_there", on=_GHOSTS)
        assert editor.file.read_bytes() == before

        since = editor.mark()
        editor.call(f"{_MESSAGES}/{message}/Column/Plan/Buttons/{settled}", "emit_signal", "pressed")
        editor.wait("turn_ended", since)
        editor.frames(8)
        assert not editor.ask("is_there", on=_GHOSTS)
    assert b"bright" in editor.file.read_bytes()
    assert editor.errors() == []


def test_selected_nodes_go_with_the_message_unless_they_are_taken_away(editor: Editor, server: House) -> None:
    _open(editor)
    editor.call("mind", "force_select_group", [1, 2], True)
    editor.wait("selection_changed")
    editor.frames()
    assert editor.call(_CONTEXT, "get_child_count") == 2
    editor.call(_PANEL, "_on_node_dropped", 1)
    editor.frames()
    assert editor.call(_CONTEXT, "get_child_count") == 1
    assert editor.get("/root/Fletcher", "context") == [2]


def test_the_story_is_checked_by_arrows_rules_without_a_model(editor: Editor, server: House) -> None:
    document = json.loads(text_of("lamp"))
    document["resources"]["variables"]["90"] = {"name": "unused", "type": "num", "init": 0}
    editor.open(json.dumps(document), "checked")
    api = server.model.play([])
    findings = check_text(editor.text)
    assert any("unused" in finding.message for finding in findings)

    editor.call(f"{_TABS}/Checks", "_check_story")
    heading = f"The check finds {len(findings)}:"
    for _ in range(200):
        if editor.get(f"{_TABS}/Checks/Heading", "text") == heading:
            break
        editor.frames(10)
    assert editor.get(f"{_TABS}/Checks/Heading", "text") == heading
    assert editor.call(f"{_TABS}/Checks/Scroll/Findings", "get_child_count") == len(findings)
    assert api.requests == []
    assert editor.state == "idle"
    assert editor.errors() == []


def test_dropped_files_become_documents(editor: Editor, tmp_path: Path) -> None:
    _open(editor)
    (tmp_path / "lamp.md").write_text("# The lamp\n\nElena keeps the lamp on the pier.", "utf-8")
    since = editor.mark()
    editor.call(f"{_TABS}/Documents", "add_files", [f"/host{tmp_path / 'lamp.md'}"])
    documents = editor.wait("corpus_changed", since, lambda documents: bool(documents))[0]
    assert [document["name"] for document in documents] == ["lamp.md"]
    (found,) = editor.call("corpus", "search", "lamp")
    assert "Elena keeps" in found["text"]
    assert editor.errors() == []


def test_a_passage_without_a_page_stands_between_its_neighbours(editor: Editor, server: House) -> None:
    _open(editor)
    parts = [
        f"# Part {number}\n\nThe keeper of lamp {number} sleeps. " + "It [b]rains[/b]. " * 60 for number in range(9)
    ]
    server.put_documents(editor.call("project", "key"), {"long.md": "\n\n".join(parts)})
    (found, *_) = editor.call("corpus", "search", "keeper of lamp 4")
    assert "lamp 4" in found["text"]
    editor.call(_PANEL, "_open_place", found)
    shown = ""
    for _ in range(200):
        shown = editor.call(_PAGE_WORDS, "get_parsed_text")
        if "lamp 5" in shown:
            break
        editor.frames(10)
    assert "lamp 3" in shown
    assert found["text"] in shown
    assert "lamp 5" in shown
    assert "lamp 8" not in shown
    assert editor.errors() == []


def test_of_very_many_documents_some_are_listed_and_more_where_they_are_wanted(editor: Editor) -> None:
    """Arrow stands still while rows are drawn, which is with every change of any document."""
    _open(editor)
    while editor.get("corpus", "_listed") != editor.call("project", "key"):  # else that list comes afterwards
        editor.frames()
    panel, listed = f"{_TABS}/Documents", f"{_TABS}/Documents/Scroll/Both/List"
    editor.call(panel, "_show_documents", [{"id": str(n), "name": f"{n}.md", "status": "indexed"} for n in range(250)])
    editor.frames()
    assert editor.call(listed, "get_child_count") == 101
    editor.put(panel, "_most_listed", 300)
    editor.call(panel, "_show_documents", [{"id": str(n), "name": f"{n}.md", "status": "indexed"} for n in range(250)])
    editor.frames()
    assert editor.call(listed, "get_child_count") == 250
    assert editor.errors() == []
