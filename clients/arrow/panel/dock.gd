extends RefCounted
## Makes room for the panel at the right of Arrow's grid, and gives the room back.
##
## Only the grid's right margin is changed. Arrow's floating panels stay Arrow's: one that the panel would cover is
## moved beside it, and where it still stands there when the panel closes, back to where it was.

const _FLOATING: Array[NodePath] = [^"FloatingTools/Control/Inspector", ^"FloatingTools/Control/Console"]

var _main: Node
## By path: how far to the left it was moved, and the offset from its anchor that it has since.
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
		if floating == null:
			continue
		_put_back(path, floating)
		var by := minf(floating.position.x + floating.size.x - edge, floating.position.x)
		if by > 0.0:
			floating.position.x -= by
			_moved[path] = Vector2(by, floating.offset_left)


func _give_back() -> void:
	for path: NodePath in _moved.keys():
		var floating: Control = _main.get_node_or_null(path)
		if floating:
			_put_back(path, floating)


# Its offset from its anchor stays as it is when the window is resized, and is another one when somebody has moved it.
func _put_back(path: NodePath, floating: Control) -> void:
	var moved: Vector2 = _moved.get(path, Vector2.ZERO)
	if is_equal_approx(floating.offset_left, moved.y):
		floating.position.x += moved.x
	_moved.erase(path)
