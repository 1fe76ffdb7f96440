## One turn: what was said, what was done, and the copy from before.
extends RefCounted

var message := ""
var id := ""
var output := ""
var citations: Array = []
var suggestions: Array = []
var question: Dictionary = {}
var usage: Dictionary = {}
var functions: Array = []
var calls := 0
var failed_calls := 0
var error := ""
var is_stopping := false
var takes_back := false
var is_preview := false
## How many calls an agreed plan has; 0 where nobody knows.
var planned := 0
## Project.capture() from before the turn.
var copy: Dictionary = {}


func _init(the_message: String, the_copy: Dictionary) -> void:
	message = the_message
	copy = the_copy


## Whether it has changed the project.
func has_changed() -> bool:
	return calls > failed_calls


func summary(reason: String) -> Dictionary:
	return {
		"turn_id": id,
		"message": message,
		"reason": reason,
		"text": output,
		"citations": citations,
		"suggestions": suggestions,
		"question": question,
		"functions": functions,
		"calls": calls,
		"failed_calls": failed_calls,
		"changed": has_changed(),
		"usage": usage,
		"error": error,
	}
