## The functions of the wire, each by Arrow's own Mind, with arguments that the dispatcher has looked at.
##
## An outcome is `{success, result, error}`; an empty one says that Arrow's own function has failed.
extends RefCounted

const Canvas := preload("canvas.gd")

const INITIAL := {"num": TYPE_INT, "str": TYPE_STRING, "bool": TYPE_BOOL}

var _project: RefCounted
var _mind: Object
var _canvas: RefCounted


func _init(project: RefCounted) -> void:
	_project = project
	_mind = project.mind
	_canvas = Canvas.new(_mind.Grid)


# --- nodes ------------------------------------------------------------------------------------------------------------


func create_insert_node(arguments: Dictionary) -> Dictionary:
	if not _mind.NODE_TYPES_LIST.has(arguments.type):
		return refusal_of("There is no node type %s in this Arrow." % arguments.type)
	var scene_id: int = arguments.get("scene_id", _project.open_scene())
	var offset := Vector2(arguments.offset[0], arguments.offset[1])
	var is_drawn: bool = scene_id == _project.open_scene()
	var preset := _modification(arguments.get("preset", {}), ["name", "notes", "data"])
	var id: int = _mind.create_insert_node(arguments.type, offset, scene_id, is_drawn, "", preset)
	if id < 0 or not _table("nodes").has(id):
		return {}
	_map(scene_id)[id].offset = [int(offset.x), int(offset.y)]
	return _created({"node_id": id})


func update_node(arguments: Dictionary) -> Dictionary:
	return _update(arguments.node_id, "nodes", _modification(arguments, ["name", "notes", "data"]))


func delete_node(arguments: Dictionary) -> Dictionary:
	var id: int = arguments.node_id
	var scene_id: int = _mind.find_scene_owner_of_node(id)
	if scene_id < 0:
		return refusal_of("Node %d is in no scene, and Arrow cannot remove it." % id)
	if id == _mind._PROJECT.entry:
		return refusal_of("Node %d is the project's entry. Set another entry first." % id)
	if id == _table("scenes")[scene_id].entry:
		return refusal_of("Node %d is the entry of its scene. Set another entry first." % id)
	var refusal := _use_of(id, "nodes", arguments)
	if refusal:
		return refusal
	_unlink(id, scene_id)
	return _remove(id, "nodes", arguments)


## Takes every connection to and from the node away: Arrow's grid does it for the open scene only, and not for all.
func _unlink(id: int, scene_id: int) -> void:
	var map := _map(scene_id)
	for other: int in map:
		var io: Array = map[other].get("io", [])
		var gone := io.filter(func(c: Array) -> bool: return other == id or c[2] == id)
		if gone:
			_mind.update_node_map(other, {"io": {"pop": gone.duplicate()}}, scene_id)
			_canvas.disconnect_later(gone)


func update_node_map(arguments: Dictionary) -> Dictionary:
	var id: int = arguments.node_id
	var scene_id: int = _mind.find_scene_owner_of_node(id)
	if scene_id < 0:
		return refusal_of("Node %d is in no scene." % id)
	var modifications: Dictionary = arguments.modifications
	var io: Variant = modifications.get("io", {})
	var problem := _problem_of_connections(id, scene_id, io) if io is Dictionary else "io must be an object."
	if problem:
		return refusal_of(problem)
	_mind.update_node_map(id, modifications, scene_id)
	if scene_id == _project.open_scene():
		_canvas.disconnect_later(io.get("pop", []))
		_canvas.connect_later(io.get("push", []))
		if modifications.has("offset"):
			_mind.Grid.update_grid_node_map.call_deferred(id, _map(scene_id)[id])
	return done({"node_id": id})


func _problem_of_connections(id: int, scene_id: int, io: Dictionary) -> String:
	var map := _map(scene_id)
	var there: Array = map[id].get("io", [])
	for job: String in ["pop", "push"]:
		var connections: Variant = io.get(job, [])
		if not connections is Array:
			return "%s must be a list of connections." % job
		for connection: Variant in connections:
			if not _is_connection(connection):
				return "%s is no connection; [from, slot, to, slot] is." % str(connection)
			if job == "pop" and not there.has(connection):
				return "The connection %s is not there." % str(connection)
			if job == "push" and (connection[0] != id or connection[2] == id or not map.has(connection[2])):
				return "%s must lead from node %d to another node of its scene." % [connection, id]
	return ""


func _is_connection(value: Variant) -> bool:
	return value is Array and value.size() == 4 and value.all(func(part: Variant) -> bool: return part is int)


# --- scenes -----------------------------------------------------------------------------------------------------------


func create_scene(arguments: Dictionary) -> Dictionary:
	var id := _new_in("scenes", _mind.create_new_scene.bind(arguments.get("is_macro", false)))
	if id < 0:
		return {}
	_update(id, "scenes", _modification(arguments, ["name", "notes"]))
	return _created({"scene_id": id, "entry_node_id": _table("scenes")[id].entry})


func update_scene(arguments: Dictionary) -> Dictionary:
	return _update(arguments.scene_id, "scenes", _modification(arguments, ["name", "notes"]))


func delete_scene(arguments: Dictionary) -> Dictionary:
	var id: int = arguments.scene_id
	var nodes: Array = _map(id).keys()
	if nodes.has(_mind._PROJECT.entry):
		return refusal_of("Scene %d has the project's entry. Set another entry first." % id)
	var refusal := _use_of(id, "scenes", arguments)
	if refusal:
		return refusal
	for node_id: int in nodes:
		var users: Array = _table("nodes")[node_id].get("use", [])
		var outside := users.filter(func(user: int) -> bool: return not nodes.has(user))
		if outside:
			return _used("Node %d of scene %d" % [node_id, id], outside)
	if id == _project.open_scene():  # which Arrow does not remove
		_mind.scene_editorial_open(_mind.find_scene_owner_of_node(_mind._PROJECT.entry))
	return _remove(id, "scenes", {})


func set_scene_entry(arguments: Dictionary) -> Dictionary:
	var id: int = arguments.node_id
	if _mind.find_scene_owner_of_node(id) < 0:
		return refusal_of("Node %d is in no scene." % id)
	_redraw([_mind.update_scene_entry(id), id])
	return done({"node_id": id})


func set_project_entry(arguments: Dictionary) -> Dictionary:
	var id: int = arguments.node_id
	var scene_id: int = _mind.find_scene_owner_of_node(id)
	if scene_id < 0 or _mind.is_scene_macro(scene_id):
		return refusal_of("Node %d is in no scene, or in a macro: no project begins there." % id)
	_redraw([_mind.update_project_entry(id), id])
	return done({"node_id": id})


# --- variables and characters -----------------------------------------------------------------------------------------


func create_variable(arguments: Dictionary) -> Dictionary:
	if not INITIAL.has(arguments.type):
		return refusal_of("There is no variable type %s; num, str and bool are." % arguments.type)
	if arguments.has("initial_value") and typeof(arguments.initial_value) != INITIAL[arguments.type]:
		return refusal_of("The initial value does not fit the type %s." % arguments.type)
	var id := _new_in("variables", _mind.create_new_variable.bind(arguments.type))
	if id < 0:
		return {}
	_update(id, "variables", _modification(arguments, ["name", "notes", "initial_value"]))
	return _created({"variable_id": id})


func update_variable(arguments: Dictionary) -> Dictionary:
	var id: int = arguments.variable_id
	var type: String = _table("variables")[id].type
	if arguments.has("initial_value") and typeof(arguments.initial_value) != INITIAL.get(type):
		return refusal_of("The initial value does not fit the type %s." % type)
	return _update(id, "variables", _modification(arguments, ["name", "notes", "initial_value"]))


func delete_variable(arguments: Dictionary) -> Dictionary:
	var refusal := _use_of(arguments.variable_id, "variables", arguments)
	return refusal if refusal else _remove(arguments.variable_id, "variables", arguments)


func create_character(arguments: Dictionary) -> Dictionary:
	var id := _new_in("characters", _mind.create_new_character)
	if id < 0:
		return {}
	_update(id, "characters", _modification(arguments, ["name", "color", "tags", "notes"]))
	return _created({"character_id": id})


func update_character(arguments: Dictionary) -> Dictionary:
	var modification := _modification(arguments, ["name", "color", "tags", "notes"])
	return _update(arguments.character_id, "characters", modification)


func delete_character(arguments: Dictionary) -> Dictionary:
	var refusal := _use_of(arguments.character_id, "characters", arguments)
	return refusal if refusal else _remove(arguments.character_id, "characters", arguments)


# --- what they have in common -----------------------------------------------------------------------------------------


func _table(name: String) -> Dictionary:
	return _mind._PROJECT.resources[name]


func _map(scene_id: int) -> Dictionary:
	return _table("scenes")[scene_id].map


func _update(id: int, set_name: String, modification: Dictionary) -> Dictionary:
	if modification:
		_mind.update_resource(id, modification, set_name)
	return done({set_name.trim_suffix("s") + "_id": id})


## What Arrow's merge takes: its own names, and null for notes that shall go.
func _modification(given: Dictionary, names: Array[String]) -> Dictionary:
	var modification := {}
	for name in names:
		if given.has(name):
			modification["init" if name == "initial_value" else name] = given[name]
	if modification.get("notes", "-") == "":
		modification.notes = null
	return modification


## The id that the function has given; Arrow's own say none. -1: it has made nothing.
func _new_in(set_name: String, create: Callable) -> int:
	var before: Array = _table(set_name).keys()
	create.call()
	for id: int in _table(set_name):
		if not before.has(id):
			return id
	return -1


func _remove(id: int, set_name: String, arguments: Dictionary) -> Dictionary:
	if not _mind.remove_resource(id, set_name, arguments.get("force", false)):
		return {}
	return done({set_name.trim_suffix("s") + "_id": id})


## A refusal where something uses the resource and it shall not go by force, which leaves dead ids behind.
func _use_of(id: int, set_name: String, arguments: Dictionary) -> Dictionary:
	var users: Array = _table(set_name)[id].get("use", [])
	if users.is_empty() or arguments.get("force", false):
		return {}
	return _used("%s %d" % [set_name.trim_suffix("s").capitalize(), id], users)


func _used(what: String, users: Array) -> Dictionary:
	var names := users.map(func(user: int) -> String: return _project.resource_name(user))
	var refusal := refusal_of("%s is used by %s. Take it out there first." % [what, ", ".join(names)])
	refusal.referenced_by = users.duplicate()
	return refusal


func _redraw(nodes: Array) -> void:
	for id: int in nodes:
		if _mind.Grid._DRAWN_NODES_BY_ID.has(id):
			_mind.Grid.update_grid_node_box.call_deferred(id, _table("nodes")[id])


func _created(result: Dictionary) -> Dictionary:
	return done(result).merged({"created": true})


static func done(result: Dictionary) -> Dictionary:
	return {"success": true, "result": result, "error": ""}


static func refusal_of(reason: String) -> Dictionary:
	return {"success": false, "result": "", "error": reason}
