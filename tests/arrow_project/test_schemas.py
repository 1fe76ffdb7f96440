"""What a model is told of the operations."""

import json

from arrow_project import OPERATIONS
from arrow_project.node_types import NODE_TYPES

SPEC = {
    "create_insert_node", "update_node_map", "update_node", "delete_node", "create_connection", "delete_connection",
    "create_scene", "update_scene", "delete_scene", "set_scene_entry", "set_project_entry", "create_variable",
    "update_variable", "delete_variable", "create_character", "update_character", "delete_character",
}  # fmt: skip


def test_every_function_of_the_protocol_is_there() -> None:
    assert set(OPERATIONS) == SPEC | {"quick_insert_node", "node_connection_replacement"}


def test_parameters_are_closed_json_schemas() -> None:
    for name, spec in OPERATIONS.items():
        assert spec.name == name
        assert spec.description.endswith((".", "}."))
        assert spec.parameters["type"] == "object"
        assert set(spec.parameters["required"]) <= set(spec.parameters["properties"])
        assert spec.parameters["additionalProperties"] is False
        json.dumps(spec.parameters)


def test_what_removes_something_is_destructive() -> None:
    destructive = {name for name, spec in OPERATIONS.items() if spec.destructive}
    assert destructive == {name for name in OPERATIONS if name.startswith("delete_")} | {"update_node_map"}


def test_the_data_of_every_type_and_the_meaning_of_its_slots_are_told() -> None:
    told = OPERATIONS["create_insert_node"].parameters["properties"]["preset"]["description"]
    for name, node_type in NODE_TYPES.items():
        fields = ", ".join(node_type.schema()["properties"])
        assert f"- {name} {{{fields}}}: " in told
        if node_type.outputs(node_type.fresh()):
            assert "lot" in node_type.summary
    assert "Slot 0 = true, slot 1 = false" in told
