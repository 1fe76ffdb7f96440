## What stands typed in Arrow's lists of characters, variables, scenes and macros, and is in none of them yet.
extends RefCounted

## By kind: the tab, which of them is edited there, what the tab has listed, where it is edited, and its fields.
const TABS := {
	"characters":
	[
		[
			"Characters",
			"_SELECTED_CHARACTER_BEING_EDITED_ID",
			"_LISTED_CHARACTERS_BY_ID",
			"CharacterEditorPanel",
			["CharacterEditorName", "TagEditKey", "TagEditValue"],
		]
	],
	"variables":
	[
		[
			"Variables",
			"_SELECTED_VARIABLE_BEING_EDITED_ID",
			"_LISTED_VARIABLES_BY_ID",
			"VariableEditorPanel",
			["VariableEditorName"],
		]
	],
	"scenes":
	[
		["Scenes", "_SELECTED_SCENE_BEING_EDITED_ID", "_LISTED_SCENES_BY_ID", "SceneEditorBox", ["SceneEditorName"]],
		["Macros", "_SELECTED_MACRO_BEING_EDITED_ID", "_LISTED_MACROS_BY_ID", "MacroEditorBox", ["MacroEditorName"]],
	],
}

var _mind: Object


func _init(mind: Object) -> void:
	_mind = mind


## Whether anything does.
func is_any() -> bool:
	return TABS.keys().any(_is_of)


## Whether a function has Arrow fill the fields anew in which something does: of what it makes or deletes, or changes.
func is_lost_by(function: String, arguments: Dictionary) -> bool:
	for kind: String in TABS:
		var one := kind.trim_suffix("s")
		if function.ends_with(one) and _is_of(kind):
			var changed: Variant = arguments.get(one + "_id")
			return not function.begins_with("update_") or _is_edited(kind, changed)
	return false


func _is_edited(kind: String, id: Variant) -> bool:
	return TABS[kind].any(func(tab: Array) -> bool: return id == _mind.Inspector.Tab[tab[0]].get(tab[1]))


func _is_of(kind: String) -> bool:
	return TABS[kind].any(func(tab: Array) -> bool: return _is_in(tab, _mind._PROJECT.resources[kind]))


func _is_in(shown: Array, resources: Dictionary) -> bool:
	var tab: Node = _mind.Inspector.Tab[shown[0]]
	# Whoever comes back to another tab has it filled anew by Arrow; the whole inspector may be hidden for a moment.
	if _mind.Inspector.TheTabContainer.get_current_tab_control() != tab or not tab.get(shown[3]).visible:
		return false
	var edited: Dictionary = resources.get(tab.get(shown[1]), {})
	# What a filter hides is not shown anew when it is changed.
	var listed: Dictionary = tab.get(shown[2]).get(tab.get(shown[1]), edited)
	var said := [""]
	for one: Dictionary in [edited, listed]:
		var tags: Dictionary = one.get("tags", {})
		said += [one.get("name")] + tags.keys() + tags.values()
	if shown[4].any(func(name: String) -> bool: return tab.get(name).text not in said):
		return true
	if not edited.has("init"):
		return false
	return tab.get_variable_initial_value_sub_editor(edited.type) not in [edited.init, listed.init]
