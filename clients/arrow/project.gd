## The project that is open in Arrow: its text as Arrow saves it, and a copy that can be put back byte for byte.
extends RefCounted

const JsonText := preload("json_text.gd")
const PrivateFile := preload("private_file.gd")
const Shown := preload("shown.gd")
const Typed := preload("typed.gd")
const UNTITLED := "Untitled Adventure"
const NOT_NAMED := "Open or create a named project to use Fletcher."
const PREVIEWED := "A snapshot is being previewed. Return to the project to use Fletcher."
const CHANGED_ON_DISK := (
	"The story is taken back in the editor and is not saved: %s was changed on the disk since the turn, "
	+ "and is left as it is. Saving writes over it."
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
const NOT_ALL := "not all of it could be written"
const NOT_SAVED := "%s could not be saved: the disk may be full, or not be there."
const WRITTEN_BY_ANOTHER := (
	"%s has something else on the disk than Arrow has opened there or saved, and is left as it is: what is in Arrow is "
	+ "not saved. Saving it yourself writes over that."
)
const NOT_WRITTEN := "The story is taken back in the editor and not saved: %s cannot be written (%s)."

var main: Node
var mind: Object
## The file as Fletcher has last saved it.
var written := PackedByteArray()

var _preferences: RefCounted
## What stands beside the file while that is written; under a name that nobody foretells, as Godot writes through links.
var _beside := ""
var _shown := Shown.new()
var _typed: RefCounted
## The file, as Arrow has opened or saved it last: anything else there is somebody else's.
var _file := {}
## What the last frame has shown of the project, and of its file.
var _seen: Array = []
## The document that was put back last.
var _image := {}


func _init(the_main: Node, the_mind: Object, preferences: RefCounted) -> void:
	main = the_main
	mind = the_mind
	_preferences = preferences
	_typed = Typed.new(mind)


## "" or the sentence that says why Fletcher waits.
func why_not() -> String:
	if mind._SNAPSHOT_INDEX_OF_PREVIEW >= 0:
		return PREVIEWED
	if not mind.ProMan.is_project_listed() or mind._PROJECT.title == UNTITLED:
		return NOT_NAMED
	return ""


## Absolute; "" for a project without a file.
func path() -> String:
	var listed: Variant = mind.ProMan.get_project_file_path(mind.ProMan.get_active_project_id())
	return ProjectSettings.globalize_path(listed) if listed is String else ""


## What the server knows the project by: Arrow counts the projects of each work folder from 0, so its number would mix
## those of two Arrows.
func key() -> String:
	var file := path()
	if file.is_empty():
		return ""
	if _preferences.project_ids.has(file):
		return str(_preferences.project_ids[file])
	var name := RegEx.create_from_string("[^A-Za-z0-9]+").sub(file.get_file().get_basename(), "-", true)
	name = name.trim_prefix("-").left(40).trim_suffix("-")
	return "%s-%s" % [name if name else "project", file.sha256_text().left(12)]


## The whole document, as it stands in the editor.
func text() -> String:
	return JsonText.tidy(Helpers.Utils.stringify_json(mind._PROJECT))


## Its text for the server, and the number by which that says in its calls that it has read it.
func show() -> Dictionary:
	return {"story_number": _shown.note(mind._PROJECT.resources), "arrow_content": text()}


## Whether a call that the server has sent after a story would change what the user has written since.
func would_change_unseen(call: Variant, story_number: Variant) -> bool:
	if not call is Dictionary or not call.get("arguments") is Dictionary:
		return false
	var function := str(call.get("function"))
	var closes := _closes_inspector(function, call.arguments)
	var resets := _resets_inspector(function, call.arguments)
	if (is_writing() and (closes or (resets and _lists_more()))) or (_is_not_taken_in() and (closes or resets)):
		return true
	# Of several that are selected Arrow inspects another one, and leaves the tab that is open for that.
	if (
		_typed.is_lost_by(function, call.arguments)
		or (closes and mind._SELECTED_NODES_IDS.size() > 1 and _typed.is_any())
	):
		return true
	return _shown.lacks(function, call.arguments, mind._PROJECT, story_number)


# Whether the inspected node is deleted, or a selected one: then that is deselected, and Arrow reads the inspector.
func _closes_inspector(function: String, arguments: Dictionary) -> bool:
	var open: Array = [_inspected_id()] + mind._SELECTED_NODES_IDS
	if function == "delete_node":
		return _shown.id_in(arguments, "node_id") in open
	var scene: Dictionary = mind._PROJECT.resources.scenes.get(_shown.id_in(arguments, "scene_id"), {})
	return function == "delete_scene" and open.any(func(id: int) -> bool: return scene.get("map", {}).has(id))


# Whether Arrow sets its fields anew, as names and uses of what is changed or deleted may stand in any node: nothing has
# any more what is being written there, or what was put into a list beside that.
func _resets_inspector(function: String, arguments: Dictionary) -> bool:
	var is_of_another: bool = arguments.has("node_id") and _shown.id_in(arguments, "node_id") != _inspected_id()
	var may: bool = function.begins_with("update_") or function.begins_with("delete_")
	return may and not is_of_another and function != "update_node_map"


func _inspected_id() -> int:
	return mind.Inspector.Tab.Node._CURRENT_INSPECTED_NODE_RESOURCE_ID


## The same for the same document, whenever it was saved; quick enough to be asked for around each call.
func fingerprint() -> int:
	var document: Dictionary = mind._PROJECT.duplicate()
	document.meta = document.meta.duplicate()
	document.meta.erase("last_save")
	return document.hash()


func is_saved() -> bool:
	return mind.ProMan.is_project_saved()


## Marks what was done, for Arrow's own undo and its save button.
func note_change() -> void:
	mind.reset_project_save_status(false)


## Saves what is not saved, where the user wants that; "" or why it could not be.
func save_if_wanted() -> String:
	if not _preferences.save_with_calls or is_saved():
		return ""
	if _is_written_by_another():
		return WRITTEN_BY_ANOTHER % path()
	if not _write_beside(path(), text().to_utf8_buffer()):
		return NOT_SAVED % path()
	mind.save_project()
	written = FileAccess.get_file_as_bytes(path())
	var bytes := text().to_utf8_buffer()
	_remove_beside()
	if is_saved() and written != bytes:  # not all of it, or what Arrow could not open again
		if not _write(path(), bytes).is_empty():
			mind.reset_project_save_status(false)
		written = FileAccess.get_file_as_bytes(path())
	_note_file()
	return "" if is_saved() else NOT_SAVED % path()


## Once a frame: notes what Arrow opens, and what its user saves.
func watch_file() -> void:
	var now := [path(), is_saved(), FileAccess.get_modified_time(path()), FileAccess.get_size(path())]
	now += [mind._PROJECT.meta.get("last_save"), mind._SNAPSHOT_INDEX_OF_PREVIEW]
	if not _seen.is_empty() and _seen[0][0] != now[0]:
		tidy_file()  # it may have been saved and closed at once
	var is_another: bool = _seen.is_empty() or not is_same(_seen[1], mind._PROJECT)
	if not is_another and _seen[0] == now:
		return
	# Another document also comes back from a snapshot, or was put back here, whatever the file has by then.
	var is_image: bool = is_same(_image, mind._PROJECT) or (not _seen.is_empty() and _seen[0][-1] >= 0)
	_seen = [now, mind._PROJECT]
	if not is_saved() or path().is_empty() or mind._SNAPSHOT_INDEX_OF_PREVIEW >= 0:
		return
	var on_disk := FileAccess.get_file_as_bytes(path())
	var bytes := text().to_utf8_buffer()
	if (is_another and not is_image) or on_disk == bytes:
		_note_file()
	elif on_disk == Helpers.Utils.stringify_json(mind._PROJECT).to_utf8_buffer():
		tidy_file()
		_note_file()


## The file that was open last is JSON as others read it, however Arrow has saved it: else it could not open it again.
func tidy_file() -> void:
	var file: String = "" if _seen.is_empty() else _seen[0][0]
	var text := FileAccess.get_file_as_string(file) if FileAccess.file_exists(file) else ""
	var bytes := JsonText.tidy(text).to_utf8_buffer()
	if bytes != text.to_utf8_buffer():
		_replace(file, bytes)


func _note_file() -> void:
	_file = {"path": path(), "sha256": FileAccess.get_sha256(path())}


func _is_written_by_another() -> bool:
	var is_known: bool = _file.get("path") == path() and _file.sha256 == FileAccess.get_sha256(path())
	return not is_known and FileAccess.file_exists(path())


# A file is emptied first, Arrow does not even look whether a full disk takes what it writes then, and whoever is killed
# meanwhile leaves an empty one: the copy stays until that is done. False where there is no room for it.
func _write_beside(file_path: String, bytes: PackedByteArray) -> bool:
	_beside = "%s.%s.fletcher" % [file_path, Crypto.new().generate_random_bytes(8).hex_encode()]
	PrivateFile.begin(_beside)
	var why := _write(_beside, bytes)
	if why == NOT_ALL:
		_remove_beside()
	return why != NOT_ALL


func _replace(file_path: String, bytes: PackedByteArray) -> String:
	if not _write_beside(file_path, bytes):
		return NOT_ALL
	var why := _write(file_path, bytes)
	_remove_beside()
	return _write(file_path, bytes) if why == NOT_ALL else why  # what stood beside it may have had the room


func _remove_beside() -> void:
	DirAccess.remove_absolute(_beside)


## Whether the ids that Arrow gives next can be foretold: the first author's numbers are.
func ids_are_foreseeable() -> bool:
	var meta: Dictionary = mind._PROJECT.meta
	if meta.get("epoch") is int and meta.epoch > 0:
		return false
	var author: Variant = mind.ProMan.get_project_active_author()
	return author == null or author == meta.authors.keys()[0]


## Takes in what stands typed in the inspector, as Arrow does before it opens another node; but nothing while an entry
## of a list is being written, as Arrow then takes the list for shorter, and cuts off where its entries lead.
func pull_inspector() -> void:
	var tab: Node = mind.Inspector.Tab.Node
	var nodes: Dictionary = mind._PROJECT.resources.nodes
	var inspected := _inspected_id()
	if not main._AUTO_NODE_UPDATE or not nodes.has(inspected):
		return
	_leave_as_typed(_texts(tab), inspected)
	if is_writing():
		return
	var before := str(nodes[inspected])
	var was_saved := is_saved()
	var history: Dictionary = mind._HISTORY.duplicate()
	history.MEMORY = mind._HISTORY.MEMORY.duplicate()
	tab.read_and_update_inspected_node(true)
	if str(nodes[inspected]) != before:
		return
	mind._HISTORY.merge(history, true)  # else what Arrow could redo would be gone
	mind.reset_history_tools()
	if was_saved:
		_mark_saved()


## Whether anything stands typed in the inspector that is not in the story, and that no call to the inspector takes in.
func has_typed() -> bool:
	return is_writing() or _is_not_taken_in() or _typed.is_any()


## Whether an entry of a list is being written in the inspector, which is in no node yet, or is about to be.
func is_writing() -> bool:
	var entries := _entries(mind.Inspector.Tab.Node)
	# Arrow leaves a tag in its fields once it is added.
	var shown: Node = mind.Inspector.Tab.Node._LAST_OPEN_SUB_INSPECTOR
	var added := _strings(shown.get("_CHECKABLES_CACHE") if shown != null else null)
	if entries.any(func(entry: Control) -> bool: return not entry.text.is_empty() and entry.text not in added):
		return true
	return entries.any(func(entry: Control) -> bool: return entry.has_focus()) and _lists_less()


# Whether the user has told Arrow not to take in by itself what is typed, and something is.
func _is_not_taken_in() -> bool:
	var tab: Node = mind.Inspector.Tab.Node
	if main._AUTO_NODE_UPDATE or not mind._PROJECT.resources.nodes.has(_inspected_id()):
		return false
	if _lists_more():
		return true
	var said := _said_of(_inspected_id()) + [""]
	return _texts(tab).any(
		func(field: Control) -> bool: return field.text not in said and not field.get_parent() is SpinBox
	)


# Whether a list in the inspector is another one than its node has, which is not read while an entry is being written.
func _lists_more() -> bool:
	var shown: Node = mind.Inspector.Tab.Node._LAST_OPEN_SUB_INSPECTOR
	var data := _inspected_data()
	if _listed().any(func(items: Array) -> bool: return not items in data.values()):
		return true
	return "pass" in data and shown != null and shown.get("_CHECKABLES_CACHE") != data.pass[1]


# Whether one has been taken out of a list to be changed, and its node has it still.
func _lists_less() -> bool:
	var lists := _inspected_data().values().filter(func(value: Variant) -> bool: return value is Array)
	return _listed().any(
		func(items: Array) -> bool:
			var is_part := func(list: Array) -> bool:
				return items.size() < list.size() and items.all(func(item: String) -> bool: return item in list)
			return not items in lists and lists.any(is_part)
	)


func _inspected_data() -> Dictionary:
	var data: Variant = mind._PROJECT.resources.nodes.get(_inspected_id(), {}).get("data")
	return data if data is Dictionary else {}


# What each list in the inspector shows, as a node would have it.
func _listed() -> Array:
	var shown: Node = mind.Inspector.Tab.Node._LAST_OPEN_SUB_INSPECTOR
	if shown == null or _inspected_data().is_empty():
		return []
	return shown.find_children("*", "ItemList", true, false).map(
		func(list: ItemList) -> Array:
			var items := range(list.item_count).map(list.get_item_text)
			return items.map(func(item: String) -> String: return "" if item == BLANK else item)
	)


# Arrow sets all fields anew, of which it clears those that are no part of the node: whoever writes there goes on. So
# does whoever has written beside an entry, as that is in no node yet either.
func _leave_as_typed(fields: Array, inspected: int) -> void:
	var tab: Node = mind.Inspector.Tab.Node
	var said := _said_of(inspected)
	var is_beside := is_writing()
	var typed := fields.map(
		func(field: Control) -> Array:
			var is_in_no_node: bool = not field.text.is_empty() and field.text not in said
			return [field, field.text, _caret(field), is_in_no_node]
	)
	_put_all_back.call_deferred(typed, inspected, is_beside, STEPS)
	for _frame in 2:
		await main.get_tree().process_frame
		_put_all_back(typed, inspected, is_beside)


# Arrow sets the fields after the call, in some steps of the same frame: behind each, and so before anybody's next key.
func _put_all_back(typed: Array, inspected: int, is_beside: bool, further := 0) -> void:
	var tab: Node = mind.Inspector.Tab.Node
	if _inspected_id() != inspected:
		return
	var said := _said_of(inspected)
	for one: Array in typed:
		_put_back(one, one[0] in _entries(tab), is_beside, said)
	if further:
		_put_all_back.call_deferred(typed, inspected, is_beside, further - 1)


# What Arrow has set, to what its node says. Whoever has gone on typing has something else there by now, and whoever has
# added a line has it in the list.
func _put_back(one: Array, is_entry: bool, is_beside: bool, said: Array) -> void:
	var field: Control = one[0]
	var is_new: bool = one[3] and one[1] not in said
	if is_entry and field.text.is_empty() and one[1] and (is_new or not one[3]):
		field.text = one[1]
		field.text_changed.emit(one[1])
	elif is_beside and is_new and not field.get_parent() is SpinBox:
		if field.text.is_empty() or field.text in said:
			field.text = one[1]
	if field.text == one[1]:
		_set_caret(field, one[2])
	else:
		one[1] = field.text
		one[2] = _caret(field)


# The texts of a node, and of the lists that are shown of it.
func _said_of(node_id: int) -> Array:
	var said := _strings(mind._PROJECT.resources.nodes.get(node_id))
	var shown: Node = mind.Inspector.Tab.Node._LAST_OPEN_SUB_INSPECTOR
	if shown != null:
		for list: ItemList in shown.find_children("*", "ItemList", true, false):
			said += range(list.item_count).map(list.get_item_text)
	return said


func _strings(value: Variant) -> Array:
	if value is Dictionary:
		return _strings(value.values())
	if value is Array:
		return value.reduce(func(found: Array, each: Variant) -> Array: return found + _strings(each), [])
	return [value] if value is String else []


func _entries(tab: Node) -> Array:
	var shown: Node = tab._LAST_OPEN_SUB_INSPECTOR
	if shown == null:
		return []
	return ENTRIES.map(shown.get_node_or_null).filter(func(entry: Node) -> bool: return entry != null)


func _texts(tab: Node) -> Array:
	var fields: Array = [tab.NodeNameEdit, tab.NodeNotesEdit]
	var shown: Node = tab._LAST_OPEN_SUB_INSPECTOR
	if shown == null:
		return fields
	for type: String in ["TextEdit", "LineEdit"]:
		fields += shown.find_children("*", type, true, false)
	return fields


func _caret(field: Control) -> Array:
	return [0, field.caret_column] if field is LineEdit else [field.get_caret_line(), field.get_caret_column()]


func _set_caret(field: Control, caret: Array) -> void:
	if field is LineEdit:
		field.caret_column = caret[1]
	else:
		field.set_caret_line(caret[0])
		field.set_caret_column(caret[1])


## Shows the inspected node as it is now. Arrow's inspector does that by itself unless a switch of Arrow is off, and
## would put back what it still shows once another node is opened.
func refresh_inspector() -> void:
	if not main._RESET_ON_REINSPECTION:
		mind.Inspector.Tab.Node.reset_inspection.call_deferred()


func inspected() -> String:
	return str(mind._PROJECT.resources.nodes.get(_inspected_id()))


## Everything that a turn may change: what the editor shows, the file, and whether it is saved.
func capture() -> Dictionary:
	var copy := image()
	var file := path()
	var saved := is_saved() and not _is_written_by_another()
	copy.merge({"key": key(), "path": file, "on_disk": FileAccess.file_exists(file), "saved": saved})
	copy.bytes = FileAccess.get_file_as_bytes(file) if copy.on_disk else PackedByteArray()
	return copy


## What the editor shows, in the form that Arrow's own snapshots have.
func image() -> Dictionary:
	return {
		"project": mind._PROJECT.duplicate(true),
		"open_scene": mind.get_current_open_scene_id(),
		"view": mind.get_current_view_state(),
	}


## Puts the copy back, in the editor and in the file; "" or why the file was not written. What is there has to be
## what the turn has `left`, or what Arrow shows and has saved, with nothing that was not saved before the turn.
func restore(copy: Dictionary) -> String:
	var found := FileAccess.get_file_as_bytes(copy.path)
	var is_as_before: bool = not copy.on_disk or found == copy.bytes
	var is_ours: bool = found == copy.left or (copy.saved and found == text().to_utf8_buffer())
	put_back(copy)
	if not is_as_before and (found.is_empty() or not is_ours):
		return CHANGED_ON_DISK % copy.path
	var why := ""
	if not is_as_before:
		why = _replace(copy.path, copy.bytes)
		_note_file()
	if not why.is_empty():
		return NOT_WRITTEN % [copy.path, why]
	if copy.saved:
		_mark_saved()
	return ""


## Puts the copy back in the editor alone.
func put_back(copy: Dictionary) -> void:
	mind.clipboard_clear()
	mind._SELECTED_NODES_IDS.clear()
	mind.load_full_project_image(copy)
	# What was taken in just before has a node shown once the frame is over, whose fields are new ones then, and empty.
	mind.clean_inspector_tabs.call_deferred(true)
	_image = mind._PROJECT
	mind.reset_project_save_status(false)


func selected() -> Array[int]:
	var ids: Array[int] = []
	ids.assign(mind._SELECTED_NODES_IDS)
	return ids


func open_scene() -> int:
	return mind.get_current_open_scene_id()


## The name of a node, scene, variable or character; its id where there is none.
func resource_name(id: int) -> String:
	for resources: Dictionary in mind._PROJECT.resources.values():
		if resources.has(id):
			return str(resources[id].get("name", id))
	return str(id)


## Opens the node's scene, goes to the node and selects it; false where there is none.
func center(id: int) -> bool:
	if not mind._PROJECT.resources.nodes.has(id):
		return false
	mind.locate_node_on_grid(id, true, true)
	mind.force_select_group([id], true)
	return true


## "" or why the file does not say this now: a disk that is full says so when it is written to, or later.
func _write(file_path: String, bytes: PackedByteArray) -> String:
	var file := FileAccess.open(file_path, FileAccess.WRITE)
	if file == null:
		return error_string(FileAccess.get_open_error())
	file.store_buffer(bytes)
	file.close()
	return "" if FileAccess.get_file_as_bytes(file_path) == bytes else NOT_ALL


func _mark_saved() -> void:
	mind.ProMan._IS_ACTIVE_PROJECT_SAVED = true
	mind.reset_project_save_status()
