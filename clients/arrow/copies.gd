## Copies of the project from before turns that have changed something, by which they are taken back.
extends RefCounted

const MOST := 10
const CHANGED_SINCE := "The project has been changed since the last turn, and taking it back would lose that."
const CHANGED_MEANWHILE := (
	"You have changed the project yourself while Fletcher worked on “%s”, "
	+ "and taking that back would lose your change."
)
## `{turn_id, copy, after, message, is_edited}`, the newest last.
var _kept: Array[Dictionary] = []


func is_empty() -> bool:
	return _kept.is_empty()


func clear() -> void:
	_kept.clear()


## turn: one that has changed something, at its end.
func keep(turn: RefCounted) -> void:
	var after: int = turn.fingerprint
	var kept := {"turn_id": turn.id, "copy": turn.copy, "after": after}
	_kept.append(kept.merged({"message": turn.message, "is_edited": turn.is_edited}))
	_kept = _kept.slice(-MOST)


## Whether that turn is the last one.
func is_last(turn_id: String) -> bool:
	return not is_empty() and _kept[-1].turn_id == turn_id


## What taking the last turn back would lose, now that the project has this fingerprint; "" for nothing.
func conflict(now: int) -> String:
	var last := _kept[-1]
	if last.after != now:
		return CHANGED_SINCE
	return CHANGED_MEANWHILE % last.message if last.is_edited else ""


## The copy from before the last turn; it is not kept any more.
func take() -> Dictionary:
	return _kept.pop_back().copy
