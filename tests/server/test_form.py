"""A form with files: its heads are taken apart on the event loop, so it goes on at its workspace's pace."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest
from fastapi import Request
from starlette.formparsers import MultiPartException
from starlette.types import Message

from server.http.form import Form
from server.limits.pace import Pace


class Rests(Pace):
    """A pace that knows how long the event loop was held."""

    def __init__(self) -> None:
        super().__init__()
        self.waits, self.seconds = 0, 0.0

    async def wait(self, *, is_message: bool = True) -> None:
        self.waits += not is_message

    def held(self, seconds: float) -> None:
        self.seconds += seconds


def request(pieces: list[bytes]) -> Request:
    """One whose body comes in these pieces."""
    left = list(pieces)

    async def receive() -> Message:
        return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}

    kind = [(b"content-type", b"multipart/form-data; boundary=x")]
    return Request({"type": "http", "method": "POST", "headers": kind, "state": {"take_file": lambda: None}}, receive)


_HEAD = b'--x\r\ncontent-disposition: form-data; name="files"; filename="a"'


@pytest.mark.parametrize(
    ("part", "least_s", "most_s"),
    [
        (_HEAD + b"\r\n\r\n" + b"Oil. " * 600 + b"\r\n", 0, 0.002),
        (_HEAD + b';"' + b";" * 3_000 + b"\r\n\r\nOil.\r\n", 0.03, 0.1),
        (_HEAD + b"\r\n\r\nOil.\r\n--x" + b" " * 3_000 + b"\r\n" + _HEAD[5:] + b"\r\n\r\nOil.\r\n", 0.03, 0.1),
        (_HEAD + b"\r\n\r\n" + b"\r\n--x." * 500 + b"\r\n", 0.01, 0.1),
    ],
    ids=["content", "semicolons", "blanks behind a boundary", "what begins like a boundary"],
)
async def test_pieces_of_a_form_that_take_long_let_others_go_on_in_between(
    part: bytes, least_s: float, most_s: float
) -> None:
    pace = Rests()
    form = await Form(request([part] * 8 + [b"--x--\r\n"]), pace, max_files=16, max_fields=1).parse()
    assert len(form.getlist("files")) in (8, 16)
    assert pace.waits >= 9
    assert least_s <= pace.seconds <= most_s


async def test_what_a_piece_took_is_known_before_another_form_of_the_workspace_goes_on() -> None:
    pace = Rests()
    takes, may_go_on = asyncio.Event(), asyncio.Event()

    class Slow(Form):
        async def _at_pace(self, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
            async with aclosing(super()._at_pace(pieces)) as paced:
                async for piece in paced:
                    yield piece
                    takes.set()
                    await may_go_on.wait()

    piece = _HEAD + b"\r\n\r\nOil.\r\n--x--" + b" " * 3_000
    first = asyncio.ensure_future(Slow(request([piece]), pace, max_files=1, max_fields=1).parse())
    await takes.wait()
    second = asyncio.ensure_future(Form(request([piece]), pace, max_files=1, max_fields=1).parse())
    await asyncio.wait([second], timeout=0.01)
    assert not second.done()
    assert pace.seconds < 0.001
    may_go_on.set()
    await asyncio.gather(first, second)
    assert pace.seconds > 0


async def test_what_is_no_form_keeps_no_other_waiting() -> None:
    pace = Rests()
    for _ in range(2):
        with pytest.raises(MultiPartException):
            await Form(request([b"--x" + b" " * 3_000 + b"\r\n: \r\n"]), pace, max_files=1, max_fields=1).parse()
    assert pace.seconds > 2 * 3_000e-6
