## Converts the Markdown of FLETCHER_TEST_TEXTS (a JSON list in a file) with the panel's converter, and writes for each
## the BBCode, what a RichTextLabel shows of it, and how long it took.
extends SceneTree

const NODES := [3, 12]


func _init() -> void:
	var given := FileAccess.get_file_as_string(OS.get_environment("FLETCHER_TEST_TEXTS"))
	var script: Script = load(OS.get_environment("FLETCHER_TEST_CONVERTER"))
	var is_node := func(id: int) -> bool: return id in NODES
	var converter: RefCounted = script.new({"pier_end": 12, "quay (old)": 3}, is_node, is_node)
	var label := RichTextLabel.new()
	label.bbcode_enabled = true
	root.add_child(label)
	var results := []
	for text: String in JSON.parse_string(given):
		var begun := Time.get_ticks_msec()
		var converted: String = converter.convert(text)
		var took := Time.get_ticks_msec() - begun
		label.text = converted
		results.append({"bbcode": converted, "shown": label.get_parsed_text(), "milliseconds": took})
	var file := FileAccess.open(OS.get_environment("FLETCHER_TEST_RESULTS"), FileAccess.WRITE)
	file.store_string(JSON.stringify(results))
	file.close()
	quit()
