"""Single operations next to Arrow's own function for the same thing, called as its canvas would call it."""

from dataclasses import dataclass
from typing import Any

from arrow_project import Operation

Call = list[Any]


@dataclass(frozen=True)
class Direct:
    """An operation on the start document ``lamp``, and what Arrow is asked to do.

    ``$inspect`` after an insertion is what the canvas does too: it opens the new node's inspector, which drops the
    optional fields that are at their default (see ``deviations``).
    """

    name: str
    operations: tuple[Operation, ...]
    calls: tuple[Call, ...]


def _op(function: str, **arguments: Any) -> Operation:
    return Operation(function, arguments)


def _fresh(type_name: str) -> Direct:
    arguments = {"type": type_name, "position": [300, 700]}
    return Direct(
        f"a fresh {type_name}",
        (_op("create_insert_node", **arguments),),
        (["create_insert_node", type_name, {"vec": [300, 700]}], ["$inspect", 26]),
    )


DIRECT = (
    *map(_fresh, ("content", "dialog", "monolog", "entry", "hub", "interaction", "jump", "randomizer", "sequencer")),
    Direct(
        "insert behind an exit",
        (_op("quick_insert_node", type="content", offset=[300, 700], connection=[24, 0, True]),),
        (["quick_insert_node", "content", {"vec": [300, 700]}, [24, 0, True]], ["$inspect", 26]),
    ),
    Direct(
        "insert in front of an entrance",
        (_op("quick_insert_node", type="dialog", offset=[300, 700], connection=[2, 0, False]),),
        (["quick_insert_node", "dialog", {"vec": [300, 700]}, [2, 0, False]], ["$inspect", 26]),
    ),
    Direct(
        "an entry cannot be entered",
        (_op("quick_insert_node", type="entry", offset=[300, 700], connection=[24, 0, True]),),
        (["quick_insert_node", "entry", {"vec": [300, 700]}, [24, 0, True]],),
    ),
    Direct(
        "the connections of copied nodes",
        (
            _op("create_insert_node", type="interaction", preset={"actions": ["a", "b"]}, position=[0, 700]),
            _op("create_insert_node", type="interaction", preset={"actions": ["c", "d"]}, position=[300, 700]),
            _op("node_connection_replacement", table={"15": 26, "10": 27}),
        ),
        (
            ["create_insert_node", "interaction", {"vec": [0, 700]}, 0, True, "", {"data": {"actions": ["a", "b"]}}],
            ["create_insert_node", "interaction", {"vec": [300, 700]}, 0, True, "", {"data": {"actions": ["c", "d"]}}],
            ["node_connection_replacement", {"15": 26, "10": 27}],
        ),
    ),
    Direct("remove a node of the open scene", (_op("delete_node", node_id=14),), (["remove_resource", 14, "nodes"],)),
    Direct("remove an unused scene", (_op("delete_scene", scene_id=16, force=True),), (
        ["update_resource", 20, {"data": {"target": -1, "_use": {"drop": [17], "refer": []}}}, "nodes"],
        ["remove_resource", 16, "scenes"],
    )),
    Direct(
        "rename a variable",
        (_op("update_variable", by_name="oil", name="lamp_oil"),),
        (["update_resource", 3, {"name": "lamp_oil"}, "variables"],),
    ),
    Direct(
        "rename a character",
        (_op("update_character", by_name="Mira", name="Miranda"),),
        (["update_resource", 6, {"name": "Miranda"}, "characters"],),
    ),
    Direct("begin a scene elsewhere", (_op("set_scene_entry", node_id=21),), (["update_scene_entry", 21],)),
    Direct("begin the story elsewhere", (_op("set_project_entry", node_id=17),), (["update_project_entry", 17],)),
    Direct("refuse to begin in a macro", (), (["update_project_entry", 19],)),
)  # fmt: skip
