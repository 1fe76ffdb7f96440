## The turn that runs: what is sent for it, what the server says of it, and what becomes of the project at its end.
extends RefCounted

signal started(message: String)
signal ended(summary: Dictionary)
signal text_chunk(text: String)
signal text_ended
signal step_started(number: int, total: int, text: String)
signal citations_changed(items: Array)
signal suggestions_changed(items: Array)
signal question_asked(request: Dictionary)
signal preview_ready(diff: String, operations: Array)
signal failed(code: String, message: String)
## Whether a turn runs, or whether it executes.
signal state_changed
signal undo_changed(can: bool)

const Copies := preload("copies.gd")
const Execution := preload("execution.gd")
const Inspector := preload("inspector.gd")
const Turn := preload("turn.gd")

const HISTORY := 20
## What the server says of a turn that is there to be read, or to be answered.
const SAID := ["text_chunk", "text_end", "citations", "suggestions", "confirmation_request", "error"]

## The turn that runs, or null.
var current: RefCounted
var is_executing := false
var execution: RefCounted
var citations: Array = []
## The open question, as the server has asked it; empty where there is none.
var question: Dictionary = {}

var _project: RefCounted
var _preferences: RefCounted
var _connection: RefCounted
var _conversation: RefCounted
var _copies := Copies.new()
## The message that an assistant's turn came before: the server takes it all the same where that turn has ended by then.
var _refused := ""
## What the grid showed before the plan that is open was drawn on it.
var _view_before_plan: Dictionary = {}


func _init(project: RefCounted, preferences: RefCounted, connection: RefCounted, conversation: RefCounted) -> void:
	_project = project
	_preferences = preferences
	_connection = connection
	_conversation = conversation
	execution = Execution.new(project)
	execution.done.connect(_save)
	execution.step_started.connect(step_started.emit)


## Whether a turn can be taken back.
func can_undo() -> bool:
	return not _copies.is_empty()


## Another project has been opened: nothing of the one before is known here.
func forget() -> void:
	_copies.clear()
	question = {}
	undo_changed.emit(false)


## Begins the user's turn; request: the fields of a `user_message`, or a `confirmation`. False where it cannot be sent.
func begin(words: String, request: Dictionary, selected: Array[int]) -> bool:
	current = _new_turn(words)
	_refused = ""
	if request.has("type"):
		current.copy.merge(_view_on_plan(), true)
		send_story(selected)
	else:
		request = request.merged(_situation(selected))
		request.type = "user_message"
		request.history = _conversation.recent(HISTORY)
		request.current_project_id = _project.key()
		request.merge(_project.show())
	if not _connection.send(request):
		current = null
		failed.emit(
			"NOT_SENT", "The message could not be sent: the project may be too large, or the connection is gone."
		)
		return false
	_tell_start()
	return true


## Stops the turn. What was done stays, unless `takes_back`.
func stop(takes_back: bool) -> void:
	if current != null and not current.is_stopping:
		current.is_stopping = true
		current.takes_back = takes_back
		_connection.send({"type": "stop"})


## Takes the last turn back; [] or code and sentence of what is in its way.
func undo(force: bool) -> Array:
	if current != null:
		return ["BUSY", "Fletcher is still working. Stop it first."]
	if _project.why_not():
		return ["DISABLED", _project.why_not()]
	if _copies.is_empty():
		return ["NOTHING_TO_UNDO", "Fletcher has not changed anything that could be taken back."]
	_project.pull_inspector()
	var conflict := Inspector.WRITING if _project.inspector.has_typed() else _copies.conflict(_project.fingerprint())
	if conflict and not force:
		return ["CONFLICT", conflict]
	_restore(_copies.take())
	_conversation.add("undo", "The last change was taken back.")
	undo_changed.emit(can_undo())
	return []


## Shows the server the project as it is, and what the user has selected; request_id: of the server's question for it.
func send_story(selected: Array[int], request_id := "") -> void:
	var key: String = _project.key()
	if key and not _project.why_not():
		var shown: Dictionary = {"type": "file_sync", "project_id": key}.merged(_project.show())
		if request_id:
			shown.request_id = request_id
		_connection.send(shown.merged(_situation(selected)))


## The connection is gone, and with it the turn.
func cut_off() -> void:
	if current == null:
		return
	var words := "The connection was lost during “%s”." % current.message
	if current.has_changed():
		words += " What was done before stays in the project, and can be taken back."
	current.error = "CONNECTION_LOST: " + words
	failed.emit("CONNECTION_LOST", words + " Send the message again when Fletcher is back.")
	_finish("cut off")


func _new_turn(words: String) -> RefCounted:
	_project.pull_inspector()
	var turn := Turn.new(words, _project.capture(), _project.fingerprint())
	_save()
	return turn


func _situation(selected: Array[int]) -> Dictionary:
	var situation := {"selected_node_ids": selected, "current_scene_id": _project.open_scene()}
	if _preferences.confirm:
		situation.confirm = _preferences.confirm
	return situation


# A plan's ghosts may have moved the grid, and the user has not.
func _view_on_plan() -> Dictionary:
	var is_same: bool = _view_before_plan.get("open_scene") == current.copy.open_scene
	return {"view": _view_before_plan.view} if question.get("kind") == "plan" and is_same else {}


func _tell_start() -> void:
	question = {}
	citations = []
	citations_changed.emit([])
	suggestions_changed.emit([])
	started.emit(current.message)
	state_changed.emit()


## The turn is over, whatever ended it.
func _finish(reason: String) -> void:
	var turn := current
	turn.citations = citations
	turn.output = turn.output.strip_edges()
	current = null
	is_executing = false
	if turn.copy.key == _project.key():  # else the user has opened another project meanwhile
		_keep(turn)
	ended.emit(turn.summary(reason))
	state_changed.emit()


func _keep(turn: RefCounted) -> void:
	turn.copy.left = _project.written
	var is_shown: bool = _project.why_not().is_empty()  # else a snapshot is
	var takes_back: bool = turn.is_stopping and turn.takes_back and is_shown
	if takes_back:
		_project.pull_inspector()  # else it stays where it is typed
	if is_shown:
		turn.look_for_edits(_project.fingerprint())
	turn.is_edited = turn.is_edited or (takes_back and _project.inspector.has_typed())
	if turn.is_edited:
		send_story([])  # no call has shown what was done by hand after the last one
	var is_to_be_taken_back: bool = takes_back and turn.has_changed()
	turn.is_taken_back = is_to_be_taken_back and not turn.is_edited
	if turn.is_taken_back:
		_restore(turn.copy)
	elif turn.has_changed():
		_copies.keep(turn)
		undo_changed.emit(true)
	if turn.output or turn.has_changed():
		_conversation.add(turn.message, turn.output)
	if is_to_be_taken_back and turn.is_edited:
		failed.emit("CONFLICT", Copies.CHANGED_MEANWHILE % turn.message)


func _restore(copy: Dictionary) -> void:
	var problem: String = _project.restore(copy)
	if problem:
		failed.emit("NOT_WRITTEN", problem)
	send_story([])


func _save() -> void:
	var why: String = _project.save_if_wanted()
	if why:
		failed.emit("NOT_SAVED", why)


# --- what the server says ---------------------------------------------------------------------------------------------


## Takes what is said about a turn; false where the message is about something else.
func take(message: Dictionary) -> bool:
	if current != null and current.copy.key != _project.key() and message.get("type") in SAID:
		return true  # of another project than is open by now: nobody is to read it here, or to agree to it
	match message.get("type"):
		"turn_start":
			_on_turn_start(message)
		"text_chunk":
			_say(str(message.get("text", "")))
		"text_end":
			_end_text()
		"function_call", "function_call_batch":
			_execute(message)
		"undo_request":
			_undo_for(message)
		"citations":
			citations.append_array(message.get("items", []))
			citations_changed.emit(citations)
		"suggestions":
			_suggest(message.get("items", []))
		"confirmation_request":
			_ask(message)
		"error":
			_on_error(str(message.get("code", "")), str(message.get("message", "")))
		"turn_end":
			_on_turn_end(message)
		_:
			return false
	return true


## A turn that has not been begun here is an assistant's: from now on it is one to be seen, stopped and taken back.
func _on_turn_start(message: Dictionary) -> void:
	var by := str(message.get("by", ""))
	if by and current != null:  # both have begun at once, and the server has taken the assistant's
		current.error = "BUSY: %s has begun to work in this story. Send the message again when it is done." % by
		_refused = current.message
		_finish("refused")
	if current == null and not _project.why_not():
		var doing := str(message.get("message", ""))
		var words := by if by else _refused
		current = _new_turn("%s: %s" % [by if by else "Another program", doing] if doing else words)
		current.by = by
		_tell_start()
	if current != null:
		current.id = str(message.get("turn_id", ""))


func _say(text: String) -> void:
	if current != null and current.is_stopping and current.takes_back:
		return  # it says what stays, and nothing does
	if current != null:
		current.output += text
	text_chunk.emit(text)


func _end_text() -> void:
	if current != null and current.output:
		current.output += "\n\n"
	text_ended.emit()


func _suggest(items: Array) -> void:
	if current != null:
		current.suggestions.append_array(items)
	suggestions_changed.emit(items)


func _ask(request: Dictionary) -> void:
	question = request
	if current != null:
		current.question = request
		_view_before_plan = {"view": current.copy.view, "open_scene": current.copy.open_scene}
	question_asked.emit(request)
	if request.get("kind") == "plan":
		preview_ready.emit(str(request.get("diff", "")), request.get("operations", []))


func _on_error(code: String, message: String) -> void:
	if current != null:
		current.error = "%s: %s" % [code, message]
	failed.emit(code, message)


func _on_turn_end(message: Dictionary) -> void:
	var reason := str(message.get("reason", "done"))
	if current == null or (reason == "stopped" and not current.id and not current.is_stopping):
		return  # it answers a stop that came after the end of the turn before
	current.usage = message.get("usage", {})
	_finish(reason)


func _execute(message: Dictionary) -> void:
	is_executing = true
	state_changed.emit()
	_connection.send(execution.result_of(message, current))
	is_executing = false
	state_changed.emit()


func _undo_for(message: Dictionary) -> void:
	# Its user may have taken it back at this moment, and the turn before it is nobody else's to take back.
	var is_meant: bool = current != null or not can_undo() or _copies.is_last(str(message.get("turn_id", "")))
	var problem := ["CONFLICT", Copies.CHANGED_SINCE]
	if is_meant:  # it closes the inspector, and what is typed from then on would go nowhere
		problem = ["CONFLICT", Inspector.WRITING] if _project.inspector.has_caret() else undo(false)
	var result := {
		"type": "function_result",
		"request_id": message.get("request_id"),
		"success": problem.is_empty(),
		"result": "The last turn was taken back." if problem.is_empty() else "",
		"error": "" if problem.is_empty() else problem[1],
	}
	if not _project.why_not():
		result.merge(_project.show())
	_connection.send(result)
