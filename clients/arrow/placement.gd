## Where a node goes that came without a place: right of the rightmost, on Arrow's grid, covering nothing.
extends RefCounted

const FIRST := Vector2(100, 100)
const GAP := Vector2(60, 40)
const SIZE := Vector2(240, 160)

var _mind: Object


func _init(mind: Object) -> void:
	_mind = mind


func free_place(scene_id: int) -> Vector2:
	var map: Dictionary = _mind._PROJECT.resources.scenes[scene_id].map
	var taken: Array[Rect2] = []
	for node_id: int in map:
		if _mind._PROJECT.resources.nodes.get(node_id, {}).get("type") != "frame":
			taken.append(Rect2(_point(map[node_id].offset), _size(node_id)))
	if taken.is_empty():
		return FIRST
	var rightmost := taken[0]
	for rect in taken:
		if rect.position.x > rightmost.position.x:
			rightmost = rect
	return _below_what_is_there(Vector2(rightmost.end.x + GAP.x, rightmost.position.y), taken)


func _below_what_is_there(start: Vector2, taken: Array[Rect2]) -> Vector2:
	var step := maxf(1.0, float(_mind.Grid.snapping_distance))
	var place := (start / step).ceil() * step
	var is_covering := func(rect: Rect2) -> bool: return rect.intersects(Rect2(place, SIZE))
	while taken.any(is_covering):
		place.y += maxf(step, GAP.y)
	return place


func _size(node_id: int) -> Vector2:
	var drawn: Variant = _mind.Grid._DRAWN_NODES_BY_ID.get(node_id)
	return SIZE.max(drawn.size) if is_instance_valid(drawn) else SIZE


func _point(offset: Array) -> Vector2:
	return Vector2(offset[0], offset[1])
