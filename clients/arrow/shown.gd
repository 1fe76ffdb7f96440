## What the server was shown of the project last: it asks about nothing that it has not seen.
extends RefCounted

const KINDS := {"node_id": "nodes", "scene_id": "scenes", "variable_id": "variables", "character_id": "characters"}
## How Arrow calls what a call has by another name.
const NAMES := {"initial_value": "init"}
## What Arrow keeps by itself, and where things stand.
const KEPT_BY_ARROW := ["ref", "use", "map"]

var _parts := {}


## All of it is shown now.
func note(resources: Dictionary) -> void:
	for kind: String in KINDS.values():
		_parts[kind] = {}
		for id: int in resources[kind]:
			_parts[kind][id] = _parts_of(resources[kind][id])


## Whether a call would change what is otherwise by now, or delete it, or connect what has been made since.
func lacks(function: String, arguments: Dictionary, resources: Dictionary) -> bool:
	if not _parts:
		return false
	if function == "update_node_map" and _connected(arguments).any(_is_new.bind(resources.nodes)):
		return true
	for name: String in KINDS:
		var kind: String = KINDS[name]
		var id := id_in(arguments, name)
		if not resources[kind].has(id):
			continue
		if not _parts[kind].has(id):  # it has the number that the server expects one to have which it makes
			return true
		var now := _parts_of(resources[kind][id])
		var was: Dictionary = _parts[kind][id]
		if function.begins_with("update_") and _fields(arguments).any(_differs.bind(now, was)):
			return true
		if function.begins_with("delete_") and (now != was or _has_come_into(resources[kind][id], resources)):
			return true
	return false


## The number in a call, where Godot has all as they are in JSON; -1 where there is none.
static func id_in(arguments: Dictionary, name: String) -> int:
	var id: Variant = arguments.get(name)
	return int(id) if id is float or id is int else -1


func _is_new(id: int, nodes: Dictionary) -> bool:
	return nodes.has(id) and not _parts.nodes.has(id)


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
		if not resources.nodes.has(id) or _parts_of(resources.nodes[id]) != _parts.nodes.get(id):
			return true
	return false


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
