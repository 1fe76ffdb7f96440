"""The .arrow file as Arrow 3.1 understands it: read, check, edit, describe, write.

Imports nothing else of Fletcher.
"""

from arrow_project.checking import check, check_text
from arrow_project.diffing import Diff, diff
from arrow_project.errors import ArrowProjectError, ErrorCode, OperationError, ParseError
from arrow_project.node_view import node_data_schema, node_details, node_line, node_lines
from arrow_project.operation import Finding, NativeCall, Operation, OperationResult, OperationSpec, Selection
from arrow_project.operations import OPERATIONS
from arrow_project.outlining import outline
from arrow_project.project import ArrowProject, lower, parse
from arrow_project.renumbering import named_ids, renumbered, renumbered_native
from arrow_project.restoring import Restoration, restore

__all__ = [
    "OPERATIONS",
    "ArrowProject",
    "ArrowProjectError",
    "Diff",
    "ErrorCode",
    "Finding",
    "NativeCall",
    "Operation",
    "OperationError",
    "OperationResult",
    "OperationSpec",
    "ParseError",
    "Restoration",
    "Selection",
    "check",
    "check_text",
    "diff",
    "lower",
    "named_ids",
    "node_data_schema",
    "node_details",
    "node_line",
    "node_lines",
    "outline",
    "parse",
    "renumbered",
    "renumbered_native",
    "restore",
]
