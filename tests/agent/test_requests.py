"""The requests of an answer, on their own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models import ModelRequestParameters, StreamedResponse
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agent import Event
from agent.answering.requests import Requests
from agent.models.retries import Retries
from agent.turn.events import TextChunk, TextFinished


async def test_half_a_character_of_a_model_is_a_mark_wherever_it_is_shown_and_kept() -> None:
    async def halves(_messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
        for piece in ("a\ud800b ", "", "\ud83d", "\ude00", "\udc00", " end \ud83d"):
            yield piece

    told: list[Event] = []

    async def tell(event: Event) -> None:
        told.append(event)

    requests = Requests(FunctionModel(stream_function=halves), ModelRequestParameters(), Retries(), tell)
    response = await requests.send([ModelRequest.user_text_prompt("Hello?")])
    whole = "a\ufffdb 😀\ufffd end \ufffd"
    assert response.text == whole
    assert "".join(event.text for event in told if isinstance(event, TextChunk)) == whole
    assert [event.text for event in told if isinstance(event, TextFinished)] == [whole]


async def test_a_provider_that_says_any_number_of_tokens_is_not_believed() -> None:
    class Boasting(FunctionModel):
        @asynccontextmanager
        async def request_stream(self, *args: Any, **kwargs: Any) -> AsyncGenerator[StreamedResponse]:
            async with super().request_stream(*args, **kwargs) as stream:
                yield stream
                stream._usage.output_tokens = 10**30  # pyright: ignore[reportPrivateUsage]

    async def words(_messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
        yield "Yes."

    requests = Requests(Boasting(stream_function=words), ModelRequestParameters(), Retries(), _heard)
    await requests.send([ModelRequest.user_text_prompt("Hello?")])
    assert 0 < requests.usage.output_tokens <= 10**9


async def _heard(_event: Event) -> None:
    await asyncio.sleep(0)


async def test_a_request_ends_at_whatever_instant_it_is_stopped_and_leaves_no_task_behind() -> None:
    under_way = 0

    async def words(_messages: list[ModelMessage], _info: AgentInfo) -> AsyncIterator[str]:
        nonlocal under_way
        under_way += 1
        try:
            for word in ("Once ", "upon ", "a ", "time."):
                await asyncio.sleep(0)
                yield word
        finally:
            under_way -= 1

    instant, was_stopped = 0, True
    while was_stopped:
        requests = Requests(FunctionModel(stream_function=words), ModelRequestParameters(), Retries(), _heard)
        answering = asyncio.create_task(requests.send([ModelRequest.user_text_prompt("Hello?")]))
        for _ in range(instant):
            await asyncio.sleep(0)  # exactly one round of the event loop
        was_stopped = answering.cancel()
        await asyncio.wait((answering,))
        assert under_way == 0, f"stopped after {instant} rounds"
        assert asyncio.all_tasks() == {asyncio.current_task()}, f"stopped after {instant} rounds"
        instant += 1
    assert instant > 8, "it was never stopped while it answered"
