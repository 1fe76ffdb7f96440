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


## Whether a call would change what is otherwise by now, or delete it.
func lacks(function: String, arguments: Dictionary, resources: Dictionary) -> bool:
	for name: String in KINDS:
		var kind: String = KINDS[name]
		var id := int(arguments.get(name, -1)) if arguments.get(name) is float or arguments.get(name) is int else -1
		if not _parts.get(kind, {}).has(id) or not resources[kind].has(id):
			continue
		var now := _parts_of(resources[kind][id])
		var was: Dictionary = _parts[kind][id]
		if function.begins_with("update_") and _fields(arguments).any(_differs.bind(now, was)):
			return true
		if function.begins_with("delete_") and (now != was or _has_come_into(resources[kind][id], resources)):
			return true
	return false


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
