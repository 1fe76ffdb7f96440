"""The tools by their names, and one call of them."""

import logging
from collections.abc import Mapping
from itertools import islice

from mcp.types import CallToolResult, ContentBlock, ImageContent, InputRequiredResult, TextContent
from mcp.types import Tool as ToolDefinition

from agent import in_thread
from corpora import CorpusError
from mcp_server.caller import Caller
from mcp_server.document_tools import DOCUMENT_TOOLS
from mcp_server.edit_tools import EDIT_TOOLS, OPERATION_TOOLS
from mcp_server.editor_tools import EDITOR_TOOLS
from mcp_server.story_tools import STORY_TOOLS
from mcp_server.tool import AssistantCall, Tool, ToolAnswer, ToolError, refusal
from server import RequestError, TooManyTurns
from server.limits.written import parts

_MANY = 500  # keys and values: to look at fewer takes five milliseconds

logger = logging.getLogger(__name__)

_LISTED: Mapping[str, Tool] = {tool.name: tool for tool in (*DOCUMENT_TOOLS, *STORY_TOOLS, *EDIT_TOOLS, *EDITOR_TOOLS)}
_BY_NAME: Mapping[str, Tool] = _LISTED | {tool.name: tool for tool in OPERATION_TOOLS}


def definitions(caller: Caller) -> list[ToolDefinition]:
    """What a client is told of the tools: each operation is one of its own only where it asks for that."""
    tools = _LISTED if caller.tools == "list" else {**_LISTED, **_BY_NAME}
    return [
        ToolDefinition(
            name=tool.name,
            description=tool.description,
            input_schema=tool.parameters,
            annotations=tool.annotations,
        )
        for tool in tools.values()
    ]


async def called(call: AssistantCall) -> CallToolResult | InputRequiredResult:
    """What a call comes to; what is refused is an answer, too, that the assistant can do something about."""
    try:
        tool = _BY_NAME.get(call.params.name)
        if tool is None:
            raise ToolError(
                "UNKNOWN_TOOL", f"There is no tool {call.params.name[:64]!r}. There are: {', '.join(_LISTED)}."
            )
        if len(list(islice(parts(call.arguments), _MANY))) < _MANY:
            tool.check(call.arguments)
        else:
            await in_thread(tool.check, call.arguments)
        answer = await tool.run(call)
    except ToolError as error:
        return _refused(error.code, str(error))
    except (CorpusError, RequestError, TooManyTurns) as error:
        return _refused(error.code, str(error))
    except Exception:  # the SDK would tell the client what it says
        logger.exception("%s failed unexpectedly", call.params.name[:64])
        return _refused("INTERNAL", "Something went wrong in the server; its log has the details.")
    return answer if isinstance(answer, InputRequiredResult) else await in_thread(_result, answer)


def _refused(code: str, message: str) -> CallToolResult:
    said = refusal(message)
    return CallToolResult(
        content=[TextContent(text=f"{code}: {said}")],
        structured_content={"error": {"code": code, "message": said}},
        is_error=True,
    )


def _result(answer: ToolAnswer) -> CallToolResult:
    content: list[ContentBlock] = [TextContent(text=answer.shown())]
    if (picture := answer.picture) is not None:
        content.append(ImageContent(data=picture.base64, mime_type=picture.mime_type))
    return CallToolResult(content=content, structured_content=answer.structured())
