"""The conversation so far as the model's messages: the client's history is the only memory."""

from collections.abc import Sequence

from pydantic_ai.messages import (
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    UserContent,
    UserPromptPart,
)

from agent.prompt.quoting import encodable
from agent.turn.request import Exchange

_LEFT_OUT = "<earlier>\n{count} earlier messages of this conversation are left out here.\n</earlier>"
_BEGINS = "<earlier>\nThe conversation begins here.\n</earlier>"
_CUT = "… (cut) "


def assemble(context: str, history: Sequence[Exchange], message: str, max_characters: int) -> list[ModelMessage]:
    """History, context and message in the order in which the model reads them.

    The context is this turn's, so it stands beside the message: the next turn's first request begins with all that
    came before it, and a provider's cache is told where that ends. Clients differ in how they pair messages
    (Arrow-AI's first pair begins with the assistant's greeting), so empty halves are left out and neighbours of the
    same side are joined. Where the history is longer than `max_characters`, its oldest exchanges are left out, and a
    note says how many.
    """
    kept = _latest(history, max_characters)
    messages: list[ModelMessage] = []
    texts: list[str] = []
    if len(kept) < len(history):
        left_out = history[: len(history) - len(kept)]
        count = sum(bool(exchange.message) + bool(exchange.output) for exchange in left_out)
        texts.append(_LEFT_OUT.format(count=count))
    for exchange in kept:
        if exchange.message:
            texts.append(encodable(exchange.message))
        if not exchange.output:
            continue
        output = encodable(exchange.output)
        if messages and not texts:
            messages[-1] = _longer(messages[-1], output)
        else:
            messages.append(_asked(texts or [_BEGINS]))
            messages.append(ModelResponse(parts=[TextPart(content=output)]))
            texts = []
    if messages:
        messages[-2] = _asked([*_texts(messages[-2]), CachePoint()])
    return [*messages, _asked([*texts, encodable(context), encodable(message)])]


def _asked(content: Sequence[UserContent]) -> ModelRequest:
    return ModelRequest(parts=[UserPromptPart(content=content)])


def _texts(request: ModelMessage) -> list[UserContent]:
    return [text for part in request.parts if isinstance(part, UserPromptPart) for text in part.content]


def _latest(history: Sequence[Exchange], room: int) -> Sequence[Exchange]:
    """The newest exchanges that fit; of the very newest at least the end of what was said."""
    kept: list[Exchange] = []
    for exchange in reversed(history):
        size = len(exchange.message) + len(exchange.output)
        if size > room:
            if not kept:
                kept.append(Exchange(_end(exchange.message, room // 2), _end(exchange.output, room // 2)))
            break
        room -= size
        kept.append(exchange)
    return kept[::-1]


def _end(text: str, room: int) -> str:
    return text if len(text) <= room else _CUT + text[-room:]


def _longer(response: ModelMessage, text: str) -> ModelResponse:
    said = [part for part in response.parts if isinstance(part, TextPart)]
    return ModelResponse(parts=[*said, TextPart(content=text)])
