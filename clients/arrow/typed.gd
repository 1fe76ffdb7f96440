## What stands typed in Arrow's lists of characters, variables, scenes and macros, and is in none of them yet.
extends RefCounted

## By kind: the tab, which of them is edited there, and its fields.
const TABS := {
	"characters":
	[["Characters", "_SELECTED_CHARACTER_BEING_EDITED_ID", ["CharacterEditorName", "TagEditKey", "TagEditValue"]]],
	"variables": [["Variables", "_SELECTED_VARIABLE_BEING_EDITED_ID", ["VariableEditorName"]]],
	"scenes":
	[
		["Scenes", "_SELECTED_SCENE_BEING_EDITED_ID", ["SceneEditorName"]],
		["Macros", "_SELECTED_MACRO_BEING_EDITED_ID", ["MacroEditorName"]],
	],
}

var _mind: Object


func _init(mind: Object) -> void:
	_mind = mind


## Whether anything does.
func is_any() -> bool:
	return TABS.keys().any(_is_of)


## Whether a function has Arrow fill the fields anew in which something does.
func is_lost_by(function: String) -> bool:
	return TABS.keys().any(
		func(kind: String) -> bool: return function.ends_with(kind.trim_suffix("s")) and _is_of(kind)
	)


func _is_of(kind: String) -> bool:
	return TABS[kind].any(func(tab: Array) -> bool: return _is_in(tab, _mind._PROJECT.resources[kind]))


func _is_in(shown: Array, resources: Dictionary) -> bool:
	var tab: Node = _mind.Inspector.Tab[shown[0]]
	var edited: Dictionary = resources.get(tab.get(shown[1]), {})
	var tags: Dictionary = edited.get("tags", {})
	var said: Array = ["", edited.get("name")] + tags.keys() + tags.values()
	for name: String in shown[2]:
		var field: LineEdit = tab.get(name)
		if field.is_visible_in_tree() and field.text not in said:
			return true
	if not edited.has("init") or not tab.VariableEditorName.is_visible_in_tree():
		return false
	return tab.get_variable_initial_value_sub_editor(edited.type) != edited.init
