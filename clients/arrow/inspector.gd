## Arrow's inspector: what stands typed in it that is in no node yet, and how it stays what it is.
extends RefCounted

const Baseline := preload("baseline.gd")
const GoneThrough := preload("gone_through.gd")
const Shown := preload("shown.gd")
const Typed := preload("typed.gd")
const WRITING := (
	"Something is being written in the inspector that is not in the story yet: "
	+ "add it, empty its field, or open another node."
)
## Fields of Arrow's inspector in which a line, a choice, a pattern or a tag is written before the node has it; one that
## is taken out of the node to be changed stands nowhere else.
const ENTRIES := [
	"Line/Edit",
	"Choice/Edit",
	"Pattern/Edit",
	"Checkables/Parts/Edit/Params/Key",
	"Checkables/Parts/Edit/Params/Value",
]
## What Arrow lists in place of a pattern that is empty.
const BLANK := "--BLANK--"
## In so many steps of a frame Arrow has set all fields of its inspector anew, and some more.
const STEPS := 6

var _main: Node
var _mind: Object
var _node_tab: Node
var _typed: RefCounted
var _baseline: RefCounted
var _gone_through: RefCounted


func _init(main: Node, mind: Object) -> void:
	_main = main
	_mind = mind
	_node_tab = mind.Inspector.Tab.Node
	_typed = Typed.new(mind)
	_baseline = Baseline.new(main, mind, _listed)
	_gone_through = GoneThrough.new(mind, _listed)


## Takes in what stands typed in it, as Arrow does before it opens another node; but nothing while an entry of a list is
## being written, as Arrow then takes the list for shorter, and cuts off where its entries lead, nor where that would
## take something else away. False where the story stays what it was.
func pull() -> bool:
	var nodes: Dictionary = _mind._PROJECT.resources.nodes
	var id := _node_id()
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	if not nodes.has(id) or shown == null:
		return false
	_leave_as_typed(_texts(), id)
	if not _main._AUTO_NODE_UPDATE or is_writing() or _gone_through.takes_away():
		return false
	var before: int = _mind._PROJECT.hash()
	var history: Dictionary = _mind._HISTORY.duplicate()
	history.MEMORY = _mind._HISTORY.MEMORY.duplicate()
	var is_moved: bool = nodes[id].type == "frame"  # by the mouse
	if is_moved or (has_caret() and nodes[id].type != "entry"):  # which shows more than what is in its node
		_take_in(id, nodes[id], shown)
	else:
		_node_tab.read_and_update_inspected_node(true)
	var chosen: Variant = shown.get("_ACTIVATED_SUGGESTION_NODE_ID")  # of a jump
	if chosen != null and not _is_half_written(shown.get_node("Destination")):
		shown.clear_suggestions()  # else Arrow takes the one that was chosen again, whatever the field says by then
	if _mind._PROJECT.hash() != before:  # an entry's node may stay what it is
		_node_tab.reset_node_history_rotation(id)
		return true
	_mind._HISTORY.merge(history, true)  # else what Arrow could redo would be gone
	_mind.reset_history_tools()
	return false


# As Arrow does it, but for one thing: that opens the node anew, which hides for a moment what is written in, and puts
# what the node says over what is half written.
func _take_in(id: int, node: Dictionary, shown: Node) -> void:
	var read := {"data": shown._read_parameters().duplicate(true)}  # else a list of the node would be the inspector's
	if node.type == "jump" and _is_half_written(shown.get_node("Destination")):  # which may begin as another name
		read.data.target = node.data.target
		read.data.erase("_use")
	if node.type == "frame" and _is_as_shown(read.data.rect, shown._OPEN_NODE.data.get("rect")):
		read.data.rect = node.data.rect  # which it is drawn to by the mouse
	var edited: LineEdit = _node_tab.NodeNameEdit
	var is_half_written: bool = edited.has_focus() and _mind.is_resource_name_duplicate(edited.text, "nodes")
	var name: Variant = null if is_half_written else _node_tab.read_and_validate_node_name()
	if name:
		read.name = name
	var notes: String = _node_tab.NodeNotesEdit.text
	if notes != node.get("notes", ""):
		read.notes = notes if notes else null
	_node_tab.track_node_modification(id, read)
	_node_tab._CURRENT_INSPECTED_NODE_RESOURCE_ID = -1
	_node_tab.relay_request_mind.emit(
		"update_resource", {"id": id, "modification": read, "field": "nodes", "auto": true}
	)
	_node_tab._CURRENT_INSPECTED_NODE_RESOURCE_ID = id
	shown._OPEN_NODE = node.duplicate(true)  # by which it knows what has been changed in it
	if node.type == "frame" and node.data.get("rect") is Array:
		shown.SizeXEdit.value = node.data.rect[0]
		shown.SizeYEdit.value = node.data.rect[1]
	if not edited.has_focus():
		edited.text = node.name


# Whether the numbers of its fields, which are whole ones, are those of the node as it was opened.
static func _is_as_shown(rect: Array, opened: Variant) -> bool:
	return opened is Array and Vector2(opened[0], opened[1]).round() == Vector2(rect[0], rect[1])


## Whether Arrow would empty, at a call, a field in which something stands typed.
func is_emptied_by(function: String, arguments: Dictionary) -> bool:
	var closes := _closes(function, arguments)
	var resets := _resets(function, arguments)
	if is_writing() and (closes or (resets and _lists_more())):
		return true
	if (_baseline.is_changed() or (not is_writing() and _gone_through.takes_away())) and (closes or resets):
		return true
	# Of several that are selected Arrow inspects another one, and leaves the tab that is open for that.
	var leaves_tab: bool = closes and _mind._SELECTED_NODES_IDS.size() > 1
	return _typed.is_lost_by(function, arguments) or (leaves_tab and _typed.is_any())


## Whether anything stands typed in the inspector that is not in the story, and that no call to the inspector takes in.
func has_typed() -> bool:
	var is_not_read: bool = is_writing() or _gone_through.takes_away() or _baseline.is_changed()
	return is_not_read or _typed.is_any() or _texts().any(_is_half_written)


# Whether somebody types there what no call to the inspector takes in: a number, where a jump leads, or a name that
# another node has.
func _is_half_written(field: Control) -> bool:
	if not field is LineEdit or not field.has_focus():
		return false
	if field.get_parent() is SpinBox:
		return _is_half_a_number(field)
	if field.name == &"Destination" and field.get_parent().get("_ACTIVATED_SUGGESTION_NODE_ID") != null:
		return false  # it was chosen, or is the only name that goes so
	return not field.text.is_empty() and field.text not in _said_of(_node_id())


func _is_half_a_number(field: Control) -> bool:
	return field.get_parent() is SpinBox and Typed.is_not_entered(field.get_parent())


## Whether whoever types now would type into the inspector of a node.
func has_caret() -> bool:
	return _texts().any(func(field: Control) -> bool: return field.has_focus())


## Whether an entry of a list is being written in the inspector, which is in no node yet, or is about to be.
func is_writing() -> bool:
	var entries := _entries()
	# Arrow leaves a tag in its fields once it is added.
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	var added := _strings(shown.get("_CHECKABLES_CACHE") if shown != null else null)
	if entries.any(func(entry: Control) -> bool: return not entry.text.is_empty() and entry.text not in added):
		return true
	return entries.any(func(entry: Control) -> bool: return entry.has_focus()) and _lists_less()


## Shows the inspected node as it is now. Arrow's inspector does that by itself unless a switch of Arrow is off, and
## would put back what it still shows once another node is opened.
func refresh() -> void:
	if not _main._RESET_ON_REINSPECTION:
		_node_tab.reset_inspection.call_deferred()


## A node that is gone is offered no more as a jump's destination.
func drop_gone_suggestions() -> void:
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	if shown != null and shown.get("_SUGGESTION_NODES") is Dictionary:
		if not _mind._PROJECT.resources.nodes.has_all(shown._SUGGESTION_NODES.keys()):
			shown.clear_suggestions()


## What the story says of the inspected node: all that Arrow's inspector shows.
func inspected() -> Array:
	var node: Dictionary = _mind._PROJECT.resources.nodes.get(_node_id(), {})
	return [node.get("name"), node.get("notes"), node.get("data")].duplicate(true)


# Whether the inspected node is deleted, or a selected one: then that is deselected, and Arrow reads the inspector.
func _closes(function: String, arguments: Dictionary) -> bool:
	var open: Array = [_node_id()] + _mind._SELECTED_NODES_IDS
	if function == "delete_node":
		return Shown.id_in(arguments, "node_id") in open
	var scene: Dictionary = _mind._PROJECT.resources.scenes.get(Shown.id_in(arguments, "scene_id"), {})
	return function == "delete_scene" and open.any(func(id: int) -> bool: return scene.get("map", {}).has(id))


# Whether Arrow sets its fields anew, as names and uses of what is changed or deleted may stand in any node: nothing has
# any more what is being written there, or what was put into a list beside that.
func _resets(function: String, arguments: Dictionary) -> bool:
	var is_of_another: bool = arguments.has("node_id") and Shown.id_in(arguments, "node_id") != _node_id()
	var may: bool = function.begins_with("update_") or function.begins_with("delete_")
	return may and not is_of_another and function != "update_node_map"


func _node_id() -> int:
	return _node_tab._CURRENT_INSPECTED_NODE_RESOURCE_ID


# Whether a list in the inspector is another one than its node has, which is not read while an entry is being written.
func _lists_more() -> bool:
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	var data := _data()
	if _listed().any(func(items: Array) -> bool: return not items in data.values()):
		return true
	return "pass" in data and shown != null and shown.get("_CHECKABLES_CACHE") != data.pass[1]


# Whether one has been taken out of a list to be changed, and its node has it still.
func _lists_less() -> bool:
	var lists := _data().values().filter(func(value: Variant) -> bool: return value is Array)
	return _listed().any(
		func(items: Array) -> bool:
			var is_part := func(list: Array) -> bool:
				return items.size() < list.size() and items.all(func(item: String) -> bool: return item in list)
			return not items in lists and lists.any(is_part)
	)


func _data() -> Dictionary:
	var data: Variant = _mind._PROJECT.resources.nodes.get(_node_id(), {}).get("data")
	return data if data is Dictionary else {}


# What each list in the inspector shows, as a node would have it.
func _listed() -> Array:
	if _entries().is_empty():  # it lists something else, as where a jump may lead
		return []
	return _shown_lists().map(
		func(items: Array) -> Array:
			return items.map(func(item: String) -> String: return "" if item == BLANK else item)
	)


func _shown_lists() -> Array:
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	var lists: Array = shown.find_children("*", "ItemList", true, false) if shown != null else []
	return lists.map(func(list: ItemList) -> Array: return range(list.item_count).map(list.get_item_text))


# Arrow sets all fields anew, of which it clears those that are no part of the node: whoever writes there goes on. So
# does whoever has written beside an entry, as that is in no node yet either.
func _leave_as_typed(fields: Array, inspected: int) -> void:
	var said := _said_of(inspected)
	var is_beside := is_writing()
	var typed := fields.map(
		func(field: Control) -> Dictionary:
			return {
				"field": field,
				"text": field.text,
				"caret": _caret(field),
				"selection": _selection(field),
				"scroll": field.scroll_vertical if field is TextEdit else 0.0,
				"has_focus": field.has_focus(),
				"is_in_no_node": not field.text.is_empty() and field.text not in said,
				"is_in_no_number": field.has_focus() and _is_half_a_number(field),
			}
	)
	_put_all_back.call_deferred(typed, inspected, is_beside, STEPS)
	for _frame in 2:
		await _main.get_tree().process_frame
		_put_all_back(typed, inspected, is_beside)


# Arrow sets the fields after the call, in some steps of the same frame: behind each, and so before anybody's next key.
# Of what is otherwise in a later frame nobody knows whether it was Arrow or a key: then only a caret that is gone is
# put back.
func _put_all_back(typed: Array, inspected: int, is_beside: bool, steps := 0) -> void:
	if _node_id() != inspected:
		return
	var said := _said_of(inspected)
	for one: Dictionary in typed:
		var field: Control = one.field
		if steps and one.is_in_no_number and not _is_half_a_number(field):
			field.text = one.text
		_put_back(one, field in _entries(), is_beside, said, steps > 0)
		if steps and one.selection and field.text == one.text and not field.has_selection():
			field.callv("select", one.selection)
	if steps > 1:
		_put_all_back.call_deferred(typed, inspected, is_beside, steps - 1)


# What Arrow has set, to what its node says. Whoever has gone on typing has something else there by now, and whoever has
# added a line has it in the list.
func _put_back(one: Dictionary, is_entry: bool, is_beside: bool, said: Array, is_at_once: bool) -> void:
	var field: Control = one.field
	var is_new: bool = one.is_in_no_node and one.text not in said
	if is_at_once and is_entry and field.text.is_empty() and one.text and (is_new or not one.is_in_no_node):
		field.text = one.text
		field.text_changed.emit(one.text)
	elif is_at_once and (is_beside or one.has_focus) and is_new and not field.get_parent() is SpinBox:
		if field.text.is_empty() or field.text in said:
			field.text = one.text
			if field is LineEdit:
				field.text_changed.emit(one.text)  # what is looked for by it
	if one.has_focus and field.is_visible_in_tree() and _main.get_viewport().gui_get_focus_owner() == null:
		_edit(field)  # Arrow has hidden it for a moment
	if field.text == one.text:
		if is_at_once or (_caret(field) == [0, 0] and not field.has_selection()):
			_set_caret(field, one.caret)
	else:
		if _caret(field) == [0, 0]:  # Arrow has, as something that is named in it is called otherwise now
			_set_caret(field, _moved(one.caret, one.text, field.text))
		one.text = field.text
		one.caret = _caret(field)
	if field is TextEdit and (is_at_once or field.scroll_vertical == 0):  # it is as long as it was once it is drawn
		field.scroll_vertical = one.scroll


# Where the caret is in a text that has changed before it or after it.
static func _moved(caret: Array, before: String, text: String) -> Array:
	var line := mini(caret[0], text.count("\n"))
	var old := before.get_slice("\n", line)
	var new := text.get_slice("\n", line)
	var left := old.left(caret[1])
	return [line, left.length() if new.begins_with(left) else maxi(0, new.length() - old.length() + left.length())]


# The texts of a node, of the lists that are shown of it, and the name of where it jumps to.
func _said_of(node_id: int) -> Array:
	var nodes: Dictionary = _mind._PROJECT.resources.nodes
	var target: Dictionary = nodes.get(_data().get("target"), {})
	return _strings(nodes.get(node_id)) + _strings(_shown_lists()) + [target.get("name", "")]


func _strings(value: Variant) -> Array:
	if value is Dictionary:
		return _strings(value.values())
	if value is Array:
		return value.reduce(func(found: Array, each: Variant) -> Array: return found + _strings(each), [])
	return [value] if value is String else []


func _entries() -> Array:
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	if shown == null:
		return []
	return ENTRIES.map(shown.get_node_or_null).filter(func(entry: Node) -> bool: return entry != null)


func _texts() -> Array:
	var fields: Array = [_node_tab.NodeNameEdit, _node_tab.NodeNotesEdit]
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	if shown == null:
		return fields
	for type: String in ["TextEdit", "LineEdit"]:
		fields += shown.find_children("*", type, true, false).filter(Baseline.is_shown_in.bind(shown))
	return fields


func _edit(field: Control) -> void:
	if field is LineEdit:
		field.edit()
	else:
		field.grab_focus()


func _caret(field: Control) -> Array:
	return [0, field.caret_column] if field is LineEdit else [field.get_caret_line(), field.get_caret_column()]


# What is selected, in the direction in which it was; nothing else.
func _selection(field: Control) -> Array:
	if not field.has_selection():
		return []
	if field is LineEdit:  # of which nobody but a key can say where a selection has begun, if not at its start
		var to: int = field.get_selection_to_column()
		var is_from_start: bool = field.caret_column == to or to == field.text.length()
		return [0, to] if is_from_start and field.get_selection_from_column() == 0 else []
	var origin := [field.get_selection_origin_line(), field.get_selection_origin_column()]
	return origin + _caret(field)


func _set_caret(field: Control, caret: Array) -> void:
	if field is LineEdit:
		field.caret_column = caret[1]
	else:
		field.set_caret_line(caret[0])
		field.set_caret_column(caret[1])
