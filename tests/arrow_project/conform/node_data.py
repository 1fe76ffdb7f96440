"""Random simplified data for every node type."""

from collections.abc import Callable

from tests.arrow_project.conform.writer import TAGS, Arguments, Writer


def data(writer: Writer, type_name: str) -> Arguments:
    """Simplified data of a type; empty is what Arrow puts into a fresh node."""
    return _DATA[type_name](writer) if writer.chance.random() < 0.9 else {}


def _condition(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {}
    kind = w.data.variable_type(variable)
    operators = {"num": ["==", "!=", ">", "<", ">=", "<="], "bool": ["==", "!="]}.get(
        kind, ["==", "!=", "ct", "eql", "bgn"]
    )
    return {"variable": variable, "operator": w.chance.choice(operators), "compare_to": w.operand(variable)}


def _update(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {}
    kind = w.data.variable_type(variable)
    words = {"num": ["set", "add", "subtract", "multiply", "divide", "rem", "abs"], "bool": ["set", "neg"]}
    operation = w.chance.choice(words.get(kind, ["set", "add", "inb", "rpl", "stu"]))
    return {"variable": variable, "operation": operation, "value": w.operand(variable)}


def _generator(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {}
    kind = w.data.variable_type(variable)
    forms: dict[str, list[Arguments]] = {
        "num": [
            {"generator_type": "random_int", "min": 1, "max": 6},
            {"generator_type": "random_int", "min": -9, "max": -2, "parity": "odd"},
            {"generator_type": "random_int", "min": -5, "max": 5},
            {"generator_type": "dice", "dice": "2d6+3"},
            {"generator_type": "dice", "dice": "1d20"},
        ],
        "bool": [{"generator_type": "random_bool"}],
    }
    text_forms: list[Arguments] = [
        {"generator_type": "ascii", "pool": "abc", "length": 4},
        {"generator_type": "strst", "choices": ["red", "blue sky"]},
    ]
    return {"variable": variable} | w.chance.choice(forms.get(kind, text_forms))


def _input(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {"prompt": w.text()}
    kind = w.data.variable_type(variable)
    custom: dict[str, Arguments] = {
        "num": {"min": 1, "max": 10, "step": 2, "value": 3},
        "str": {"pattern": "[a-z]{1,9}", "default": "x"},
        "bool": {"negative": "no", "positive": "yes", "default": False},
    }
    said: Arguments = {"prompt": w.text(), "variable": variable}
    return said | ({"custom": custom[kind]} if w.flag() else {})


def _tag_edit(w: Writer) -> Arguments:
    if w.character() == -1:
        return {}
    actions = [
        {
            "action": w.chance.choice(["set", "inset", "reset", "outset"]),
            "key": w.chance.choice(TAGS),
            "value": w.text(),
        },
        {"action": "remove", "key": w.chance.choice(TAGS)},
    ]
    return {"character": w.character(), "operations": actions[: w.chance.randint(1, 2)]}


def _tag_match(w: Writer) -> Arguments:
    if w.character() == -1:
        return {}
    if w.flag():
        kind = w.chance.choice(["has_key", "equals", "not_equals"])
        return {"character": w.character(), "match": {"type": kind, "key": w.chance.choice(TAGS), "value": "x"}}
    said: Arguments = {"character": w.character(), "key": w.chance.choice(TAGS), "patterns": ["low", "", "high"]}
    return said | ({"regex": True} if w.flag() else {})


def _tag_pass(w: Writer) -> Arguments:
    if w.character() == -1:
        return {}
    conditions: list[Arguments] = [{"key": "mood"}, {"key": "trust", "value": w.text()}]
    return {"character": w.character(), "method": w.chance.choice(["any", "all"]), "conditions": conditions}


def _jump(w: Writer) -> Arguments:
    if w.flag():
        return {"target": {"type": "node", "id": w.node()}, "reason": w.text()}
    return {"target": {"type": "scene", "id": w.scene()}}


def _weights(w: Writer) -> Arguments:
    return {"weights": [1, 2, 1]} if w.flag() else {"paths": w.chance.randint(2, 5)}


def _sequencer(w: Writer) -> Arguments:
    return {"paths": w.chance.randint(2, 4), "mode": w.chance.choice(["all", "all", "cycle"])}


_DATA: dict[str, Callable[[Writer], Arguments]] = {
    "condition": _condition,
    "content": lambda w: {
        "title": w.text(),
        "content": w.text(),
        "brief": w.chance.choice([-1, 0, 20]),
        "clear": w.flag(),
    },
    "dialog": lambda w: {"character": w.character(), "lines": w.texts(), "playable": w.flag()},
    "entry": lambda w: {"label": w.text()},
    "frame": lambda w: {"title": w.text(), "color": "#ff5733", "rect": [400, 200]},
    "generator": _generator,
    "hub": lambda w: {"options": w.texts()} if w.flag() else {"inputs": w.chance.randint(2, 4)},
    "interaction": lambda w: {"actions": w.texts()},
    "jump": _jump,
    "macro_use": lambda w: {"macro": w.macro()},
    "marker": lambda w: {"label": w.text(), "color": "#0f8"},
    "monolog": lambda w: {"character": w.character(), "text": w.text(), "auto_play": w.flag()},
    "randomizer": _weights,
    "sequencer": _sequencer,
    "tag_edit": _tag_edit,
    "tag_match": _tag_match,
    "tag_pass": _tag_pass,
    "user_input": _input,
    "variable_update": _update,
}
