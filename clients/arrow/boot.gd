## The scene that override.cfg names: it opens Arrow as if it were not there, and adds Fletcher once Arrow's mind is up.
##
## It refers to nothing of Arrow and of ours by name: whatever is wrong there, Arrow opens.
extends Node

const ARROW := "res://main.tscn"
const FLETCHER := "fletcher.gd"
## Beside a copy of this script: the folder that our other scripts are in.
const CLIENT := "client.txt"
const MAJOR := "3."
const MIND := [
	"load_full_project_image",
	"create_insert_node",
	"update_resource",
	"remove_resource",
	"batch_remove_resources",
	"update_node_map",
	"create_new_scene",
	"create_new_variable",
	"create_new_character",
	"update_scene_entry",
	"update_project_entry",
	"scene_editorial_open",
	"locate_node_on_grid",
	"save_project",
	"reset_project_save_status",
]


func _ready() -> void:
	# This scene is gone when Arrow's is there; the script is kept for what is connected to it.
	get_tree().root.set_meta("fletcher_boot", get_script())
	get_tree().node_added.connect(watch)
	get_tree().change_scene_to_file.call_deferred(ARROW)


## Waits for Arrow's main node.
static func watch(node: Node) -> void:
	if node.name != &"Main" or node.scene_file_path != ARROW:
		return
	node.get_tree().node_added.disconnect(watch)
	if node.has_signal(&"mind_initialized"):
		node.connect(&"mind_initialized", start.bind(node), CONNECT_ONE_SHOT)
	else:
		print("Fletcher: this Arrow has no mind_initialized and is not known; it opens without Fletcher.")


## Adds `/root/Fletcher`, after Main: Arrow takes the first child of root for Main.
static func start(main: Node) -> void:
	var reason := _unknown(main)
	if reason:
		print("Fletcher: %s; Arrow opens without Fletcher." % reason)
		return
	if not FileAccess.file_exists(_folder().path_join(FLETCHER)):
		print("Fletcher: there is none in %s any more; Arrow opens without Fletcher." % _folder())
		return
	var broken := _broken()
	if broken:
		print("Fletcher: %s cannot be loaded; Arrow opens without Fletcher." % broken)
		return
	var script: Script = load(_folder().path_join(FLETCHER))
	var fletcher: Node = script.new()
	fletcher.name = &"Fletcher"
	fletcher.set(&"main", main)
	fletcher.set(&"mind", main.get(&"Mind"))
	main.get_tree().root.add_child.call_deferred(fletcher)


static func _unknown(main: Node) -> String:
	var version := _version()
	if not version.begins_with(MAJOR):
		return "Arrow %s is not known (3.x is)" % version
	var mind: Object = main.get(&"Mind")
	if mind == null:
		return "Arrow %s has no Mind" % version
	for method: String in MIND:
		if not mind.has_method(method):
			return "the Mind of Arrow %s has no %s" % [version, method]
	return ""


static func _version() -> String:
	var settings: Script = load("res://scripts/settings.gd")
	var constants := settings.get_script_constant_map() if settings else {}
	return str(constants.get("ARROW_VERSION", "without a version"))


## The first of our scripts that has an error: one that only another one needs would be found out too late.
static func _broken() -> String:
	for file in DirAccess.get_files_at(_folder()):
		if file.get_extension() == "gd":
			var script: Script = load(_folder().path_join(file))
			if script == null or not script.can_instantiate():
				return _folder().path_join(file)
	return ""


static func _folder() -> String:
	var boot: Script = Engine.get_main_loop().root.get_meta("fletcher_boot")
	var own := boot.resource_path.get_base_dir()
	var named := own.path_join(CLIENT)
	return FileAccess.get_file_as_string(named) if FileAccess.file_exists(named) else own
