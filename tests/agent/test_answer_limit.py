"""What the SDKs are handed of a provider's answer: whole events, and none of more lines than they can copy."""

import asyncio
from collections.abc import AsyncGenerator

import httpx2
import pytest

from agent.models.answer_limit import LimitedAnswers
from agent.models.failures import AnswerWithoutEnd

ENDS = pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])


class Client(LimitedAnswers, httpx2.AsyncClient):
    """A client as the SDKs have it."""


async def handed(answer: bytes, cut: int) -> AsyncGenerator[bytes]:
    """What an SDK reads of an answer that comes in pieces of so many bytes."""

    async def pieces() -> AsyncGenerator[bytes]:
        for at in range(0, len(answer), cut):
            yield answer[at : at + cut]

    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, content=pieces()))
    async with Client(transport=transport) as client, client.stream("GET", "http://provider.test/") as response:
        async for piece in response.aiter_bytes():
            yield piece


@ENDS
@pytest.mark.parametrize("cut", [1, 2, 3, 5, 1000])
async def test_events_are_handed_on_whole_wherever_they_are_cut(end: bytes, cut: int) -> None:
    events = [b"event: delta" + end + b'data: {"text": "%d"}' % n + end + end for n in range(20)]
    unfinished = b"data: [DONE]" + end
    got = [piece async for piece in handed(b"".join([*events, unfinished]), cut)]
    assert b"".join(got) == b"".join([*events, unfinished])
    assert got[-1] == unfinished
    assert all(piece.endswith(end + end) for piece in got[:-1]), "nothing is kept by the SDK and copied with each piece"
    assert len(got) == 21, "an event is handed on as soon as it is there, and others have their turn between two"


@ENDS
@pytest.mark.parametrize("last", [b"", b"\n\n"], ids=["without an end", "ended"])
async def test_an_event_of_lines_without_number_is_not_handed_on(end: bytes, last: bytes) -> None:
    got: list[bytes] = []

    async def read() -> None:
        async for piece in handed((b":" + end) * 100_000 + last, 65_536):
            got.append(piece)

    with pytest.raises(AnswerWithoutEnd):
        await read()
    assert not got, "an SDK that copies what it has with each line takes a minute for 2 MiB of them"


async def test_empty_lines_that_an_sdk_does_not_see_end_no_event() -> None:
    for lines in (b":\n\r\n", b":\r\r\n"):
        with pytest.raises(AnswerWithoutEnd):
            _ = [piece async for piece in handed(lines * 50_000, 65_536)]


async def test_events_of_many_lines_are_counted_together() -> None:
    event = b":\n" * 8_000 + b"\n"
    assert [len(piece) async for piece in handed(event * 2, 65_536)]
    with pytest.raises(AnswerWithoutEnd):
        _ = [piece async for piece in handed(event * 6, 65_536)]


async def test_a_long_call_in_one_line_and_comments_while_it_is_thought_about_are_an_answer() -> None:
    thinking = b": still there\n" * 1800 + b"\n"
    call = b'event: content_block_delta\ndata: {"partial_json": "' + b"a" * 500_000 + b'"}\n\n'
    assert b"".join([piece async for piece in handed(thinking + call * 5, 65_536)]) == thinking + call * 5


@pytest.mark.parametrize("last", [b"", b"\n\n"], ids=["without an end", "ended"])
async def test_an_event_of_more_than_can_be_read_at_once_is_not_handed_on(last: bytes) -> None:
    values = b'data: {"input": [' + b"0," * 600_000 + b"0]}"
    for cut in (65_536, 2**21):
        with pytest.raises(AnswerWithoutEnd):
            _ = [piece async for piece in handed(values + last, cut)]


async def test_others_have_their_turn_after_each_piece() -> None:
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(others())
    assert [piece async for piece in handed(b"data: {}\n\n" * 500, 50)]
    task.cancel()
    assert turns >= 100, "of a hundred pieces that were there all at once"
