extends RefCounted
## What a turn would change, read from the server's list of changes: a line each, `+`, `~` or `-` and what it is about.


## One node that would be there: id, type, name, says, scene (ids), and offset, which is null where nobody has said it.
class NewNode:
	var id := 0
	var type := ""
	var says := ""
	var scene := 0
	var offset: Variant = null


const NODE_LINE := "^([+~-]) node (\\d+) \\(?(\\w+)\\)?"
const CONNECTION_LINE := "^([+-]) connection (\\d+) slot (\\d+) -> (\\d+)"
const SCENE_LINE := '^\\+ (?:scene|macro) (\\d+) "(.*)", entry (\\d+)'

## Every line of the list.
var lines := PackedStringArray()
## By id.
var added := {}
var changed: Array[int] = []
var removed: Array[int] = []
## `[from, slot, to]` each.
var connected: Array[Array] = []
var disconnected: Array[Array] = []
## Names of new scenes by id.
var scenes := {}

var _entries: Array[int] = []


## diff: the list as it came; operations: `{function, arguments}`, which know where new nodes are put.
func _init(diff: String, operations: Array) -> void:
	lines = diff.split("\n", false)
	var node := RegEx.create_from_string(NODE_LINE)
	var connection := RegEx.create_from_string(CONNECTION_LINE)
	var scene := RegEx.create_from_string(SCENE_LINE)
	for line in lines:
		_read_node(node.search(line), line)
		_read_connection(connection.search(line))
		_read_scene(scene.search(line))
	_place(operations)


## Whether there is nothing to draw on a grid.
func is_empty() -> bool:
	return (added.size() + changed.size() + removed.size() + connected.size() + disconnected.size()) == 0


func _read_node(found: RegExMatch, line: String) -> void:
	if found == null:
		return
	var id := found.get_string(2).to_int()
	match found.get_string(1):
		"+":
			added[id] = _new_node(id, found.get_string(3), line)
		"~":
			changed.append(id)
		"-":
			removed.append(id)


static func _new_node(id: int, type: String, line: String) -> NewNode:
	var node := NewNode.new()
	node.id = id
	node.type = type
	var quoted := RegEx.create_from_string('"((?:[^"\\\\]|\\\\.)*)"').search(line)
	node.says = quoted.get_string(1) if quoted else ""
	node.scene = line.get_slice(" in scene ", line.get_slice_count(" in scene ") - 1).to_int()
	return node


func _read_connection(found: RegExMatch) -> void:
	if found == null:
		return
	var ends := [found.get_string(2).to_int(), found.get_string(3).to_int(), found.get_string(4).to_int()]
	if found.get_string(1) == "+":
		connected.append(ends)
	else:
		disconnected.append(ends)


func _read_scene(found: RegExMatch) -> void:
	if found:
		scenes[found.get_string(1).to_int()] = found.get_string(2)
		_entries.append(found.get_string(3).to_int())


# New nodes get their ids in the order of the operations that make them; the entry of a new scene comes with the scene.
func _place(operations: Array) -> void:
	for entry in _entries:
		if added.has(entry):
			added[entry].offset = Vector2(100, 100)
	var made := added.keys().filter(func(id: int) -> bool: return id not in _entries)
	made.sort()
	for operation: Dictionary in operations:
		if operation.get("function") != "create_insert_node" or made.is_empty():
			continue
		var id: int = made.pop_front()
		var arguments: Dictionary = operation.get("arguments", {})
		var position: Variant = arguments.get("position")
		if position is Array and position.size() == 2:
			added[id].offset = Vector2(position[0], position[1])
