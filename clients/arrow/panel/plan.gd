extends VBoxContainer
## What a turn would do, before it is done: the list, with Apply and Discard.

signal applied
signal discarded

const Story := preload("story.gd")
const Ghosts := preload("ghosts.gd")
const _MOST := 40
const _MARKS := {"create": "+", "delete": "−", "remove": "−", "update": "~", "set": "~"}

var _ghosts: Ghosts


## operations: `{function, arguments}`, in their order.
func _init(story: Story, operations: Array) -> void:
	for operation: Dictionary in operations.slice(0, _MOST):
		_line(sentence(operation, story))
	if operations.size() > _MOST:
		_line("… and %d more" % (operations.size() - _MOST))
	add_child(_buttons())
	_ghosts = Ghosts.new(story, operations)
	tree_exiting.connect(_ghosts.take_off)


func _ready() -> void:
	_ghosts.put_on()


## The plan is settled: its ghosts go, and nothing of it can be pressed any more.
func settle(words: String) -> void:
	_ghosts.take_off()
	get_child(get_child_count() - 1).queue_free()
	if not words.is_empty():
		_line(words)


## One operation in words, such as `+ dialog node “Hm.”`.
static func sentence(operation: Dictionary, story: Story) -> String:
	var function := str(operation.get("function", ""))
	var arguments: Dictionary = operation.get("arguments", {})
	var words := PackedStringArray([_mark(function), function.replace("_", " ")])
	for key: String in arguments:
		words.append(_argument(key, arguments[key], story))
	return " ".join(words).left(200)


static func _mark(function: String) -> String:
	for start: String in _MARKS:
		if function.begins_with(start):
			return _MARKS[start]
	return "•"


static func _argument(key: String, value: Variant, story: Story) -> String:
	if value is float and key.ends_with("_id"):
		var its_name := story.name_of(int(value))
		return "%d%s" % [int(value), " “%s”" % its_name if its_name else ""]
	return "%s: %s" % [key.replace("_", " "), value if value is String else JSON.stringify(value)]


func _line(words: String) -> void:
	var label := Label.new()
	label.text = words
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.add_theme_font_size_override("font_size", 13)
	add_child(label)


func _buttons() -> Control:
	var row := HBoxContainer.new()
	for words: String in ["Apply", "Discard"]:
		var button := Button.new()
		button.text = words
		button.size_flags_horizontal = SIZE_EXPAND_FILL
		button.pressed.connect(_press.bind(words))
		row.add_child(button)
	return row


func _press(words: String) -> void:
	settle("Applied." if words == "Apply" else "Discarded.")
	if words == "Apply":
		applied.emit()
	else:
		discarded.emit()
