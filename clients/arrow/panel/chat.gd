extends VBoxContainer
## The conversation: what was said, what runs now, what is asked, and the field for the next message.

signal source_opened(item: Dictionary)
signal link_followed(target: String, sources: Array)

const Chips := preload("chips.gd")
const Composer := preload("composer.gd")
const Markdown := preload("markdown.gd")
const Message := preload("message.gd")
const Plan := preload("plan.gd")
const Question := preload("question.gd")
const Story := preload("story.gd")
const Symbols := preload("symbols.gd")

const _WELCOME := (
	"Ask what the design documents say, or say what to change in the story: “Who keeps the lighthouse?”, "
	+ "“Add a dialog by Elena after the pier.”"
)
const _MOST_MESSAGES := 200
const _LONGEST_ANSWER := 40
const _SAID := {"yes": "You said yes.", "no": "You said no."}

var composer := Composer.new()

var _fletcher: Node
var _story: Story
var _scroll := ScrollContainer.new()
var _messages := VBoxContainer.new()
var _running := Label.new()
var _spinner := ProgressBar.new()
## What Fletcher says in this turn, with its sources; null until it says something.
var _answer: Message
var _is_between_texts := false
var _open_question: Question
var _open_plan: Plan
var _chips: Chips
var _suggestions: Chips
var _sources := []
var _is_at_end := true


func _init(fletcher: Node, story: Story) -> void:
	name = "Chat"
	_fletcher = fletcher
	_story = story
	_scroll.size_flags_vertical = SIZE_EXPAND_FILL
	_scroll.horizontal_scroll_mode = ScrollContainer.SCROLL_MODE_DISABLED
	_scroll.follow_focus = false
	_messages.size_flags_horizontal = SIZE_EXPAND_FILL
	_messages.add_theme_constant_override("separation", 8)
	_scroll.name = "Scroll"
	_messages.name = "Messages"
	_scroll.add_child(_messages)
	_scroll.get_v_scroll_bar().changed.connect(_follow)
	_scroll.get_v_scroll_bar().value_changed.connect(_on_scrolled)
	add_child(_scroll)
	add_child(_status())
	composer.name = "Composer"
	add_child(composer)
	_connect_composer()
	_connect_fletcher()


func _ready() -> void:
	_show_history()
	show_state(str(_fletcher.state))


## Shows what can be done in this state.
func show_state(state: String) -> void:
	composer.show_state(state)
	var is_running := state in ["processing", "executing"]
	_spinner.get_parent().visible = is_running
	if is_running and _running.text.is_empty():
		_running.text = "Thinking …"


func _status() -> Control:
	var row := HBoxContainer.new()
	_spinner.indeterminate = true
	_spinner.show_percentage = false
	_spinner.custom_minimum_size = Vector2(56, 6)
	_spinner.size_flags_vertical = SIZE_SHRINK_CENTER
	row.add_child(_spinner)
	_running.size_flags_horizontal = SIZE_EXPAND_FILL
	_running.text_overrun_behavior = TextServer.OVERRUN_TRIM_ELLIPSIS
	_running.add_theme_font_size_override("font_size", 13)
	row.add_child(_running)
	row.hide()
	return row


func _connect_composer() -> void:
	composer.sent.connect(func(text: String) -> void: _keep_unless(_fletcher.send(text), text))
	composer.previewed.connect(func(text: String) -> void: _keep_unless(_fletcher.preview(text), text))
	composer.stopped.connect(func() -> void: _fletcher.stop())
	composer.node_chosen.connect(func(id: int) -> void: _fletcher.center_node(id))


func _connect_fletcher() -> void:
	_fletcher.turn_started.connect(_on_turn_started)
	_fletcher.text_chunk.connect(_on_text_chunk)
	_fletcher.text_ended.connect(func() -> void: _is_between_texts = true)
	_fletcher.step_started.connect(_on_step_started)
	_fletcher.citations_changed.connect(_on_citations)
	_fletcher.suggestions_changed.connect(_on_suggestions)
	_fletcher.question_asked.connect(_on_question)
	_fletcher.preview_ready.connect(_on_preview)
	_fletcher.failed.connect(_on_failed)
	_fletcher.turn_ended.connect(_on_turn_ended)
	_fletcher.history_cleared.connect(_show_history)


func _show_history() -> void:
	_settle("")
	_answer = null
	_chips = null
	for message in _messages.get_children():
		message.queue_free()
	for turn: Dictionary in _fletcher.history():
		_say("you", "You", str(turn.get("message", "")))
		_answer_with(str(turn.get("output", "")))
	if _fletcher.history().is_empty():
		_answer_with(_WELCOME)


## Forgets the conversation, here and in what is sent.
func clear() -> void:
	_fletcher.clear_history()


func _say(speaker: String, title: String, text: String, markdown: Markdown = null, conversion := &"convert") -> Message:
	var message := Message.new(speaker, title, markdown, conversion)
	message.name = speaker.capitalize()
	message.link_followed.connect(_on_link.bind(_sources))
	_messages.add_child(message, true)
	if _messages.get_child_count() > _MOST_MESSAGES:
		_messages.get_child(0).queue_free()
	message.append(text)
	return message


# Names and ids as they are now: the converter of the next message knows others.
func _converter() -> Markdown:
	return Markdown.new(_story.names(), _story.is_node, _story.is_scene)


func _answer_with(text: String) -> void:
	_say("fletcher", "Fletcher", text, _converter())


func _on_link(target: String, sources: Array) -> void:
	link_followed.emit(target, sources)


# What could not be sent is there still, to be sent later.
func _keep_unless(was_sent: bool, text: String) -> void:
	if not was_sent:
		composer.draft(text)


# --- what the client reports ----------------------------------------------------------------------------------------


func _on_turn_started(message: String) -> void:
	_answer = null
	_is_between_texts = false
	_chips = null
	_sources = []
	_running.text = "Thinking …"
	_settle("Left open: the conversation has gone on.")
	if not message.is_empty():
		_say("you", "You", message)


# All that a turn says is one message; its texts are paragraphs of it.
func _on_text_chunk(text: String) -> void:
	if _answer == null:
		_answer = _say("fletcher", "Fletcher", "", _converter())
	elif _is_between_texts:
		_answer.append("\n\n")
	_is_between_texts = false
	_answer.append(text)


func _on_step_started(number: int, total: int, text: String) -> void:
	_running.text = "%d of %d: %s" % [number, total, text] if total > 1 else text


func _on_citations(items: Array) -> void:
	_sources.assign(items)  # in place: the links of this turn's messages have the same list
	if _chips:
		_chips.queue_free()
		_chips = null
	if items.is_empty():
		return
	_chips = Chips.new()
	_chips.name = "Sources"
	_chips.chosen.connect(func(item: Dictionary) -> void: source_opened.emit(item))
	for item: Dictionary in items:
		_chips.add(item, _place(item), str(item.get("text", "")).left(400))
	if _answer == null:
		_answer = _say("fletcher", "Sources", "")
	_answer.attach(_chips)


func _on_suggestions(items: Array) -> void:
	if items.is_empty():
		return
	_suggestions = Chips.new()
	_suggestions.chosen.connect(_on_suggestion_chosen)
	for item: Dictionary in items:
		_suggestions.add(item, str(item.get("label", "")), str(item.get("label", "")))
	_messages.add_child(_suggestions)


func _on_suggestion_chosen(item: Dictionary) -> void:
	_settle("")
	_fletcher.run_suggestion(item)


func _on_question(request: Dictionary) -> void:
	if request.get("kind") == "plan":
		return  # comes as a preview
	_open_question = Question.new(request)
	_open_question.answered.connect(_on_answered)
	var message := _say("fletcher", "Fletcher asks", str(request.get("text", "")), _converter(), &"convert_words")
	message.name = "Asked"
	message.attach(_open_question)


func _on_answered(decision: String, text: String) -> void:
	var question := _open_question
	_open_question = null
	if _fletcher.answer(decision, text):
		question.settle(_SAID.get(decision, "You said: %s" % text))
	else:  # it waits for its answer still
		_open_question = question


func _on_preview(diff: String, operations: Array) -> void:
	_open_plan = Plan.new(_story, diff, operations)
	_open_plan.name = "Plan"
	_open_plan.applied.connect(_on_plan_settled.bind(true))
	_open_plan.discarded.connect(_on_plan_settled.bind(false))
	_open_plan.link_followed.connect(_on_link.bind(_sources))
	var message := _say("fletcher", "Preview: nothing has been done yet", "")
	message.name = "Preview"
	message.attach(_open_plan)


func _on_plan_settled(is_applied: bool) -> void:
	var plan := _open_plan
	_open_plan = null
	if _fletcher.apply() if is_applied else _fletcher.discard():
		plan.settle("Applied." if is_applied else "Discarded.")
	else:
		_open_plan = plan


func _on_failed(code: String, message: String) -> void:
	_say("failure", code.capitalize(), message)


func _on_turn_ended(summary: Dictionary) -> void:
	_running.text = ""
	if _answer:
		_answer.shorten(_LONGEST_ANSWER)
	if summary.get("taken_back"):
		note("Stopped, and taken back: the project is as it was before.")
	elif summary.get("reason") == "stopped":
		note("Stopped. “Take back” undoes what was done." if summary.get("changed") else "Stopped.")


## The last turn is no more: so are its suggestions.
func note_taken_back() -> void:
	_settle("")
	note("Taken back: the project is as it was before the last turn.")


## Says something of its own below the conversation.
func note(words: String) -> void:
	var label := Label.new()
	label.text = words
	label.autowrap_mode = TextServer.AUTOWRAP_WORD_SMART
	label.modulate.a = 0.7
	_messages.add_child(label)


# What was open belongs to the turn before.
func _settle(words: String) -> void:
	if _open_question:
		composer.add_to_draft(_open_question.written())
		if _open_question.has_caret():
			composer.focus()
		_open_question.settle(words)
	if _open_plan:
		_open_plan.settle(words)
	if _suggestions:
		_suggestions.queue_free()
	_open_question = null
	_open_plan = null
	_suggestions = null


static func _place(item: Dictionary) -> String:
	var place := "%s %s" % ["[%d]" % int(item.get("number", 0)), item.get("document", "")]
	var page: Variant = item.get("page_from")
	return place if page == null else "%s, p. %d" % [place, int(page)]


# Follows what is being said, unless the user has scrolled away from the end.
func _follow() -> void:
	if _is_at_end:
		_scroll.set_deferred("scroll_vertical", int(_scroll.get_v_scroll_bar().max_value))


func _on_scrolled(value: float) -> void:
	var bar := _scroll.get_v_scroll_bar()
	_is_at_end = value >= bar.max_value - bar.page - 60.0
