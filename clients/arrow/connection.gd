## The socket to the server, in the dialect `fletcher`; it comes back by itself.
extends RefCounted

signal opened
signal closed
signal received(message: Dictionary)
signal text_changed(text: String)

const CAPABILITIES := ["batch", "confirm", "progress", "citations", "offset", "preview", "assistant"]
const MAX_FRAME_BYTES := 1_000_000
const INBOUND_BYTES := 16 * 1024 * 1024
## As much as the server takes; Godot's own limit of 64 KB would drop a project without an error.
const OUTBOUND_BYTES := 64 * 1024 * 1024
const QUEUED_FRAMES := 16_384
const LONGEST_WAIT_S := 30.0
const HANDSHAKE_S := 10.0
const AGAIN_S := 1.0
## A line that is dead ends nothing by itself.
const HEARTBEAT_S := 30.0
## No beat is answered before what was sent has arrived, which may take as long as over the slowest line.
const SLOWEST_BYTES_PER_S := 20_000.0
const REFUSED := 1008
const TOO_MANY := "Too many"

var text := ""
## The server has answered our `hello`.
var is_open := false
var server_version := ""
## What both sides take in one frame, in bytes; known once the connection is open.
var frame_bytes := 0

var _preferences: RefCounted
var _client := ""
## Where it is or was to be connected to, and with which token.
var _server := ["", ""]
var _socket: WebSocketPeer
var _wanted := false
var _attempts := 0
var _wait_s := 0.0
var _pending_s := 0.0
var _open_s := 0.0
var _unheard_bytes := 0
var _is_greeted := false
## Whether ids can be foretold: now, as the server knows it, and as the `hello` says that is not answered yet.
var _batches := true
var _known: Variant
var _said: Variant
## In seconds, until a `hello` that was refused is said again.
var _again_s := 0.0


func _init(preferences: RefCounted, client: String) -> void:
	_preferences = preferences
	_preferences.changed.connect(_follow)
	_client = client


## Connects now, and again whenever the connection is lost.
func start() -> void:
	_close()
	_wanted = true
	_attempts = 0
	_connect()


## Closes, and stays closed.
func stop() -> void:
	_close()
	_say("Not connected.")


## One frame; false where it could not be sent.
func send(message: Dictionary) -> bool:
	if _socket == null or _socket.get_ready_state() != WebSocketPeer.STATE_OPEN:
		return false
	var frame := JSON.stringify(message)
	_unheard_bytes += frame.length()
	_socket.heartbeat_interval = HEARTBEAT_S + _unheard_bytes / SLOWEST_BYTES_PER_S
	return _socket.send_text(frame) == OK


## Says again who we are where it has changed whether ids can be foretold, which batches need.
func declare_batches(can: bool) -> void:
	_batches = can
	if is_open and _said == null and _known != can and _again_s <= 0.0:
		_hello()


## The user has set another server, or another token.
func _follow() -> void:
	if _wanted and _server != [_preferences.url(), _preferences.access_token()]:
		start()


## To be called in each frame.
func poll(delta: float) -> void:
	if _socket == null:
		_wait_s -= delta
		if _wanted and _wait_s <= 0.0:
			_connect()
		return
	_again_s -= delta
	_socket.poll()
	match _socket.get_ready_state():
		WebSocketPeer.STATE_OPEN:
			_read(delta)
		WebSocketPeer.STATE_CLOSED:
			_ended(_socket.get_close_code(), _socket.get_close_reason())
		_:
			_give_up_late(delta)


func _close() -> void:
	_wanted = false
	if _socket != null:
		_socket.close()
	_lose()


func _connect() -> void:
	_socket = WebSocketPeer.new()
	_socket.inbound_buffer_size = INBOUND_BYTES
	_socket.outbound_buffer_size = OUTBOUND_BYTES
	_socket.max_queued_packets = QUEUED_FRAMES
	_socket.heartbeat_interval = HEARTBEAT_S
	_server = [_preferences.url(), _preferences.access_token()]
	_pending_s = 0.0
	_open_s = 0.0
	_unheard_bytes = 0
	_is_greeted = false
	_attempts += 1
	_say("Connecting to %s …" % _preferences.url())
	var address: String = _preferences.url().replace("http", "ws") + "/ws/chat"
	if _socket.connect_to_url(address) != OK:
		_retry("%s is no address of a server." % _preferences.url())


func _read(delta: float) -> void:
	if not _is_greeted:
		_is_greeted = true
		_hello()
	if is_open:
		_open_s += delta
	else:
		_give_up_late(delta)
	while _socket != null and _socket.get_available_packet_count() > 0:
		var packet := _socket.get_packet().get_string_from_utf8()
		_unheard_bytes = 0
		var message: Variant = JSON.parse_string(packet)
		if message is Dictionary:
			_take(message)
			if str(message.get("type")).begins_with("function_call"):
				return  # Arrow sets its fields once the frame is over, and the next call looks at what stands there


func _take(message: Dictionary) -> void:
	if message.get("type") == "error" and message.get("code") == "BUSY" and is_open and _said != null:
		_said = null  # an assistant has just begun
		_again_s = AGAIN_S
		return
	if message.get("type") != "connected":
		received.emit(message)
		return
	_known = _said
	_said = null
	server_version = str(message.get("version", ""))
	frame_bytes = int(message.get("max_frame_bytes", 0))
	if not is_open:
		is_open = true
		_say("Connected to %s." % _preferences.url())
		opened.emit()


func _hello() -> void:
	_said = _batches
	var capabilities := CAPABILITIES.filter(func(name: String) -> bool: return _batches or name != "batch")
	var hello := {
		"type": "hello",
		"client": _client,
		"dialect": "fletcher",
		"capabilities": capabilities,
		"max_frame_bytes": MAX_FRAME_BYTES,
	}
	if _preferences.access_token():
		hello.token = _preferences.access_token()
	send(hello)


func _give_up_late(delta: float) -> void:
	_pending_s += delta
	if _pending_s > HANDSHAKE_S:
		_retry("%s does not answer." % _preferences.url())


func _ended(code: int, reason: String) -> void:
	if code == REFUSED and "token" in reason.to_lower() and not reason.begins_with(TOO_MANY):
		_lose()
		_wait_s = INF  # until it is another one
		_say("The server refused: %s Set the right token in the preferences." % reason)
	elif code > 0:
		_retry("The connection was closed (%d%s)." % [code, " " + reason if reason else ""])
	elif is_open:
		_retry("%s does not answer any more." % _preferences.url())
	else:
		_retry("No Fletcher answers at %s. Is `fletcher serve` running?" % _preferences.url())


func _retry(problem: String) -> void:
	if _open_s > LONGEST_WAIT_S:  # else it is one that closes what it has just opened
		_attempts = 1
	_lose()
	_wait_s = minf(LONGEST_WAIT_S, pow(2.0, _attempts - 1)) * randf_range(0.75, 1.25)
	_say("%s Trying again in %d s." % [problem, maxi(1, roundi(_wait_s))])


func _lose() -> void:
	_socket = null
	_known = null
	_said = null
	if is_open:
		is_open = false
		closed.emit()


func _say(words: String) -> void:
	text = words
	text_changed.emit(words)
