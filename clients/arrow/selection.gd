## The nodes that go out with the user's messages: those selected in the grid, without those taken away since.
extends RefCounted

signal changed(node_ids: Array)

var chosen: Array[int] = []

var _project: RefCounted
var _seen: Array[int] = []


func _init(project: RefCounted) -> void:
	_project = project


## To be called in each frame: Arrow has no signal for it.
func watch() -> void:
	var selected: Array[int] = _project.selected()
	if selected != _seen:
		_seen = selected
		chosen = selected.duplicate()
		changed.emit(selected)
