## Files that Arrow loads, with whatever script is in them, as it draws the texts that name them: those of the stories
## that were open here are known, and no call of a server adds another.
extends RefCounted

## In JSON: the tag, and of an image the path behind it.
const LOADING := '\\[img(?:[^\\["\\\\]|\\\\.)*|\\[(?:dropcap|font(?!\\w))(?:[^\\]"\\\\]|\\\\.)*'
## In a text: what becomes such a tag as the story is played, and parts are put together.
const HALF := "\\[(?:i|im|f|fo|fon|d|dr|dro|drop|dropc|dropca)?(?:[{|]|\\z)"

var _loading := RegEx.create_from_string(LOADING)
var _half := RegEx.create_from_string(HALF)
var _known := {}


## The text of a story as its user has it.
func note(story: String) -> void:
	for tag in _loading.search_all(story):
		_known[tag.get_string()] = true


## Whether calls name another file, or half of a tag in a text that the project does not have.
func are_added_by(calls: Array, project: Dictionary) -> bool:
	for tag in _loading.search_all(JSON.stringify(calls)):
		if not _known.has(tag.get_string()):
			return true
	var halves := _texts_of(calls).filter(func(text: String) -> bool: return _half.search(text) != null)
	if halves.is_empty():
		return false
	var texts := _texts_of(project)
	return halves.any(func(text: String) -> bool: return not text in texts)


func _texts_of(value: Variant) -> Array[String]:
	var texts: Array[String] = []
	if value is String:
		texts.append(value)
	elif value is Array or value is Dictionary:
		for part: Variant in value:
			texts.append_array(_texts_of(part))
			if value is Dictionary:
				texts.append_array(_texts_of(value[part]))
	return texts
