extends RefCounted
## Makes room for the panel at the right of Arrow's grid, and gives the room back.
##
## Only the grid's right margin is changed. Arrow's floating panels stay Arrow's: one that the panel would cover is
## moved beside it, and where it still stands there when the panel closes, back to where it was.

const _FLOATING: Array[NodePath] = [^"FloatingTools/Control/Inspector", ^"FloatingTools/Control/Console"]

var _main: Node
## By path: the x that it had, and the x that it was given.
var _moved := {}


func _init(main: Node) -> void:
	_main = main
	for path in _FLOATING:
		var floating: Control = main.get_node_or_null(path)
		if floating:
			floating.resized.connect(_keep_clear)
			floating.visibility_changed.connect(_keep_clear)


## The part of Arrow between its two bars.
func center() -> Control:
	return _main.get_node(^"Editor/Center")


## The bar with Arrow's button for its inspector.
func buttons() -> Control:
	return _main.get_node(^"Editor/Bottom/Bar/Quick/Access")


## Leaves this much room, in pixels; 0 gives all of it back.
func reserve(width: float) -> void:
	_main.Grid.offset_right = -width
	if width > 0.0:
		_make_room()
	else:
		_give_back()


## The part of the grid that a window may cover, with a margin for its title.
func free_room() -> Rect2i:
	var grid: Control = _main.Grid
	var room := grid.get_global_rect()
	return Rect2i(room.position + Vector2(8, 40), room.size - Vector2(16, 48))


# Arrow puts its panels where they were only some time after its start, and shows or widens one whenever it likes.
func _keep_clear() -> void:
	_make_room.call_deferred()


func _make_room() -> void:
	var grid: Control = _main.Grid
	if grid.offset_right >= 0.0:
		return
	var edge: float = center().global_position.x + center().size.x + grid.offset_right
	for path in _FLOATING:
		var floating: Control = _main.get_node_or_null(path)
		if floating == null or floating.position.x + floating.size.x <= edge:
			continue
		var from: float = _moved.get(path, Vector2(floating.position.x, 0.0)).x
		floating.position.x = maxf(0.0, edge - floating.size.x)
		_moved[path] = Vector2(from, floating.position.x)


func _give_back() -> void:
	for path: NodePath in _moved:
		var floating: Control = _main.get_node_or_null(path)
		if floating and is_equal_approx(floating.position.x, _moved[path].y):
			floating.position.x = _moved[path].x
	_moved.clear()
