"""Random sequences of operations that use every node type and every function, the same for the same seed."""

import random
from collections.abc import Callable
from typing import Any

from arrow_project import ArrowProject, Operation, OperationError, Selection, parse
from arrow_project.node_types import NODE_TYPES
from arrow_project.operations.connecting import said
from tests.arrow_project.conform.starts import start

Arguments = dict[str, Any]

_WORDS = [
    "lamp", "oil", "stairs", "fog", "gull", "rope", "bell", "harbour", "salt", "Mira", "Tam", "Ünal", "Zoë",
    "north wind",
]  # fmt: skip
_TAGS = ("mood", "trust", "faction", "knows the way", "id")


class Writer:
    """Invents operations that fit the state of a project, and now and then some that do not."""

    def __init__(self, project: ArrowProject, chance: random.Random) -> None:
        self.project = project
        self.document = project.document
        self.chance = chance
        self.selection = Selection()

    def operation(self) -> Operation:
        """The next operation."""
        name = self.chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
        return Operation(name, _INVENT[name](self))

    def text(self) -> str:
        """A few words, sometimes exposing a variable or a tag."""
        words = self.chance.choices(_WORDS, k=self.chance.randint(1, 5))
        if self.document.variables and self.chance.random() < 0.3:
            words.append(f"{{{self.chance.choice(list(self.document.variables.values()))['name']}}}")
        if self.document.characters and self.chance.random() < 0.3:
            character = self.chance.choice(list(self.document.characters.values()))
            words.append(f"{{{character['name']}.{self.chance.choice(_TAGS)}}}")
        if self.chance.random() < 0.15:
            words.append(
                self.chance.choice(["{unknown}", 'a "quote"', "back\\slash", "two\nlines", "{gold}", "{Mira.mood}"])
            )
        return self.chance.choice([" ", "\n", " "]).join(words)

    def texts(self, most: int = 4) -> list[str]:
        """Some different texts."""
        return list(dict.fromkeys(self.text() for _ in range(self.chance.randint(1, most))))

    def node(self) -> int:
        """Any node."""
        return self.chance.choice(list(self.document.nodes))

    def scene(self) -> int:
        """Any scene."""
        return self.chance.choice(list(self.document.scenes))

    def variable(self, *types: str) -> int:
        """Any variable of one of the types, or -1."""
        fitting = [k for k, v in self.document.variables.items() if not types or v["type"] in types]
        return self.chance.choice(fitting) if fitting else -1

    def character(self) -> int:
        """Any character, or -1."""
        return self.chance.choice(list(self.document.characters)) if self.document.characters else -1

    def macro(self) -> int:
        """Any macro, or -1."""
        macros = [key for key in self.document.scenes if self.document.is_macro(key)]
        return self.chance.choice(macros) if macros else -1

    def value(self, variable: int) -> Any:
        """A value of the variable's type."""
        kind = self.document.variable_type(variable)
        return {"num": self.chance.randint(-9, 9), "bool": self.chance.random() < 0.5}.get(kind, self.text())

    def operand(self, variable: int) -> Arguments:
        """A value or another variable of the same type."""
        if self.chance.random() < 0.3:
            return {"type": "variable", "value": self.variable(self.document.variable_type(variable))}
        return {"type": "value", "value": self.value(variable)}

    def flag(self) -> bool:
        """Yes or no."""
        return self.chance.random() < 0.5


def _data(writer: Writer, type_name: str) -> Arguments:
    """Simplified data of a type; empty is what Arrow puts into a fresh node."""
    return _DATA[type_name](writer) if writer.chance.random() < 0.9 else {}


def _condition(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {}
    kind = w.document.variable_type(variable)
    operators = {"num": ["==", "!=", ">", "<", ">=", "<="], "bool": ["==", "!="]}.get(
        kind, ["==", "!=", "ct", "eql", "bgn"]
    )
    return {"variable": variable, "operator": w.chance.choice(operators), "compare_to": w.operand(variable)}


def _update(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {}
    kind = w.document.variable_type(variable)
    words = {"num": ["set", "add", "subtract", "multiply", "divide", "rem", "abs"], "bool": ["set", "neg"]}
    operation = w.chance.choice(words.get(kind, ["set", "add", "inb", "rpl", "stu"]))
    return {"variable": variable, "operation": operation, "value": w.operand(variable)}


def _generator(w: Writer) -> Arguments:
    variable = w.variable()
    if variable == -1:
        return {}
    kind = w.document.variable_type(variable)
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
    kind = w.document.variable_type(variable)
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
            "key": w.chance.choice(_TAGS),
            "value": w.text(),
        },
        {"action": "remove", "key": w.chance.choice(_TAGS)},
    ]
    return {"character": w.character(), "operations": actions[: w.chance.randint(1, 2)]}


def _tag_match(w: Writer) -> Arguments:
    if w.character() == -1:
        return {}
    if w.flag():
        kind = w.chance.choice(["has_key", "equals", "not_equals"])
        return {"character": w.character(), "match": {"type": kind, "key": w.chance.choice(_TAGS), "value": "x"}}
    said: Arguments = {"character": w.character(), "key": w.chance.choice(_TAGS), "patterns": ["low", "", "high"]}
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


def _insert(w: Writer) -> Arguments:
    type_name = w.chance.choice(list(NODE_TYPES))
    said: Arguments = {"type": type_name, "preset": _data(w, type_name)}
    if w.flag():
        said["connect_from"] = {"node_id": w.node()}
    else:
        said["scene_id"] = w.scene()
    if w.chance.random() < 0.2:
        said |= {"name": w.text(), "notes": w.text()}
    said["position"] = w.chance.choice(["auto", "below_previous", "right_of_previous", [40, -60]])
    return said


def _update_node(w: Writer) -> Arguments:
    node_id = w.node()
    type_name = w.document.nodes[node_id]["type"]
    said: Arguments = {"node_id": node_id, "data": _data(w, type_name)}
    if w.chance.random() < 0.3:
        said["name"] = w.chance.choice([w.text(), w.document.nodes[w.node()]["name"]])
    if w.chance.random() < 0.3:
        said["notes"] = w.chance.choice(["", w.text()])
    return said


def _connect(w: Writer) -> Arguments:
    from_id = w.node()
    home = w.document.owner(from_id)
    near = [n for n in w.document.scene_map(home) if n != from_id] if home is not None else []
    outputs = max(w.document.outputs(from_id), 1)
    to_id = w.chance.choice(near or [from_id])
    to_slot = w.chance.randrange(max(w.document.inputs(to_id), 1))
    return {"from_node_id": from_id, "to_node_id": to_id, "from_slot": w.chance.randrange(outputs), "to_slot": to_slot}


def _said_connections(w: Writer) -> list[list[int]]:
    document = w.document
    return [
        said(document, c)
        for key, scene in document.scenes.items()
        for n in scene["map"]
        for c in document.outgoing(n, key)
    ]


def _disconnect(w: Writer) -> Arguments:
    existing = _said_connections(w)
    from_id, from_slot, to_id, to_slot = w.chance.choice(existing) if existing else [1, 0, 2, 0]
    return {"from": from_id, "from_slot": from_slot, "to": to_id, "to_slot": to_slot}


def _rewire(w: Writer) -> Arguments:
    existing = _said_connections(w)
    pop = [w.chance.choice(existing)] if existing and w.flag() else []
    c = _connect(w)
    push = [[c["from_node_id"], c["from_slot"], c["to_node_id"], c["to_slot"]]]
    modifications: Arguments = {"io": {"pop": pop, "push": push if w.flag() else []}}
    if w.flag():
        modifications |= {"skip": w.flag(), "offset": [w.chance.randint(-50, 900), 40]}
    return {"node_id": w.node(), "modifications": modifications}


def _quick(w: Writer) -> Arguments:
    outputs = 2
    connection = [w.node(), w.chance.randrange(outputs), w.flag()]
    return {"type": w.chance.choice(list(NODE_TYPES)), "offset": [300, 300], "connection": connection}


def _copied(w: Writer) -> Arguments:
    nodes = list(w.document.nodes)
    olds = w.chance.sample(nodes, min(2, len(nodes)))
    news = w.chance.sample(nodes, min(2, len(nodes)))
    return {"table": {str(old): new for old, new in zip(olds, news, strict=True)}}


def _new_variable(w: Writer) -> Arguments:
    kind = w.chance.choice(["num", "str", "bool"])
    initial = {"num": 4, "str": w.text(), "bool": True}[kind]
    said: Arguments = {"name": w.chance.choice(_WORDS), "type": kind}
    return (
        said | ({"initial_value": initial} if w.flag() else {}) | ({"notes": "why"} if w.chance.random() < 0.2 else {})
    )


def _change_variable(w: Writer) -> Arguments:
    variable = w.variable()
    said: Arguments = {"variable_id": variable}
    if w.flag():
        said["name"] = w.chance.choice([*_WORDS, "gold", "unknown"])
    return said | {"initial_value": w.value(variable)}


def _new_character(w: Writer) -> Arguments:
    said: Arguments = {"name": w.chance.choice(_WORDS), "color": w.chance.choice(["#4A90E2", "abc", "123456"])}
    return said | ({"tags": {key: w.text() for key in w.chance.sample(_TAGS, 2)}} if w.flag() else {})


def _change_character(w: Writer) -> Arguments:
    said: Arguments = {"character_id": w.character()}
    if w.flag():
        said["name"] = w.chance.choice(_WORDS)
    if w.flag():
        said["tags"] = {key: w.text() for key in w.chance.sample(_TAGS, w.chance.randint(0, 3))}
    return said | ({"color": "#00ff7f"} if w.flag() else {}) | ({"notes": w.text()} if w.flag() else {})


_INVENT: dict[str, Callable[[Writer], Arguments]] = {
    "create_insert_node": _insert,
    "quick_insert_node": _quick,
    "update_node": _update_node,
    "delete_node": lambda w: {"node_id": w.node(), "force": w.flag()},
    "update_node_map": _rewire,
    "create_connection": _connect,
    "delete_connection": _disconnect,
    "node_connection_replacement": _copied,
    "create_scene": lambda w: {"name": w.text(), "is_macro": w.flag(), "notes": w.chance.choice(["", w.text()])},
    "update_scene": lambda w: {"scene_id": w.scene(), "name": w.text(), "notes": w.text()},
    "delete_scene": lambda w: {"scene_id": w.scene(), "force": w.flag()},
    "set_scene_entry": lambda w: {"node_id": w.node()},
    "set_project_entry": lambda w: {"node_id": w.node()},
    "create_variable": _new_variable,
    "update_variable": _change_variable,
    "delete_variable": lambda w: {"variable_id": w.variable(), "force": w.flag()},
    "create_character": _new_character,
    "update_character": _change_character,
    "delete_character": lambda w: {"character_id": w.character(), "force": w.flag()},
}
_WEIGHTS = dict.fromkeys(_INVENT, 2) | {
    "create_insert_node": 16, "update_node": 8, "create_connection": 8, "quick_insert_node": 3, "create_variable": 4,
    "create_character": 3, "delete_scene": 1, "delete_variable": 1, "delete_character": 1,
}  # fmt: skip


def sequence(seed: int, length: int) -> tuple[str, list[Operation], ArrowProject]:
    """The name of a start document, the operations that were accepted on it, and what came of it."""
    chance = random.Random(seed)
    name, text = start(chance)
    project = parse(text)
    writer = Writer(project, chance)
    accepted: list[Operation] = []
    while len(accepted) < length:
        operation = writer.operation()
        try:
            project.apply(operation, writer.selection)
        except OperationError:
            continue
        accepted.append(operation)
    return name, accepted, project
