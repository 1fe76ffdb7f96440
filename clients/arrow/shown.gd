## What the server was shown of the project: it asks about nothing that it has not seen.
extends RefCounted

const KINDS := {"node_id": "nodes", "scene_id": "scenes", "variable_id": "variables", "character_id": "characters"}
## How Arrow calls what a call has by another name.
const NAMES := {"initial_value": "init"}
## What Arrow keeps by itself, and where things stand; but whatever is used by more by now is not deleted.
const KEPT_BY_ARROW := ["ref", "map"]
## What says how many slots a node has, and which is which.
const SLOTS := ["data.slots", "data.lines", "data.actions", "data.patterns"]
## In place of the hash of a field, and none that a value is likely to have: it was there once; and it is another one
## than the server has read.
const GONE := -2014270311
const CHANGED := 1 << 40

## By kind, id and field what was shown last, as a hash, and the number of the story that had that first.
var _parts := {}
var _number := 0
## How things hang together, and what there is, as two hashes; the numbers of the stories that were the first to have
## each of them so, and to lack a node.
var _structure := Vector2i.ZERO
var _since_number := Vector2i.ZERO
var _lacks_since := 0
## The number of the story that the server has read as a call is sent.
var _known := 0


## All of it is shown now, as the story of the number that is returned.
func note(project: Dictionary, author: int) -> int:
	_number += 1
	var structure := structure_of(project, author)
	for axis in [Vector2i.AXIS_X, Vector2i.AXIS_Y]:
		if _structure[axis] != structure[axis]:
			_since_number[axis] = _number
	_structure = structure
	if _has_gone(project.resources):
		_lacks_since = _number
	var resources: Dictionary = project.resources
	for kind: String in KINDS.values():
		var before: Dictionary = _parts.get(kind, {})
		_parts[kind] = {}
		for id: int in resources[kind]:
			_parts[kind][id] = _since(_parts_of(resources[kind][id]), before.get(id, {}))
	return _number


func _since(parts: Dictionary, before: Dictionary) -> Dictionary:
	for name: String in before:
		if not parts.has(name):  # Arrow has none of a text that was emptied
			parts[name] = GONE
	for name: String in parts:
		var now := Vector2i(parts[name], _number)
		var was: Variant = before.get(name)
		parts[name] = was if was is Vector2i and was.x == now.x else now
	return parts


## Whether anything is otherwise by now that calls may need than in the story of that number, which the server has
## read; of all that it was shown, where they say none.
func lacks(calls: Array, project: Dictionary, author: int, story_number: Variant) -> bool:
	_known = int(story_number) if story_number is float or story_number is int else _number
	if not _parts:
		return false
	var structure := structure_of(project, author)
	if structure.x != _structure.x or _since_number.x > _known:
		return true
	# What one call needs is told by its arguments; of several, one expects numbers that another is to make.
	if calls.size() > 1 and (structure.y != _structure.y or _since_number.y > _known):
		return true
	if _has_gone(project.resources) or _lacks_since > _known:
		return true
	return calls.any(_is_lacked_by.bind(project.resources))


func _has_gone(resources: Dictionary) -> bool:
	var shown: Dictionary = _parts.get("nodes", {})
	return shown.keys().any(func(id: int) -> bool: return not resources.nodes.has(id))


## Calls that lacked nothing have made it what it is now: whatever was sent beside them knows that as well.
func note_own(project: Dictionary, author: int, before: Vector2i) -> void:
	if before == _structure:
		_structure = structure_of(project, author)


## How things hang together, with their names; and what there is, and what numbers come next. Neither has texts, nor
## where things stand.
static func structure_of(project: Dictionary, author: int) -> Vector2i:
	var resources: Dictionary = project.resources
	var connected := [project.get("entry")]
	var authors: Array = project.meta.authors.values()
	var numbers := [author, project.meta.get("chapter"), resources.nodes.keys()]
	numbers.append(authors.map(func(one: Array) -> Variant: return one[1]))
	for kind: String in ["scenes", "variables", "characters"]:
		for id: int in resources[kind]:
			connected.append_array([id, resources[kind][id].get("name")])
	for scene: Dictionary in resources.scenes.values():
		var map: Dictionary = scene.get("map", {})
		connected.append(scene.get("entry"))
		numbers.append(map.keys())
		for id: int in map:
			if map[id].has("io") or map[id].has("skip"):
				connected.append_array([id, map[id].get("io"), map[id].get("skip")])
	return Vector2i(hash(connected), hash(numbers))


func _is_lacked_by(call: Dictionary, resources: Dictionary) -> bool:
	var function := str(call.get("function"))
	var arguments: Dictionary = call.arguments
	for name: String in KINDS:
		var kind: String = KINDS[name]
		var id := id_in(arguments, name)
		if not resources[kind].has(id):
			continue
		var was := _known_of(kind, id)
		var now := _hashes(_parts_of(resources[kind][id]))
		if function.begins_with("update_") and (not was or _fields(arguments).any(_differs.bind(now, was))):
			return true
		if function.begins_with("delete_") and (now != was or _has_come_into(resources[kind][id], resources)):
			return true
	return function == "update_node_map" and _linked_by(arguments).any(_has_other_slots.bind(resources.nodes))


# What the connections connect that a call makes.
func _linked_by(arguments: Dictionary) -> Array:
	var modifications: Variant = arguments.get("modifications")
	var io: Variant = modifications.get("io") if modifications is Dictionary else null
	var links: Variant = io.get("push") if io is Dictionary else null
	var ids := []
	for link: Variant in links if links is Array else []:
		if link is Array and link.size() == 4:
			ids.append_array([link[0], link[2]])
	return ids.filter(func(id: Variant) -> bool: return id is float or id is int)


func _has_other_slots(id: int, nodes: Dictionary) -> bool:
	var was := _known_of("nodes", id)
	if not was or not nodes.has(id):
		return false
	return SLOTS.any(_differs.bind(_hashes(_parts_of(nodes[id])), was))


## The number in a call, where Godot has all as they are in JSON; -1 where there is none.
static func id_in(arguments: Dictionary, name: String) -> int:
	var id: Variant = arguments.get(name)
	return int(id) if id is float or id is int else -1


## What the server has read of one, by field, and which have been changed since; empty of one that has been made since.
func _known_of(kind: String, id: int) -> Dictionary:
	var known := {}
	var shown: Dictionary = _parts[kind].get(id, {})
	for name: String in shown:
		if shown[name].y > _known:
			known[name] = CHANGED
		elif shown[name].x != GONE:
			known[name] = shown[name].x
	return {} if known.values().all(func(was: int) -> bool: return was == CHANGED) else known


## As they are kept.
static func _hashes(parts: Dictionary) -> Dictionary:
	for name: String in parts:
		parts[name] = Vector2i(parts[name], 0).x
	return parts


func _differs(field: String, now: Dictionary, was: Dictionary) -> bool:
	return now.get(field) != was.get(field)


func _has_come_into(deleted: Dictionary, resources: Dictionary) -> bool:
	for id: int in deleted.get("map", {}):
		if not resources.nodes.has(id) or _hashes(_parts_of(resources.nodes[id])) != _known_of("nodes", id):
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
