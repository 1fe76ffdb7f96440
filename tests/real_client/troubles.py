"""Conversations in which something goes wrong, is stopped, is large or is strange."""

import json

from arrow_project import Operation, parse
from tests.end_to_end.messages_api import Hang, HttpError, Text, ToolUse
from tests.real_client.conversation import Conversation, Stop, Turn, by_message, calls, op, says
from tests.real_client.starts import CHAPTER, FRAME_LIMIT, LAMP, connect, node

# --- mistakes of the model ---------------------------------------------------------------------------------------

_RIGHT = (
    op("create_character", name="Nell", color="#123abc"),
    node("monolog", 0, {"character": 26, "text": "Good night."}, connect_from={"node_id": 14}),
)
_MISTAKES = Conversation(
    "mistakes and retries",
    "invalid ids, missing and wrong arguments, a busy provider, the same call put right",
    CHAPTER.replace('"A Writer"', '"A \u201cWriter\u201d"'),
    (
        HttpError(529, "overloaded_error", "Overloaded"),
        calls(op("update_node", node_id=987654, data={"content": "x"})),
        [ToolUse("create_connection", {"from_node_id": 1, "to_node_id": 1})],
        [ToolUse("create_insert_node", {"preset": {"content": "no type"}})],
        [ToolUse("create_insert_node", {"type": "poem", "scene_id": 0})],
        [ToolUse("create_variable", {"name": "x", "type": "float"})],
        calls(op("create_variable", name="put right", type="num", initial_value=1), saying=("Now right.",)),
        says("Right now."),
    ),
    (
        Turn(
            "Do it well.",
            does=(op("create_variable", name="put right", type="num", initial_value=1),),
            shows=("Now right.", "Right now."),
        ),
    ),
    reads={2: ("INVALID_NODE_ID", "987654"), 4: ("type",), 7: ("put_right",)},
)

# --- the editor refuses, or is another than expected --------------------------------------------------------------

_BY_HAND_JUMP = node("jump", 0, {"target": {"type": "node", "id": 20}})
_UPDATE_GONE = op("update_node", node_id=25, data={"title": "Gone"})
_NEW_ONE = op("create_character", name="Nell", color="123abc")
_REFUSING = Conversation(
    "the editor refuses",
    "edits by hand between and during turns: a node that is gone, a removal refused, an id that is taken",
    LAMP,
    (
        calls(_UPDATE_GONE),
        says("It is gone."),
        calls(op("delete_node", node_id=20)),
        calls(_NEW_ONE),
        calls(op("update_character", by_name="Nell", notes="New")),
        says("Nell is here."),
        calls(op("update_node", node_id=2, notes="By the model")),
        says("Noted."),
    ),
    (
        Turn("Name the frame.", at_start=(op("delete_node", node_id=25),), shows=("It is gone.",)),
        Turn("Remove node 20.", shows=("(yes or no",)),
        Turn("yes", at_start=(_BY_HAND_JUMP,), shows=("did not delete node 20: still referenced by 26",)),
        # 26 was made by hand
        Turn(
            "Add Nell.",
            at_start=(op("create_variable", name="by hand", type="num"),),  # 27, which Nell was to get
            does=(_NEW_ONE, op("update_character", character_id=28, notes="New")),
        ),
        Turn(
            "Note it.",
            before=(op("update_node", node_id=2, name="by_hand", data={"content": "Changed by hand"}),),
            does=(op("update_node", node_id=2, notes="By the model"),),
        ),
    ),
    reads={1: ("25",), 4: ('"character_id":28',), 6: ("Changed by hand",)},
)

# --- stop --------------------------------------------------------------------------------------------------------


def _counter(name: str) -> Operation:
    return op("create_variable", name=name, type="num", initial_value=0)


_TWO, _FOUR = (_counter("one"), _counter("two")), tuple(_counter(name) for name in ("a", "b", "c", "d"))
_STOPPING = Conversation(
    "stop",
    "in the middle of a text, after calls (then undo), between calls, at the very start; and on as if nothing was",
    LAMP,
    by_message(
        {
            "Tell me a tale": [[Text(("Once ", "upon a tide")), Hang()]],
            "Two counters": [calls(*_TWO), Hang()],
            "Four counters": [calls(*_FOUR), Hang()],
            "Never mind this": [Hang()],
            "And on": [calls(_counter("last")), says("There.")],
        }
    ),
    (
        Turn("Tell me a tale", stop=Stop("text", "upon a tide"), shows=("Once upon a tide",)),
        Turn("Two counters", does=_TWO, stop=Stop("calls", 2), shows=("stays in your project", "Say undo")),
        Turn("undo", does=(op("delete_variable", variable_id=27), op("delete_variable", variable_id=26))),
        Turn("Never mind this", stop=Stop("start")),
        Turn("And on", does=(_counter("last"),), shows=("There.",)),
        Turn("Four counters", does=_FOUR, stop=Stop("calls", 1), as_far_as_it_came=True),
    ),
    any_requests=True,
)

# --- size --------------------------------------------------------------------------------------------------------

_PROSE = (
    "The ferry comes late, and the keeper says that it has always come late. On the quay the nets dry, the gulls walk "
    "between them, and nobody asks whose boat is missing. "
)


def _grown(text: str, size: int) -> str:
    """The document with pages of prose, in a scene of their own, until its file has `size` bytes."""
    project = parse(text)
    scene_id = project.apply(op("create_scene", name="pages")).result["scene_id"]
    while (missing := size - len(project.to_text().encode())) > 600:
        prose = (_PROSE * 12)[: min(missing - 400, 1500)].strip()
        project.apply(node("content", scene_id, {"content": prose}))
    return project.to_text()


def _frame_bytes(text: str) -> int:
    """How long the document is inside a message."""
    return len(json.dumps(text, ensure_ascii=False).encode())


def _close_to_the_limit(room: int) -> str:
    """A document whose message leaves `room` bytes of the longest frame."""
    project = parse(_grown(LAMP, 50_000))
    missing = FRAME_LIMIT - room - _frame_bytes(project.to_text())
    project.apply(op("update_node", node_id=2, data={"content": "x" * missing}))
    return project.to_text()


_LARGE = _grown(LAMP, 51_200)
_NEXT = max(parse(_LARGE).data.nodes) + 1
_IN_LARGE = (
    node("content", 26, {"content": _PROSE}),
    connect(27, 0, 28),
    connect(28, 0, _NEXT),
    op("update_variable", variable_id=3, name="flasks"),
)
_FIFTY = Conversation(
    "fifty kilobytes",
    "a project of 50 KB, edited and renamed; the answers come close to what a frame holds",
    _LARGE,
    (
        calls(*_IN_LARGE, saying=("Long. ",)),
        says("Longer."),
        calls(op("delete_node", node_id=28)),
        says("Out."),
        says("Read."),
    ),
    (
        Turn("One page more.", does=_IN_LARGE, shows=("Longer.",)),
        Turn("Take a page out.", opens=26, shows=("(yes or no",)),
        Turn("yes", does=(op("delete_node", node_id=28),), shows=("Out.",)),
        Turn("Thank you.", shows=("Read.",)),
    ),
)

# --- text --------------------------------------------------------------------------------------------------------

# one character of each plane that has any (two of them for private use), and of each kind of trouble
_PLANES = "".join(chr(plane * 0x10000 + 0x0E01 + (0x100 if plane == 14 else 0)) for plane in range(17))
_QUOTES = (
    "\"double\" 'single' `back` \u201ccurly\u201d \u2018curly\u2019 \u201elow\u201c \u201alow\u2018 "
    "\u00abguillemets\u00bb \u2039single\u203a \u300ccorner\u300d \u300ewhite\u300f \uff02\u2033\u2032"
)
_EMOJI = (
    "\U0001f600 \U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f1eb\U0001f1f7 "
    "\U0001f44d\U0001f3fd \u2764\ufe0f"
)
_TROUBLE = "back\\slash {brace} [b]bold[/b] <i>tag</i> %s $1 e\u0301 \u202eright to left\u202c \ufeff \u2028 tab\tend"
_LINES = "first\nsecond\n\nfourth"
_WORDS = f"{_QUOTES} {_EMOJI} {_TROUBLE} {_PLANES}"
_SAYING = (
    node("content", 0, {"title": _QUOTES, "content": f"{_WORDS}\n{_LINES}"}),
    node("dialog", 0, {"character": 6, "lines": [_QUOTES, _EMOJI, _TROUBLE]}),
    op("create_character", name="Zo\u00eb \u201cZ\u201d", color="#abcdef", tags={"motto": _WORDS}),
    op("update_node", node_id=1, notes=_WORDS),
    op("update_scene", scene_id=0, name=f"{_QUOTES} {_EMOJI}"),
    op("update_variable", variable_id=4, initial_value=_WORDS),
)
_LONG = tuple(f"{number:05d} {_EMOJI}\n" for number in range(2500))
_CHARACTERS = Conversation(
    "every character",
    "all planes of Unicode, every kind of quote, emoji, control characters, 200 KB of streamed text; with history",
    LAMP,
    (
        calls(*_SAYING, saying=(_WORDS, " \u000b\u0007 ", _PLANES)),
        says("Said."),
        says("They stand alone."),
        says("".join(_LONG)),
        says(*_LONG),
        says("Heard."),
    ),
    (
        Turn(f"Say {_WORDS} \u000b\u0007!", does=_SAYING, clear=True, shows=(_WORDS, _PLANES, "Said.")),
        Turn("A long one at once.", clear=True, shows=("".join(_LONG),), patience_s=120),
        Turn("A long one in pieces.", clear=True, shows=("".join(_LONG),), patience_s=120),
        Turn("Short.", clear=True, shows=("Heard.",)),
    ),
    reads={0: (_QUOTES, _EMOJI, _PLANES, "right to left")},
)

# --- history and documents ---------------------------------------------------------------------------------------

_GROUNDED = Conversation(
    "documents and history",
    "citations as text; the client's history, which only begins after Clear; an error of the provider",
    LAMP,
    (
        says("The oil comes ", "from the mill [1]."),
        says("As I said."),
        HttpError(401, "authentication_error", "invalid x-api-key"),
        says("Here again."),
    ),
    (
        Turn("Where does the oil come from?", clear=True, shows=("from the mill [1].", "Sources: [1] oil.md")),
        Turn("Say that again.", shows=("As I said.",)),
        Turn("And again.", shows=("MODEL_AUTHENTICATION",)),
        Turn("Are you there?", shows=("Here again.",)),
    ),
    reads={0: ("The oil is pressed",), 1: ("Where does the oil come from?", "from the mill [1]")},
    documents={"oil.md": "# Oil\n\nThe oil is pressed at the mill behind the harbour.\n"},
)

# --- frames that do not arrive -----------------------------------------------------------------------------------

_TOO_MUCH = op("update_node", node_id=14, data={"content": "y" * 2000})
_UNANSWERED = Conversation(
    "an answer that never comes",
    "the result is longer than a frame: the client cannot send it, the call times out, the model is told",
    _close_to_the_limit(1000),
    (calls(_TOO_MUCH), says("I do not know whether it was done.")),
    (
        Turn(
            "Say more.",
            does=(_TOO_MUCH,),
            shows=("Connection error: Failed to send message: Error 6", "I do not know whether it was done."),
        ),
        Turn("And now?", ends=False, patience_s=5, shows=("Failed to send message: Error 6",)),
    ),
    reads={1: ("TIMEOUT",)},
)
_UNSENT = Conversation(
    "a message that never leaves",
    "the project is longer than a frame: the client says so, the server hears nothing",
    _grown(LAMP, 66_000),
    (),
    (Turn("Hello?", ends=False, patience_s=5, shows=("Connection error: Failed to send message: Error 6",)),),
)


TROUBLES = (_MISTAKES, _REFUSING, _STOPPING, _FIFTY, _CHARACTERS, _GROUNDED, _UNANSWERED, _UNSENT)
