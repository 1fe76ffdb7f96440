# Plays a writer at the real Arrow-AI: opens a project, connects, types messages, presses stop, edits by hand.
# Nothing of the client is changed; only its own panel, adapter and Mind are used, as its buttons and menus use them.
#
#   godot --headless --path <Arrow-AI/Arrow> --script <this file> -- <job.json> <seen.json>
#
# job:   {"url", "document": <.arrow text>, "turns": [turn...]}
# turn:  {"message", "before": calls, "at_start": calls, "scene": id or -1, "select": ids, "patience_s",
#         "stop": null | {"calls": n} | {"text": words} | {"start": true}, "clear": bool}
#        calls are [function of Mind, arguments...]; {"vec": [x, y]} is a Vector2. `before` happens before the message is
#        sent, `at_start` when the server's operation_start has arrived.
# seen:  {"connected", "project", "turns": [{"ended", "state", "frames": [[type, fields]...], "results": n,
#         "calls_after_stop", "stop_ms", "shown": [text of every label in the chat]}], "history", "saved", "connected_after"}
extends SceneTree

const PATIENCE_MS := 20000

var main
var panel
var adapter
var turn: Dictionary
var seen: Dictionary
var stopped_at := -1


func _initialize() -> void:
	Engine.max_fps = 120
	main = load("res://main.tscn").instantiate()
	root.add_child(main)
	play.call_deferred()


func play() -> void:
	await frames(12)
	var paths := OS.get_cmdline_user_args()
	# what Arrow has in memory after loading a file are whole numbers, so a hand's edits are, too
	var job = Helpers.Utils.recursively_convert_numbers_to_int(JSON.parse_string(FileAccess.get_file_as_string(paths[0])))
	panel = main.get_node("/root/Main/Editor/Centre_Wrapper/AIChat")
	adapter = main.ai_websocket_adapter
	await open_project(job)
	adapter.message_received.connect(on_frame)
	main.ai_command_dispatcher.command_executed.connect(func(_id, _ok): on_result())
	main.ai_command_dispatcher.command_failed.connect(func(_id, _error): on_result())
	adapter.connect_to_server(job.url)
	await until(adapter.is_server_connected, PATIENCE_MS)
	await frames(6)
	var mind = main.Mind
	var told := {"connected": adapter.is_server_connected(), "project": mind.ProMan.get_active_project_id(), "turns": []}
	for each in job.turns:
		told.turns.append(await take_turn(each))
	told.history = panel._chat_history
	mind.save_project() # as a writer would at the end: the canvas is cleaned after an answer
	told.saved = FileAccess.get_file_as_string(mind.ProMan.get_project_file_path(told.project))
	told.connected_after = adapter.is_server_connected()
	var out := FileAccess.open(paths[1], FileAccess.WRITE)
	out.store_string(JSON.stringify(told, "", false))
	out.close()
	quit()


func open_project(job) -> void:
	var path := OS.get_user_data_dir().path_join("given.arrow")
	var file := FileAccess.open(path, FileAccess.WRITE)
	file.store_string(job.document)
	file.close()
	var mind = main.Mind
	mind.load_project(mind.ProMan.read_project_file_data(path, true), true)
	await frames(6)
	mind.register_project_and_save_from_open(mind._PROJECT.title, "story_%d" % OS.get_process_id())
	await frames(6)


func take_turn(given: Dictionary) -> Dictionary:
	turn = given
	seen = {"ended": false, "frames": [], "results": 0, "calls_after_stop": 0, "stop_ms": -1, "text": ""}
	stopped_at = -1
	if turn.clear:
		panel._on_clear_button_pressed()
		await frames(2)
	if turn.scene >= 0:
		main.Mind.scene_editorial_open(turn.scene)
		await frames(6)
	for id in turn.select:
		main.Mind.track_nodes_selection(id, true)
	by_hand(turn.before)
	await frames(4)
	panel.InputField.text = turn.message
	panel._send_message()
	await until(func(): return seen.ended, turn.patience_s * 1000)
	await frames(12)
	seen.state = main.ai_state_manager.get_state_name()
	seen.shown = []
	for label in panel.ChatContainer.find_children("*", "Label", true, false):
		seen.shown.append(label.text)
	return seen


func on_frame(type: String, fields: Dictionary) -> void:
	seen.frames.append([type, fields])
	match type:
		"operation_start":
			by_hand(turn.at_start)
			stop_if("start", true)
		"text_chunk":
			seen.text += fields.get("text", "")
			if turn.stop is Dictionary and turn.stop.has("text") and turn.stop.text in seen.text:
				press_stop()
		"end", "operation_end":
			seen.ended = true
			if stopped_at >= 0:
				seen.stop_ms = Time.get_ticks_msec() - stopped_at


func on_result() -> void:
	seen.results += 1
	seen.calls_after_stop += int(stopped_at >= 0)
	stop_if("calls", seen.results)


func stop_if(what: String, value) -> void:
	if turn.stop is Dictionary and turn.stop.get(what) == value:
		press_stop()


func press_stop() -> void:
	if stopped_at < 0:
		stopped_at = Time.get_ticks_msec()
		panel._on_stop_button_pressed()


func by_hand(calls: Array) -> void:
	for call in calls:
		main.Mind.callv(call[0], call.slice(1).map(
			func(value): return Vector2(value.vec[0], value.vec[1]) if value is Dictionary and value.has("vec") else value
		))


func frames(count: int) -> void:
	for i in count:
		await process_frame


func until(done: Callable, patience_ms: int) -> void:
	var begin := Time.get_ticks_msec()
	while not done.call() and Time.get_ticks_msec() - begin < patience_ms:
		await process_frame
