"""The conversations: together they use every function of the client, and everything that can go wrong with it."""

import json
from itertools import chain

from arrow_project import Operation, parse
from tests.arrow_project.conform.starts import text_of
from tests.end_to_end.messages_api import Hang, HttpError, Text, ToolUse
from tests.real_client.conversation import Conversation, Stop, Turn, by_message, calls, op, says

_Exchange = tuple[list[list[Text | ToolUse]], tuple[Turn, ...]]

_LAMP, _BLANK, _CHAPTER = text_of("lamp"), text_of("blank"), text_of("chapter")
# A frame of Godot's WebSocketPeer, in either direction.
FRAME_LIMIT = 65_535


def _node(node_type: str, scene_id: int, preset: dict[str, object] | None = None, **more: object) -> Operation:
    return op("create_insert_node", type=node_type, scene_id=scene_id, preset=preset or {}, **more)


def _connect(from_id: int, from_slot: int, to_id: int, to_slot: int = 0) -> Operation:
    return op("create_connection", from_node_id=from_id, from_slot=from_slot, to_node_id=to_id, to_slot=to_slot)


# --- everything new ----------------------------------------------------------------------------------------------

_RESOURCES = (
    op("create_variable", name="gold", type="num", initial_value=10),  # 3
    op("create_variable", name="visitor", type="str", initial_value="Ann"),  # 4
    op("create_variable", name="met", type="bool", initial_value=False),  # 5
    op("create_character", name="Elena Marsh", color="#4A90E2", tags={"trust": "high"}),  # 6
    op("create_character", name="Tomas", color="ff8300"),  # 7
    op("create_scene", name="Harbour", notes="Where the boats are"),  # 8, its entry 9
    op("create_scene", name="Toll", is_macro=True),  # 10, its entry 11
)
_ALL_TYPES = (
    _node("content", 8, {"title": "Quay", "content": "{visitor} has {gold} gold."}, name="arrival", notes="Fog"),  # 12
    _node("dialog", 8, {"character": 6, "lines": ["Pay, {visitor}.", "Pass."], "playable": True}),  # 13
    _node("monolog", 8, {"character": 7, "text": "{Elena_Marsh.trust} tide.", "auto_play": True}),  # 14
    _node("condition", 8, {"variable": 3, "operator": ">=", "compare_to": {"type": "value", "value": 5}}),  # 15
    _node("hub", 8, {"inputs": 3}),  # 16
    _node("interaction", 8, {"actions": ["Pay", "Run"]}),  # 17
    _node("variable_update", 8, {"variable": 3, "operation": "subtract", "value": {"type": "value", "value": 5}}),  # 18
    _node("jump", 8, {"target": {"type": "node", "id": 12}, "reason": "again"}),  # 19
    _node("marker", 8, {"label": "Pier", "color": "#00FF88"}),  # 20
    _node("randomizer", 8, {"paths": 3}),  # 21
    _node("sequencer", 8, {"paths": 2, "mode": "all"}),  # 22
    _node("generator", 10, {"variable": 3, "generator_type": "random_int", "min": 1, "max": 6}),  # 23
    _node("tag_edit", 8, {"character": 6, "operations": [{"action": "set", "key": "trust", "value": "low"}]}),  # 24
    _node("tag_match", 8, {"character": 6, "key": "trust", "patterns": ["low", "high"]}),  # 25
    _node("tag_pass", 8, {"character": 6, "method": "all", "conditions": [{"key": "trust", "value": "low"}]}),  # 26
    _node("user_input", 8, {"prompt": "Who are you?", "variable": 4}),  # 27
    _node("macro_use", 8, {"macro": 10}),  # 28
    _node("entry", 8, {"label": "Second way in"}),  # 29
    _node("frame", 8, {"title": "Toll gate", "color": "#FF5733", "rect": [400, 200]}),  # 30
)
_WIRES = (
    _connect(9, 0, 12), _connect(12, 0, 13), _connect(13, 0, 14), _connect(13, 1, 16, 2), _connect(14, 0, 15),
    _connect(15, 0, 17), _connect(15, 1, 16, 1), _connect(17, 0, 18), _connect(17, 1, 21), _connect(18, 0, 19),
    _connect(21, 2, 22), _connect(22, 1, 24), _connect(24, 0, 25), _connect(25, 1, 26), _connect(26, 1, 27),
    _connect(27, 0, 28), _connect(29, 0, 20), _connect(11, 0, 23),
)  # fmt: skip
_ENTRIES = (op("set_scene_entry", node_id=29), op("set_project_entry", node_id=9))

_NEW = Conversation(
    "everything new",
    "variables, characters, a scene, a macro, all 19 node types, connections, entries",
    _BLANK,
    (
        calls(*_RESOURCES, saying=("I'll lay ", "the ", "ground.")),
        calls(*_ALL_TYPES, saying=("Now the ", "nodes.")),
        calls(*_WIRES),
        calls(*_ENTRIES),
        says("All ", "19 kinds ", "are there."),
    ),
    (
        Turn(
            "Build me a harbour with a toll.",
            does=(*_RESOURCES, *_ALL_TYPES, *_WIRES, _ENTRIES[0]),
            shows=("I'll lay the ground.", "Now the nodes.", "(yes or no"),
            hides=("ground.Now",),
            patience_s=180,
        ),
        Turn("yes", does=(_ENTRIES[1],), shows=("All 19 kinds are there.",)),
    ),
    reads={1: ('"variable_id":3', '"scene_id":8'), 2: ('"node_id":30',)},
)

# --- edits and renames -------------------------------------------------------------------------------------------

_RENAMES = (
    op("update_variable", variable_id=3, name="flasks"),
    op("update_variable", by_name="visitor", name="guest", initial_value="nobody"),
    op("update_character", character_id=6, name="Mira Vane", color="#00FF7F"),
    op("update_character", character_id=6, tags={"mood": "glad"}),  # `trust` has to go
    op("update_character", character_id=7, tags={"knows": "the sea"}, notes="Never sleeps"),
    op("update_scene", scene_id=16, name="oil cellar", notes="Dark down there"),
    op("update_scene", scene_id=18, name="draw oil"),
)
_EDITS = (
    op("update_node", node_id=24, data={"operations": [{"action": "set", "key": "mood", "value": "calm"}]}),
    op("update_node", node_id=2, data={"content": "Fog over the bay, {guest}. {flasks} flasks."}),
    op("update_node", node_id=17, name="down"),  # its notes have to stay
    op("update_node", node_id=10, data={"actions": ["Pour the oil", "Ask about Tam", "Go back down", "Wait"]}),
    op("create_connection", from_node_id=10, from_slot=3, to_node_id=14),
)
_CUTTING = op("update_node", node_id=10, data={"actions": ["Pour oil", "Ask about Tam", "Go down"]})  # at slot 3
_MORE_EDITS = (
    op("update_node", node_id=11, data={"operator": "<", "compare_to": {"type": "value", "value": 1}}),
    op("update_node", node_id=14, notes="The end, \u201cshine\u201d"),
    op("update_node", node_id=9, data={"character": 7}),
    op("update_node", node_id=23, data={"max": 9}),
    op("update_node", node_id=20, data={"target": {"type": "node", "id": 21}}),
)
_EMPTIED = (op("update_node", node_id=24, notes=""), op("update_variable", variable_id=3, notes="How much is left"))
_EDITING = Conversation(
    "edits and renames",
    "renames that texts follow, tags replaced, notes kept and emptied, fewer lines, another target",
    _LAMP,
    (
        calls(*_RENAMES),
        says("Renamed."),
        calls(*_EDITS, _CUTTING, saying=("Editing. ",)),
        calls(*_MORE_EDITS),
        says("Edited."),
        calls(*_EMPTIED),
        says("Done."),
    ),
    (
        Turn("Rename them.", does=_RENAMES, shows=("Renamed.",)),
        Turn("Now the texts.", does=_EDITS, select=(2, 9), shows=("Editing.", "(yes or no")),
        Turn("yes", does=(_CUTTING, *_MORE_EDITS), shows=("Edited.",)),
        Turn("Notes, too.", does=_EMPTIED),
    ),
    reads={1: ("Mira_Vane",)},
)

# --- connections -------------------------------------------------------------------------------------------------

_FREE, _SKIP = _connect(14, 0, 15), op("update_node_map", node_id=12, modifications={"skip": True})
_REWIRE = op("update_node_map", node_id=14, modifications={"io": {"pop": [[14, 0, 15, 0]], "push": [[14, 0, 20, 0]]}})
_CUT = op("delete_connection", **{"from": 14, "from_slot": 0, "to": 20, "to_slot": 0})
_UNSKIP = op("update_node_map", node_id=12, modifications={"skip": False})
_PAIR = (_node("content", 0, {"content": "copy of 8"}), _node("content", 0, {"content": "copy of 9"}))  # 26, 27
_QUICK = op("quick_insert_node", type="content", offset=[300, 300], connection=[27, 0, True])  # 28
_COPIED = op("node_connection_replacement", table={"8": 26, "9": 27})
_CONNECTIONS = Conversation(
    "connections",
    "push and pop with a yes, a taken slot, skip, quick_insert_node, node_connection_replacement",
    _LAMP,
    (
        calls(_FREE, _SKIP, _connect(2, 0, 9)),  # the slot of the last one is taken
        says("Connected."),
        calls(_REWIRE),
        says("Led there."),
        calls(_CUT, saying=("I would cut it.",)),
        says("Cut."),
        calls(_UNSKIP, *_PAIR),
        says("Unskipped."),
        says("They stand alone."),  # the turn has told it that nothing leads to them
    ),
    (
        Turn("Connect 14 and skip 12.", does=(_FREE, _SKIP), shows=("Connected.",)),
        Turn("Lead it to 20.", shows=("(yes or no",)),
        Turn("yes", does=(_REWIRE,), shows=("Led there.",)),
        Turn("Cut it.", shows=("I would cut it.", "(yes or no")),
        Turn("Yes, please!", does=(_CUT,), shows=("Cut.",)),
        Turn("Again with 12.", does=(_UNSKIP, *_PAIR), shows=("They stand alone.",)),
        Turn(f"/node_connection_replacement {json.dumps(dict(_COPIED.arguments))}", does=(_COPIED,)),
        Turn(f"/quick_insert_node {json.dumps(dict(_QUICK.arguments))}", does=(_QUICK,)),
    ),
    reads={1: ("leads to node 8 already",)},
)

# --- what this client cannot do ----------------------------------------------------------------------------------

_OUT_OF_THE_FILE = op("delete_connection", **{"from": 11, "from_slot": 0, "to": 12, "to_slot": 0})
_FEWER = op("update_node", node_id=10, data={"actions": ["Pour the oil", "Ask about Tam"]})
_IN_A_CLOSED_SCENE = op("delete_node", node_id=21)
_UNABLE = Conversation(
    "what the client cannot do",
    "connections of the file it loaded, removed alone or with a node of a closed scene: nothing is sent, all is said",
    _LAMP,
    (calls(_OUT_OF_THE_FILE), calls(_FEWER), calls(_IN_A_CLOSED_SCENE)),
    (
        Turn("Cut 11 from 12.", shows=("(yes or no",)),
        Turn("yes", shows=("cannot remove the connection [11, 0, 12, 0]",)),
        Turn("Two choices will do.", shows=("(yes or no",)),
        Turn("yes", shows=("cannot remove the connection [10, 2, 20, 0]",)),
        Turn("Take the macro out of the cellar.", shows=("(yes or no",)),
        Turn("yes", shows=("cannot remove the connection [17, 0, 21, 0]", "open that scene first")),
    ),
)

# --- removals ----------------------------------------------------------------------------------------------------


def _remove(
    message: str, removal: Operation, *, refused_first: Operation | None = None, opens: int | None = None
) -> _Exchange:
    """Removing something with a yes, after an attempt without force where it is in use."""
    answers = [calls(refused_first)] if refused_first else []
    asked = Turn(message, opens=opens, shows=("(yes or no",))
    return [*answers, calls(removal), says("Removed.")], (asked, Turn("yes", does=(removal,)))


_REMOVALS: tuple[_Exchange, ...] = (
    _remove("Remove the frame.", op("delete_node", node_id=25)),
    _remove(  # 22, in a closed scene, jumps there
        "Remove the choice.", op("delete_node", node_id=10, force=True), refused_first=op("delete_node", node_id=10)
    ),
    _remove("Remove the macro's use.", op("delete_node", node_id=21), opens=16),
    _remove(
        "No visitor.",
        op("delete_variable", by_name="visitor", force=True),
        refused_first=op("delete_variable", by_name="visitor"),
    ),
    _remove(
        "No Mira.",
        op("delete_character", character_id=6, force=True),
        refused_first=op("delete_character", character_id=6),
        opens=0,
    ),
    _remove("No cellar.", op("delete_scene", scene_id=16, force=True), refused_first=op("delete_scene", scene_id=16)),
    _remove("No macro.", op("delete_scene", scene_id=18)),
    _remove("No lit.", op("delete_variable", variable_id=5, force=True)),
)
_REMOVING = Conversation(
    "removals",
    "nodes, variables, characters, scenes that others refer to, in open and closed scenes; a no",
    _LAMP,
    (*chain.from_iterable(answers for answers, _ in _REMOVALS), calls(op("delete_node", node_id=2))),
    (
        *chain.from_iterable(turns for _, turns in _REMOVALS),
        Turn("And node 2.", shows=("(yes or no",)),
        Turn("no", shows=("Nothing was changed.",)),
    ),
    reads={3: ("22",)},
)

# --- several calls for one operation -----------------------------------------------------------------------------

_TAGS = [
    {"action": "set", "key": "mood", "value": "wary"},
    {"action": "set", "key": "met", "value": "yes"},
    {"action": "remove", "key": "trust"},
]
_CHAIN = _node(
    "tag_edit", 0, {"character": 6, "operations": _TAGS}, name="changes", connect_from={"node_id": 14}
)  # 26-28
_DICE = _node("generator", 0, {"variable": 3, "generator_type": "dice", "dice": "2d6+3"}, connect_from={"node_id": 28})
_CYCLE = _node("sequencer", 0, {"paths": 3, "mode": "cycle"})
_WEIGHTED = _node("randomizer", 0, {"weights": [1, 2, 1]}, name="lots")
_NOT = _node(
    "condition", 0, {"variable": 4, "operator": "!=", "compare_to": {"type": "value", "value": "Tam"}}, name="not_tam"
)
_OPTIONS = _node("hub", 0, {"options": ["Stay", "Go"]})
_SEVERAL = Conversation(
    "several calls for one",
    "a tag_edit chain, dice, a cycling sequencer, weights, a string's !=, a hub of options",
    _LAMP,
    (calls(_CHAIN, _DICE), calls(_CYCLE, _WEIGHTED, _NOT, _OPTIONS), says("Several each."), says("They stand alone.")),
    (
        Turn(
            "Make it changeable.",
            does=(_CHAIN, _DICE, _CYCLE, _WEIGHTED, _NOT, _OPTIONS),
            shows=("Several each.",),
        ),
    ),
    reads={1: ('"last_node_id":28',)},
)

# --- mistakes of the model ---------------------------------------------------------------------------------------

_RIGHT = (
    op("create_character", name="Nell", color="#123abc"),
    _node("monolog", 0, {"character": 26, "text": "Good night."}, connect_from={"node_id": 14}),
)
_MISTAKES = Conversation(
    "mistakes and retries",
    "invalid ids, missing and wrong arguments, a busy provider, the same call put right",
    _CHAPTER.replace('"A Writer"', '"A \u201cWriter\u201d"'),
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

_BY_HAND_JUMP = _node("jump", 0, {"target": {"type": "node", "id": 20}})
_UPDATE_GONE = op("update_node", node_id=25, data={"title": "Gone"})
_NEW_ONE = op("create_character", name="Nell", color="123abc")
_REFUSING = Conversation(
    "the editor refuses",
    "edits by hand between and during turns: a node that is gone, a removal refused, an id that is taken",
    _LAMP,
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
    _LAMP,
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
        project.apply(_node("content", scene_id, {"content": prose}))
    return project.to_text()


def _frame_bytes(text: str) -> int:
    """How long the document is inside a message."""
    return len(json.dumps(text, ensure_ascii=False).encode())


def _close_to_the_limit(room: int) -> str:
    """A document whose message leaves `room` bytes of the longest frame."""
    project = parse(_grown(_LAMP, 50_000))
    missing = FRAME_LIMIT - room - _frame_bytes(project.to_text())
    project.apply(op("update_node", node_id=2, data={"content": "x" * missing}))
    return project.to_text()


_LARGE = _grown(_LAMP, 51_200)
_NEXT = max(parse(_LARGE).document.nodes) + 1
_IN_LARGE = (
    _node("content", 26, {"content": _PROSE}),
    _connect(27, 0, 28),
    _connect(28, 0, _NEXT),
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
    _node("content", 0, {"title": _QUOTES, "content": f"{_WORDS}\n{_LINES}"}),
    _node("dialog", 0, {"character": 6, "lines": [_QUOTES, _EMOJI, _TROUBLE]}),
    op("create_character", name="Zo\u00eb \u201cZ\u201d", color="#abcdef", tags={"motto": _WORDS}),
    op("update_node", node_id=1, notes=_WORDS),
    op("update_scene", scene_id=0, name=f"{_QUOTES} {_EMOJI}"),
    op("update_variable", variable_id=4, initial_value=_WORDS),
)
_LONG = tuple(f"{number:05d} {_EMOJI}\n" for number in range(2500))
_CHARACTERS = Conversation(
    "every character",
    "all planes of Unicode, every kind of quote, emoji, control characters, 200 KB of streamed text; with history",
    _LAMP,
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
    _LAMP,
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
    _grown(_LAMP, 66_000),
    (),
    (Turn("Hello?", ends=False, patience_s=5, shows=("Connection error: Failed to send message: Error 6",)),),
)

CONVERSATIONS = (
    _NEW,
    _EDITING,
    _CONNECTIONS,
    _UNABLE,
    _REMOVING,
    _SEVERAL,
    _MISTAKES,
    _REFUSING,
    _STOPPING,
    _FIFTY,
    _CHARACTERS,
    _GROUNDED,
    _UNANSWERED,
    _UNSENT,
)
