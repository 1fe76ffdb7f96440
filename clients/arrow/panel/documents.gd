extends VBoxContainer
## The design documents of the project: what became of each, adding and removing, the linked folder, and search.

signal place_opened(place: Dictionary)

const Row := preload("document_row.gd")
const Symbols := preload("symbols.gd")

const _FILTERS := [
	"*.pdf,*.docx,*.odt,*.rtf,*.epub,*.md,*.html,*.txt;Texts",
	"*.ods,*.xlsx,*.csv;Tables",
	"*.fountain,*.ink,*.yarn,*.twee,*.arrow;Scripts and stories",
	"*;All files",
]
const _FOUND := 12
## Documents that are listed at once: a row takes a millisecond, and the list is drawn anew with every change.
const _LISTED := 100

var _fletcher: Node
var _query := LineEdit.new()
var _list := VBoxContainer.new()
var _most_listed := _LISTED
var _found := VBoxContainer.new()
var _folder := Label.new()
var _folder_button := Button.new()
var _progress := Label.new()
var _files := FileDialog.new()
var _folders := FileDialog.new()
var _sure := ConfirmationDialog.new()
var _on_sure := Callable()


func _init(fletcher: Node) -> void:
	name = "Documents"
	_fletcher = fletcher
	add_child(_search_row())
	var scroll := ScrollContainer.new()
	scroll.size_flags_vertical = SIZE_EXPAND_FILL
	scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	scroll.name = "Scroll"
	var both := VBoxContainer.new()
	both.name = "Both"
	_list.name = "List"
	both.size_flags_horizontal = SIZE_EXPAND_FILL
	both.add_child(_found)
	both.add_child(_list)
	scroll.add_child(both)
	add_child(scroll)
	_progress.add_theme_font_size_override("font_size", 12)
	_progress.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	add_child(_progress)
	add_child(_folder)
	add_child(_buttons())
	_prepare_dialogs()
	_fletcher.corpus_changed.connect(_show_documents)
	_fletcher.corpus_progress.connect(_on_progress)


func _ready() -> void:
	_show_documents(_fletcher.corpus.documents)


## Adds files, as from the dialog; folders are not taken.
func add_files(paths: PackedStringArray) -> void:
	var files := PackedStringArray()
	for path in paths:
		if FileAccess.file_exists(path):
			files.append(path)
	if files.is_empty():
		_progress.text = "Drop files; a folder can be linked instead."
	else:
		_fletcher.add_documents(files)


func _search_row() -> Control:
	var row := HBoxContainer.new()
	_query.placeholder_text = "Search the documents"
	_query.clear_button_enabled = true
	_query.size_flags_horizontal = SIZE_EXPAND_FILL
	_query.text_submitted.connect(func(_text: String) -> void: _search())
	_query.text_changed.connect(_on_query_changed)
	row.add_child(_query)
	var button := Symbols.button("search", "Search")
	button.pressed.connect(_search)
	row.add_child(button)
	return row


func _buttons() -> Control:
	var row := HBoxContainer.new()
	var add := Button.new()
	add.text = "Add documents …"
	add.tooltip_text = "Choose files, or drop them on this panel"
	add.size_flags_horizontal = SIZE_EXPAND_FILL
	add.pressed.connect(func() -> void: _files.popup_centered_ratio(0.7))
	row.add_child(add)
	_folder_button.size_flags_horizontal = SIZE_EXPAND_FILL
	_folder_button.pressed.connect(_on_folder_pressed)
	row.add_child(_folder_button)
	_folder.add_theme_font_size_override("font_size", 12)
	_folder.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	return row


func _prepare_dialogs() -> void:
	for dialog: FileDialog in [_files, _folders]:
		dialog.access = FileDialog.ACCESS_FILESYSTEM
		dialog.current_dir = OS.get_system_dir(OS.SYSTEM_DIR_DOCUMENTS)
		add_child(dialog)
	_files.file_mode = FileDialog.FILE_MODE_OPEN_FILES
	_files.title = "Add design documents"  # the mode has set another
	_files.filters = _FILTERS
	_files.files_selected.connect(add_files)
	_folders.file_mode = FileDialog.FILE_MODE_OPEN_DIR
	_folders.title = "Link a folder of design documents"
	_folders.dir_selected.connect(func(path: String) -> void: _fletcher.corpus.link_folder(path))
	_sure.confirmed.connect(func() -> void: _on_sure.call())
	_sure.dialog_autowrap = true
	add_child(_sure)


# --- what is there --------------------------------------------------------------------------------------------------


func _show_documents(documents: Array) -> void:
	for row in _list.get_children():
		row.queue_free()
	for document: Dictionary in documents.slice(0, _most_listed):
		var row := Row.new(document)
		row.opened.connect(_open_first_page.bind(document))
		row.removal_wanted.connect(_ask_to_remove.bind(document))
		_list.add_child(row)
	if documents.size() > _most_listed:
		_list.add_child(_more(documents.size() - _most_listed))
	if documents.is_empty():
		_list.add_child(_note("No documents yet. Add some, or drop files here: PDF, Word, Markdown, and more."))
	_show_folder(_fletcher.corpus.linked)


func _more(count: int) -> Button:
	var more := Button.new()
	more.text = "Show %d more of %d" % [mini(count, _LISTED), count]
	more.pressed.connect(_list_more)
	return more


func _list_more() -> void:
	_most_listed += _LISTED
	_show_documents(_fletcher.corpus.documents)


func _show_folder(linked: Dictionary) -> void:
	var path := str(linked.get("path", ""))
	_folder_button.text = "Unlink folder" if path else "Link a folder …"
	_folder.visible = not path.is_empty()
	_folder.text = "Kept in step with %s" % path
	var problem: Variant = linked.get("error")
	if problem is Dictionary:
		_folder.text += ": %s" % problem.get("message", "")


func _on_folder_pressed() -> void:
	if str(_fletcher.corpus.linked.get("path", "")).is_empty():
		_folders.popup_centered_ratio(0.7)
	else:
		_fletcher.corpus.unlink_folder()


func _on_progress(document: String, phase: String, done: int, total: int) -> void:
	_progress.text = "%s: %s" % [document, phase]
	if total > 0:
		_progress.text += " %d of %d" % [done, total]
	if phase == "done":
		_progress.text = ""


func _open_first_page(document: Dictionary) -> void:
	var first: Variant = 1 if document.get("pages") != null else null
	var place := {"document": document.name, "document_id": document.id, "page_from": first, "page_to": null}
	place_opened.emit(place)


func _ask_to_remove(document: Dictionary) -> void:
	_sure.dialog_text = ("Remove %s from the project's documents? The file itself stays where it is." % document.name)
	_on_sure = func() -> void: _fletcher.corpus.remove(str(document.id))
	_sure.popup_centered(Vector2i(380, 120))


# --- search ---------------------------------------------------------------------------------------------------------


func _search() -> void:
	var asked := _query.text.strip_edges()
	if asked.is_empty():
		return
	var passages: Array = await _fletcher.corpus.search(asked, _FOUND)
	if asked == _query.text.strip_edges():
		_show_found(passages)


func _on_query_changed(text: String) -> void:
	if text.is_empty():
		_show_found([])
		for note in _found.get_children():
			note.queue_free()


func _show_found(passages: Array) -> void:
	for row in _found.get_children():
		row.queue_free()
	_list.visible = _query.text.is_empty()
	if passages.is_empty():
		_found.add_child(_note("Nothing was found."))
	for passage: Dictionary in passages:
		_found.add_child(_passage(passage))


func _passage(passage: Dictionary) -> Control:
	var button := Button.new()
	var page: Variant = passage.get("page_from")
	var place := str(passage.document) + ("" if page == null else ", p. %d" % int(page))
	button.text = "%s\n%s" % [place, str(passage.text).replace("\n", " ").left(160)]
	button.alignment = HORIZONTAL_ALIGNMENT_LEFT
	button.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	button.add_theme_font_size_override("font_size", 13)
	button.pressed.connect(func() -> void: place_opened.emit(passage))
	return button


static func _note(words: String) -> Label:
	var label := Label.new()
	label.text = words
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.modulate.a = 0.6
	return label
