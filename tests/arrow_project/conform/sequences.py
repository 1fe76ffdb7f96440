"""Random sequences of operations that use every node type and every function, the same for the same seed."""

import random
from collections.abc import Callable

from arrow_project import ArrowProject, Operation, OperationError, parse
from arrow_project.node_types import NODE_TYPES
from arrow_project.operations.connecting import said
from tests.arrow_project.conform.node_data import data
from tests.arrow_project.conform.starts import start
from tests.arrow_project.conform.writer import TAGS, WORDS, Arguments, Writer


def _insert(w: Writer) -> Arguments:
    type_name = w.chance.choice(list(NODE_TYPES))
    said: Arguments = {"type": type_name, "preset": data(w, type_name)}
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
    type_name = w.data.nodes[node_id]["type"]
    said: Arguments = {"node_id": node_id, "data": data(w, type_name)}
    if w.chance.random() < 0.3:
        said["name"] = w.chance.choice([w.text(), w.data.nodes[w.node()]["name"]])
    if w.chance.random() < 0.3:
        said["notes"] = w.chance.choice(["", w.text()])
    return said


def _connect(w: Writer) -> Arguments:
    from_id = w.node()
    home = w.data.owner(from_id)
    near = [n for n in w.data.scene_map(home) if n != from_id] if home is not None else []
    outputs = max(w.data.outputs(from_id), 1)
    to_id = w.chance.choice(near or [from_id])
    to_slot = w.chance.randrange(max(w.data.inputs(to_id), 1))
    return {"from_node_id": from_id, "to_node_id": to_id, "from_slot": w.chance.randrange(outputs), "to_slot": to_slot}


def _said_connections(w: Writer) -> list[list[int]]:
    data = w.data
    return [said(data, c) for key, scene in data.scenes.items() for n in scene["map"] for c in data.outgoing(n, key)]


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
    nodes = list(w.data.nodes)
    olds = w.chance.sample(nodes, min(2, len(nodes)))
    news = w.chance.sample(nodes, min(2, len(nodes)))
    return {"table": {str(old): new for old, new in zip(olds, news, strict=True)}}


def _new_variable(w: Writer) -> Arguments:
    kind = w.chance.choice(["num", "str", "bool"])
    initial = {"num": 4, "str": w.text(), "bool": True}[kind]
    said: Arguments = {"name": w.chance.choice(WORDS), "type": kind}
    return (
        said | ({"initial_value": initial} if w.flag() else {}) | ({"notes": "why"} if w.chance.random() < 0.2 else {})
    )


def _change_variable(w: Writer) -> Arguments:
    variable = w.variable()
    said: Arguments = {"variable_id": variable}
    if w.flag():
        said["name"] = w.chance.choice([*WORDS, "gold", "unknown"])
    return said | {"initial_value": w.value(variable)}


def _new_character(w: Writer) -> Arguments:
    said: Arguments = {"name": w.chance.choice(WORDS), "color": w.chance.choice(["#4A90E2", "abc", "123456"])}
    return said | ({"tags": {key: w.text() for key in w.chance.sample(TAGS, 2)}} if w.flag() else {})


def _change_character(w: Writer) -> Arguments:
    said: Arguments = {"character_id": w.character()}
    if w.flag():
        said["name"] = w.chance.choice(WORDS)
    if w.flag():
        said["tags"] = {key: w.text() for key in w.chance.sample(TAGS, w.chance.randint(0, 3))}
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


def invented(writer: Writer) -> Operation:
    """An operation that fits the state of the project, now and then one that does not."""
    name = writer.chance.choices(list(_WEIGHTS), list(_WEIGHTS.values()))[0]
    return Operation(name, _INVENT[name](writer))


def sequence(seed: int, length: int) -> tuple[str, list[Operation], ArrowProject]:
    """The name of a start document, the operations that were accepted on it, and what came of it."""
    chance = random.Random(seed)
    name, text = start(chance)
    project = parse(text)
    writer = Writer(project, chance)
    accepted: list[Operation] = []
    while len(accepted) < length:
        operation = invented(writer)
        try:
            project.apply(operation, writer.selection)
        except OperationError:
            continue
        accepted.append(operation)
    return name, accepted, project
