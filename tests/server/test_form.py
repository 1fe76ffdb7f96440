"""A form with files: its heads are taken apart on the event loop, so it goes on at its workspace's pace."""

import pytest
from fastapi import Request
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


@pytest.mark.parametrize(("marks", "least_s", "most_s"), [(1, 0, 0.001), (3_000, 0.03, 0.1)])
async def test_heads_of_a_form_that_take_long_let_others_go_on_in_between(
    marks: int, least_s: float, most_s: float
) -> None:
    head = b'--x\r\ncontent-disposition: form-data; name="files"; filename="a";"' + b";" * marks + b"\r\n\r\nOil.\r\n"
    pieces = [head] * 8 + [b"--x--\r\n"]

    async def receive() -> Message:
        return {"type": "http.request", "body": pieces.pop(0), "more_body": bool(pieces)}

    kind = [(b"content-type", b"multipart/form-data; boundary=x")]
    scope = {"type": "http", "method": "POST", "headers": kind, "state": {"take_file": lambda: None}}
    pace = Rests()
    form = await Form(Request(scope, receive), pace, max_files=8, max_fields=1).parse()
    assert len(form.getlist("files")) == 8
    assert pace.waits >= 9
    assert least_s <= pace.seconds <= most_s
