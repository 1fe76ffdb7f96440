"""The model's tools: the spec's operations, and reading in the documents."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from pydantic_ai import Tool

from arrow_project import OPERATIONS

ToolHandler = Callable[[str, Mapping[str, Any]], Awaitable[dict[str, Any]]]

READING_TOOLS: dict[str, tuple[str, dict[str, Any]]] = {
    "search_documents": (
        "Search the project's design documents. Returns numbered passages to cite, with document, pages, heading.",
        {
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "what to look for, in words the documents may use",
                },
                "document": {"type": "string", "description": "only in this document, by its name"},
            },
            "required": ["query"],
            "additionalProperties": False,
        },
    ),
    "read_document": (
        "Read a design document's text as written: all of it, or the pages given. Long texts are cut.",
        {
            "type": "object",
            "properties": {
                "document": {"type": "string", "description": "the document's name"},
                "page_from": {"type": "integer", "minimum": 1, "description": "first physical page"},
                "page_to": {"type": "integer", "minimum": 1, "description": "last physical page"},
            },
            "required": ["document"],
            "additionalProperties": False,
        },
    ),
}


# What these do, others do as well, and a literal client of the spec does not know them.
_NOT_OFFERED = frozenset({"quick_insert_node", "node_connection_replacement"})


def build_tools(handle: ToolHandler) -> list[Tool[object]]:
    """Every tool, each calling `handle(name, arguments)`.

    Editor tools run one after the other: an operation may need what the one before it made.
    """
    operations = {
        name: (spec.description, spec.parameters) for name, spec in OPERATIONS.items() if name not in _NOT_OFFERED
    }
    described = operations | READING_TOOLS
    return [_tool(name, description, schema, handle) for name, (description, schema) in described.items()]


def _tool(name: str, description: str, schema: dict[str, Any], handle: ToolHandler) -> Tool[object]:
    async def call(**arguments: Any) -> dict[str, Any]:
        return await handle(name, arguments)

    return Tool.from_schema(call, name=name, description=description, json_schema=schema, sequential=True)
