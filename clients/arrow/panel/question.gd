extends VBoxContainer
## What Fletcher asks before it goes on: yes, no, or what to change. A missing value is asked for with a field alone.

signal answered(decision: String, text: String)

var _change := LineEdit.new()
var _buttons := HBoxContainer.new()


## request: as the server's `confirmation_request` (kind, text, operations).
func _init(request: Dictionary) -> void:
	var kind := str(request.get("kind", "confirmation"))
	name = "Question"
	_change.name = "Change"
	_change.placeholder_text = ("The value" if kind == "parameters" else "What to change, e.g. keep node 12")
	_change.text_submitted.connect(_submit)
	_change.visible = kind == "parameters"
	if kind != "parameters":
		_button("Yes", func() -> void: _answer("yes", ""))
		_button("No", func() -> void: _answer("no", ""))
		_button("Change …", _ask_for_change)
	else:
		_button("Answer", func() -> void: _submit(_change.text))
		_button("Never mind", func() -> void: _answer("no", ""))
	add_child(_change)
	add_child(_buttons)


## What stands in its field.
func written() -> String:
	return _change.text if _change.text.strip_edges() else ""


## Whether whoever types now would type into its field.
func has_caret() -> bool:
	return _change.has_focus()


## The question is settled: nothing of it can be pressed any more.
func settle(words: String) -> void:
	for child in get_children():
		child.queue_free()
	if words.is_empty():
		return
	var label := Label.new()
	label.name = "Settled"
	label.text = words
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.modulate.a = 0.6
	add_child(label)


func _button(words: String, pressed: Callable) -> void:
	var button := Button.new()
	button.text = words
	button.size_flags_horizontal = SIZE_EXPAND_FILL
	button.pressed.connect(pressed)
	_buttons.add_child(button)


func _ask_for_change() -> void:
	_change.show()
	_change.grab_focus()


func _submit(text: String) -> void:
	if not text.strip_edges().is_empty():
		_answer("modify", text.strip_edges())


func _answer(decision: String, text: String) -> void:
	answered.emit(decision, text)
