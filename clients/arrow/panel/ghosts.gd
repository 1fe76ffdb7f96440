extends RefCounted
## Draws on the grid what a turn would do: new nodes as ghosts, changed ones outlined, removed ones struck.

const Story := preload("story.gd")


func _init(_story: Story, _operations: Array) -> void:
	pass


func put_on() -> void:
	pass


func take_off() -> void:
	pass
