## Executes what the server asks for, as a whole or not at all: what cannot be done is refused before anything is.
extends RefCounted

signal step_started(number: int, total: int, text: String)

const Functions := preload("functions.gd")
const Phrases := preload("phrases.gd")

## Arguments that have to be there, by function.
const FUNCTIONS := {
	"create_insert_node": ["type", "offset"],
	"update_node": ["node_id"],
	"delete_node": ["node_id"],
	"update_node_map": ["node_id", "modifications"],
	"create_scene": [],
	"update_scene": ["scene_id"],
	"delete_scene": ["scene_id"],
	"set_scene_entry": ["node_id"],
	"set_project_entry": ["node_id"],
	"create_variable": ["type"],
	"update_variable": ["variable_id"],
	"delete_variable": ["variable_id"],
	"create_character": [],
	"update_character": ["character_id"],
	"delete_character": ["character_id"],
}
const SETS := {"node_id": "nodes", "scene_id": "scenes", "variable_id": "variables", "character_id": "characters"}
const TYPES := {
	"type": TYPE_STRING,
	"name": TYPE_STRING,
	"notes": TYPE_STRING,
	"color": TYPE_STRING,
	"data": TYPE_DICTIONARY,
	"preset": TYPE_DICTIONARY,
	"offset": TYPE_ARRAY,
	"tags": TYPE_DICTIONARY,
	"modifications": TYPE_DICTIONARY,
	"is_macro": TYPE_BOOL,
	"force": TYPE_BOOL,
}
const FAILED := "Arrow's own function failed; its console has the details. Nothing was done."

var _project: RefCounted
var _mind: Object
var _functions: RefCounted


func _init(project: RefCounted) -> void:
	_project = project
	_mind = project.mind
	_functions = Functions.new(project)


## One function; `{success, result, error}` and for a refused deletion `referenced_by`. Done as a whole or not at all.
func execute(function: String, arguments: Dictionary) -> Dictionary:
	return _as_a_whole([{"function": function, "arguments": arguments}])[0]


## Several functions, as a whole or not at all; the result says which nodes and how many connections were made.
func execute_batch(calls: Array) -> Dictionary:
	var outcomes := _as_a_whole(calls)
	var last: Dictionary = outcomes[-1] if outcomes else Functions.refusal_of("The batch has no functions.")
	if not last.success:
		if calls.size() > 1:
			last.error = (
				"%s: %s Nothing of the batch was done." % [calls[outcomes.size() - 1].get("function"), last.error]
			)
		return last
	var nodes := []
	for outcome: Dictionary in outcomes:
		if outcome.result is Dictionary and outcome.result.has("node_id") and outcome.get("created", false):
			nodes.append(outcome.result.node_id)
	return Functions.done({"created_nodes": nodes, "created_connections": _pushed(calls)})


func _as_a_whole(calls: Array) -> Array[Dictionary]:
	var copy: Dictionary = _project.image()
	var inspected: Array = _project.inspector.inspected()
	var outcomes: Array[Dictionary] = []
	for call: Variant in calls:
		var function := str(call.get("function")) if call is Dictionary else ""
		var arguments: Variant = _whole(call.get("arguments", {})) if call is Dictionary else {}
		var phrase: String = Phrases.doing(function, arguments, _project) if arguments is Dictionary else function
		step_started.emit(outcomes.size() + 1, calls.size(), phrase)
		var outcome := _checked(function, arguments)
		if not outcome.has("success"):  # a script error has ended it
			outcome = Functions.refusal_of(FAILED)
			outcome.broken = true
		outcomes.append(outcome)
		if not outcome.success:
			if outcomes.size() > 1 or outcome.get("broken", false):
				_project.put_back(copy)
			return outcomes
	_project.inspector.drop_gone_suggestions()
	if inspected != _project.inspector.inspected():
		_project.inspector.refresh()
	return outcomes


func _checked(function: String, arguments: Variant) -> Dictionary:
	if not FUNCTIONS.has(function):
		return Functions.refusal_of("The function %s is not known to this client." % function)
	if not arguments is Dictionary:
		return Functions.refusal_of("%s: the arguments must be an object." % function)
	for name: String in FUNCTIONS[function]:
		if not arguments.has(name):
			return Functions.refusal_of("%s needs %s." % [function, name])
	for name: String in arguments:
		var problem := _problem_of(name, arguments[name])
		if problem:
			return Functions.refusal_of("%s: %s" % [function, problem])
	return _functions.call(function, arguments)


func _problem_of(name: String, value: Variant) -> String:
	if TYPES.has(name) and typeof(value) != TYPES[name]:
		return "%s must be a %s." % [name, type_string(TYPES[name])]
	if not SETS.has(name):
		return ""
	if not value is int:
		return "%s must be a whole number." % name
	if not _mind._PROJECT.resources[SETS[name]].has(value):
		return "There is no %s %d in the project." % [name.trim_suffix("_id"), value]
	return ""


func _pushed(calls: Array) -> int:
	var count := 0
	for call: Dictionary in calls:
		count += call.arguments.get("modifications", {}).get("io", {}).get("push", []).size()
	return count


## Numbers of JSON are fractions in Godot; those of Arrow are whole, and it compares strictly.
func _whole(value: Variant) -> Variant:
	if value is float:
		return int(value)
	if value is Array:
		return value.map(_whole)
	if value is Dictionary:
		var converted := {}
		for name: Variant in value:
			converted[name] = _whole(value[name])
		return converted
	return value
