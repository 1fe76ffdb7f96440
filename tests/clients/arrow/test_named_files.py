"""Godot loads the files that texts name, and runs scripts in them: in an Arrow with the panel it does not."""

import json
from pathlib import Path

from tests.arrow_project.conform.starts import text_of
from tests.clients.arrow.editor import Editor, Godot, running

_STOCK = """[gd_scene load_steps=2 format=3]

[sub_resource type="GDScript" id="1"]
script/source = "extends Node

func _ready() -> void:
	get_tree().change_scene_to_file.call_deferred(\\"res://main.tscn\\")
"

[node name="Stock" type="Node"]
script = SubResource("1")
"""
_SCRIPT = """[gd_resource type="Resource" load_steps=2 format=3]

[sub_resource type="GDScript" id="1"]
script/source = "extends Resource

func _init() -> void:
	FileAccess.open(\\"{}\\", FileAccess.WRITE).close()
"

[resource]
script = SubResource("1")
"""
_TAGS = {
    "image": "[img]{}[/img]",
    "sized": "[img=40x40]{}[/img]",
    "font": "[font={}]Ahoy.[/font]",
    "named font": "[font name='{}']Ahoy.[/font]",
    "dropcap": "[dropcap font={}]A[/dropcap]",
}


def script_in(made: str) -> str:
    """A resource with a script that makes this file."""
    return _SCRIPT.format(made)


def _written(godot: Godot, folder: Path) -> tuple[str, dict[str, Path]]:
    """A story that names files with a script, in what is drawn and in what is played; what each of them makes."""
    made: dict[str, Path] = {}

    def tag(name: str, form: str) -> str:
        made[name] = folder / f"{name}.made"
        file = folder / f"{name}.tres"
        file.write_text(script_in(godot.seen(made[name])))
        return form.format(godot.seen(file))

    story = json.loads(text_of("lamp"))
    resources = story["resources"]
    labels = "\n".join(tag(name, form) for name, form in _TAGS.items())
    resources["nodes"]["90"] = {"type": "frame", "name": "frame", "data": {"label": labels, "color": "ff0000"}}
    resources["nodes"]["91"] = {"type": "content", "name": "played", "data": {"title": "", "content": "[{pic}"}}
    for place, node in enumerate(("90", "91")):
        resources["scenes"]["0"]["map"][node] = {"offset": [600, 400 * place]}
    value = tag("played", "img]{}[/img]")
    resources["variables"]["92"] = {"name": "pic", "type": "str", "init": value, "use": [91]}
    resources["nodes"]["91"]["ref"] = [92]
    return json.dumps(story), made


def _show(editor: Editor, story: str, made: dict[str, Path]) -> set[str]:
    """Opens the story, plays its last node, and tells whose scripts ran."""
    path = editor.folder / "story.arrow"
    path.write_text(story)
    assert editor.ask("open", path=f"/host{path}") is not None
    editor.frames(10)
    editor.call("mind", "console", 91, True, True)
    editor.frames(20)
    return {name for name, file in made.items() if file.exists()}


def test_arrow_itself_runs_what_texts_name(godot: Godot, tmp_path: Path) -> None:
    boot = tmp_path / "stock.tscn"
    boot.write_text(_STOCK)
    story, made = _written(godot, tmp_path)
    with running(godot, tmp_path, "", boot) as editor:
        assert _show(editor, story, made) == set(made)


def test_with_the_panel_it_runs_none_of_it(godot: Godot, tmp_path: Path) -> None:
    story, made = _written(godot, tmp_path)
    with running(godot, tmp_path, "") as editor:
        assert _show(editor, story, made) == set()
        assert editor.errors() == []


def test_what_is_arrows_own_is_drawn(godot: Godot, tmp_path: Path) -> None:
    _, made = _written(godot, tmp_path)
    outside = godot.seen(tmp_path / "image.tres")
    with running(godot, tmp_path, "") as editor:
        for kind in "Texture2D", "Font":
            for path in (
                outside,
                f"res://../../../../../../../..{outside}",
                "user://a.tres",
                "res://a.tres",
                "res://icon.ctex",
                "res://C:/a.png",
            ):
                assert editor.ask("load", path=path, kind=kind) == "Resource"
        assert editor.ask("load", path="res://icon.svg", kind="Texture2D") == "CompressedTexture2D"
        assert not made["image"].exists()
        assert editor.errors() == []
