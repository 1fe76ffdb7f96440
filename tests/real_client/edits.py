"""Conversations that edit: together they use every function of the client."""

import json
from itertools import chain

from arrow_project import Operation
from tests.end_to_end.messages_api import Text, ToolUse
from tests.real_client.conversation import Conversation, Turn, calls, op, says
from tests.real_client.starts import BLANK, LAMP, connect, node

_Exchange = tuple[list[list[Text | ToolUse]], tuple[Turn, ...]]

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
    node("content", 8, {"title": "Quay", "content": "{visitor} has {gold} gold."}, name="arrival", notes="Fog"),  # 12
    node("dialog", 8, {"character": 6, "lines": ["Pay, {visitor}.", "Pass."], "playable": True}),  # 13
    node("monolog", 8, {"character": 7, "text": "{Elena_Marsh.trust} tide.", "auto_play": True}),  # 14
    node("condition", 8, {"variable": 3, "operator": ">=", "compare_to": {"type": "value", "value": 5}}),  # 15
    node("hub", 8, {"inputs": 3}),  # 16
    node("interaction", 8, {"actions": ["Pay", "Run"]}),  # 17
    node("variable_update", 8, {"variable": 3, "operation": "subtract", "value": {"type": "value", "value": 5}}),  # 18
    node("jump", 8, {"target": {"type": "node", "id": 12}, "reason": "again"}),  # 19
    node("marker", 8, {"label": "Pier", "color": "#00FF88"}),  # 20
    node("randomizer", 8, {"paths": 3}),  # 21
    node("sequencer", 8, {"paths": 2, "mode": "all"}),  # 22
    node("generator", 10, {"variable": 3, "generator_type": "random_int", "min": 1, "max": 6}),  # 23
    node("tag_edit", 8, {"character": 6, "operations": [{"action": "set", "key": "trust", "value": "low"}]}),  # 24
    node("tag_match", 8, {"character": 6, "key": "trust", "patterns": ["low", "high"]}),  # 25
    node("tag_pass", 8, {"character": 6, "method": "all", "conditions": [{"key": "trust", "value": "low"}]}),  # 26
    node("user_input", 8, {"prompt": "Who are you?", "variable": 4}),  # 27
    node("macro_use", 8, {"macro": 10}),  # 28
    node("entry", 8, {"label": "Second way in"}),  # 29
    node("frame", 8, {"title": "Toll gate", "color": "#FF5733", "rect": [400, 200]}),  # 30
)
_WIRES = (
    connect(9, 0, 12), connect(12, 0, 13), connect(13, 0, 14), connect(13, 1, 16, 2), connect(14, 0, 15),
    connect(15, 0, 17), connect(15, 1, 16, 1), connect(17, 0, 18), connect(17, 1, 21), connect(18, 0, 19),
    connect(21, 2, 22), connect(22, 1, 24), connect(24, 0, 25), connect(25, 1, 26), connect(26, 1, 27),
    connect(27, 0, 28), connect(29, 0, 20), connect(11, 0, 23),
)  # fmt: skip
_ENTRIES = (op("set_scene_entry", node_id=29), op("set_project_entry", node_id=9))

_NEW = Conversation(
    "everything new",
    "variables, characters, a scene, a macro, all 19 node types, connections, entries",
    BLANK,
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
    op("update_character", character_id=7, tags={"knows": "the sea"}, notes="Never sleeps"),
    op("update_scene", scene_id=16, name="oil cellar", notes="Dark down there"),
    op("update_node", node_id=10, data={"actions": ["Pour the oil", "Ask about Tam", "Go back down", "Wait"]}),
    op("create_connection", from_node_id=10, from_slot=3, to_node_id=14),  # which another turn may not cut unasked
)
_DRAW_OIL = op("update_scene", scene_id=18, name="draw oil")
_MOOD = op("update_character", character_id=6, tags={"mood": "glad"})  # `trust` has to go
_EDITS = (
    op("update_node", node_id=24, data={"operations": [{"action": "set", "key": "mood", "value": "calm"}]}),
    op("update_node", node_id=2, data={"content": "Fog over the bay, {guest}. {flasks} flasks."}),
    op("update_node", node_id=17, name="down"),  # its notes have to stay
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
    LAMP,
    (
        calls(*_RENAMES),
        says("Renamed."),
        calls(_DRAW_OIL, _MOOD),
        says("She is glad."),
        calls(*_EDITS, _CUTTING, saying=("Editing. ",)),
        calls(*_MORE_EDITS),
        says("Edited."),
        calls(*_EMPTIED),
        says("Done."),
    ),
    (
        Turn("Rename them.", does=_RENAMES, shows=("Renamed.",)),
        Turn("Draw the oil; let her be glad, and no more.", does=(_DRAW_OIL,), shows=("tags.trust", "(yes or no")),
        Turn("yes", does=(_MOOD,), shows=("She is glad.",)),
        Turn("Now the texts.", does=_EDITS, select=(2, 9), shows=("Editing.", "(yes or no")),
        Turn("yes", does=(_CUTTING, *_MORE_EDITS), shows=("Edited.",)),
        Turn("Notes, too.", does=_EMPTIED),
    ),
    reads={1: ("Mira_Vane",)},
)

# --- connections -------------------------------------------------------------------------------------------------

_FREE, _SKIP = connect(14, 0, 15), op("update_node_map", node_id=12, modifications={"skip": True})
_REWIRE = op("update_node_map", node_id=14, modifications={"io": {"pop": [[14, 0, 15, 0]], "push": [[14, 0, 20, 0]]}})
_CUT = op("delete_connection", **{"from": 14, "from_slot": 0, "to": 20, "to_slot": 0})
_UNSKIP = op("update_node_map", node_id=12, modifications={"skip": False})
_PAIR = (node("content", 0, {"content": "copy of 8"}), node("content", 0, {"content": "copy of 9"}))  # 26, 27
_QUICK = op("quick_insert_node", type="content", offset=[300, 300], connection=[27, 0, True])  # 28
_COPIED = op("node_connection_replacement", table={"8": 26, "9": 27})
_CONNECTIONS = Conversation(
    "connections",
    "push and pop with a yes, a taken slot, skip, quick_insert_node, node_connection_replacement",
    LAMP,
    (
        calls(_FREE, _SKIP, connect(2, 0, 9)),  # the slot of the last one is taken
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
    LAMP,
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
    LAMP,
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
_CHAIN = node(
    "tag_edit", 0, {"character": 6, "operations": _TAGS}, name="changes", connect_from={"node_id": 14}
)  # 26-28
_DICE = node("generator", 0, {"variable": 3, "generator_type": "dice", "dice": "2d6+3"}, connect_from={"node_id": 28})
_CYCLE = node("sequencer", 0, {"paths": 3, "mode": "cycle"})
_WEIGHTED = node("randomizer", 0, {"weights": [1, 2, 1]}, name="lots")
_NOT = node(
    "condition", 0, {"variable": 4, "operator": "!=", "compare_to": {"type": "value", "value": "Tam"}}, name="not_tam"
)
_OPTIONS = node("hub", 0, {"options": ["Stay", "Go"]})
_SEVERAL = Conversation(
    "several calls for one",
    "a tag_edit chain, dice, a cycling sequencer, weights, a string's !=, a hub of options",
    LAMP,
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


EDITS = (_NEW, _EDITING, _CONNECTIONS, _UNABLE, _REMOVING, _SEVERAL)
