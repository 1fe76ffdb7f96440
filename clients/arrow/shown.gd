## What the server was shown of the project: it asks about nothing that it has not seen.
extends RefCounted

const KINDS := {"node_id": "nodes", "scene_id": "scenes", "variable_id": "variables", "character_id": "characters"}
## How Arrow calls what a call has by another name.
const NAMES := {"initial_value": "init"}
## What Arrow keeps by itself, and where things stand.
const KEPT_BY_ARROW := ["ref", "use", "map"]
## How many numbers a function takes.
const MADE := {"create_insert_node": 1, "create_scene": 2, "create_variable": 1, "create_character": 1}
## Among the fields of a node the scene that it is in.
const SCENE := "scene"

## By kind, id and field what was shown last, as a hash, and the number of the story that had that first.
var _parts := {}
var _number := 0
## The number of the story that the server has read as a call is sent.
var _known := 0
## The number that Arrow gives next, and all that calls which come together make.
var _next := 0
var _foreseen: Array[int] = []


## All of it is shown now, as the story of the number that is returned.
func note(resources: Dictionary) -> int:
	_number += 1
	var scenes := {}
	for scene_id: int in resources.scenes:
		for id: int in resources.scenes[scene_id].get("map", {}):
			scenes[id] = scene_id
	for kind: String in KINDS.values():
		var before: Dictionary = _parts.get(kind, {})
		_parts[kind] = {}
		for id: int in resources[kind]:
			var parts := _parts_of(resources[kind][id])
			if scenes.has(id):
				parts[SCENE] = hash(scenes[id])
			_parts[kind][id] = _since(parts, before.get(id, {}))
	return _number


func _since(parts: Dictionary, before: Dictionary) -> Dictionary:
	for name: String in parts:
		var now := Vector2i(parts[name], _number)
		var was: Variant = before.get(name)
		parts[name] = was if was is Vector2i and was.x == now.x else now
	return parts


## Whether calls would change what is otherwise by now, or delete it, or connect what has been made since the server
## has read the story of that number; of all that it was shown, where they say none.
func lacks(calls: Array, project: Dictionary, author: int, story_number: Variant) -> bool:
	_known = int(story_number) if story_number is float or story_number is int else _number
	if not _parts:
		return false
	_foresee(calls, project, author)
	return calls.any(
		func(call: Dictionary) -> bool: return _is_lacked_by(str(call.get("function")), call.arguments, project)
	)


# What Arrow's generator gives next, passing over what is used.
func _foresee(calls: Array, project: Dictionary, author: int) -> void:
	_next = int(project.meta.get("chapter", 0)) << 43 | author << 37 | int(project.meta.authors[author][1])
	_foreseen = []
	var to_be_made: int = calls.reduce(
		func(sum: int, call: Dictionary) -> int: return sum + MADE.get(str(call.get("function")), 0), 0
	)
	var id := _next
	while _foreseen.size() < to_be_made:
		if not KINDS.values().any(func(kind: String) -> bool: return project.resources[kind].has(id)):
			_foreseen.append(id)
		id += 1


func _is_lacked_by(function: String, arguments: Dictionary, project: Dictionary) -> bool:
	var resources: Dictionary = project.resources
	if function == "update_node_map" and _connected(arguments).any(_is_otherwise.bind("nodes", project)):
		return true
	for name: String in KINDS:
		var kind: String = KINDS[name]
		var id := id_in(arguments, name)
		if id < 0:
			continue
		if _is_otherwise(id, kind, project):
			return true
		if not resources[kind].has(id):
			continue
		var was := _known_of(kind, id)
		var now := _now_of(kind, id, resources)
		if now.get(SCENE) != was.get(SCENE):
			return true
		if function.begins_with("update_") and _fields(arguments).any(_differs.bind(now, was)):
			return true
		if function.begins_with("delete_") and (now != was or _has_come_into(resources[kind][id], resources)):
			return true
	return false


## The number in a call, where Godot has all as they are in JSON; -1 where there is none.
static func id_in(arguments: Dictionary, name: String) -> int:
	var id: Variant = arguments.get(name)
	return int(id) if id is float or id is int else -1


## Whether one has been made or deleted that the server does not know of. Another kind's may have the number that it
## expects one to have which it makes, or may have had it.
func _is_otherwise(id: int, kind: String, project: Dictionary) -> bool:
	if project.resources[kind].has(id) or _known_of(kind, id):
		return not (project.resources[kind].has(id) and _known_of(kind, id))
	for other: String in KINDS.values():
		if project.resources[other].has(id):
			return not _known_of(other, id)
	return id not in _foreseen if _foreseen else id < _next


## What the server has read of one, by field; empty of one that has been made since.
func _known_of(kind: String, id: int) -> Dictionary:
	var known := {}
	var shown: Dictionary = _parts[kind].get(id, {})
	for name: String in shown:
		if shown[name].y <= _known:
			known[name] = shown[name].x
	return known


## As they are kept.
static func _hashes(parts: Dictionary) -> Dictionary:
	for name: String in parts:
		parts[name] = Vector2i(parts[name], 0).x
	return parts


## The nodes at both ends of what is to be connected.
static func _connected(arguments: Dictionary) -> Array[int]:
	var ends: Array[int] = []
	var modifications: Variant = arguments.get("modifications")
	var io: Variant = modifications.get("io") if modifications is Dictionary else null
	var made: Variant = io.get("push") if io is Dictionary else null
	for connection: Variant in made if made is Array else []:
		if connection is Array and connection.size() == 4:
			ends.append_array([int(connection[0]), int(connection[2])])
	return ends


func _differs(field: String, now: Dictionary, was: Dictionary) -> bool:
	return now.get(field) != was.get(field)


func _has_come_into(deleted: Dictionary, resources: Dictionary) -> bool:
	for id: int in deleted.get("map", {}):
		if not resources.nodes.has(id) or _now_of("nodes", id, resources) != _known_of("nodes", id):
			return true
	return false


func _now_of(kind: String, id: int, resources: Dictionary) -> Dictionary:
	var parts := _parts_of(resources[kind][id])
	for scene_id: int in resources.scenes:
		if kind == "nodes" and resources.scenes[scene_id].get("map", {}).has(id):
			parts[SCENE] = hash(scene_id)
	return _hashes(parts)


static func _parts_of(resource: Dictionary) -> Dictionary:
	var parts := {}
	for name: String in resource:
		if name == "data":
			for field: Variant in resource.data:
				parts["data.%s" % field] = hash(resource.data[field])
		elif name not in KEPT_BY_ARROW:
			parts[name] = hash(resource[name])
	return parts


static func _fields(arguments: Dictionary) -> Array:
	var fields := []
	for name: String in arguments:
		if name == "data" and arguments.data is Dictionary:
			fields += arguments.data.keys().map(func(field: Variant) -> String: return "data.%s" % field)
		else:
			fields.append(NAMES.get(name, name))
	return fields
