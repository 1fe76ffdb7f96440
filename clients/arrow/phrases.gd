## What a call does, in the words of the panel.
extends RefCounted

const VERBS := {
	"create_insert_node": "adding",
	"update_node": "changing",
	"delete_node": "removing",
	"create_scene": "adding the scene",
	"update_scene": "renaming the scene",
	"delete_scene": "removing the scene",
	"set_scene_entry": "beginning the scene at",
	"set_project_entry": "beginning the project at",
	"create_variable": "adding the variable",
	"update_variable": "changing the variable",
	"delete_variable": "removing the variable",
	"create_character": "adding the character",
	"update_character": "changing the character",
	"delete_character": "removing the character",
}


## "connecting pier to quay"
static func doing(function: String, arguments: Dictionary, project: RefCounted) -> String:
	match function:
		"create_insert_node":
			return "adding a %s" % arguments.get("type", "node")
		"update_node_map":
			return _wiring(arguments, project)
		_:
			return "%s %s" % [VERBS.get(function, function), _subject(arguments, project)]


static func _wiring(arguments: Dictionary, project: RefCounted) -> String:
	var modifications: Variant = arguments.get("modifications")
	var io: Variant = modifications.get("io") if modifications is Dictionary else null
	for job: Array in [["push", "connecting %s to %s"], ["pop", "disconnecting %s from %s"]]:
		var connections: Variant = io.get(job[0]) if io is Dictionary else null
		if connections is Array and connections and connections[0] is Array and connections[0].size() == 4:
			return job[1] % [_name(connections[0][0], project), _name(connections[0][2], project)]
	return "placing %s" % _subject(arguments, project)


static func _subject(arguments: Dictionary, project: RefCounted) -> String:
	for name: String in ["node_id", "scene_id", "variable_id", "character_id"]:
		if arguments.get(name) is int:
			return project.resource_name(arguments[name])
	return str(arguments.get("name", ""))


static func _name(id: Variant, project: RefCounted) -> String:
	return project.resource_name(id) if id is int else str(id)
