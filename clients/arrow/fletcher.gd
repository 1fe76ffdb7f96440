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
const Conversation := preload("conversation.gd")
const Corpus := preload("corpus.gd")
const Inspector := preload("inspector.gd")
const NamedFiles := preload("named_files.gd")
const PanelLoader := preload("panel_loader.gd")
const Preferences := preload("preferences.gd")
const Project := preload("project.gd")
const Selection := preload("selection.gd")
const Turns := preload("turns.gd")

const PANEL := "panel"
const DECISIONS := ["yes", "no", "modify"]

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
var context: Array[int]:
	get:
		return _selected.chosen
var can_undo: bool:
	get:
		return _turns.can_undo()
var connection_text: String:
	get:
		return _connection.text
var disabled_reason: String:
	get:
		return project.why_not()

var _connection: RefCounted
var _conversation := Conversation.new()
var _turns: RefCounted
var _selected: RefCounted
var _told_state := ""
var _key := ""
var _was_previewed := false


func _init() -> void:
	set_process(false)  # until everything is there


func _ready() -> void:
	ResourceLoader.add_resource_format_loader(NamedFiles.new(), true)
	preferences = Preferences.new()
	preferences.failed.connect(_fail)
	project = Project.new(main, mind, preferences)
	_selected = Selection.new(project)
	_selected.changed.connect(selection_changed.emit)
	_connection = Connection.new(preferences, "Arrow %s" % Settings.ARROW_VERSION)
	_connection.opened.connect(_on_opened)
	_connection.closed.connect(_on_closed)
	_connection.received.connect(_on_message)
	_connection.text_changed.connect(connection_changed.emit)
	corpus = Corpus.new()
	corpus.setup(preferences, project, _connection)
	add_child(corpus)
	corpus.documents_changed.connect(corpus_changed.emit)
	corpus.progressed.connect(corpus_progress.emit)
	corpus.failed.connect(_fail)
	_turns = Turns.new(project, preferences, _connection, _conversation)
	_connect_turns()
	_add_panel()
	if preferences.auto_connect:
		connect_to_server()
	set_process(true)


func _connect_turns() -> void:
	_turns.started.connect(turn_started.emit)
	_turns.ended.connect(turn_ended.emit)
	_turns.text_chunk.connect(text_chunk.emit)
	_turns.text_ended.connect(text_ended.emit)
	_turns.step_started.connect(step_started.emit)
	_turns.citations_changed.connect(citations_changed.emit)
	_turns.suggestions_changed.connect(suggestions_changed.emit)
	_turns.question_asked.connect(question_asked.emit)
	_turns.preview_ready.connect(preview_ready.emit)
	_turns.failed.connect(_fail)
	_turns.undo_changed.connect(undo_changed.emit)
	_turns.state_changed.connect(_tell_state)


func _process(delta: float) -> void:
	_watch_project()
	if _key and _turns.current == null:  # while one is under way the server takes no hello
		_connection.declare_batches(project.ids_are_foreseeable())
	project.watch_file()
	_selected.watch()
	_connection.poll(delta)
	_tell_state()


func _exit_tree() -> void:
	project.tidy_file()


func connect_to_server() -> void:
	_connection.start()


func disconnect_from_server() -> void:
	_connection.stop()


# --- turns ------------------------------------------------------------------------------------------------------------


## Sends the user's words; false, and `failed`, where no turn can begin now.
func send(text: String) -> bool:
	if text.strip_edges().is_empty():
		return _fail("EMPTY", "There is nothing to send.")
	return _begin(text, {"message": text})


## As send(), and nothing is changed: the turn ends with preview_ready, where anything would be changed.
func preview(text: String) -> bool:
	if text.strip_edges().is_empty():
		return _fail("EMPTY", "There is nothing to preview.")
	return _begin(text, {"message": text, "mode": "plan"})


## Does what the preview has shown.
func apply() -> bool:
	if not _is_previewed():
		return _fail("NOT_PENDING", "There is no preview to apply.")
	var planned: int = _turns.question.get("operations", []).size()
	if not answer("yes"):
		return false
	_turns.current.planned = planned
	return true


## Forgets what the preview has shown.
func discard() -> bool:
	if not _is_previewed():
		return _fail("NOT_PENDING", "There is no preview to discard.")
	return answer("no")


## Answers the open question: "yes", "no", or "modify" with words.
func answer(decision: String, text := "") -> bool:
	if _turns.question.is_empty():
		return _fail("NOT_PENDING", "There is no open question.")
	if decision not in DECISIONS:
		return _fail("INVALID_DECISION", "“%s” is no answer; yes, no and modify are." % decision)
	if decision == "modify" and text.strip_edges().is_empty():
		return _fail("EMPTY", "Say what should be different.")
	var reply := {"type": "confirmation", "decision": decision, "message": text}
	reply.request_id = _turns.question.get("pending_id")
	return _begin(text if text else decision, reply)


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
	_turns.stop(takes_back)


## Takes the last turn that changed something back: document, positions, ids, open scene and file are as before it.
##
## Refused where the project has been changed since, or by hand meanwhile, unless `force`.
func undo(force := false) -> bool:
	var problem: Array = _turns.undo(force)
	return problem.is_empty() or _fail(problem[0], problem[1])


func _begin(words: String, request: Dictionary) -> bool:
	match state:
		"disabled":
			return _fail("DISABLED", project.why_not())
		"offline":
			return _fail("OFFLINE", "Fletcher is not connected. %s" % _connection.text)
		"idle":
			return _turns.begin(words, request, context)
		_:
			return _fail("BUSY", "Fletcher is still working on the last message.")


func _is_previewed() -> bool:
	return _turns.question.get("kind") == "plan"


# --- connection, project, selection -----------------------------------------------------------------------------------


func _on_message(message: Dictionary) -> void:
	if corpus.take(message) or _turns.take(message):
		return
	if message.get("type") == "story_request":
		_turns.send_story(context, str(message.get("request_id", "")))


func _on_opened() -> void:
	_turns.send_story(context)
	if _key:
		corpus.refresh()
	_tell_state()


func _on_closed() -> void:
	corpus.cut_off()
	_turns.cut_off()
	_tell_state()


func _watch_project() -> void:
	var why_not: String = project.why_not()
	if why_not == Project.PREVIEWED and project.key() == _key:
		_turns.stop(false)  # a snapshot is not changed, and the project is the same one afterwards
		_was_previewed = true
		return
	var key: String = "" if why_not else project.key()
	if key == _key:
		if _was_previewed and _connection.is_open:
			_turns.send_story(context)  # the server may have been started anew meanwhile
		_was_previewed = false
		return
	_was_previewed = false
	_turns.stop(false)
	_key = key
	_turns.forget()
	_conversation.open(key)
	history_cleared.emit()
	project_changed.emit(key)
	if key.is_empty():
		corpus.forget()
	elif _connection.is_open:
		_turns.send_story(context)
		corpus.refresh()


func drop_context(id: int) -> void:
	_selected.chosen.erase(id)


## Goes to the node; false where there is none, or where to open its scene would lose what is being written.
func center_node(id: int) -> bool:
	return _may_open(project.mind.find_scene_owner_of_node(id)) and project.center(id)


## Opens the scene; false where there is none, or where that would lose what is being written.
func open_scene(id: int) -> bool:
	if not project.mind._PROJECT.resources.scenes.has(id) or not _may_open(id):
		return false
	if id != project.open_scene():  # else Arrow would close the inspector, and all that is selected
		project.mind.scene_editorial_open(id, true)
	return true


func _may_open(scene_id: int) -> bool:
	if scene_id == project.open_scene():
		return true
	project.pull_inspector()  # as Arrow does before it opens another node
	return not project.inspector.has_typed() or _fail("NOT_OPENED", Inspector.WRITING)


func _state() -> String:
	if _turns.current != null:
		return "executing" if _turns.is_executing else "processing"
	if project.why_not():
		return "disabled"
	return "idle" if _connection.is_open else "offline"


func _tell_state() -> void:
	var now := state
	if now != _told_state:
		_told_state = now
		state_changed.emit(now)


func _fail(code: String, message: String) -> bool:
	failed.emit(code, message)
	return false


# --- documents, history, panel ----------------------------------------------------------------------------------------


## Uploads files; corpus_progress, corpus_changed, and failed for each that cannot be taken, tell the rest.
func add_documents(paths: PackedStringArray) -> void:
	corpus.add(paths)


## Asks the panel to show the passage; false where there is no such number.
func open_citation(number: int) -> bool:
	for item: Dictionary in _turns.citations:
		if int(item.get("number", -1)) == number:
			citation_requested.emit(item)
			return true
	return _fail("NO_CITATION", "The last answer has no citation %d." % number)


## `[{message, output}]` of this project, the newest last.
func history() -> Array:
	return _conversation.exchanges


func clear_history() -> void:
	_conversation.clear()
	history_cleared.emit()


func _add_panel() -> void:
	panel = PanelLoader.load_from(get_script().resource_path.get_base_dir().path_join(PANEL))
	if panel != null:
		panel.attach(self, main)
