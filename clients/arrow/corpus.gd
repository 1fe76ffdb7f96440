## The project's design documents on the server: small files go there over the socket, everything else is HTTP.
extends Node

signal documents_changed(documents: Array)
signal progressed(document: String, phase: String, done: int, total: int)
signal failed(code: String, message: String)
## What became of the document that is on its way over the socket.
signal answered(reports: Array)
## No call of add() is at work any more.
signal added
## There were other documents of these names, which have the text of the files now that were added.
signal replaced(names: PackedStringArray)

const TIMEOUT_S := 600.0
## How often the list is looked at while the server still embeds some of it.
const REFRESH_S := 2.0
const LONGEST_S := 60.0
## Of an answer that says all there is: with any other the list stays as it was known, and is asked for again.
const KNOWN := ["", "NO_PROJECT", "PROJECT_NOT_FOUND", "FOLDER_NOT_FOUND"]
## What any server refuses, whichever way it comes in.
const MAX_DOCUMENT_BYTES := 256 * 1024 * 1024

var documents: Array = []
## The answer of GET folder; empty where none is linked.
var linked: Dictionary = {}

var _preferences: RefCounted
var _project: RefCounted
var _connection: RefCounted
## The name of the document that is on its way over the socket.
var _sending := ""
var _is_adding := false
## The project whose documents these are, and whether the server has said so last.
var _listed := ""
var _is_listed := true
var _again := Timer.new()


func setup(preferences: RefCounted, project: RefCounted, connection: RefCounted) -> void:
	_preferences = preferences
	_project = project
	_connection = connection
	_again.one_shot = true
	_again.timeout.connect(_on_again)
	add_child(_again)


## Asks for the documents and the linked folder of the open project.
func refresh() -> void:
	if await _fetch():
		documents_changed.emit(documents)
		_look_again(REFRESH_S)


# False where another project has been opened meanwhile.
func _fetch() -> bool:
	var key: String = _project.key()
	var answer := await _ask(HTTPClient.METHOD_GET, "documents", key)
	var folder := await _ask(HTTPClient.METHOD_GET, "folder", key)
	if key != _project.key():
		return false
	_is_listed = answer.code in KNOWN and folder.code in KNOWN
	if _is_listed or key != _listed:
		documents = answer.json.get("documents", [])
		linked = folder.json
	_listed = key
	return true


# What is being embedded changes by itself; where it does not, it is asked for less and less often.
func _look_again(after_s: float) -> void:
	if not _is_listed or documents.any(_is_unfinished):
		_again.start(after_s)


func _on_again() -> void:
	var before := documents
	if not await _fetch():
		return
	if documents == before:
		_look_again(minf(_again.wait_time * 2, LONGEST_S))
	else:
		documents_changed.emit(documents)
		_look_again(REFRESH_S)


func forget() -> void:
	documents = []
	linked = {}
	documents_changed.emit(documents)


## Uploads files one after the other, those of an earlier call first; answers with what became of each.
func add(paths: PackedStringArray) -> Array:
	var reports := []
	var key: String = _project.key()
	while _is_adding:
		await added
	_is_adding = true
	for path in paths:
		reports.append_array(await _upload(path, _name_of(path, paths), key))
		if key == _project.key():
			await refresh()
	_is_adding = false
	added.emit()
	var names := PackedStringArray()
	for report: Dictionary in reports:
		if report.get("replaced", false):
			names.append(report.name)
	if names and key == _project.key():
		replaced.emit(names)
	return reports


## Takes what the server says about documents; false where the message is about something else.
func take(message: Dictionary) -> bool:
	var document := str(message.get("document", ""))
	match message.get("type"):
		"corpus_progress":
			progressed.emit(document, str(message.get("phase")), int(message.get("done")), int(message.get("total")))
		"corpus_report":
			answered.emit(message.get("documents", []))
		"error" when document:
			answered.emit([_failure(document, str(message.get("code")), str(message.get("message")))])
		_:
			return false
	return true


## The connection is gone, and what was on its way over it may be.
func cut_off() -> void:
	if _sending:
		var problem := "The connection was lost while %s was sent. Add it again where it is not in the list." % _sending
		answered.emit([_failure(_sending, "CONNECTION_LOST", problem)])


## "" or why it was not removed.
func remove(document_id: String) -> String:
	return await _change(HTTPClient.METHOD_DELETE, "documents/" + document_id.uri_encode())


func link_folder(path: String) -> String:
	return await _change(HTTPClient.METHOD_PUT, "folder", {"path": path})


func unlink_folder() -> String:
	return await _change(HTTPClient.METHOD_DELETE, "folder")


## The passages of GET search, best first.
func search(query: String, count := 8) -> Array:
	var answer := await _ask(HTTPClient.METHOD_GET, "search?k=%d&q=%s" % [count, query.uri_encode()], _project.key())
	_tell(answer)
	return answer.json.get("passages", [])


## `{findings: [{rule, severity, place, message}], error}`: what Arrow's own rules find in the story, without a model.
func check() -> Dictionary:
	var body := JSON.stringify({"arrow_content": _project.text()}).to_utf8_buffer()
	var answer := await _ask(HTTPClient.METHOD_POST, "check", _project.key(), body)
	return {"findings": answer.json.get("findings", []), "error": answer.error}


## `{before, text, after, error}`: a passage where it stands; without one, `after` is how the document begins.
func text_around(document_id: String, passage_id := "") -> Dictionary:
	var where := "text?document=" + document_id.uri_encode()
	if passage_id:
		where += "&passage=" + passage_id.uri_encode()
	var answer := await _ask(HTTPClient.METHOD_GET, where, _project.key())
	return {"before": "", "text": "", "after": "", "error": answer.error}.merged(answer.json, true)


## `{image, bytes, error}`; with a passage, that is highlighted.
func page_picture(document_id: String, page: int, passage_id := "") -> Dictionary:
	var where := "documents/%s/pages/%d.png" % [document_id.uri_encode(), page]
	if passage_id:
		where += "?passage=" + passage_id.uri_encode()
	var answer := await _ask(HTTPClient.METHOD_GET, where, _project.key())
	var image := Image.new()
	if answer.error.is_empty() and image.load_png_from_buffer(answer.body) != OK:
		answer.error = "The server sent no picture of page %d." % page
	return {"image": null if answer.error else image, "bytes": answer.body, "error": answer.error}


# Of two files of the same name the second would replace the first: so many of their folders tell them apart.
static func _name_of(path: String, paths: PackedStringArray) -> String:
	var name := path.get_file()
	var folder := path.get_base_dir()
	while folder.get_file() and _ending_with("/" + name, paths) > 1:
		name = folder.get_file().path_join(name)
		folder = folder.get_base_dir()
	return name


static func _ending_with(name: String, paths: PackedStringArray) -> int:
	return Array(paths).filter(func(path: String) -> bool: return path.ends_with(name)).size()


func _upload(path: String, name: String, key: String) -> Array:
	var file := FileAccess.open(path, FileAccess.READ)
	var reports := []
	if file == null:
		var problem := "%s cannot be read: %s" % [path, error_string(FileAccess.get_open_error())]
		reports = [_failure(name, "UNREADABLE", problem)]
	elif file.get_length() > MAX_DOCUMENT_BYTES:  # Arrow ends where memory does
		var problem := "%s has more than 256 MiB: split it, or export it with smaller pictures." % name
		reports = [_failure(name, "FILE_TOO_LARGE", problem)]
	else:
		progressed.emit(name, "sending", 0, 0)
		reports = await _sent(name, file.get_buffer(file.get_length()), key)
	for report: Dictionary in reports:
		if report.get("error") is Dictionary:
			failed.emit(str(report.error.get("code")), str(report.error.get("message")))
	progressed.emit(name, "done", 1, 1)
	return reports


# Over the socket the server tells how far it is. What is longer than a frame that both sides take goes over HTTP, where
# it holds up no turn, and where a limit of the server's is an answer and not the end of the connection.
func _sent(name: String, bytes: PackedByteArray, key: String) -> Array:
	var content := Marshalls.raw_to_base64(bytes) if bytes.size() < _connection.frame_bytes else ""
	var frame := {"type": "design_doc_sync", "project_id": key, "file_name": name, "file_content": content}
	var is_short: bool = content and JSON.stringify(frame).to_utf8_buffer().size() < _connection.frame_bytes
	if key.is_empty() or not is_short or not _connection.send(frame):
		return await _post(name, bytes, key)
	_sending = name
	var reports: Array = await answered
	_sending = ""
	return reports


func _post(name: String, bytes: PackedByteArray, key: String) -> Array:
	if "\r" in name or "\n" in name:  # it would end the part's line, and what follows be another name
		return [_failure(name, "INVALID_NAME", "A line break cannot stand in the name of a document: rename it.")]
	var boundary := "fletcher-%s" % Crypto.new().generate_random_bytes(12).hex_encode()
	var quoted := name.replace("\\", "\\\\").replace('"', '\\"')
	var head := (
		'--%s\r\nContent-Disposition: form-data; name="files"; filename="%s"\r\n' % [boundary, quoted]
		+ "Content-Type: application/octet-stream\r\n\r\n"
	)
	var body := head.to_utf8_buffer() + bytes + ("\r\n--%s--\r\n" % boundary).to_utf8_buffer()
	var type := "multipart/form-data; boundary=" + boundary
	var answer := await _ask(HTTPClient.METHOD_POST, "corpus", key, body, type)
	if answer.error:
		return [_failure(name, answer.code, "%s: %s" % [name, answer.error])]
	return answer.json.get("documents", [])


static func _failure(name: String, code: String, message: String) -> Dictionary:
	return {"name": name, "status": "failed", "error": {"code": code, "message": message}}


static func _is_unfinished(document: Dictionary) -> bool:
	return int(document.get("embedded", 0)) < int(document.get("passages", 0))


func _change(method: int, where: String, content: Dictionary = {}) -> String:
	var body := JSON.stringify(content).to_utf8_buffer() if content else PackedByteArray()
	var answer := await _ask(method, where, _project.key(), body)
	_tell(answer)
	await refresh()
	return answer.error


func _tell(answer: Dictionary) -> void:
	if answer.error:
		failed.emit(answer.code, answer.error)


## `{json, body, code, error}`; whatever goes wrong is a sentence in `error`.
func _ask(method: int, where: String, key: String, body := PackedByteArray(), type := "application/json") -> Dictionary:
	if key.is_empty():
		return _problem("NO_PROJECT", "No named project is open.")
	var request := HTTPRequest.new()
	request.timeout = TIMEOUT_S
	request.use_threads = true
	add_child(request)
	var headers := PackedStringArray(["Content-Type: " + type]) if body else PackedStringArray()
	if _preferences.access_token():
		headers.append("Authorization: Bearer " + _preferences.access_token())
	var url := "%s/projects/%s/%s" % [_preferences.url(), key.uri_encode(), where]
	var begun := request.request_raw(url, headers, method, body)
	if begun != OK:
		request.queue_free()
		return _problem("NO_ANSWER", "%s cannot be asked: %s" % [_preferences.url(), error_string(begun)])
	var done: Array = await request.request_completed
	request.queue_free()
	return _answer(done[0], done[1], done[3])


func _answer(result: int, status: int, body: PackedByteArray) -> Dictionary:
	if result != HTTPRequest.RESULT_SUCCESS:
		return _problem("NO_ANSWER", "No Fletcher answers at %s." % _preferences.url())
	var is_json := body.size() > 0 and body[0] == 0x7B
	var parsed: Variant = JSON.parse_string(body.get_string_from_utf8()) if is_json else null
	var json: Dictionary = parsed if parsed is Dictionary else {}
	if status < 300:
		return {"json": json, "body": body, "code": "", "error": ""}
	var said: Variant = json.get("error", json)
	var message := str(said.get("message", "the server answered %d" % status)) if said is Dictionary else str(said)
	return _problem(str(said.get("code", status)) if said is Dictionary else str(status), message)


func _problem(code: String, message: String) -> Dictionary:
	return {"json": {}, "body": PackedByteArray(), "code": code, "error": message}
