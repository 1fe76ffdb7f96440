extends VBoxContainer
## What a turn would do, before it is done: the list of changes, with Apply and Discard.

signal applied
signal discarded
signal link_followed(target: String)

const Changes := preload("changes.gd")
const Ghosts := preload("ghosts.gd")
const Markdown := preload("markdown.gd")
const Story := preload("story.gd")

const MOST := 200
const TALLEST := 240.0
const SHORT_LIST := 8
const COLORS := {"+": "#4fc98f", "-": "#ff6b6b", "~": "#d9a400"}

var _ghosts: Ghosts
var _buttons := HBoxContainer.new()


func _init(story: Story, diff: String, operations: Array) -> void:
	var changes := Changes.new(diff, operations)
	add_child(_list(changes.lines, Markdown.new({}, story.is_node, story.is_scene)))
	for words: String in ["Apply", "Discard"]:
		var button := Button.new()
		button.name = words
		button.text = words
		button.size_flags_horizontal = SIZE_EXPAND_FILL
		button.pressed.connect(_press.bind(words))
		_buttons.add_child(button)
	_buttons.name = "Buttons"
	add_child(_buttons)
	if not changes.is_empty():
		_ghosts = Ghosts.new(story, changes)
		tree_entered.connect(_ghosts.put_on, CONNECT_DEFERRED | CONNECT_ONE_SHOT)
		tree_exiting.connect(_take_ghosts_off)


## The plan is settled: its ghosts go, and nothing of it can be pressed any more.
func settle(words: String) -> void:
	_take_ghosts_off()
	_buttons.hide()
	if not words.is_empty():
		var label := Label.new()
		label.text = words
		label.modulate.a = 0.6
		add_child(label)


func _list(lines: PackedStringArray, markdown: Markdown) -> RichTextLabel:
	var list := RichTextLabel.new()
	list.bbcode_enabled = true
	list.fit_content = lines.size() <= SHORT_LIST
	list.custom_minimum_size.y = 0.0 if list.fit_content else TALLEST
	list.add_theme_font_size_override("normal_font_size", 14)
	var shown := PackedStringArray()
	for line in lines.slice(0, MOST):
		shown.append("[color=%s]%s[/color]" % [COLORS.get(line.left(1), "#999999"), line.left(1)])
		shown[-1] += markdown.convert_words(line.substr(1))
	if lines.size() > MOST:
		shown.append("… and %d more" % (lines.size() - MOST))
	list.text = "\n".join(shown)
	list.meta_clicked.connect(func(meta: Variant) -> void: link_followed.emit(str(meta)))
	return list


func _take_ghosts_off() -> void:
	if _ghosts:
		_ghosts.take_off()
	_ghosts = null


func _press(words: String) -> void:
	if words == "Apply":
		applied.emit()
	else:
		discarded.emit()
