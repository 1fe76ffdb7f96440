extends PanelContainer
## One document of the list: its name, what became of it, and what could not be read.

signal opened
signal removal_wanted

const Symbols := preload("symbols.gd")


## document: an entry of the server's list.
func _init(document: Dictionary) -> void:
	var row := HBoxContainer.new()
	add_child(row)
	var column := VBoxContainer.new()
	column.size_flags_horizontal = SIZE_EXPAND_FILL
	row.add_child(column)
	column.add_child(_name(str(document.name)))
	for words in remarks(document):
		column.add_child(_remark(words))
	var remove := Symbols.button("forbidden", "Remove %s" % document.name)
	remove.pressed.connect(func() -> void: removal_wanted.emit())
	row.add_child(remove)


## What there is to say about it, a line each.
static func remarks(document: Dictionary) -> PackedStringArray:
	var said := PackedStringArray([_status(document)])
	var error: Variant = document.get("error")
	if error is Dictionary:
		said.append(str(error.get("message", "")))
	_add_pages(said, document, "pages_without_text", "pictures without text: page %s")
	_add_pages(said, document, "pages_recognized", "read by text recognition: page %s")
	_add_pages(said, document, "pages_with_hidden_text", "hidden text left out: page %s")
	return said


static func _status(document: Dictionary) -> String:
	var said := str(document.get("status", ""))
	if document.get("pages") != null:
		said += ", %d pages" % int(document.pages)
	var passages := int(document.get("passages", 0))
	var embedded := int(document.get("embedded", 0))
	if embedded < passages:
		return said + ", %d of %d passages embedded" % [embedded, passages]
	return said + ", %d passages" % passages


static func _add_pages(said: PackedStringArray, document: Dictionary, field: String, words: String) -> void:
	var pages: Array = document.get(field, [])
	if not pages.is_empty():
		said.append(words % ", ".join(pages.map(func(page: float) -> String: return str(int(page)))))


func _name(words: String) -> Button:
	var button := Button.new()
	button.text = words
	button.flat = true
	button.alignment = HORIZONTAL_ALIGNMENT_LEFT
	button.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	button.tooltip_text = "Open %s" % words
	button.pressed.connect(func() -> void: opened.emit())
	return button


static func _remark(words: String) -> Label:
	var label := Label.new()
	label.text = words
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.add_theme_font_size_override("font_size", 12)
	label.modulate.a = 0.7
	return label
