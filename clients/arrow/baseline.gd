## What Arrow's inspector of a node has shown once it had set all of it, where the user has told Arrow not to take in by
## itself what is set there from then on.
extends RefCounted

const Typed := preload("typed.gd")
## In so many frames Arrow has set all of it.
const FRAMES := 4

var _main: Node
var _mind: Object
var _node_tab: Node
## What the lists of the inspector have.
var _listed: Callable
## The inspector that is open, whose node, and what that says.
var _of := []
var _frames := 0
## By control.
var _values := {}
var _lists := []


func _init(main: Node, mind: Object, listed: Callable) -> void:
	_main = main
	_mind = mind
	_node_tab = mind.Inspector.Tab.Node
	_listed = listed
	main.get_tree().process_frame.connect(_look)


## Whether it shows something else by now, which its node does not have yet.
func is_changed() -> bool:
	if _frames < FRAMES or _of != _shown():
		return false
	return _lists != _shown_lists() or _values.keys().any(_is_other)


func _is_other(control: Variant) -> bool:
	if not is_instance_valid(control) or not is_shown_in(control, _of[0]):  # Arrow makes those of tags anew
		return false
	return _value(control) != _values[control] or (control is SpinBox and Typed.is_not_entered(control))


## Whether a control is none of those in an inspector that Arrow hides as they are of no use for the node, with what
## another one had in them; the whole inspector may be hidden.
static func is_shown_in(control: Node, inspector: Node) -> bool:
	if not inspector.is_ancestor_of(control):
		return true
	while control != inspector:
		if (control is CanvasItem or control is Window) and not control.visible:
			return false
		control = control.get_parent()
	return true


func _look() -> void:
	var now := _shown()
	if now and now != _of:
		_of = now
		_frames = 0
	elif now and _frames < FRAMES:
		_frames += 1
		_lists = _shown_lists()
		_values = {}
		for control: Control in _controls():
			_values[control] = _value(control)


func _shown() -> Array:
	var inspector: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	var id: int = _node_tab._CURRENT_INSPECTED_NODE_RESOURCE_ID
	if inspector == null and _of and id == _of[1]:  # while several nodes are selected
		inspector = _of[0]
	var node: Dictionary = _mind._PROJECT.resources.nodes.get(id, {})
	if _main._AUTO_NODE_UPDATE or inspector == null or not node:
		return []
	return [inspector, id, hash([node.name, node.get("notes"), node.get("data")])]


func _controls() -> Array:
	var inside: Array = _of[0].find_children("*", "Control", true, false)
	# Of a number Arrow shows the text only once it is drawn.
	inside = inside.filter(func(control: Control) -> bool: return not control.get_parent() is SpinBox)
	return [_node_tab.NodeNameEdit, _node_tab.NodeNotesEdit] + inside


func _value(control: Control) -> Variant:
	if control is LineEdit or control is TextEdit:
		return control.text
	if control is SpinBox:
		return control.value
	if control is OptionButton:
		return control.get_selected_id()
	if control is ColorPickerButton:
		return control.color
	return control.button_pressed if control is CheckBox or control is CheckButton else null


func _shown_lists() -> Array:
	return [_listed.call(), str(_of[0].get("_CHECKABLES_CACHE"))]
