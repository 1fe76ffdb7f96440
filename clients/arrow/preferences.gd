## What the user has set, kept in a file that only the user can read: it has the token.
extends RefCounted

signal changed
signal failed(code: String, message: String)

const PrivateFile := preload("private_file.gd")

const PATH := "user://fletcher.cfg"
const SECTION := "fletcher"
const URL_VARIABLE := "FLETCHER_URL"
const TOKEN_VARIABLE := "FLETCHER_TOKEN"

var host := "127.0.0.1"
var port := 8000
var token := ""
var auto_connect := true
var save_with_calls := true
var rollback_on_stop := false
## "" leaves it to the server; "always", "destructive" and "never" are its policies.
var confirm := ""
var panel_width := 420
var panel_open := true
## Project ids on the server that the user has named, by the path of the project's file.
var project_ids := {}


func _init() -> void:
	var file := ConfigFile.new()
	if file.load(PATH) != OK:
		return
	for name: String in _names():
		var value: Variant = file.get_value(SECTION, name, get(name))
		if typeof(value) == typeof(get(name)):
			set(name, value)


## Writes the file; failed says why it could not be, or that what was there could not be read.
func save() -> void:
	_keep_unreadable()
	var file := ConfigFile.new()
	for name: String in _names():
		file.set_value(SECTION, name, get(name))
	var problem := PrivateFile.write(PATH, file.encode_to_text())
	changed.emit()
	if problem:
		failed.emit("PREFERENCES_NOT_KEPT", "%s cannot be written: %s." % [_place(), problem])


## Where the server is, `http://…` without a slash at its end; FLETCHER_URL wins.
func url() -> String:
	var given := OS.get_environment(URL_VARIABLE).strip_edges().trim_suffix("/")
	if given.is_empty():
		return "http://%s:%d" % ["[%s]" % host if ":" in host else host, port]
	if given.begins_with("ws"):
		return "http" + given.trim_prefix("ws").trim_suffix("/ws/chat")
	return given if "://" in given else "http://" + given


## The token for that server: FLETCHER_TOKEN is for the server of FLETCHER_URL, and for no other one.
func access_token() -> String:
	var given := OS.get_environment(TOKEN_VARIABLE).strip_edges()
	return given if given and OS.get_environment(URL_VARIABLE) else token


# A slip of the hand in the file does not cost what else is set there.
func _keep_unreadable() -> void:
	var reason := _not_understood()
	var kept := PATH + ".unreadable"
	if reason and DirAccess.rename_absolute(PATH, kept) == OK:
		var what := "%s cannot be read (%s), and is kept as %s: what was set there does not hold."
		failed.emit("PREFERENCES_UNREADABLE", what % [_place(), reason, kept.get_file()])


# Why what is written now would not have all that the file has; "" where it would. Godot's parser takes many a slip.
func _not_understood() -> String:
	var file := ConfigFile.new()
	var error := file.load(PATH)
	if error:
		return "" if error == ERR_FILE_NOT_FOUND else error_string(error)
	if FileAccess.get_file_as_string(PATH).strip_edges() in ["", "[%s]" % SECTION]:
		return ""
	if file.get_sections() != PackedStringArray([SECTION]):
		return "all of it is to be below [%s]" % SECTION
	for name in file.get_section_keys(SECTION):
		if name not in _names():
			return "there is a line of no preference"  # its name may have what was to be the token
		if typeof(file.get_value(SECTION, name)) != typeof(get(name)):
			return "%s is to be a %s" % [name, type_string(typeof(get(name)))]
	return ""


func _place() -> String:
	return ProjectSettings.globalize_path(PATH)


func _names() -> Array[String]:
	var names: Array[String] = []
	for property in get_script().get_script_property_list():
		if property.usage & PROPERTY_USAGE_SCRIPT_VARIABLE:
			names.append(property.name)
	return names
