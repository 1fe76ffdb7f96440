extends ConfirmationDialog
## Fletcher's preferences: where the server is, and how the client behaves.

const _POLICIES := ["", "always", "destructive", "never"]
const _POLICY_WORDS := ["As the server is set", "Before every change", "Before more than a little is lost", "Never"]

var _fletcher: Node
var _preferences: RefCounted
var _host := LineEdit.new()
var _port := SpinBox.new()
var _token := LineEdit.new()
var _confirm := OptionButton.new()
var _project := LineEdit.new()
var _switches := {
	"auto_connect": "Connect when Arrow starts",
	"save_with_calls": "Save the project before a message and after each step",
	"rollback_on_stop": "Stopping takes back what the turn has done",
}


## fletcher: the client.
func _init(fletcher: Node) -> void:
	_fletcher = fletcher
	_preferences = fletcher.preferences
	title = "Fletcher's preferences"
	ok_button_text = "Save"
	var grid := GridContainer.new()
	grid.columns = 2
	_port.min_value = 1
	_port.max_value = 65535
	_token.secret = true
	_token.placeholder_text = "None: a server on this machine needs none"
	for words: String in _POLICY_WORDS:
		_confirm.add_item(words)
	_add(grid, "Server", _host)
	_add(grid, "Port", _port)
	_add(grid, "Token", _token)
	_add(grid, "Ask first", _confirm)
	_add(grid, "This project", _project)
	_project.editable = false
	_project.placeholder_text = "None is open"
	_project.tooltip_text = "What the server calls it: fletcher ingest --project …"
	var column := VBoxContainer.new()
	column.add_child(grid)
	for setting: String in _switches:
		var box := CheckBox.new()
		box.text = _switches[setting]
		_switches[setting] = box
		column.add_child(box)
	column.add_child(_where())
	add_child(column)
	about_to_popup.connect(_read)
	confirmed.connect(_write)


static func _add(grid: GridContainer, words: String, field: Control) -> void:
	var label := Label.new()
	label.text = words
	grid.add_child(label)
	field.custom_minimum_size.x = 320
	field.size_flags_horizontal = Control.SIZE_EXPAND_FILL
	grid.add_child(field)


func _where() -> Label:
	var label := Label.new()
	label.text = "FLETCHER_URL in the environment wins over server and port."
	label.add_theme_font_size_override("font_size", 12)
	label.modulate.a = 0.6
	return label


func _read() -> void:
	_project.text = _fletcher.project.key()
	_host.text = _preferences.host
	_port.value = _preferences.port
	_token.text = _preferences.token
	_confirm.selected = maxi(0, _POLICIES.find(_preferences.confirm))
	for setting: String in _switches:
		_switches[setting].button_pressed = _preferences.get(setting)


func _write() -> void:
	_preferences.host = _host.text.strip_edges()
	_preferences.port = int(_port.value)
	_preferences.token = _token.text.strip_edges()
	_preferences.confirm = _POLICIES[_confirm.selected]
	for setting: String in _switches:
		_preferences.set(setting, _switches[setting].button_pressed)
	_preferences.save()
