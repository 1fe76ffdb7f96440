extends RefCounted
## Markdown as a model writes it, as the BBCode of Godot's RichTextLabel.
##
## The text is untrusted: it comes from models and documents. Each of its opening brackets is escaped, so the only tags
## of the result are those that this converter writes, and each that it opens it closes. What can be clicked leads to a
## node, a scene or a citation, never to an address.

const LINK_COLOR := "#1a9cc2"

const _CODE_COLOR := "#c08a3e"
const _HEADING_SIZES: Array[int] = [20, 18, 17, 16, 16, 16]
const _ESCAPED := "[lb]"
## Stands for a finished piece while the rest of the line is read; texts cannot hold it, as it is taken out of them.
const _SLOT := "\uE000"

## A pattern of more names would hold up each frame; ids are linked however many there are.
const _MOST_NAMES := 2000

var _names: Dictionary
var _is_node: Callable
var _is_scene: Callable
var _pieces: PackedStringArray
var _name_pattern: RegEx
var _patterns := {}


## names: ids of nodes by name, is_node and is_scene: whether a number is the id of one (int -> bool).
func _init(names := {}, is_node := Callable(), is_scene := Callable()) -> void:
	_names = names
	_is_node = is_node
	_is_scene = is_scene
	_name_pattern = _pattern_of_names()


## The text with nothing in it that RichTextLabel would take for a tag.
static func escape(text: String) -> String:
	return text.replace("[", _ESCAPED)


## The whole text as BBCode; it may end anywhere, as a text does while it is being made.
func convert(text: String) -> String:
	var lines: PackedStringArray = []
	var in_code := false
	for line in text.replace("\r", "").replace(_SLOT, "").split("\n"):
		if _match("^\\s*```[\\w+-]*\\s*$", line):
			in_code = not in_code
		elif in_code:
			lines.append(_code(line))
		else:
			lines.append(_line(line))
	return "\n".join(lines)


## A text that is no Markdown: only what it names is linked.
func convert_words(text: String) -> String:
	_pieces = []
	return _fill(escape(_set_names_aside(text.replace(_SLOT, ""))))


func _line(line: String) -> String:
	var heading := _match("^(#{1,6})\\s+(.*)$", line)
	if heading:
		var size := _HEADING_SIZES[heading.get_string(1).length() - 1]
		return "[font_size=%d][b]%s[/b][/font_size]" % [size, _inline(heading.get_string(2))]
	var item := _match("^(\\s*)([-*+]|\\d{1,4}[.)])\\s+(.*)$", line)
	if item:
		return _item(item.get_string(1), item.get_string(2), item.get_string(3))
	var quote := _match("^\\s*>\\s?(.*)$", line)
	if quote:
		return "[indent][i]%s[/i][/indent]" % _inline(quote.get_string(1))
	if _match("^\\s*([-*_])(\\s*\\1){2,}\\s*$", line):
		return "―――"
	return _inline(line)


func _item(margin: String, mark: String, text: String) -> String:
	var depth := margin.replace("\t", "  ").length() / 2 + 1
	var shown := "•" if mark in ["-", "*", "+"] else mark
	return "%s%s %s%s" % ["[indent]".repeat(depth), shown, _inline(text), "[/indent]".repeat(depth)]


## Code, citations and names are set aside first, so that nothing within them is read again.
func _inline(text: String) -> String:
	_pieces = []
	var rest := _set_aside(
		text, "(?<!`)`++([^`]++)`+", func(found: RegExMatch) -> String: return _code(found.get_string(1))
	)
	rest = _set_aside(rest, "\\[([^\\]\\[]*+)\\]\\(([^)\\s\\[]*+)\\)", _address)
	rest = _set_aside(rest, "\\[(\\d{1,4})\\]", _citation)
	rest = _set_names_aside(rest)
	return _fill(_emphasis(escape(rest)))


func _set_names_aside(text: String) -> String:
	var rest := _set_aside(text, "\\b([Nn]odes?|[Ss]cenes?)\\s+(\\d{1,16}(?:(?:,| and| or)\\s+\\d{1,16})*)", _ids)
	if _name_pattern:
		rest = _set_aside_by(_name_pattern, rest, _named)
	return rest


func _emphasis(text: String) -> String:
	var bold := _regex("(\\*\\*|__)(?=\\S)((?:(?!\\1).)++)(?<=\\S)\\1").sub(text, "[b]$2[/b]", true)
	var italic := _regex("(?<![\\w*])\\*(?=[^\\s*])((?:(?!\\[/?b\\])[^*])+?)(?<=\\S)\\*(?![\\w*])").sub(
		bold, "[i]$1[/i]", true
	)
	return _regex("(?<![\\w_])_(?=[^\\s_])((?:(?!\\[/?[bi]\\])[^_])+?)(?<=\\S)_(?![\\w_])").sub(
		italic, "[i]$1[/i]", true
	)


func _code(text: String) -> String:
	return "[color=%s][code]%s[/code][/color]" % [_CODE_COLOR, escape(text)]


## An address is shown and not followed: the words of a link may say something else than where it leads.
func _address(found: RegExMatch) -> String:
	var words := escape(found.get_string(1))
	var address := escape(found.get_string(2))
	return address if words.is_empty() else "%s (%s)" % [words, address]


func _citation(found: RegExMatch) -> String:
	return _link("citation:%s" % found.get_string(1), "%s%s]" % [_ESCAPED, found.get_string(1)])


func _ids(found: RegExMatch) -> String:
	var is_scene := found.get_string(1).to_lower().begins_with("scene")
	var known := _is_scene if is_scene else _is_node
	var kind := "scene" if is_scene else "node"
	var text := found.get_string(1) + " " + found.get_string(2)
	for number in _regex("\\d+").search_all(text):
		if not known.is_valid() or not known.call(number.get_string().to_int()):
			return escape(text)
	return _regex("\\d+").sub(text, _link("%s:$0" % kind, "$0"), true)


func _named(found: RegExMatch) -> String:
	return _link("node:%d" % _names[found.get_string()], escape(found.get_string()))


func _link(target: String, shown: String) -> String:
	return "[url=%s][color=%s]%s[/color][/url]" % [target, LINK_COLOR, shown]


func _set_aside(text: String, pattern: String, convert_one: Callable) -> String:
	return _set_aside_by(_regex(pattern), text, convert_one)


func _set_aside_by(pattern: RegEx, text: String, convert_one: Callable) -> String:
	var rest := PackedStringArray()
	var at := 0
	for found in pattern.search_all(text):
		rest.append_array([text.substr(at, found.get_start() - at), str(_pieces.size())])
		_pieces.append(convert_one.call(found))
		at = found.get_end()
	rest.append(text.substr(at))
	return _SLOT.join(rest)


# A piece may have others in it, that were set aside before.
func _fill(text: String) -> String:
	var parts := text.split(_SLOT)
	for at in range(1, parts.size(), 2):
		parts[at] = _fill(_pieces[parts[at].to_int()])
	return "".join(parts)


func _pattern_of_names() -> RegEx:
	var known: Array = _names.keys()
	if known.is_empty():
		return null
	known = known.slice(0, _MOST_NAMES)
	known.sort_custom(func(one: String, other: String) -> bool: return one.length() > other.length())
	var special := _regex("[\\\\^$.|?*+()\\[\\]{}]")
	var quoted := known.map(func(one: String) -> String: return special.sub(one, "\\$0", true))
	return _regex("(?<![\\w])(?:%s)(?![\\w])" % "|".join(PackedStringArray(quoted)))


func _match(pattern: String, text: String) -> RegExMatch:
	return _regex(pattern).search(text)


func _regex(pattern: String) -> RegEx:
	if not _patterns.has(pattern):
		_patterns[pattern] = RegEx.create_from_string(pattern)
	return _patterns[pattern]
