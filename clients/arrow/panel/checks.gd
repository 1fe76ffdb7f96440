extends VBoxContainer
## What the server finds in the story by Arrow's own rules, and where the open scene disagrees with the documents.
##
## Neither needs a model. Each finding is a line with its node and its sources.

signal link_followed(target: String, sources: Array)

const Markdown := preload("markdown.gd")
const Story := preload("story.gd")

const _CHECKING := "Checking …"
const _MOST := 100

var _fletcher: Node
var _story: Story
var _findings := VBoxContainer.new()
var _heading := Label.new()
var _buttons: Array[Button] = []
var _is_checking := false


func _init(fletcher: Node, story: Story) -> void:
	name = "Checks"
	_fletcher = fletcher
	_story = story
	var row := HBoxContainer.new()
	add_child(row)
	_add_button(row, "Check continuity", "Compare the open scene with the documents", _check_continuity)
	_add_button(row, "Check the story", "Look for what Arrow would not load, draw or play", _check_story)
	_heading.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	add_child(_heading)
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = SIZE_EXPAND_FILL
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	_heading.name = "Heading"
	scroll.name = "Scroll"
	_findings.name = "Findings"
	_findings.size_flags_horizontal = SIZE_EXPAND_FILL
	scroll.add_child(_findings)
	add_child(scroll)
	_fletcher.turn_ended.connect(_on_turn_ended)
	_fletcher.state_changed.connect(_show_state)
	_fletcher.project_changed.connect(func(_key: String) -> void: _show("", []))


func _ready() -> void:
	_show_state(str(_fletcher.state))


func _add_button(row: Control, words: String, hint: String, pressed: Callable) -> void:
	var button := Button.new()
	button.text = words
	button.tooltip_text = hint
	button.size_flags_horizontal = SIZE_EXPAND_FILL
	button.pressed.connect(pressed)
	row.add_child(button)
	_buttons.append(button)


func _show_state(state: String) -> void:
	for button in _buttons:
		button.disabled = state != "idle"


func _check_continuity() -> void:
	_begin(_fletcher.run("check_continuity", {"scene_id": _story.scene_id()}, "Check the continuity of this scene"))


func _check_story() -> void:
	_show(_CHECKING, [])
	var key: String = _fletcher.project.key()
	_fletcher.project.pull_inspector()
	var answer: Dictionary = await _fletcher.corpus.check()
	if key != _fletcher.project.key() or _heading.text != _CHECKING:
		return  # something else is shown by now
	if answer.error:
		_show(str(answer.error), [])
		return
	var lines := []
	for one: Dictionary in answer.findings.slice(0, _MOST):
		lines.append("%s%s: %s" % ["" if one.severity == "warning" else "**Broken rule:** ", one.place, one.message])
	if answer.findings.size() > _MOST:
		lines.append("… and %d more" % (answer.findings.size() - _MOST))
	_show("The check finds %d:" % answer.findings.size() if lines else "The check finds nothing.", lines)


func _begin(has_begun: bool) -> void:
	_is_checking = has_begun
	if has_begun:
		_show(_CHECKING, [])


func _on_turn_ended(summary: Dictionary) -> void:
	if not _is_checking:
		return
	_is_checking = false
	var said := str(summary.text if summary.text else summary.error)
	var lines := Array(said.split("\n", false))
	var findings := lines.filter(func(line: String) -> bool: return line.begins_with("- "))
	var others := lines.filter(func(line: String) -> bool: return not line.begins_with("- "))
	_show("\n".join(PackedStringArray(others)), findings, summary.citations)


func _show(heading: String, lines: Array, sources := []) -> void:
	_heading.text = heading
	_heading.visible = not heading.is_empty()
	for finding in _findings.get_children():
		finding.queue_free()
	for line: String in lines:
		_findings.add_child(_finding(line.trim_prefix("- "), sources))


func _finding(line: String, sources: Array) -> Control:
	var card := PanelContainer.new()
	var words := RichTextLabel.new()
	words.bbcode_enabled = true
	words.fit_content = true
	words.text = Markdown.new(_story.names(), _story.is_node, _story.is_scene).convert(line)
	words.meta_clicked.connect(func(meta: Variant) -> void: link_followed.emit(str(meta), sources))
	card.add_child(words)
	return card
