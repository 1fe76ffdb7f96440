## What was said about one project, kept from one session to the next in a file that only the user can read.
extends RefCounted

const JsonText := preload("json_text.gd")
const PrivateFile := preload("private_file.gd")

const FOLDER := "user://fletcher"
const MOST := 60
## Characters of one answer that are kept.
const LONGEST := 20_000

var exchanges: Array = []

var _file := ""


## Reads what was said about the project of this key; "" stands for no project, and nothing is kept of it.
func open(key: String) -> void:
	_file = "" if key.is_empty() else FOLDER.path_join("%s.json" % key.sha256_text().left(32))
	exchanges = _read()


## The last of them, the newest at the end: `[{message, output}]`.
func recent(count: int) -> Array:
	return exchanges.slice(-count)


func add(message: String, output: String) -> void:
	exchanges.append({"message": message, "output": output.left(LONGEST)})
	exchanges = exchanges.slice(-MOST)
	_write()


## Forgets all of it, in the file, too.
func clear() -> void:
	exchanges = []
	if FileAccess.file_exists(_file) and DirAccess.remove_absolute(_file) != OK:
		print("Fletcher: %s cannot be removed." % ProjectSettings.globalize_path(_file))


func _read() -> Array:
	var json := JSON.new()
	if not FileAccess.file_exists(_file) or json.parse(FileAccess.get_file_as_string(_file)) != OK:
		return []
	if not json.data is Array:
		return []
	return json.data.filter(
		func(one: Variant) -> bool:
			return one is Dictionary and one.get("message") is String and one.get("output") is String
	)


func _write() -> void:
	if _file.is_empty():
		return
	DirAccess.make_dir_recursive_absolute(FOLDER)
	var why := PrivateFile.write(_file, JsonText.tidy(JSON.stringify(exchanges)))
	if why:
		print("Fletcher: the conversation cannot be kept: %s" % why)
