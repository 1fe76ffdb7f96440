"""The 19 node types of Arrow 3.1 as one table; a new type is a new entry."""

from collections.abc import Mapping
from types import MappingProxyType

from arrow_project.node_types.asking import USER_INPUT
from arrow_project.node_types.comparing import CONDITION, VARIABLE_UPDATE
from arrow_project.node_types.flow import HUB, JUMP, MACRO_USE, RANDOMIZER, SEQUENCER
from arrow_project.node_types.generating import GENERATOR
from arrow_project.node_types.node_type import Blueprint, DataProblem, NodeType, Part
from arrow_project.node_types.tagging import TAG_EDIT, TAG_MATCH, TAG_PASS
from arrow_project.node_types.telling import CONTENT, DIALOG, ENTRY, FRAME, INTERACTION, MARKER, MONOLOG

_ALL = (
    CONDITION, CONTENT, DIALOG, ENTRY, FRAME, GENERATOR, HUB, INTERACTION, JUMP, MACRO_USE, MARKER, MONOLOG,
    RANDOMIZER, SEQUENCER, TAG_EDIT, TAG_MATCH, TAG_PASS, USER_INPUT, VARIABLE_UPDATE,
)  # fmt: skip

NODE_TYPES: Mapping[str, NodeType] = MappingProxyType({node_type.name: node_type for node_type in _ALL})

__all__ = ["NODE_TYPES", "Blueprint", "DataProblem", "NodeType", "Part"]
