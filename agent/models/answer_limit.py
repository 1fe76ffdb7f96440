"""How much a provider may send: whoever answers without an end takes a limited part of the memory."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any

from agent.models.failures import AnswerWithoutEnd

if TYPE_CHECKING:
    from httpx2 import Request, Response

_MOST = 64 * 2**20
_LONGEST_LINE = 8 * 2**20  # an event is a line, and the SDKs keep it until it ends


class LimitedAnswers:
    """For a provider's HTTP client, before its class: what it reads ends with `AnswerWithoutEnd` at a limit."""

    async def send(self, request: "Request", *, stream: bool = False, **options: Any) -> "Response":
        """As the client does, which always streams: what is read as a whole is limited as well."""
        response: Response = await super().send(request, stream=True, **options)  # type: ignore[misc]
        read = response.aiter_bytes

        def read_limited(chunk_size: int | None = None) -> AsyncGenerator[bytes]:
            return _limited(read(chunk_size))

        # The SDKs read with this, as the response itself does; what it counts is not compressed any more.
        response.aiter_bytes = read_limited
        if not stream:
            try:
                await response.aread()
            except BaseException:
                await response.aclose()
                raise
        return response


async def _limited(chunks: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
    size = line = 0
    async with aclosing(chunks):
        async for chunk in chunks:
            size += len(chunk)
            at = chunk.rfind(b"\n")
            line = line + len(chunk) if at < 0 else len(chunk) - at
            if size > _MOST or line > _LONGEST_LINE:
                told = f"The provider sent {size:,} bytes, the last {line:,} of them without a line break."
                raise AnswerWithoutEnd(told)
            yield chunk
