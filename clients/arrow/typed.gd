## What stands typed in Arrow's lists of characters, variables, scenes and macros, in the project's title and of its
## authors, and is in none of them yet.
extends RefCounted

const Shown := preload("shown.gd")

## By kind: the tab, which of them is edited there, what the tab has listed, where it is edited, and its fields.
const TABS := {
	"characters":
	[
		{
			"tab": "Characters",
			"edited": "_SELECTED_CHARACTER_BEING_EDITED_ID",
			"listed": "_LISTED_CHARACTERS_BY_ID",
			"panel": "CharacterEditorPanel",
			"fields": ["CharacterEditorName", "TagEditKey", "TagEditValue"],
		}
	],
	"variables":
	[
		{
			"tab": "Variables",
			"edited": "_SELECTED_VARIABLE_BEING_EDITED_ID",
			"listed": "_LISTED_VARIABLES_BY_ID",
			"panel": "VariableEditorPanel",
			"fields": ["VariableEditorName"],
		}
	],
	"scenes":
	[
		{
			"tab": "Scenes",
			"edited": "_SELECTED_SCENE_BEING_EDITED_ID",
			"listed": "_LISTED_SCENES_BY_ID",
			"panel": "SceneEditorBox",
			"fields": ["SceneEditorName"],
		},
		{
			"tab": "Macros",
			"edited": "_SELECTED_MACRO_BEING_EDITED_ID",
			"listed": "_LISTED_MACROS_BY_ID",
			"panel": "MacroEditorBox",
			"fields": ["MacroEditorName"],
		},
	],
}

var _mind: Object


func _init(mind: Object) -> void:
	_mind = mind


## Whether anything does.
func is_any() -> bool:
	return TABS.keys().any(_is_of) or _is_in_title() or _is_of_author()


## Whether a function has Arrow fill the fields anew in which something does.
func is_lost_by(function: String, arguments: Dictionary) -> bool:
	for kind: String in TABS:
		var one := kind.trim_suffix("s")
		if function.ends_with(one) and (_is_of(kind) or TABS[kind].any(_has_caret)):
			return not function.begins_with("update_") or not _leaves(kind, Shown.id_in(arguments, one + "_id"))
	return false


# Whether Arrow leaves the fields as they are at a change: one that begins to pass its filter it selects.
func _leaves(kind: String, id: int) -> bool:
	return TABS[kind].any(
		func(of: Dictionary) -> bool:
			var tab: Node = _mind.Inspector.Tab[of.tab]
			return id != tab.get(of.edited) and tab.get(of.listed).has(id)
	)


# Whether whoever types now would type there: Arrow opens what is made, and leaves the caret in the same field of that.
func _has_caret(of: Dictionary) -> bool:
	var tab: Node = _mind.Inspector.Tab[of.tab]
	return _is_open(tab) and of.fields.any(func(name: String) -> bool: return tab.get(name).has_focus())


# Whether the project's title is.
func _is_in_title() -> bool:
	var tab: Node = _mind.Inspector.Tab.Project
	return (
		_is_open(tab)
		and tab.ProjectProperties.visible
		and tab.ProjectProperties.ProjectTitle.text != _mind._PROJECT.title
	)


# Whether what is said of an author is.
func _is_of_author() -> bool:
	var overlay: Node = _mind.Authors
	var known: Array = _mind._PROJECT.meta.authors.get(int(overlay.AuthorsIdSpinBox.value), [""])
	return overlay.visible and overlay.AuthorsInfoEdit.text != str(known[0])


## Whether what stands in a number's field is another one than it is, or none yet.
static func is_not_entered(number: SpinBox) -> bool:
	# Arrow's own languages have digits of their own.
	var text := TextServerManager.get_primary_interface().parse_number(number.get_line_edit().text)
	return number.is_visible_in_tree() and not (text.is_valid_float() and text.to_float() == number.value)


func _is_open(tab: Node) -> bool:
	return _mind.Inspector.TheTabContainer.get_current_tab_control() == tab


func _is_of(kind: String) -> bool:
	return TABS[kind].any(func(of: Dictionary) -> bool: return _is_in(of, _mind._PROJECT.resources[kind]))


func _is_in(of: Dictionary, resources: Dictionary) -> bool:
	var tab: Node = _mind.Inspector.Tab[of.tab]
	# Whoever comes back to another tab has it filled anew by Arrow; the whole inspector may be hidden for a moment.
	var panel: Control = tab.get(of.panel)
	if not _is_open(tab) or not panel.visible:
		return false
	if panel.find_children("*", "SpinBox", true, false).any(is_not_entered):
		return true
	var edited: Dictionary = resources.get(tab.get(of.edited), {})
	# What a filter hides is not shown anew when it is changed.
	var listed: Dictionary = tab.get(of.listed).get(tab.get(of.edited), edited)
	var said := [""]
	for one: Dictionary in [edited, listed]:
		var tags: Dictionary = one.get("tags", {})
		said += [one.get("name")] + tags.keys() + tags.values()
	if of.fields.any(func(name: String) -> bool: return tab.get(name).text not in said):
		return true
	if not edited.has("init"):
		return false
	return tab.get_variable_initial_value_sub_editor(edited.type) not in [edited.init, listed.init]
