## Files that Arrow loads, with whatever script is in them, as it draws the texts that name them: those of the stories
## that were open here are known, and no call of a server adds another.
extends RefCounted

## In JSON: the tag, and of an image the path behind it.
const LOADING := '\\[img(?:[^\\["\\\\]|\\\\.)*|\\[(?:dropcap|font(?!\\w))(?:[^\\]"\\\\]|\\\\.)*'

var _loading := RegEx.create_from_string(LOADING)
var _known := {}


## The text of a story as its user has it.
func note(story: String) -> void:
	for tag in _loading.search_all(story):
		_known[tag.get_string()] = true


## Whether calls name another file.
func are_added_by(calls: Array) -> bool:
	var tags := _loading.search_all(JSON.stringify(calls))
	return tags.any(func(tag: RegExMatch) -> bool: return not _known.has(tag.get_string()))
