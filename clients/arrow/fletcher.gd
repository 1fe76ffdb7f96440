## `/root/Fletcher`: what the panel and whoever drives Arrow from outside use.
##
## States: "idle", "processing" (the server thinks), "executing" (a call is done here), "offline", "disabled" (no named
## project is open).
extends Node

signal state_changed(state: String)
signal turn_started(message: String)
signal turn_ended(summary: Dictionary)
signal text_chunk(text: String)
signal text_ended
signal step_started(number: int, total: int, text: String)
signal citations_changed(items: Array)
signal citation_requested(item: Dictionary)
signal suggestions_changed(items: Array)
signal question_asked(request: Dictionary)
signal preview_ready(diff: String, operations: Array)
signal failed(code: String, message: String)
signal connection_changed(text: String)
signal corpus_progress(document: String, phase: String, done: int, total: int)
signal corpus_changed(documents: Array)
signal selection_changed(node_ids: Array)
signal project_changed(key: String)
signal undo_changed(can: bool)
signal history_cleared

const Connection := preload("connection.gd")
const Corpus := preload("corpus.gd")
const Dispatcher := preload("dispatcher.gd")
const Preferences := preload("preferences.gd")
const Project := preload("project.gd")
const Turn := preload("turn.gd")

const PANEL := "panel"
const HISTORY := 20
const COPIES := 10

## Arrow's own; set before the node enters the tree.
var main: Node
var mind: Object

var preferences: RefCounted
var project: RefCounted
var corpus: Node
var panel: Variant

var state: String:
	get = _state
## The nodes that go out as the user's selection; the panel may take some away until the selection changes.
var context: Array[int] = []
var can_undo: bool:
	get:
		return not _copies.is_empty()
var connection_text: String:
	get:
		return _connection.text
var disabled_reason: String:
	get:
		return project.why_not()

var _connection: RefCounted
var _dispatcher: RefCounted
var _turn: RefCounted
var _is_executing := false
var _told_state := ""
var _key := ""
var _selection: Array[int] = []
var _citations: Array = []
var _question: Dictionary = {}
var _history: Array = []
## From before each turn that changed something, the newest last: `{copy, after}`.
var _copies: Array = []


func _init() -> void:
	set_process(false)  # until everything is there


func _ready() -> void:
	preferences = Preferences.new()
	project = Project.new(main, mind, preferences)
	_dispatcher = Dispatcher.new(project)
	_dispatcher.step_started.connect(_on_step)
	corpus = Corpus.new()
	corpus.setup(preferences, project)
	add_child(corpus)
	corpus.documents_changed.connect(func(documents: Array) -> void: corpus_changed.emit(documents))
	corpus.progressed.connect(_on_progress)
	corpus.failed.connect(_fail)
	_connection = Connection.new(preferences, "Arrow %s" % Settings.ARROW_VERSION)
	_connection.opened.connect(_on_opened)
	_connection.closed.connect(_on_closed)
	_connection.received.connect(_on_message)
	_connection.text_changed.connect(func(text: String) -> void: connection_changed.emit(text))
	_add_panel()
	if preferences.auto_connect:
		connect_to_server()
	set_process(true)


func _process(delta: float) -> void:
	_watch_project()
	_watch_selection()
	_connection.poll(delta)
	_tell_state()


func connect_to_server() -> void:
	_connection.start()


func disconnect_from_server() -> void:
	_connection.stop()


# --- turns ------------------------------------------------------------------------------------------------------------


## Sends the user's words; false, and `failed`, where no turn can begin now.
func send(text: String) -> bool:
	return _begin(text, {"message": text})


## As send(), and nothing is changed: the turn ends with preview_ready.
func preview(text: String) -> bool:
	if not _begin(text, {"message": text, "mode": "plan"}):
		return false
	_turn.is_preview = true
	return true


## Does what the preview has shown.
func apply() -> bool:
	var planned: int = _question.get("operations", []).size()
	if not answer("yes"):
		return false
	_turn.planned = planned
	return true


func discard() -> bool:
	return answer("no")


## Answers the open question: "yes", "no", or "modify" with words.
func answer(decision: String, text := "") -> bool:
	if _question.is_empty():
		return _fail("NOT_PENDING", "There is no open question.")
	var said := text if text else decision
	var reply := {"type": "confirmation", "request_id": _question.pending_id, "decision": decision, "message": text}
	if not _begin(said, reply):
		return false
	return true


## Runs a function without a model, as the buttons of the panel do.
func run(function: String, params: Dictionary = {}, label := "") -> bool:
	if function == "undo":
		return undo()
	var words := label if label else function
	return _begin(words, {"message": label, "function": function, "function_params": params})


func run_suggestion(item: Dictionary) -> bool:
	return run(str(item.get("function", "")), item.get("params", {}), str(item.get("label", "")))


## Ends the turn. What was done stays, unless `takes_back` (by default the preference rollback_on_stop).
func stop(takes_back: bool = preferences.rollback_on_stop) -> void:
	if _turn != null and not _turn.is_stopping:
		_turn.is_stopping = true
		_turn.takes_back = takes_back
		_connection.send({"type": "stop"})


## Takes the last turn that changed something back: document, positions, ids, open scene and file are as before it.
##
## Refused where the project has been changed since, unless `force`.
func undo(force := false) -> bool:
	if _turn != null:
		return _fail("BUSY", "Fletcher is still working. Stop it first.")
	if project.why_not():
		return _fail("DISABLED", project.why_not())
	if _copies.is_empty():
		return _fail("NOTHING_TO_UNDO", "Fletcher has not changed anything that could be taken back.")
	var last: Dictionary = _copies[-1]
	if not force and last.after != project.fingerprint():
		return _fail(
			"CONFLICT", "The project has been changed since the last turn, and taking it back would lose that."
		)
	_copies.pop_back()
	_restore(last.copy)
	_history.append({"message": "undo", "output": "The last change was taken back."})
	undo_changed.emit(can_undo)
	return true


func _begin(words: String, request: Dictionary) -> bool:
	if state != "idle":
		return _fail("BUSY" if _turn != null else "OFFLINE", _why_not_now())
	project.pull_inspector()
	_turn = Turn.new(words, project.capture())
	_save()
	_connection.declare_batches(project.ids_are_foreseeable())
	var content: String = project.text()
	if request.has("type"):
		_connection.send({"type": "file_sync", "project_id": _key, "arrow_content": content})
	else:
		request = request.merged(_situation())
		request.arrow_content = content
	if not _connection.send(request):
		_turn = null
		return _fail(
			"NOT_SENT", "The message could not be sent: the project may be too large, or the connection is gone."
		)
	_question = {}
	_citations = []
	citations_changed.emit([])
	suggestions_changed.emit([])
	turn_started.emit(words)
	_tell_state()
	return true


## An assistant of the user's own works in the story: a turn like the user's, which can be stopped and taken back.
func _begin_for(assistant: String, doing: String) -> void:
	if project.why_not():
		return
	project.pull_inspector()
	_turn = Turn.new("%s: %s" % [assistant, doing], project.capture())
	_save()
	_question = {}
	_citations = []
	citations_changed.emit([])
	suggestions_changed.emit([])
	turn_started.emit(_turn.message)
	_tell_state()


func _undo_for(request: Dictionary) -> void:
	var problem: Array[String] = []
	var hear := func(_code: String, message: String) -> void: problem.append(message)
	failed.connect(hear)
	var is_done := undo()
	failed.disconnect(hear)
	var result := {
		"type": "function_result",
		"request_id": request.get("request_id"),
		"success": is_done,
		"result": "",
		"error": "" if problem.is_empty() else problem[0],
	}
	if _key:
		result.arrow_content = project.text()
	_connection.send(result)


func _situation() -> Dictionary:
	return _shown().merged(
		{"type": "user_message", "history": _history.slice(-HISTORY), "current_project_id": _key}
	)


## What the user has before him: open scene, selection, and when to ask first.
func _shown() -> Dictionary:
	var shown := {"selected_node_ids": context, "current_scene_id": project.open_scene()}
	if preferences.confirm:
		shown.confirm = preferences.confirm
	return shown


func _why_not_now() -> String:
	match state:
		"disabled":
			return project.why_not()
		"offline":
			return "Fletcher is not connected. %s" % _connection.text
		_:
			return "Fletcher is still working on the last message."


## The turn is over, whatever ended it.
func _finish(reason: String) -> void:
	var turn := _turn
	_turn = null
	_is_executing = false
	if turn.copy.key == project.key():  # else the user has opened another project meanwhile
		_keep(turn)
	turn_ended.emit(turn.summary(reason))
	_tell_state()


func _keep(turn: RefCounted) -> void:
	if turn.is_stopping and turn.takes_back and turn.has_changed():
		_restore(turn.copy)
	elif turn.has_changed():
		_copies.append({"copy": turn.copy, "after": project.fingerprint()})
		_copies = _copies.slice(-COPIES)
		undo_changed.emit(true)
	if turn.output or turn.has_changed():
		_history.append({"message": turn.message, "output": turn.output})


func _restore(copy: Dictionary) -> void:
	var problem: String = project.restore(copy)
	if problem:
		_fail("NOT_WRITTEN", problem)
	_sync()


func _save() -> void:
	if not project.save_if_wanted():
		_fail("NOT_SAVED", "%s could not be saved; Arrow's console has the reason." % project.path())


func _sync() -> void:
	if _connection.is_open and _key:
		project.pull_inspector()
		var content := {"type": "file_sync", "project_id": _key, "arrow_content": project.text()}
		_connection.send(content.merged(_shown()))


# --- what the server says ---------------------------------------------------------------------------------------------


func _on_message(message: Dictionary) -> void:
	match message.get("type"):
		"turn_start":
			if _turn == null and message.has("by"):
				_begin_for(str(message.by), str(message.get("message", "")))
			if _turn != null:
				_turn.id = str(message.get("turn_id", ""))
		"story_request":
			_sync()
		"undo_request":
			_undo_for(message)
		"text_chunk":
			_say(str(message.get("text", "")))
		"text_end":
			_end_text()
		"function_call":
			_execute(message, false)
		"function_call_batch":
			_execute(message, true)
		"citations":
			_citations.append_array(message.get("items", []))
			citations_changed.emit(_citations)
		"suggestions":
			_suggest(message.get("items", []))
		"confirmation_request":
			_ask(message)
		"corpus_progress":
			_on_progress(message.document, message.phase, int(message.done), int(message.total))
		"corpus_report":
			corpus.refresh()
		"error":
			_on_error(str(message.get("code", "")), str(message.get("message", "")))
		"turn_end":
			_on_turn_end(message)


func _say(text: String) -> void:
	if _turn != null:
		_turn.output += text
	text_chunk.emit(text)


func _end_text() -> void:
	if _turn != null and _turn.output:
		_turn.output += "\n\n"
	text_ended.emit()


func _suggest(items: Array) -> void:
	if _turn != null:
		_turn.suggestions.append_array(items)
	suggestions_changed.emit(items)


func _ask(request: Dictionary) -> void:
	_question = request
	if _turn != null:
		_turn.question = request
	question_asked.emit(request)
	if request.get("kind") == "plan":
		preview_ready.emit(str(request.get("diff", "")), request.get("operations", []))


func _on_error(code: String, message: String) -> void:
	if _turn != null:
		_turn.error = "%s: %s" % [code, message]
	_fail(code, message)


func _on_turn_end(message: Dictionary) -> void:
	if _turn == null:
		return
	_turn.usage = message.get("usage", {})
	_turn.citations = _citations
	_turn.output = _turn.output.strip_edges()
	_finish(str(message.get("reason", "done")))


## Every call is answered with the content, whatever became of it: else it would wait for its time-out.
func _execute(message: Dictionary, is_batch: bool) -> void:
	var outcome := _outcome_of(message, is_batch)
	if not outcome.has("success"):
		outcome = {"success": false, "result": "", "error": Dispatcher.FAILED}
	var result := {
		"type": "function_result",
		"request_id": message.get("request_id"),
		"success": outcome.success,
		"result": outcome.result,
		"error": outcome.error,
	}
	if outcome.has("referenced_by"):
		result.referenced_by = outcome.referenced_by
	if _turn != null and _turn.copy.key == _key:
		result.arrow_content = project.text()
	_connection.send(result)
	_is_executing = false
	_tell_state()


func _outcome_of(message: Dictionary, is_batch: bool) -> Dictionary:
	if _turn == null or _turn.is_stopping:
		return {"success": false, "result": "", "error": "The user has stopped the turn; nothing was done."}
	if project.key() != _turn.copy.key:
		return {"success": false, "result": "", "error": "The user has opened another project; nothing was done."}
	_is_executing = true
	_tell_state()
	_turn.calls += 1
	var outcome: Dictionary
	if is_batch:
		outcome = _dispatcher.execute_batch(message.get("functions", []))
	else:
		outcome = _dispatcher.execute(str(message.get("function")), message.get("arguments", {}))
	if outcome.get("success", false):
		_note_functions(message, is_batch)
		project.note_change()
		_save()
	else:
		_turn.failed_calls += 1
	return outcome


func _note_functions(message: Dictionary, is_batch: bool) -> void:
	var calls: Array = message.functions if is_batch else [message]
	_turn.functions.append_array(calls.map(func(call: Dictionary) -> String: return call.function))


func _on_step(number: int, total: int, text: String) -> void:
	if total == 1 and _turn != null:
		number = _turn.calls
		total = maxi(_turn.planned, number) if _turn.planned else 0
	step_started.emit(number, total, text)


# --- connection, project, selection -----------------------------------------------------------------------------------


func _on_opened() -> void:
	_sync()
	if _key:
		corpus.refresh()
	_tell_state()


func _on_closed() -> void:
	if _turn == null:
		_tell_state()
		return
	var words := "The connection was lost during “%s”." % _turn.message
	if _turn.has_changed():
		words += " What was done before stays in the project, and can be taken back."
	_turn.error = "CONNECTION_LOST: " + words
	_fail("CONNECTION_LOST", words + " Send the message again when Fletcher is back.")
	_finish("cut off")


func _watch_project() -> void:
	var key: String = "" if project.why_not() else project.key()
	if key == _key:
		return
	if _turn != null:
		stop(false)
	_key = key
	_copies.clear()
	_history.clear()
	_question = {}
	undo_changed.emit(false)
	history_cleared.emit()
	project_changed.emit(key)
	if key.is_empty():
		corpus.forget()
	elif _connection.is_open:
		_sync()
		corpus.refresh()


func _watch_selection() -> void:
	var selected: Array[int] = project.selected()
	if selected != _selection:
		_selection = selected
		context = selected.duplicate()
		selection_changed.emit(selected)


func drop_context(id: int) -> void:
	context.erase(id)


func center_node(id: int) -> bool:
	return project.center(id)


func _state() -> String:
	if _turn != null:
		return "executing" if _is_executing else "processing"
	if project.why_not():
		return "disabled"
	return "idle" if _connection.is_open else "offline"


func _tell_state() -> void:
	var now := state
	if now != _told_state:
		_told_state = now
		state_changed.emit(now)


func _on_progress(document: String, phase: String, done: int, total: int) -> void:
	corpus_progress.emit(document, phase, done, total)


func _fail(code: String, message: String) -> bool:
	failed.emit(code, message)
	return false


# --- documents, history, panel ----------------------------------------------------------------------------------------


## Uploads files; corpus_progress and corpus_changed tell the rest.
func add_documents(paths: PackedStringArray) -> void:
	corpus.add(paths)


## Asks the panel to show the passage; false where there is no such number.
func open_citation(number: int) -> bool:
	for item: Dictionary in _citations:
		if int(item.get("number", -1)) == number:
			citation_requested.emit(item)
			return true
	return _fail("NO_CITATION", "The last answer has no citation %d." % number)


## `[{message, output}]` of this project, the newest last.
func history() -> Array:
	return _history


func clear_history() -> void:
	_history.clear()
	history_cleared.emit()


func _add_panel() -> void:
	var folder: String = get_script().resource_path.get_base_dir().path_join(PANEL)
	if not DirAccess.dir_exists_absolute(folder):
		return
	for file in DirAccess.get_files_at(folder):
		if file.get_extension() == "gd" and not _loads(folder.path_join(file)):
			print("Fletcher: %s cannot be loaded; Arrow opens without the panel." % folder.path_join(file))
			return
	panel = load(folder.path_join("panel.gd")).new()
	panel.attach(self, main)


func _loads(path: String) -> bool:
	var script: Script = load(path)
	return script != null and script.can_instantiate()
