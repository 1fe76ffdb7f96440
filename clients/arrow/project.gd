## The project that is open in Arrow: its text as Arrow saves it, and a copy that can be put back byte for byte.
extends RefCounted

const Inspector := preload("inspector.gd")
const JsonText := preload("json_text.gd")
const PrivateFile := preload("private_file.gd")
const Shown := preload("shown.gd")
const UNTITLED := "Untitled Adventure"
const NOT_NAMED := "Open or create a named project to use Fletcher."
const PREVIEWED := "A snapshot is being previewed. Return to the project to use Fletcher."
const CHANGED_ON_DISK := (
	"The story is taken back in the editor and is not saved: %s was changed on the disk since the turn, "
	+ "and is left as it is. Saving writes over it."
)
const NOT_ALL := "not all of it could be written"
const NOT_SAVED := "%s could not be saved: the disk may be full, or not be there."
const WRITTEN_BY_ANOTHER := (
	"%s has something else on the disk than Arrow has opened there or saved, and is left as it is: what is in Arrow is "
	+ "not saved. Saving it yourself writes over that."
)
const NOT_WRITTEN := "The story is taken back in the editor and not saved: %s cannot be written (%s)."

var main: Node
var mind: Object
var inspector: RefCounted
## The file as Fletcher has last saved it.
var written := PackedByteArray()

var _preferences: RefCounted
## What stands beside the file while that is written; under a name that nobody foretells, as Godot writes through links.
var _beside := ""
var _shown := Shown.new()
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
	inspector = Inspector.new(main, mind)


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
	if not listed is String:
		return ""
	var file := ProjectSettings.globalize_path(listed)
	if file.is_absolute_path():
		return file
	# Of a work folder in Arrow's own, as its preferences offer it, where Godot works; a release does not say where.
	var own := ProjectSettings.globalize_path("res://")
	return (own if own else OS.get_executable_path().get_base_dir()).path_join(file).simplify_path()


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
	return {"story_number": _shown.note(mind._PROJECT, _author()), "arrow_content": text()}


## Whether calls that the server has sent after a story would change what the user has written since, or is writing.
func would_change_unseen(calls: Array, story_number: Variant) -> bool:
	var of_arguments := func(call: Variant) -> bool: return call is Dictionary and call.get("arguments") is Dictionary
	var read := calls.filter(of_arguments)
	var is_emptied := func(call: Dictionary) -> bool:
		return inspector.is_emptied_by(str(call.get("function")), call.arguments)
	return read.any(is_emptied) or _shown.lacks(read, mind._PROJECT, _author(), story_number)


## What there is, as `note_done` takes it.
func structure() -> Vector2i:
	return Shown.structure_of(mind._PROJECT, _author())


## Calls of the server were done, before which the structure was that.
func note_done(before: Vector2i) -> void:
	_shown.note_own(mind._PROJECT, _author(), before)


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
	return not (meta.get("epoch") is int and meta.epoch > 0) and _author() == meta.authors.keys()[0]


func _author() -> int:
	var author: Variant = mind.ProMan.get_project_active_author()
	var authors: Dictionary = mind._PROJECT.meta.authors
	return author if authors.has(author) else authors.keys()[0]


## Takes in what stands typed in the inspector.
func pull_inspector() -> void:
	var was_saved := is_saved()
	if not inspector.pull() and was_saved:
		_mark_saved()


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
	var is_there := FileAccess.file_exists(copy.path)
	var is_as_before: bool = found == copy.bytes if copy.on_disk else not is_there
	var is_ours: bool = found == copy.left or (copy.saved and found == text().to_utf8_buffer())
	put_back(copy)
	if not is_as_before and (found.is_empty() or not is_ours):
		return CHANGED_ON_DISK % copy.path
	var why := ""
	if not is_as_before:
		# One that was away, moved or deleted, and that the turn has made, has what the editor has again.
		why = _replace(copy.path, copy.bytes if copy.on_disk else text().to_utf8_buffer())
		_note_file()
	if not why.is_empty():
		return NOT_WRITTEN % [copy.path, why]
	if copy.saved and is_there:
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


## Goes to the node in its scene, and selects it unless something is being written, as Arrow would inspect it then;
## false where there is none.
func center(id: int) -> bool:
	if not mind._PROJECT.resources.nodes.has(id):
		return false
	mind.locate_node_on_grid(id, true, true)
	if not inspector.has_typed():
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
