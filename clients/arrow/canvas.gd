## What the grid shows of connections: Arrow's Mind changes the document, and draws none of them.
extends RefCounted

var _grid: Node


func _init(grid: Node) -> void:
	_grid = grid


## After everything that Arrow has deferred: a node that was just made is drawn by then.
func connect_later(connections: Array) -> void:
	_connect.call_deferred(connections)


func disconnect_later(connections: Array) -> void:
	_disconnect.call_deferred(connections)


func _connect(connections: Array) -> void:
	var drawn := connections.filter(_is_drawn)
	if drawn:
		_grid.draw_connections_batch(drawn)


func _disconnect(connections: Array) -> void:
	for connection: Array in connections:
		if _is_drawn(connection) and _is_related(connection):
			_grid.disconnect_from_view_by_id.callv(connection)


func _is_drawn(connection: Array) -> bool:
	return _grid._DRAWN_NODES_BY_ID.has(connection[0]) and _grid._DRAWN_NODES_BY_ID.has(connection[2])


func _is_related(connection: Array) -> bool:
	var relations: Dictionary = _grid._CONNECTION_RELATIONS
	var from: Dictionary = relations.get(connection[0], {"out": {}})
	var to: Dictionary = relations.get(connection[2], {"in": {}})
	return from["out"].has(connection[2]) and to["in"].has(connection[0])
