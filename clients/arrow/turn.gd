## One turn: what was said, what was done, and the copy from before.
extends RefCounted

var message := ""
var id := ""
## Who works: "" for Fletcher itself, else the assistant that has begun the turn.
var by := ""
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
## How many calls an agreed plan has; 0 where nobody knows.
var planned := 0
## Project.capture() from before the turn.
var copy: Dictionary = {}
## The user has changed the project by hand meanwhile.
var is_edited := false
## It was stopped, and what it had done was taken back.
var is_taken_back := false

## Of the project as it was last looked at.
var fingerprint := 0


func _init(the_message: String, the_copy: Dictionary, before: int) -> void:
	message = the_message
	copy = the_copy
	fingerprint = before


## Before a call, and at the end: whatever is not as the last call has left it was done by hand.
func look_for_edits(now: int) -> void:
	is_edited = is_edited or now != fingerprint
	fingerprint = now


## After a call.
func note_own(now: int) -> void:
	fingerprint = now


## Whether it has changed the project.
func has_changed() -> bool:
	return calls > failed_calls


func summary(reason: String) -> Dictionary:
	return {
		"turn_id": id,
		"message": message,
		"by": by,
		"reason": reason,
		"text": output,
		"citations": citations,
		"suggestions": suggestions,
		"question": question,
		"functions": functions,
		"calls": calls,
		"failed_calls": failed_calls,
		"changed": has_changed(),
		"edited_meanwhile": is_edited,
		"taken_back": is_taken_back,
		"usage": usage,
		"error": error,
	}
