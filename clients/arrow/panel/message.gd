extends PanelContainer
## One message of the chat: who speaks, and what is said. What Fletcher says grows while it is made.

signal link_followed(target: String)

const Markdown := preload("markdown.gd")
const _TINTS := {
	"you": Color(0.17, 0.72, 0.87, 0.16),
	"fletcher": Color(0.5, 0.5, 0.5, 0.1),
	"failure": Color(1.0, 0.25, 0.3, 0.2),
}

var _raw := ""
var _markdown: Markdown
var _conversion := &""
var _column := VBoxContainer.new()
var _words := RichTextLabel.new()


## speaker: `you`, `fletcher` or `failure`; title: the line above; conversion: how the converter makes BBCode of it.
func _init(speaker: String, title: String, markdown: Markdown = null, conversion := &"convert") -> void:
	_markdown = markdown
	_conversion = conversion
	add_theme_stylebox_override("panel", _box(_TINTS[speaker]))
	_column.name = "Column"
	add_child(_column)
	_column.add_child(_title(title))
	_words.name = "Words"
	_words.bbcode_enabled = true
	_words.fit_content = true
	_words.selection_enabled = true
	_words.context_menu_enabled = true
	_words.meta_underlined = true
	_words.focus_mode = Control.FOCUS_CLICK
	_words.meta_clicked.connect(func(meta: Variant) -> void: link_followed.emit(str(meta)))
	_words.hide()
	_column.add_child(_words)
	set_process(false)


## Adds to what is said.
func append(text: String) -> void:
	_raw += text
	set_process(true)


## Where it is longer than this many lines, it becomes a field of its own to scroll in.
func shorten(most_lines: int) -> void:
	if _raw.count("\n") > most_lines:
		_words.fit_content = false
		_words.custom_minimum_size.y = 240


## Something below the words: sources, suggestions, buttons.
func attach(control: Control) -> void:
	_column.add_child(control)


# Once a frame, however many pieces have come since the last.
func _process(_delta: float) -> void:
	_words.visible = not _raw.is_empty()
	_words.text = _markdown.call(_conversion, _raw) if _markdown else Markdown.escape(_raw)
	set_process(false)


static func _title(title: String) -> Label:
	var label := Label.new()
	label.text = title
	label.add_theme_font_size_override("font_size", 12)
	label.modulate.a = 0.6
	return label


static func _box(tint: Color) -> StyleBoxFlat:
	var box := StyleBoxFlat.new()
	box.bg_color = tint
	box.set_corner_radius_all(4)
	box.set_content_margin_all(10)
	return box
