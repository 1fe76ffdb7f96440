## Numbers, options, ticks and colours in Arrow's inspector of a node, where the user has told Arrow not to take in by
## itself what is set there: nothing says whether one is as its node has it but what Arrow has set it to.
extends RefCounted

## In so many frames Arrow has set all of them.
const FRAMES := 4
## What is written of a tag before the node has it.
const OF_AN_ENTRY := "Edit"

var _main: Node
var _mind: Object
var _node_tab: Node
## The inspector that is open, whose node, and what that says; by control what Arrow has set it to, once it has.
var _shown := []
var _frames := 0
var _as_set := {}


func _init(main: Node, mind: Object) -> void:
	_main = main
	_mind = mind
	_node_tab = mind.Inspector.Tab.Node
	main.get_tree().process_frame.connect(_look)


## Whether one has been set to something else, which its node does not have yet.
func are_changed() -> bool:
	return _frames == FRAMES and _shown == _shown_now() and _values() != _as_set


func _look() -> void:
	var shown := _shown_now()
	if shown != _shown:
		_shown = shown
		_frames = 0
	elif shown and _frames < FRAMES:
		_frames += 1
		_as_set = _values()


func _shown_now() -> Array:
	var inspector: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	var id: int = _node_tab._CURRENT_INSPECTED_NODE_RESOURCE_ID
	var node: Dictionary = _mind._PROJECT.resources.nodes.get(id, {})
	return [] if _main._AUTO_NODE_UPDATE or inspector == null or not node else [inspector, id, hash(node.get("data"))]


func _values() -> Dictionary:
	var values := {}
	for control: Node in _shown[0].find_children("*", "Control", true, false):
		if control is SpinBox:
			values[control] = control.get_line_edit().text
		elif control is OptionButton:
			values[control] = control.get_selected_id()
		elif control is ColorPickerButton:
			values[control] = control.color
		elif (control is CheckBox or control is CheckButton) and not _is_of_entry(control):
			values[control] = control.button_pressed
	return values


func _is_of_entry(control: Node) -> bool:
	return str(_shown[0].get_path_to(control)).split("/").has(OF_AN_ENTRY)
