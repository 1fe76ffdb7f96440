"""The requests of an answer, on their own."""

import asyncio
from collections.abc import AsyncIterator

from pydantic_ai.messages import ModelMessage, ModelRequest
from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.models.function import AgentInfo, FunctionModel

from agent import Event
from agent.answering.requests import Requests
from agent.models.retries import Retries


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
