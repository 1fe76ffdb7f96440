extends RefCounted
## What the panel reads of the story that is open in Arrow: names, where nodes are, and how to go there.

var _mind: Object
var _grid: GraphEdit


func _init(main: Node) -> void:
	_mind = main.Mind
	_grid = main.Grid


## The grid that nodes are drawn on.
func grid() -> GraphEdit:
	return _grid


## The drawn node, or null where it is in another scene.
func drawn(node_id: int) -> GraphNode:
	var found: Variant = _grid._DRAWN_NODES_BY_ID.get(node_id)
	return found if is_instance_valid(found) else null


## The id of the open scene, or -1.
func scene_id() -> int:
	return _mind.get_current_open_scene_id()


## What a node is called, with its type, as its name alone may be a letter: `dialog pier`.
func name_of(id: int) -> String:
	var node: Dictionary = _resources("nodes").get(id, {})
	return "%s %s" % [node.get("type", "node"), node.get("name", id)]


## Whether this is a node, and not something else with an id.
func is_node(id: int) -> bool:
	return _resources("nodes").has(id)


## Whether this is a scene or macro.
func is_scene(id: int) -> bool:
	return _resources("scenes").has(id)


## Ids of nodes by their names, for names that a text would not hold by chance.
func names() -> Dictionary:
	var found := {}
	var nodes := _resources("nodes")
	for id: int in nodes:
		var its_name := str(nodes[id].name)
		if its_name.length() > 2 and not its_name.is_valid_int():
			found[its_name] = id
	return found


func _resources(field: String) -> Dictionary:
	var project: Dictionary = _mind._PROJECT
	return project.get("resources", {}).get(field, {})
