"""How the tasks outside the planner's grammar are passed: what a good model would call and say."""

from typing import Any

from tests.agent.scripted_model import Reply, Request, Script, Use


def _create(kind: str, preset: dict[str, Any], scene: int = 20) -> Use:
    return Use("create_insert_node", {"type": kind, "preset": preset, "scene_id": scene})


def _connect(origin: int, slot: int, target: int) -> Use:
    return Use("create_connection", {"from_node_id": origin, "from_slot": slot, "to_node_id": target})


def _disconnect(origin: int, slot: int, target: int) -> Use:
    return Use("delete_connection", {"from": origin, "from_slot": slot, "to": target, "to_slot": 0})


def _citing(document: str, text: str) -> Script:
    """A reply that cites the first result of the search before it that is in the document."""

    def reply(request: Request) -> Reply:
        passages = [one for result in request.tool_results for one in result.get("passages", ())]
        number = next(one["number"] for one in passages if one["document"] == document)
        return [f"{text} [{number}]"]

    return reply


def _search(query: str, document: str) -> list[str | Use]:
    return [Use("search_documents", {"query": query, "document": document})]


def _variable(name: str, kind: str, value: Any) -> Use:
    return Use("create_variable", {"name": name, "type": kind, "initial_value": value})


_OIL = {"variable": 3, "operator": ">=", "compare_to": {"type": "value", "value": 11}}


def _branches(yes: Use, no: Use) -> list[Script]:
    return [
        [_create("condition", _OIL), _connect(30, 0, 31)],
        [yes, no],
        [_connect(31, 0, 32), _connect(31, 1, 33)],
        ["Both ways are there."],
    ]


def _say(character: int, text: str) -> Use:
    return _create("monolog", {"character": character, "text": text})


def _content(text: str) -> Use:
    return _create("content", {"content": text})


_VERDICT = (
    ("Sabeth", "Stand behind the green."), ("Mina", "I can't see the light at all."), ("Sabeth", "No."),
    ("Mina", "Jory's afraid of it."), ("Sabeth", "That's how it's done."), ("Mina", "Jory?"),
    ("Sabeth", "The Admiral."),
)  # fmt: skip
_AFTER = (
    ("Sabeth", "Listen."), ("Mina", "Done what right?"), ("Sabeth", "If the light goes, sit down where you are."),
)  # fmt: skip
_OPTIONS = ("Ask how the mule knows", "Call out for Ludo Hasker", "Hold the lantern and be quiet")
_ANSWERS = ("He lost a shoe here.", "Once is enough.", "You've good hands for it.")


def _verdict() -> list[Script]:
    """A character, a scene with its entry, then line after line; ids follow one another."""
    sabeth, scene, entry = 31, 32, 33
    calls: list[str | Use] = [
        Use("create_character", {"name": "Sabeth"}),
        Use("create_scene", {"name": "The Admiral's Verdict", "is_macro": False}),
    ]
    speakers = {"Sabeth": sabeth, "Mina": 6}
    last, node = entry, entry

    def line(name: str, text: str, *origins: tuple[int, int]) -> None:
        nonlocal node
        node += 1
        calls.append(_create("monolog", {"character": speakers[name], "text": text}, scene))
        calls.extend(_connect(origin, slot, node) for origin, slot in origins)

    for name, text in _VERDICT:
        line(name, text, (last, 0))
        last = node
    node += 1
    choice = node
    calls += [_create("interaction", {"actions": list(_OPTIONS)}, scene), _connect(last, 0, choice)]
    ends: list[int] = []
    for slot, text in enumerate(_ANSWERS):
        line("Sabeth", text, (choice, slot))
        ends.append(node)
    first, *rest = _AFTER
    line(*first, *((end, 0) for end in ends))
    for name, text in rest:
        line(name, text, (node, 0))
    return [
        _search("The Admiral's Verdict mule Flats", "dialogues.txt"),
        _citing_then(calls),
        ["It stands as in the script."],
    ]


def _citing_then(calls: list[str | Use]) -> Script:
    def reply(request: Request) -> Reply:
        passages = [one for result in request.tool_results for one in result.get("passages", ())]
        return [f"From the documents [{passages[0]['number']}].", *calls]

    return reply


def _deletions(*node_ids: int) -> list[str | Use]:
    return [Use("delete_node", {"node_id": node_id}) for node_id in node_ids]


SOLUTIONS: dict[str, list[Script]] = {
    "delete-all-but-one": [
        _deletions(28, 29, 30),
        [Use("answer_question", {"decision": "change"}), *_deletions(28, 30)],
    ],
    "condition-with-branches": _branches(_content("The lamp is lit."), _content("The stair stays dark.")),
    "clever-condition": _branches(_say(7, "Then we light."), _content("Nobody lights anything.")),
    "tone-of-one-line": [
        [Use("update_node", {"node_id": 12, "data": {"lines": ["Inspector. Early. Of course."]}})],
        ["He is tired now."],
    ],
    "swap-the-branches": [
        [_disconnect(27, 0, 28), _disconnect(27, 1, 29)],
        [_disconnect(27, 1, 29), _connect(27, 0, 29), _connect(27, 1, 28)],
        [_connect(27, 0, 29), _connect(27, 1, 28)],
        ["Swapped."],
    ],
    "take-out-and-close-the-gap": [
        [Use("delete_node", {"node_id": 28})],
        [_connect(27, 0, 29)],
        ["Closed."],
    ],
    "the-verdict": _verdict(),
    "correct-the-steps": [
        _search("how many steps in Pell Light", "game-bible.pdf"),
        _citing_then([Use("update_node", {"node_id": 17, "data": {"lines": ["It's a hundred and seventeen steps."]}})]),
    ],
    "missing-variables": [
        _search("variables pages_left seal_intact", "variables-and-endings.md"),
        _citing_then(
            [
                _variable("lamp_pennies", "bool", False),
                _variable("has_button", "bool", False),
                _variable("pages_left", "num", 7),
                _variable("seal_intact", "bool", True),
            ]
        ),
    ],
    "the-postmistress": [[Use("create_character", {"name": "Perpetua Lisle"})], ["She is Perpetua Lisle."]],
    "ages-as-tags": [
        [
            Use("update_character", {"character_id": 6, "tags": {"age": "27"}}),
            Use("update_character", {"character_id": 8, "tags": {"age": "13"}}),
        ],
        ["Done, from the sheets."],
    ],
    "plan-of-several": [
        [Use("delete_node", {"node_id": 28}), Use("create_character", {"name": "Osk"}), _variable("fog", "bool", True)],
        ["That is the plan."],
    ],
    "it-of-the-message-before": [
        [_say(7, "Mind the handle."), _connect(30, 0, 31)],
        ["Odile says so."],
        [_say(6, "There isn't one."), _connect(31, 0, 32)],
        ["Mina answers."],
    ],
    "ask-postmistress": [
        _search("declaration word I don't like page one", "dialogues.txt"),
        _citing("dialogues.txt", "“No.”"),
    ],
    "ask-tilted-inn": [_search("Marbles are forbidden", "game-bible.pdf"), _citing("game-bible.pdf", "Their marbles")],
    "ask-liar": [
        _search("Wipes the clean side of a glass when he lies", "characters.docx"),
        _citing("characters.docx", "He wipes a clean glass."),
    ],
}  # fmt: skip
