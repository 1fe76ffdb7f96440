extends Node
## The panel's keys: its cursor, stopping, taking back.
##
## Children are asked before their parents: Arrow's Main, whose undo is Ctrl+Z whatever else is held, comes after this.

signal focus_wanted
signal undo_wanted

var _fletcher: Node


func _init(fletcher: Node) -> void:
	_fletcher = fletcher


func _input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key and key.pressed and _handles(key):
		get_viewport().set_input_as_handled()


func _handles(key: InputEventKey) -> bool:
	if key.keycode == KEY_ESCAPE:
		return _stops()
	if not key.is_command_or_control_pressed():
		return false
	if key.keycode == KEY_L:
		focus_wanted.emit()
		return true
	if key.keycode == KEY_Z and key.alt_pressed:
		if not key.echo:
			undo_wanted.emit()
		return true
	return key.keycode == KEY_Z and _rewrites(key.shift_pressed)


func _stops() -> bool:
	var panel: Control = get_parent()
	var is_running := str(_fletcher.state) in ["processing", "executing"]
	if is_running and panel.visible:
		_fletcher.stop()
	return is_running and panel.visible


# In a field of the panel it is the writing that is taken back (or done again), and not the project.
func _rewrites(again: bool) -> bool:
	var field := get_viewport().gui_get_focus_owner()
	if field == null or not get_parent().is_ancestor_of(field):
		return false
	if field is TextEdit:
		field.menu_option(TextEdit.MENU_REDO if again else TextEdit.MENU_UNDO)
	elif field is LineEdit:
		field.menu_option(LineEdit.MENU_REDO if again else LineEdit.MENU_UNDO)
	else:
		return false
	return true
