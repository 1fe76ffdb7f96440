extends Window
## A place in a document: the page as a picture with the passage highlighted, or the passage between its neighbours.

const Markdown := preload("markdown.gd")
const Symbols := preload("symbols.gd")

const _STEP := 1.25
const _LARGEST := 4.0
## Every how many pixels a picture is looked at for its highlight.
const _SAMPLE := 3

## Where the window opens: () -> Rect2i.
var free_room := Callable()

var _corpus: Node
var _place := {}
var _page := 0
var _pages := 0
var _zoom := 1.0
var _asked := 0
var _title := Label.new()
var _number := Label.new()
var _previous: Button
var _next: Button
var _zoom_in: Button
var _zoom_out: Button
var _scroll := ScrollContainer.new()
var _picture := TextureRect.new()
var _words := RichTextLabel.new()


func _init(corpus: Node) -> void:
	_corpus = corpus
	title = "Fletcher: document"
	visible = false
	min_size = Vector2i(420, 320)
	wrap_controls = false
	close_requested.connect(hide)
	size_changed.connect(_show_zoom)
	window_input.connect(_on_input)
	var background := PanelContainer.new()
	background.set_anchors_preset(Control.PRESET_FULL_RECT)
	background.name = "Background"
	var column := VBoxContainer.new()
	column.name = "Column"
	column.add_child(_tools())
	column.add_child(_sheet())
	column.add_child(_words)
	background.add_child(column)
	add_child(background)


## Shows where a citation or a found passage is: document, document_id, page_from, passage_id (or id), text.
func show_place(place: Dictionary) -> void:
	_place = place
	_page = int(place.page_from) if place.get("page_from") != null else 0
	_pages = _page_count()
	_zoom = 1.0
	if not visible:
		popup(free_room.call())
	grab_focus()
	_title.text = str(place.get("document", ""))
	_title.tooltip_text = _title.text
	_show_page()


## Whether a page is to be seen, and not only words.
func shows_picture() -> bool:
	return visible and _scroll.visible and _picture.texture != null


func _tools() -> Control:
	var row := HBoxContainer.new()
	_title.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	_title.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	row.add_child(_title)
	_previous = Symbols.button("previous", "Previous page (Page Up)")
	_previous.pressed.connect(_turn.bind(-1))
	_next = Symbols.button("next", "Next page (Page Down)")
	_next.pressed.connect(_turn.bind(1))
	_zoom_out = _text_button("−", "Smaller (Ctrl+−)", _zoom_by.bind(1.0 / _STEP))
	_zoom_in = _text_button("+", "Larger (Ctrl++)", _zoom_by.bind(_STEP))
	for control: Control in [_previous, _number, _next, _zoom_out, _zoom_in]:
		row.add_child(control)
	return row


func _sheet() -> Control:
	_scroll.size_flags_vertical = Control.SIZE_EXPAND_FILL
	_picture.size_flags_horizontal = Control.SIZE_EXPAND | Control.SIZE_SHRINK_CENTER
	_picture.expand_mode = TextureRect.EXPAND_IGNORE_SIZE
	_picture.stretch_mode = TextureRect.STRETCH_KEEP_ASPECT_CENTERED
	_picture.texture_filter = CanvasItem.TEXTURE_FILTER_LINEAR_WITH_MIPMAPS
	_scroll.add_child(_picture)
	_words.name = "Words"
	_words.bbcode_enabled = true
	_words.selection_enabled = true
	return _scroll


static func _text_button(words: String, hint: String, pressed: Callable) -> Button:
	var button := Button.new()
	button.text = words
	button.tooltip_text = hint
	button.flat = true
	button.custom_minimum_size = Vector2(28, 28)
	button.pressed.connect(pressed)
	return button


func _page_count() -> int:
	for document: Dictionary in _corpus.documents:
		if document.get("id") == _place.get("document_id") and document.get("pages") != null:
			return int(document.pages)
	return 0


func _show_page() -> void:
	var has_pages := _page > 0
	for control: Control in [_previous, _number, _next, _zoom_in, _zoom_out, _scroll]:
		control.visible = has_pages
	_words.fit_content = false
	_words.size_flags_vertical = Control.SIZE_FILL if has_pages else Control.SIZE_EXPAND_FILL
	if has_pages:
		_show_number()
		_show_picture()
	else:
		_show_words()


func _show_number() -> void:
	_number.text = "page %d of %d" % [_page, _pages] if _pages else "page %d" % _page
	_previous.disabled = _page <= 1
	_next.disabled = _pages > 0 and _page >= _pages


# An answer that comes after another page was asked for is not shown.
func _show_picture() -> void:
	_asked += 1
	var asked := _asked
	_say("Drawing page %d …" % _page)
	_picture.texture = null
	var answer: Dictionary = await _corpus.page_picture(_document(), _page, _passage())
	if asked != _asked:
		return
	if answer.image == null:
		_say(str(answer.error))
		return
	_words.hide()
	var image: Image = answer.image
	var highlight := _first_highlight(image)
	image.generate_mipmaps()
	_picture.texture = ImageTexture.create_from_image(image)
	_show_zoom()
	_scroll_to.call_deferred(highlight)


# How far down the page the highlight begins, from 0 to 1.
static func _first_highlight(image: Image) -> float:
	for y in range(0, image.get_height(), _SAMPLE):
		for x in range(0, image.get_width(), _SAMPLE):
			var color := image.get_pixel(x, y)
			if color.r > 0.8 and color.g > 0.8 and color.b < 0.5:
				return float(y) / image.get_height()
	return 0.0


func _scroll_to(share: float) -> void:
	await get_tree().process_frame
	_scroll.scroll_vertical = maxi(0, int(share * _picture.size.y - _scroll.size.y / 4))


func _say(words: String) -> void:
	_words.show()
	_words.custom_minimum_size.y = 40
	_words.text = Markdown.escape(words)


func _document() -> String:
	return str(_place.get("document_id", _place.get("document", "")))


# The passage is highlighted only on the pages that it is on.
func _passage() -> String:
	var last: Variant = _place.get("page_to")
	var is_on_page := _page == int(_place.page_from) or (last != null and _page <= int(last))
	return _passage_id() if is_on_page and _page >= int(_place.page_from) else ""


func _passage_id() -> String:
	return str(_place.get("passage_id", _place.get("id", "")))


func _turn(by: int) -> void:
	_page = maxi(1, _page + by)
	_show_page()


func _zoom_by(factor: float) -> void:
	_zoom = clampf(_zoom * factor, 0.5, _LARGEST)
	_show_zoom()


# At 1.0 the page is as wide as the window.
func _show_zoom() -> void:
	if _picture.texture == null:
		return
	var width := (size.x - 40.0) * _zoom
	_picture.custom_minimum_size = Vector2(width, width * _picture.texture.get_height() / _picture.texture.get_width())


# --- documents without pages ----------------------------------------------------------------------------------------


func _show_words() -> void:
	_asked += 1
	var asked := _asked
	var text := str(_place.get("text", ""))
	_words.show()
	_words.text = _highlighted(text) if text else "Reading …"
	var around: Dictionary = await _corpus.text_around(_document(), _passage_id())
	if asked != _asked:
		return
	if around.error:
		_words.text = "%s\n\n%s" % [Markdown.escape(str(around.error)), _highlighted(text)]
		return
	_words.text = Markdown.escape(around.before) + _highlighted(around.text) + Markdown.escape(around.after)
	_words.scroll_to_line.call_deferred(str(around.before).count("\n"))


static func _highlighted(text: String) -> String:
	return "[bgcolor=#ffd54a55]%s[/bgcolor]" % Markdown.escape(text)


func _on_input(event: InputEvent) -> void:
	var key := event as InputEventKey
	if key == null or not key.pressed:
		return
	match key.keycode:
		KEY_ESCAPE:
			hide()
		KEY_PAGEUP when not _previous.disabled and _page > 0:
			_turn(-1)
		KEY_PAGEDOWN when not _next.disabled and _page > 0:
			_turn(1)
		KEY_PLUS, KEY_EQUAL, KEY_KP_ADD when key.is_command_or_control_pressed():
			_zoom_by(_STEP)
		KEY_MINUS, KEY_KP_SUBTRACT when key.is_command_or_control_pressed():
			_zoom_by(1.0 / _STEP)
