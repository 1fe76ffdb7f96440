## Loads the panel, and nothing of it where one of its scripts cannot be loaded.
extends RefCounted


## The panel of this folder; null where there is none, with one line in the console where it has an error.
static func load_from(folder: String) -> Node:
	if not DirAccess.dir_exists_absolute(folder):
		return null
	for file in DirAccess.get_files_at(folder):
		var path := folder.path_join(file)
		if file.get_extension() == "gd" and not _loads(path):
			print("Fletcher: %s cannot be loaded; Arrow opens without the panel." % path)
			return null
	return load(folder.path_join("panel.gd")).new()


static func _loads(path: String) -> bool:
	var script: Script = load(path)
	return script != null and script.can_instantiate()
