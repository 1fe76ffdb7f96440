"""The .arrow file as Arrow 3.1 understands it: read, check, edit, describe, write.

Imports nothing else of Fletcher.
"""

from arrow_project.bbcode import files_in
from arrow_project.checking import GoOn, check, check_text
from arrow_project.diffing import Diff, diff, differences
from arrow_project.errors import ArrowProjectError, ErrorCode, OperationError, ParseError
from arrow_project.fingerprint import fingerprint
from arrow_project.long_texts import (
    MOST_CHARACTERS,
    MOST_VALUES,
    has_more_values,
    is_crowded,
    outside_of_texts,
    pieces,
)
from arrow_project.losses import Loss, Tables, describe_loss, losses, replaced_records, tables_of
from arrow_project.names import fold, near
from arrow_project.node_view import node_data, node_data_schema, node_details, node_line, node_lines
from arrow_project.operation import Finding, NativeCall, Operation, OperationResult, OperationSpec, Selection
from arrow_project.operations import OPERATIONS
from arrow_project.operations.variables import MOST_WRITTEN
from arrow_project.outlining import outline
from arrow_project.project import ArrowProject, lower, parse
from arrow_project.renumbering import changed_ids, renumbered, renumbered_data
from arrow_project.restoring import Restoration, restore
from arrow_project.story import TEXT_FIELDS, Character, Link, Node, Scene, Story, Variable, shorten, texts_of
from arrow_project.values import copied, is_within, left_of, texts_in, width_of

__all__ = [
    "MOST_CHARACTERS",
    "MOST_VALUES",
    "MOST_WRITTEN",
    "OPERATIONS",
    "TEXT_FIELDS",
    "ArrowProject",
    "ArrowProjectError",
    "Character",
    "Diff",
    "ErrorCode",
    "Finding",
    "GoOn",
    "Link",
    "Loss",
    "NativeCall",
    "Node",
    "Operation",
    "OperationError",
    "OperationResult",
    "OperationSpec",
    "ParseError",
    "Restoration",
    "Scene",
    "Selection",
    "Story",
    "Tables",
    "Variable",
    "changed_ids",
    "check",
    "check_text",
    "copied",
    "describe_loss",
    "diff",
    "differences",
    "files_in",
    "fingerprint",
    "fold",
    "has_more_values",
    "is_crowded",
    "is_within",
    "left_of",
    "losses",
    "lower",
    "near",
    "node_data",
    "node_data_schema",
    "node_details",
    "node_line",
    "node_lines",
    "outline",
    "outside_of_texts",
    "parse",
    "pieces",
    "renumbered",
    "renumbered_data",
    "replaced_records",
    "restore",
    "shorten",
    "tables_of",
    "texts_in",
    "texts_of",
    "width_of",
]
