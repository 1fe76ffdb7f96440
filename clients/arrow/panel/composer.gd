extends VBoxContainer
## Where a message is written: the nodes that go with it, the field, and what can be done with it.

signal sent(text: String)
signal previewed(text: String)
signal stopped
signal node_dropped(id: int)
signal node_chosen(id: int)

const Chips := preload("chips.gd")
const Symbols := preload("symbols.gd")
const _MOST_LINES := 6
const _MOST_CHIPS := 6

var _context := Chips.new()
var _field := TextEdit.new()
var _send := Button.new()
var _preview := Button.new()
var _stop := Button.new()


func _init() -> void:
	_context.chosen.connect(func(id: int) -> void: node_chosen.emit(id))
	_context.removed.connect(func(id: int) -> void: node_dropped.emit(id))
	_context.name = "Context"
	_context.hide()
	add_child(_context)
	_field.name = "Field"
	_field.placeholder_text = "Ask, or say what to change"
	_field.wrap_mode = TextEdit.LINE_WRAPPING_BOUNDARY
	_field.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	_field.scroll_fit_content_height = true
	_field.custom_minimum_size.y = 64
	_field.gui_input.connect(_on_key)
	_field.text_changed.connect(_fit)
	add_child(_field)
	add_child(_buttons())


## Puts the cursor into the field.
func focus() -> void:
	_field.grab_focus()


## What the field holds from now on.
func draft(text: String) -> void:
	_field.text = text
	_field.set_caret_line(_field.get_line_count() - 1)
	_field.set_caret_column(text.length())
	_fit()


## What was written elsewhere, and has its place here from now on.
func add_to_draft(text: String) -> void:
	var caret := Vector2i(_field.get_caret_column(), _field.get_caret_line())
	if text:
		draft("%s\n%s" % [_field.text, text] if _field.text else text)
		if _field.has_focus():  # whoever is typing goes on there
			_field.set_caret_line(caret.y)
			_field.set_caret_column(caret.x)


## Shows what can be done in this state of the client.
func show_state(state: String) -> void:
	var is_running := state in ["processing", "executing"]
	_stop.visible = is_running
	_send.visible = not is_running
	_preview.visible = not is_running
	_send.disabled = state != "idle"
	_preview.disabled = state != "idle"


## Shows the nodes that go with the message: ids by their names.
func show_context(names: Dictionary) -> void:
	_context.clear()
	_context.visible = not names.is_empty()
	for id: int in names.keys().slice(0, _MOST_CHIPS):
		_context.add(id, str(names[id]), "Goes with your message: node %d" % id, true)
	if names.size() > _MOST_CHIPS:
		var more := names.size() - _MOST_CHIPS
		_context.add(-1, "and %d more" % more, "These selected nodes go with your message, too")


func _buttons() -> Control:
	var row := HBoxContainer.new()
	# Not where another button is once the turn has ended: a click that comes too late must not send what is written.
	_prepare(_stop, "Stop", "Stop what is running (Escape)")
	_stop.pressed.connect(func() -> void: stopped.emit())
	row.add_child(_stop)
	var hint := Label.new()
	hint.text = "Enter sends, Shift+Enter: new line"
	hint.add_theme_font_size_override("font_size", 11)
	hint.modulate.a = 0.5
	hint.size_flags_horizontal = SIZE_EXPAND_FILL
	hint.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	row.add_child(hint)
	_prepare(_preview, "Preview", "Show what this would do, without doing it (Ctrl+Enter)")
	_preview.pressed.connect(_submit.bind(previewed))
	_prepare(_send, "Send", "Send the message (Enter)")
	_send.pressed.connect(_submit.bind(sent))
	row.add_child(_preview)
	row.add_child(_send)
	return row


static func _prepare(button: Button, words: String, hint: String) -> void:
	button.text = words
	button.tooltip_text = hint


func _on_key(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key == null or not key.pressed or key.keycode not in [KEY_ENTER, KEY_KP_ENTER]:
		return
	if key.shift_pressed:
		return
	_field.accept_event()
	_submit(previewed if key.is_command_or_control_pressed() else sent)


func _submit(meant: Signal) -> void:
	var text := _field.text.strip_edges()
	if text.is_empty() or _send.disabled or not _send.visible:
		return
	draft("")
	meant.emit(text)


func _fit() -> void:
	var is_long := _field.get_total_visible_line_count() > _MOST_LINES
	_field.scroll_fit_content_height = not is_long
	_field.custom_minimum_size.y = _field.get_line_height() * (_MOST_LINES + 1) if is_long else 64.0
