extends HFlowContainer
## A row of small buttons that wraps: the sources of an answer, suggestions, or the nodes that go with a message.

signal chosen(item: Variant)
signal removed(item: Variant)

const _SIZE := 13
const _LONGEST := 48


## Shows one chip; a removable one has a cross beside it.
func add(item: Variant, words: String, hint: String, is_removable := false) -> void:
	var chip := HBoxContainer.new()
	chip.name = "Chip"
	chip.add_theme_constant_override("separation", 0)
	chip.add_child(_button(_shortened(words), hint, func() -> void: chosen.emit(item)))
	if is_removable:
		chip.add_child(_button("×", "Do not send %s" % words, func() -> void: removed.emit(item)))
	add_child(chip, true)


## Takes all chips away.
func clear() -> void:
	for chip in get_children():
		chip.queue_free()


static func _button(words: String, hint: String, pressed: Callable) -> Button:
	var button := Button.new()
	button.text = words
	button.tooltip_text = hint
	button.add_theme_font_size_override("font_size", _SIZE)
	button.pressed.connect(pressed)
	return button


static func _shortened(words: String) -> String:
	return words if words.length() <= _LONGEST else words.left(_LONGEST - 1) + "…"
