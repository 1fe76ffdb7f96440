"""The conversation so far as the model's messages: the client's history is the only memory."""

from collections.abc import Sequence

from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from agent.request import Exchange


def assemble(context: str, history: Sequence[Exchange], message: str) -> tuple[list[ModelMessage], list[str]]:
    """Context, history and message in the order in which the model reads them.

    The context comes first, so that it stands in the same place in every request of the turn. Clients differ in
    how they pair messages (Arrow-AI's first pair begins with the assistant's greeting), so empty halves are left
    out and neighbours of the same side are joined.

    Returns:
        The messages before the current one, and the texts of the current one.
    """
    messages: list[ModelMessage] = []
    texts = [context]
    for exchange in history:
        if exchange.message:
            texts.append(exchange.message)
        if exchange.output:
            if texts:
                messages.append(ModelRequest(parts=[UserPromptPart(content=texts)]))
                texts = []
                messages.append(ModelResponse(parts=[TextPart(content=exchange.output)]))
            else:
                messages[-1] = _longer(messages[-1], exchange.output)
    return messages, [*texts, message]


def _longer(response: ModelMessage, text: str) -> ModelResponse:
    return ModelResponse(
        parts=[*(part for part in response.parts if isinstance(part, TextPart)), TextPart(content=text)]
    )
