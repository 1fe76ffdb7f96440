## The server's calls, done in Arrow for the turn that runs; each is answered with the content, whatever became of it.
extends RefCounted

## A call has changed the project.
signal done
signal step_started(number: int, total: int, text: String)

const Dispatcher := preload("dispatcher.gd")
const STOPPED := "The user has stopped the turn; nothing was done."
const OTHER_PROJECT := "The user has opened another project; nothing was done."
const UNSEEN := (
	"The user has written meanwhile in what this would change, and nothing was done. It is shown now as it is: "
	+ "look at it, and try again."
)
const NO_TURN := "No turn is under way here; nothing was done."

var dispatcher: RefCounted

var _project: RefCounted
var _turn: RefCounted


func _init(project: RefCounted) -> void:
	_project = project
	dispatcher = Dispatcher.new(project)
	dispatcher.step_started.connect(_on_step)


## The `function_result` of a `function_call` or `function_call_batch`; turn: null where none runs.
func result_of(message: Dictionary, turn: RefCounted) -> Dictionary:
	_turn = turn
	var outcome := _outcome_of(message)
	if not outcome.has("success"):  # a script error has ended it
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
	if turn != null and turn.copy.key == _project.key() and not _project.why_not():
		result.merge(_project.show())
	return result


func _outcome_of(message: Dictionary) -> Dictionary:
	if _turn == null:
		return _refused(NO_TURN)
	if _turn.is_stopping:
		return _refused(STOPPED)
	if _project.why_not() or _project.key() != _turn.copy.key:
		return _refused(OTHER_PROJECT)
	_project.pull_inspector()  # what is typed at this moment is the user's, and stays
	_turn.look_for_edits(_project.fingerprint())
	_turn.calls += 1
	_turn.failed_calls += 1  # until it is known to have gone well
	var calls: Array = message.get("functions", [message])
	if _project.would_change_unseen(calls, message.get("story_number")):
		return _refused(UNSEEN)
	var structure: Vector2i = _project.structure()
	var outcome: Dictionary
	if message.has("functions"):
		outcome = dispatcher.execute_batch(calls)
	else:
		outcome = dispatcher.execute(str(message.get("function")), message.get("arguments", {}))
	if outcome.get("success", false):
		_turn.failed_calls -= 1
		_turn.functions.append_array(calls.map(func(call: Dictionary) -> String: return call.function))
		_project.note_change()
		_project.note_done(structure)
		done.emit()
	_turn.note_own(_project.fingerprint())
	return outcome


static func _refused(reason: String) -> Dictionary:
	return {"success": false, "result": "", "error": reason}


func _on_step(number: int, total: int, text: String) -> void:
	if total == 1 and _turn != null:
		number = _turn.calls
		total = maxi(_turn.planned, number) if _turn.planned else 0
	step_started.emit(number, total, text)
