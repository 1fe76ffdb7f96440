extends PanelContainer
## Fletcher's panel at the right of Arrow's grid, in Arrow's theme.

const Chat := preload("chat.gd")
const Checks := preload("checks.gd")
const Dock := preload("dock.gd")
const Documents := preload("documents.gd")
const Keyboard := preload("keyboard.gd")
const PageWindow := preload("page_window.gd")
const PreferencesDialog := preload("preferences_dialog.gd")
const Story := preload("story.gd")
const Symbols := preload("symbols.gd")

const _NARROWEST := 300.0
const _LEAST_GRID := 240.0
const _EDGE := 8.0
const _TOLD := 10
const _DISABLED := "Open or create a named project to use Fletcher."
const _STATES := {
	"idle": Color(0.4, 0.85, 0.4),
	"processing": Color(0.06, 0.8, 0.96),
	"executing": Color(0.06, 0.8, 0.96),
	"offline": Color(1.0, 0.35, 0.3),
	"disabled": Color(0.6, 0.6, 0.6),
}

var _fletcher: Node
var _dock: Dock
var _story: Story
var _chat: Chat
var _checks: Checks
var _documents: Documents
var _page_window: PageWindow
var _preferences: PreferencesDialog
var _overwrite := ConfirmationDialog.new()
var _is_taking_back := false
var _toggle := Button.new()
var _tabs := TabContainer.new()
var _notice := Label.new()
var _connection := Label.new()
var _connect := Button.new()
var _dot := ColorRect.new()
var _undo: Button
var _grabbed_at := -1.0


## Docks the panel in Arrow; fletcher: the client, main: Arrow's Main.
func attach(fletcher: Node, main: Node) -> void:
	name = "FletcherPanel"
	_fletcher = fletcher
	_dock = Dock.new(main)
	_story = Story.new(main)
	_build()
	_connect_fletcher()
	_add_toggle()
	_add_keyboard()
	_dock.center().add_child(self)
	_dock.center().resized.connect(_fit)
	_show_state(str(fletcher.state))
	open(fletcher.preferences.panel_open)


## Takes the panel out of Arrow, and gives back the room it took.
func detach() -> void:
	_dock.center().resized.disconnect(_fit)
	_dock.reserve(0.0)
	_toggle.queue_free()
	queue_free()


## Opens or collapses the panel.
func open(is_open: bool) -> void:
	visible = is_open
	_toggle.set_pressed_no_signal(is_open)
	_fit()


## Opens the panel with the cursor in the message field.
func focus_message() -> void:
	_set_open(true)
	_tabs.current_tab = 0
	if _tabs.visible:
		_chat.composer.focus()


# --- what it is made of ---------------------------------------------------------------------------------------------


func _build() -> void:
	set_anchors_preset(PRESET_RIGHT_WIDE)
	var row := HBoxContainer.new()
	row.name = "Row"
	row.add_theme_constant_override("separation", 2)
	row.add_child(_edge())
	var column := VBoxContainer.new()
	column.name = "Column"
	_tabs.name = "Tabs"
	column.size_flags_horizontal = SIZE_EXPAND_FILL
	column.add_child(_title())
	_notice.name = "Notice"
	column.add_child(_notice)
	column.add_child(_tabs)
	column.add_child(_status())
	row.add_child(column)
	add_child(row)
	_tabs.size_flags_vertical = SIZE_EXPAND_FILL
	for label: Label in [_notice, _connection]:
		label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	_connection.add_theme_font_size_override("font_size", 12)
	_chat = Chat.new(_fletcher, _story)
	_documents = Documents.new(_fletcher)
	_checks = Checks.new(_fletcher, _story)
	for tab: Control in [_chat, _documents, _checks]:
		_tabs.add_child(tab)
	_build_windows()


func _build_windows() -> void:
	_page_window = PageWindow.new(_fletcher.corpus)
	_page_window.name = "Page"
	_page_window.free_room = _dock.free_room
	_preferences = PreferencesDialog.new(_fletcher)
	_overwrite.name = "TakeBackAnyway"
	_overwrite.title = "Take back anyway?"
	_overwrite.dialog_autowrap = true
	_overwrite.confirmed.connect(_take_back.bind(true))
	for window: Window in [_page_window, _preferences, _overwrite]:
		add_child(window)


func _title() -> Control:
	var row := HBoxContainer.new()
	_dot.custom_minimum_size = Vector2(10, 10)
	_dot.size_flags_vertical = SIZE_SHRINK_CENTER
	row.add_child(_dot)
	var label := Label.new()
	label.text = "Fletcher"
	label.size_flags_horizontal = SIZE_EXPAND_FILL
	row.add_child(label)
	_undo = Symbols.button("undo", "Take the last turn back (Ctrl+Alt+Z)")
	_undo.pressed.connect(_take_back)
	row.add_child(_undo)
	var broom := Symbols.button("broom", "Clear the conversation")
	broom.pressed.connect(func() -> void: _chat.clear())
	row.add_child(broom)
	var settings := Symbols.button("settings", "Fletcher's preferences")
	settings.pressed.connect(func() -> void: _preferences.popup_centered(Vector2i(480, 320)))
	row.add_child(settings)
	var collapse := Symbols.button("next", "Collapse the panel")
	collapse.pressed.connect(_set_open.bind(false))
	row.add_child(collapse)
	return row


func _status() -> Control:
	var row := HBoxContainer.new()
	_connection.size_flags_horizontal = SIZE_EXPAND_FILL
	_connection.size_flags_vertical = SIZE_SHRINK_CENTER
	row.add_child(_connection)
	_connect.text = "Connect"
	_connect.tooltip_text = "Try now"
	_connect.pressed.connect(func() -> void: _fletcher.connect_to_server())
	row.add_child(_connect)
	return row


func _edge() -> Control:
	var edge := ColorRect.new()
	edge.color = Color(0.5, 0.5, 0.5, 0.35)
	edge.custom_minimum_size.x = _EDGE
	edge.mouse_default_cursor_shape = CURSOR_HSIZE
	edge.tooltip_text = "Drag to resize"
	edge.gui_input.connect(_on_edge_input)
	return edge


func _add_toggle() -> void:
	_toggle.text = "Fletcher"
	_toggle.icon = Symbols.named("bookmark")
	_toggle.expand_icon = true
	_toggle.custom_minimum_size = Vector2(120, 24)
	_toggle.tooltip_text = "Toggle Fletcher's panel (Ctrl + L)"
	_toggle.toggle_mode = true
	_toggle.toggled.connect(_set_open)
	_dock.buttons().add_child(_toggle)
	_dock.buttons().move_child(_toggle, 1)


func _add_keyboard() -> void:
	var keyboard := Keyboard.new(_fletcher)
	keyboard.focus_wanted.connect(focus_message)
	keyboard.undo_wanted.connect(_take_back)
	add_child(keyboard)


func _connect_fletcher() -> void:
	_fletcher.state_changed.connect(_show_state)
	_fletcher.connection_changed.connect(_show_connection)
	_fletcher.selection_changed.connect(_on_selection)
	_fletcher.project_changed.connect(func(_key: String) -> void: _show_state(str(_fletcher.state)))
	_fletcher.undo_changed.connect(func(_can: bool) -> void: _show_undo())
	# Afterwards another turn is the last one.
	_fletcher.turn_started.connect(func(_message: String) -> void: _overwrite.hide())
	_fletcher.failed.connect(_on_failed)
	_fletcher.corpus.replaced.connect(_on_replaced)
	_fletcher.citation_requested.connect(_open_place)
	_chat.composer.node_dropped.connect(_on_node_dropped)
	_chat.source_opened.connect(_open_place)
	_documents.place_opened.connect(_open_place)
	_chat.link_followed.connect(_on_link)
	_checks.link_followed.connect(_on_link)
	_tabs.tab_changed.connect(func(_tab: int) -> void: _notify(""))
	tree_entered.connect(func() -> void: get_window().files_dropped.connect(_on_files_dropped))
	tree_exiting.connect(func() -> void: get_window().files_dropped.disconnect(_on_files_dropped))


# --- what happens ---------------------------------------------------------------------------------------------------


func _show_state(state: String) -> void:
	var is_disabled := state == "disabled"
	_dot.color = _STATES.get(state, Color.GRAY)
	_dot.tooltip_text = state.capitalize()
	_notify(_DISABLED if is_disabled else "")
	_tabs.visible = not is_disabled
	_show_undo()
	_show_connection(_fletcher.connection_text)
	_connect.visible = state == "offline"
	_chat.show_state(state)


func _show_undo() -> void:
	_undo.disabled = (not _fletcher.can_undo or str(_fletcher.state) in ["processing", "executing", "disabled"])


func _take_back(force := false) -> void:
	_is_taking_back = true
	if _fletcher.undo(force):
		_chat.note_taken_back()
	_is_taking_back = false


func _show_connection(text: String) -> void:
	_connection.text = text


func _notify(words: String) -> void:
	_notice.text = words
	_notice.visible = not words.is_empty()


# What goes wrong is in the conversation; who looks at something else is told here.
func _on_failed(code: String, message: String) -> void:
	# Only whoever has just asked for it is asked: others may be typing, and agree without having read.
	if code == "CONFLICT" and _is_taking_back:
		_overwrite.dialog_text = message + " Take it back all the same?"
		_overwrite.popup_centered(Vector2i(400, 140))
		_overwrite.get_cancel_button().grab_focus()  # whoever goes on typing has not agreed
	if _tabs.current_tab != 0:
		_notify(message)


func _on_replaced(names: PackedStringArray) -> void:
	var told := ", ".join(names.slice(0, _TOLD)) + (" and others" if names.size() > _TOLD else "")
	_notify("There was a document of that name; it has the text of the file now: %s." % told)


func _on_selection(ids: Array) -> void:
	var names := {}
	for id: int in ids:
		names[id] = _story.name_of(id)
	_chat.composer.show_context(names)


func _on_node_dropped(id: int) -> void:
	_fletcher.drop_context(id)
	_on_selection(_fletcher.context)


func _open_place(place: Dictionary) -> void:
	_page_window.show_place(place)


func _on_files_dropped(paths: PackedStringArray) -> void:
	if is_visible_in_tree() and _tabs.visible and get_global_rect().has_point(get_global_mouse_position()):
		_tabs.current_tab = _documents.get_index()
		_documents.add_files(paths)


func _on_link(target: String, sources: Array) -> void:
	var number := target.get_slice(":", 1).to_int()
	match target.get_slice(":", 0):
		"node":
			_fletcher.center_node(number)
		"scene":
			_fletcher.open_scene(number)
		"citation":
			for item: Dictionary in sources:
				if int(item.get("number", 0)) == number:
					_open_place(item)


func _set_open(is_open: bool) -> void:
	open(is_open)
	_fletcher.preferences.panel_open = is_open
	_fletcher.preferences.save()


# The panel is as wide as was set, and leaves the grid some room whatever the window's size is.
func _fit() -> void:
	var most := maxf(_NARROWEST, _dock.center().size.x - _LEAST_GRID)
	var width := clampf(_fletcher.preferences.panel_width, _NARROWEST, most)
	offset_left = -width
	offset_right = 0.0
	_dock.reserve(width if visible else 0.0)


func _on_edge_input(event: InputEvent) -> void:
	var button := event as InputEventMouseButton
	if button and button.button_index == MOUSE_BUTTON_LEFT:
		_grabbed_at = button.position.x if button.pressed else -1.0
		if not button.pressed:
			_fletcher.preferences.save()
	var motion := event as InputEventMouseMotion
	if motion and _grabbed_at >= 0.0:
		var right := _dock.center().global_position.x + _dock.center().size.x
		_fletcher.preferences.panel_width = int(right - get_global_mouse_position().x + _grabbed_at)
		_fit()
