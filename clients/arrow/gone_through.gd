## What a user goes through in Arrow's inspector, and back: older versions, numbers and choices. Meanwhile it shows what
## nobody has set.
extends RefCounted

## Nodes of which a choice says what else they have.
const BY_CHOICE := ["condition", "generator", "user_input", "variable_update"]
## Where they say it.
const CHOICES := ["/variable", "/with/0", "/method", "/operator"]
const MANY := 1 << 31

var _mind: Object
var _node_tab: Node
## What the lists of the inspector have.
var _listed: Callable


func _init(mind: Object, listed: Callable) -> void:
	_mind = mind
	_node_tab = mind.Inspector.Tab.Node
	_listed = listed
	_node_tab.NodeHistoryBackButton.pressed.connect(_on_previous_pressed)


## Whether to take in what is shown would take away what nobody has taken away: whoever goes through older versions,
## numbers and choices comes back to what was there.
func takes_away() -> bool:
	var shown: Node = _node_tab._LAST_OPEN_SUB_INSPECTOR
	if shown == null or shown.get("_OPEN_NODE_ID") != _node_id() or not _data():
		return false
	return _node_tab._CURRENT_NODE_HISTORY_ROTATION_POSE > 0 or _cuts_off(shown) or _resets_by_choice(shown)


# Whether there are fewer slots, or entries with one each, than the node has, and one of those leads somewhere or is
# led to.
func _cuts_off(shown: Node) -> bool:
	var number: SpinBox = shown.get_node_or_null("Slots")
	var lists: Array = _listed.call()
	var count: int = int(number.value) if number != null else (lists[0].size() if lists.size() == 1 else MANY)
	var entries := _data().values().filter(func(value: Variant) -> bool: return value is Array)
	if count >= _data().get("slots", entries[0].size() if entries else 0):
		return false
	var id := _node_id()
	var scene: Dictionary = _mind._PROJECT.resources.scenes.get(_mind._CURRENT_OPEN_SCENE_ID, {})
	var is_beyond := func(link: Array) -> bool:
		return (link[0] == id and link[1] >= count) or (number != null and link[2] == id and link[3] >= count)
	return scene.get("map", {}).values().any(func(place: Dictionary) -> bool: return place.get("io", []).any(is_beyond))


# Whether there is another choice, and something else is not what it was: Arrow has put that to what it is at first.
func _resets_by_choice(shown: Node) -> bool:
	if _mind._PROJECT.resources.nodes[_node_id()].type not in BY_CHOICE:
		return false
	var before := _leaves(_data())
	if not _mind._PROJECT.resources.variables.has(before.get("/variable")):
		return false  # of none, or one that is gone, Arrow shows another one
	var after := _leaves(shown._read_parameters())
	var other := before.keys().filter(func(path: String) -> bool: return not _is_same(before[path], after.get(path)))
	return other.size() > 1 and CHOICES.any(func(path: String) -> bool: return path in other)


func _is_same(value: Variant, other: Variant) -> bool:
	var are_numbers: bool = (value is int or value is float) and (other is int or other is float)
	return (are_numbers or typeof(value) == typeof(other)) and value == other


# All values by where they are.
func _leaves(value: Variant, path := "") -> Dictionary:
	var found := {}
	if value is Dictionary or value is Array:
		for key: Variant in value if value is Dictionary else range(value.size()):
			found.merge(_leaves(value[key], "%s/%s" % [path, key]))
	else:
		found[path] = value
	return found


# Before Arrow goes back, which it does later in the frame: makes what the story says the newest version of the node.
# Else nobody comes back with *Next* to what a call has written, or an undo put back, or to what the node did not have
# before, which Arrow leaves out.
func _on_previous_pressed() -> void:
	var versions: Array = _node_tab._NODE_MODIFICATION_HISTORY.get(_node_id(), [])
	var node: Dictionary = _mind._PROJECT.resources.nodes.get(_node_id(), {})
	if not versions or not node or _node_tab._CURRENT_NODE_HISTORY_ROTATION_POSE > 0:
		return
	# Without those of a node that is gone, whose number this one has got.
	versions.assign(versions.filter(func(version: Dictionary) -> bool: return version.type == node.type))
	if not versions:
		return
	var newest: Dictionary = versions[0]
	var whole := newest.duplicate(true)
	whole.data.merge(node.data.duplicate(true))
	if _say_the_same(whole, node):
		versions[0] = whole
		return
	var version := node.duplicate(true)
	for name: String in newest.data:  # as Arrow has it, which would take it for another one
		version.data.get_or_add(name, null)
	versions.push_front(version)
	versions.resize(mini(versions.size(), Settings.MAXIMUM_HISTORY_SIZE_PER_NODE))


func _say_the_same(node: Dictionary, other: Dictionary) -> bool:
	var said := _said(node)
	var other_said := _said(other)
	if said.size() != other_said.size():
		return false
	return said.keys().all(func(path: String) -> bool: return _is_same(said[path], other_said.get(path)))


# By where it is; of what Arrow takes out of a node a version has nothing, and empty notes are none.
func _said(node: Dictionary) -> Dictionary:
	var said := _leaves({"name": node.get("name"), "notes": node.get("notes"), "data": node.get("data")})
	for path: String in said.keys():
		if said[path] == null or (path == "/notes" and said[path] == ""):
			said.erase(path)
	return said


func _node_id() -> int:
	return _node_tab._CURRENT_INSPECTED_NODE_RESOURCE_ID


func _data() -> Dictionary:
	var data: Variant = _mind._PROJECT.resources.nodes.get(_node_id(), {}).get("data")
	return data if data is Dictionary else {}
