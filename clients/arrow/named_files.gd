## Godot loads the file that a text names in a tag img, font or dropcap, and runs a script in it: here only pictures of
## Arrow's own.
extends ResourceFormatLoader

# What such a tag asks for; of Arrow itself only scenes do, for their pictures.
const ASKED := [&"Texture2D", &"Font"]
const PICTURES := ["png", "svg"]


func _recognize_path(path: String, type: StringName) -> bool:
	return type in ASKED and not _is_arrows_own(path)


# Neither picture nor font, so nothing is drawn; after an error Godot would ask its own loaders.
func _load(_path: String, _original: String, _in_threads: bool, _cache_mode: int) -> Variant:
	return Resource.new()


static func _is_arrows_own(path: String) -> bool:
	var place := path.trim_prefix("res://")
	if place == path or place.is_absolute_path() or ".." in place or not place.get_extension() in PICTURES:
		return false
	# What a release has not packed Godot looks for beside the program.
	return not FileAccess.file_exists(OS.get_executable_path().get_base_dir().path_join(place + ".import"))
