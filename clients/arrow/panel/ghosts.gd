extends Control
## Draws over the grid what a turn would do: new nodes as ghosts, changed ones outlined, removed ones struck.
##
## The grid itself is not touched. A scene that is not there yet is drawn in a frame below the open one.

const Changes := preload("changes.gd")
const Story := preload("story.gd")

const NEW := Color(0.17, 0.8, 0.95)
const CHANGED := Color(1.0, 0.85, 0.2)
const REMOVED := Color(1.0, 0.3, 0.35)
const SIZE := Vector2(240, 96)
const GAP := Vector2(80, 40)
const LINE := 2.0
const FONT_SIZE := 15
const FARTHEST := 0.6

var _story: Story
var _changes: Changes
var _drawn := 0
## The hash of what `_places` follows, and what the grid itself draws, in its own units.
var _arranged := 0
var _others: Array[Rect2] = []
## What the grid showed before, offset and zoom, and the offset that it was made to show.
var _left_view := []
var _own_view := Vector2.INF
## Where ghosts are, in the grid's own units, by node id.
var _places := {}
## Frames of new scenes, in the grid's own units, by scene id.
var _frames := {}


func _init(story: Story, changes: Changes) -> void:
	_story = story
	_changes = changes
	name = "FletcherGhosts"
	mouse_filter = MOUSE_FILTER_IGNORE
	clip_contents = true


## Puts them on the grid, and shows the first of them where none is in view.
func put_on() -> void:
	var grid := _story.grid()
	grid.add_sibling(self)
	_arrange()
	_show_first()


## Takes them off; a view that nobody has moved since goes back to where it was.
func take_off() -> void:
	var grid := _story.grid()
	if not _left_view.is_empty() and grid.scroll_offset.is_equal_approx(_own_view):
		await _show_view(_left_view[0], _left_view[1])
	queue_free()


# The grid has no signal for all that moves what is drawn; a picture that would be the same is not drawn again.
func _process(_delta: float) -> void:
	var grid := _story.grid()
	position = grid.position
	size = grid.size
	var followed := [_story.scene_id()]
	for id: int in _changes.changed + _changes.removed:
		followed.append(_rect_of(id))
	for ends in _changes.connected:
		followed.append(_rect_of(ends[0]))
	if hash(followed) != _arranged:
		_arranged = hash(followed)
		_arrange()
	var seen := [grid.scroll_offset, grid.zoom, size, _arranged]
	if hash(seen) != _drawn:
		_drawn = hash(seen)
		queue_redraw()


# --- where they are -------------------------------------------------------------------------------------------------


func _arrange() -> void:
	_places.clear()
	_frames.clear()
	_others = _drawn_rects()
	var before := {}
	for ends in _changes.connected:
		before.get_or_add(ends[2], ends[0])
	var lowest := {}
	for id: int in _changes.added:
		if _changes.added[id].scene == _story.scene_id():
			_places[id] = Rect2(_beside_others(_changes.added[id], before.get(id, -1), lowest), SIZE)
	var top := _bottom() + GAP.y * 3
	for scene: int in _changes.scenes:
		top = _arrange_scene(scene, top)


## `lowest` says where the last one stands that came after the same node: the next one is looked for below it.
func _beside_others(node: Changes.NewNode, before: int, lowest: Dictionary) -> Vector2:
	if node.offset != null:
		return node.offset
	var rect := _rect_of(before)
	var at := Vector2(rect.end.x + GAP.x, rect.position.y) if rect.has_area() else Vector2(100, _bottom() + GAP.y)
	at.y = lowest.get(before, at.y) if rect.has_area() else at.y
	while _is_taken(Rect2(at, SIZE)):
		at.y += SIZE.y + GAP.y
	lowest[before] = at.y
	return at


func _is_taken(place: Rect2) -> bool:
	return (
		_others.any(func(other: Rect2) -> bool: return other.intersects(place))
		or _places.values().any(func(other: Rect2) -> bool: return other.intersects(place))
	)


func _arrange_scene(scene: int, top: float) -> float:
	var frame := Rect2()
	for id: int in _changes.added:
		var node: Changes.NewNode = _changes.added[id]
		if node.scene != scene or node.offset == null:
			continue
		# Ghosts are as large as nodes are in the mean, and nodes stand as near as Arrow's layout puts them.
		_places[id] = Rect2(Vector2(0, top) + node.offset, SIZE)
		frame = frame.merge(_places[id]) if frame.has_area() else _places[id]
	if not frame.has_area():
		return top
	_frames[scene] = frame.grow(GAP.y)
	return frame.end.y + GAP.y * 2


func _bottom() -> float:
	var lowest := 0.0
	for rect: Rect2 in _others + _places.values():
		lowest = maxf(lowest, rect.end.y)
	return lowest


func _drawn_rects() -> Array[Rect2]:
	var rects: Array[Rect2] = []
	for child in _story.grid().get_children():
		if child is GraphNode:
			rects.append(Rect2(child.position_offset, child.size))
	return rects


func _rect_of(id: int) -> Rect2:
	if _places.has(id):
		return _places[id]
	var node := _story.drawn(id)
	return Rect2(node.position_offset, node.size) if node else Rect2()


func _show_first() -> void:
	var grid := _story.grid()
	var view := Rect2(grid.scroll_offset / grid.zoom, grid.size / grid.zoom)
	var all: Array = _frames.values() + _places.values()
	for id: int in _changes.changed + _changes.removed:
		if _rect_of(id).has_area():
			all.append(_rect_of(id))
	if all.is_empty() or all.any(func(rect: Rect2) -> bool: return view.encloses(rect)):
		return
	var room: Vector2 = grid.size / (all[0].size + GAP * 2)
	var zoom := clampf(minf(room.x, room.y), FARTHEST, 1.0)
	_left_view = [grid.scroll_offset, grid.zoom]
	_show_view((all[0].position - GAP) * zoom, zoom)


# Setting the zoom moves the grid, so that the place is set after it, and what became of it is read after that.
func _show_view(scroll_offset: Vector2, zoom: float) -> void:
	var grid := _story.grid()
	grid.zoom = zoom
	await grid.get_tree().process_frame
	grid.scroll_offset = scroll_offset
	_own_view = grid.scroll_offset


# --- drawing --------------------------------------------------------------------------------------------------------


func _draw() -> void:
	for scene: int in _frames:
		_draw_frame(_on_screen(_frames[scene]), "New scene: %s" % _changes.scenes[scene])
	for ends in _changes.connected:
		_draw_connection(ends, NEW)
	for ends in _changes.disconnected:
		_draw_connection(ends, REMOVED)
	for id: int in _places:
		_draw_ghost(_on_screen(_places[id]), _changes.added[id])
	for id in _changes.changed:
		_outline(id, CHANGED)
	for id in _changes.removed:
		_strike(id)


func _on_screen(rect: Rect2) -> Rect2:
	var grid := _story.grid()
	return Rect2(rect.position * grid.zoom - grid.scroll_offset, rect.size * grid.zoom)


func _draw_frame(frame: Rect2, words: String) -> void:
	draw_rect(frame, Color(NEW, 0.06))
	_dash(frame, NEW)
	_write(frame.position + Vector2(8, -8), words, frame.size.x, NEW)


func _draw_ghost(rect: Rect2, node: Changes.NewNode) -> void:
	draw_rect(rect, Color(0.1, 0.22, 0.26, 0.92))
	draw_rect(Rect2(rect.position, Vector2(rect.size.x, 26 * _story.grid().zoom)), Color(NEW, 0.35))
	_dash(rect, NEW)
	var zoom := _story.grid().zoom
	_write(rect.position + Vector2(8, 19) * zoom, "%d  %s" % [node.id, node.type], rect.size.x - 12, Color.WHITE)
	var text_at := rect.position + Vector2(8, 48) * zoom
	var font_size := maxi(1, int(FONT_SIZE * zoom))
	var font := get_theme_default_font()
	draw_multiline_string(
		font, text_at, node.says, HORIZONTAL_ALIGNMENT_LEFT, rect.size.x - 12, font_size, 2, Color(1, 1, 1, 0.8)
	)


func _write(at: Vector2, words: String, width: float, color: Color) -> void:
	var font_size := maxi(1, int(FONT_SIZE * _story.grid().zoom))
	draw_string(get_theme_default_font(), at, words, HORIZONTAL_ALIGNMENT_LEFT, width, font_size, color)


func _dash(rect: Rect2, color: Color) -> void:
	var corners := [rect.position, Vector2(rect.end.x, rect.position.y), rect.end, Vector2(rect.position.x, rect.end.y)]
	for place in 4:
		draw_dashed_line(corners[place], corners[(place + 1) % 4], color, LINE, 8.0)


func _draw_connection(ends: Array, color: Color) -> void:
	var from := _rect_of(ends[0])
	var to := _rect_of(ends[2])
	if not from.has_area() or not to.has_area():
		return
	var start := _on_screen(from)
	var end := _on_screen(to)
	var first := Vector2(start.end.x, start.get_center().y)
	var last := Vector2(end.position.x, end.get_center().y)
	var curve := Curve2D.new()
	var pull := Vector2(maxf(40.0, absf(last.x - first.x) / 2), 0)
	curve.add_point(first, Vector2.ZERO, pull)
	curve.add_point(last, -pull, Vector2.ZERO)
	draw_polyline(curve.get_baked_points(), color, LINE, true)


func _outline(id: int, color: Color) -> void:
	var rect := _rect_of(id)
	if rect.has_area():
		draw_rect(_on_screen(rect).grow(4), color, false, LINE * 2)


func _strike(id: int) -> void:
	var rect := _on_screen(_rect_of(id))
	if not _rect_of(id).has_area():
		return
	draw_rect(rect, Color(REMOVED, 0.2))
	_outline(id, REMOVED)
	draw_line(rect.position, rect.end, REMOVED, LINE * 2)
	draw_line(Vector2(rect.end.x, rect.position.y), Vector2(rect.position.x, rect.end.y), REMOVED, LINE * 2)
