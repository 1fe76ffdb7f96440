## The main scene of tests: it opens Arrow by Fletcher's own boot scene, and does what a program says over TCP.
##
## FLETCHER_TEST_BOOT is the boot scene, FLETCHER_TEST_PORT where the program listens. Each line there is an object:
## {"id", "do": "call" | "get" | "set" | "open" | "frames" | "inspect" | …}; each line back is
## {"id", "value"}, or {"signal", "args"} for a signal of Fletcher.
extends Node

const SIGNALS := [
	"state_changed",
	"turn_started",
	"turn_ended",
	"text_chunk",
	"text_ended",
	"step_started",
	"citations_changed",
	"citation_requested",
	"suggestions_changed",
	"question_asked",
	"preview_ready",
	"failed",
	"connection_changed",
	"corpus_progress",
	"corpus_changed",
	"selection_changed",
	"project_changed",
	"undo_changed",
	"history_cleared",
]


func _ready() -> void:
	var scene: PackedScene = load(OS.get_environment("FLETCHER_TEST_BOOT"))
	get_tree().root.set_meta("driver", get_script())
	get_tree().node_added.connect(watch)
	add_child(scene.instantiate())


static func watch(node: Node) -> void:
	if node.name == &"Main":
		node.get_tree().node_added.disconnect(watch)
		node.get_tree().root.add_child.call_deferred(Remote.new())


class Remote:
	extends Node

	var _line := StreamPeerTCP.new()
	var _unread := PackedByteArray()
	var _is_busy := false
	var _is_heard := false

	func _ready() -> void:
		get_tree().node_added.connect(_on_node)
		_line.connect_to_host("127.0.0.1", int(OS.get_environment("FLETCHER_TEST_PORT")))

	func _on_node(node: Node) -> void:
		if node.name == &"Fletcher" and node.get_parent() == get_tree().root:
			for name: String in SIGNALS:
				if node.has_signal(name):
					node.connect(name, _forwarder(node, name))

	func _forwarder(node: Node, name: String) -> Callable:
		for told in node.get_signal_list():
			if told.name == name:
				match told.args.size():
					0:
						return func() -> void: _forward(name, [])
					1:
						return func(a: Variant) -> void: _forward(name, [a])
					2:
						return func(a: Variant, b: Variant) -> void: _forward(name, [a, b])
					3:
						return func(a: Variant, b: Variant, c: Variant) -> void: _forward(name, [a, b, c])
		return func(a: Variant, b: Variant, c: Variant, d: Variant) -> void: _forward(name, [a, b, c, d])

	func _forward(name: String, args: Array) -> void:
		_write({"signal": name, "args": args})

	func _write(message: Dictionary) -> void:
		_line.put_data((JSON.stringify(message, "", false) + "\n").to_utf8_buffer())

	func _process(_delta: float) -> void:
		_line.poll()
		if _line.get_status() != StreamPeerTCP.STATUS_CONNECTED:
			return
		var count := _line.get_available_bytes()
		if count > 0:
			_unread.append_array(_line.get_data(count)[1])
		var end := _unread.find(10)
		if end >= 0 and not _is_busy:
			var line := _unread.slice(0, end).get_string_from_utf8()
			_unread = _unread.slice(end + 1)
			_is_busy = true
			await _do(JSON.parse_string(line))
			_is_busy = false

	func _do(command: Dictionary) -> void:
		var given: Variant = Helpers.Utils.recursively_convert_numbers_to_int(command.get("args", []))
		var value: Variant = null
		match command.do:
			"call":
				value = await _object(command.on).callv(command.name, given.map(_vector))
			"get":
				value = _object(command.on).get(command.name)
			"set":
				_object(command.on).set(command.name, given[0])
			"is_there":
				value = get_node_or_null(NodePath(command.on)) != null
			"open":
				value = await _open(command.path)
			"frames":
				await _frames(given[0])
			"inspect":
				await _inspect(given[0])
			"load":
				value = ResourceLoader.load(command.path, command.kind).get_class()
		_write({"id": command.id, "value": value if not value is Object else str(value)})

	func _object(where: String) -> Object:
		var main := get_node("/root/Main")
		match where:
			"mind":
				return main.Mind
			"projects":
				return main.Mind.ProMan
			"main":
				return main
			"project":
				return get_node("/root/Fletcher").project
			"inspector":
				return get_node("/root/Fletcher").project.inspector
			"preferences":
				return get_node("/root/Fletcher").preferences
			"corpus":
				return get_node("/root/Fletcher").corpus
			"dispatcher":
				return get_node("/root/Fletcher")._turns.execution.dispatcher
			_:
				return get_node(where)

	func _vector(value: Variant) -> Variant:
		return Vector2(value.vec[0], value.vec[1]) if value is Dictionary and value.has("vec") else value

	func _frames(count: int) -> void:
		for i in count:
			await get_tree().process_frame

	## Lists the file as a project of Arrow's work folder, as its import does, and opens it; its id, or null.
	func _open(path: String) -> Variant:
		var mind: Object = get_node("/root/Main").Mind
		var bytes := FileAccess.get_file_as_bytes(path)
		var before: Array = mind.ProMan.get_projects_listed_by_id().keys()
		mind.import_project_from_file(path)
		for id: int in mind.ProMan.get_projects_listed_by_id():
			if not before.has(id):
				var file := FileAccess.open(mind.ProMan.get_project_file_path(id), FileAccess.WRITE)
				file.store_buffer(bytes)
				file.close()
				mind.open_project(id, true)
				await _frames(4)
				return id
		return null

	func _inspect(id: int) -> void:
		var mind: Object = get_node("/root/Main").Mind
		mind.inspect_node(id, -1, true)
		await _frames(4)
		mind.Inspector.Tab.Node.read_and_update_inspected_node()
		await _frames(2)
