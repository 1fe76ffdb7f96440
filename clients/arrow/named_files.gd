## Godot loads the file that a text names in a tag img, font or dropcap, and runs a script in it: here only Arrow's own.
extends ResourceFormatLoader

# What such a tag asks for; nothing else in Arrow loads with these.
const ASKED := [&"Texture2D", &"Font"]


func _recognize_path(path: String, type: StringName) -> bool:
	return type in ASKED and (not path.begins_with("res://") or ".." in path)


# Neither picture nor font, so nothing is drawn; after an error Godot would ask its own loaders.
func _load(_path: String, _original: String, _in_threads: bool, _cache_mode: int) -> Variant:
	return Resource.new()
