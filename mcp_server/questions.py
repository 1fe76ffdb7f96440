"""Asking the user: by the client's own window where it has one, else through words that the assistant carries."""

import asyncio
from typing import Any, Literal

from mcp import MCPError
from mcp.server.context import ServerRequestContext
from mcp.types import ElicitRequest, ElicitRequestFormParams, ElicitResult, InputRequiredResult
from pydantic import ValidationError

from mcp_server.tool import AssistantCall, ToolError, beginning

_KEY = "answer"
_PATIENCE_S = 600.0
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {
            "type": "string",
            "title": "Shall Fletcher do it?",
            "enum": ["yes", "no"],
        }
    },
    "required": ["answer"],
}

Decision = Literal["yes", "no"]


def can_ask(context: ServerRequestContext[Any, Any]) -> bool:
    """Whether the client shows its user a form."""
    capabilities = context.session.client_capabilities
    asked = capabilities.elicitation if capabilities else None
    return asked is not None and (asked.form is not None or asked.url is None)


def carried_answer(call: AssistantCall) -> tuple[str, Decision | None] | None:
    """The question that an earlier round of this call has asked, and the user's answer; None where it is the first.

    The question is what the SDK has sealed, so no client can have made it up.
    """
    if call.params.request_state is None:
        return None
    given = (call.params.input_responses or {}).get(_KEY)
    return call.params.request_state, _decision(given) if isinstance(given, ElicitResult) else None


async def ask(call: AssistantCall, pending_id: str, text: str) -> Decision | InputRequiredResult | None:
    """The user's answer; None where the user has closed the window, does not come back, or the client shows none.

    Clients since 2026 are told what to ask, and call again with the answer; others are asked meanwhile.

    Raises:
        ToolError: As many calls as may wait for their users at once.
    """
    text = beginning(text)
    form = ElicitRequestFormParams(message=text, requested_schema=_SCHEMA)
    session = call.context.session
    if not session.can_send_request:
        return InputRequiredResult(input_requests={_KEY: ElicitRequest(params=form)}, request_state=pending_id)
    places, workspace = call.services.questions, call.caller.workspace
    if not places.take(workspace):
        problem = "Too many questions wait for their users here; nothing was done. Have one answered, and call again."
        raise ToolError("TOO_BUSY", problem)
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return _decision(await session.elicit_form(text, _SCHEMA, related_request_id=call.context.request_id))
    except (TimeoutError, MCPError, ValidationError):  # whose words may be the user's, and are nobody's to read
        return None
    finally:
        places.give_back(workspace)


def _decision(answer: ElicitResult) -> Decision | None:
    if answer.action == "decline":
        return "no"
    if answer.action != "accept" or answer.content is None:
        return None
    return "yes" if answer.content.get("answer") == "yes" else "no"
