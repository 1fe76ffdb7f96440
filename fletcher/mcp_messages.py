"""The messages of an assistant, as lines, and as what the server answers over HTTP."""

import base64
import json
import re
from collections.abc import AsyncGenerator
from typing import Any, cast

import httpx

Message = dict[str, Any]

PARSE_ERROR, INVALID_REQUEST = -32700, -32600

_PLAIN = re.compile(r"[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?")


class BadMessage(Exception):
    """A line that is no message; `id` is that of the request where it has one."""

    def __init__(self, code: int, message: str, request_id: str | int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.id = request_id


def read(line: bytes) -> Message:
    """The message of a line; raises `BadMessage`."""
    try:
        message: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        wrong = "This line is not one JSON value; send each message on a line of its own."
        raise BadMessage(PARSE_ERROR, wrong) from error
    if not isinstance(message, dict):
        raise BadMessage(INVALID_REQUEST, "This is not a message: send one JSON object, and no list of them.")
    found = cast("Message", message)
    request_id = found.get("id", 0)
    if isinstance(request_id, bool) or not isinstance(request_id, str | int):
        raise BadMessage(INVALID_REQUEST, "The id of a message is a text or a whole number.")
    if not isinstance(found.get("method", ""), str):
        raise BadMessage(INVALID_REQUEST, "The method of a message is a text.", found.get("id"))
    return found


def params(message: Message) -> Message:
    """Its parameters; none where they are no object."""
    found = message.get("params")
    return cast("Message", found) if isinstance(found, dict) else {}


def meta(message: Message) -> Message:
    """What a client since 2026 says in each message of itself."""
    found = params(message).get("_meta")
    return cast("Message", found) if isinstance(found, dict) else {}


def header(value: str) -> str:
    """A value as the protocol writes it in a header."""
    if _PLAIN.fullmatch(value) and not value.startswith("=?base64?"):
        return value
    return f"=?base64?{base64.b64encode(value.encode(errors='replace')).decode()}?="


async def answers(response: httpx.Response) -> AsyncGenerator[Message]:
    """The messages of an answer: one, or as they come; none of what is only acknowledged."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        body = await response.aread()
        if body.strip():
            yield _message(body)
        return
    rest = b""
    # By bytes, as a text may have characters that end a line for `aiter_lines`.
    async for piece in response.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:") and line[5:].strip():
                yield _message(line[5:])


def with_id(answer: Message, message: Message) -> Message:
    """What was refused as an answer to the message; the server's own refusals are no messages of this protocol."""
    error = cast("Message", answer.get("error") or {})
    code, said = error.get("code"), str(error.get("message"))
    if not isinstance(code, int):
        error = {"code": INVALID_REQUEST, "message": said if code is None else f"{code}: {said}"}
    return {"jsonrpc": "2.0", "id": message.get("id"), "error": error}


def _message(data: bytes) -> Message:
    try:
        found: Any = json.loads(data)
    except ValueError:
        found = None
    if isinstance(found, dict):
        return cast("Message", found)
    return {"error": {"message": data[:200].decode(errors="replace")}}
