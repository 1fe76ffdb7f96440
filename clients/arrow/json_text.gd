## JSON as others read it.
extends Object


## Godot writes U+000B as \v, which is not JSON, and which it does not read itself.
static func tidy(json: String) -> String:
	if not json.contains("\\v"):
		return json
	var parts := json.split("\\\\")  # between two backslashes in a row every escape begins with its own
	for place in parts.size():
		parts[place] = parts[place].replace("\\v", "\\u000b")
	return "\\\\".join(parts)
