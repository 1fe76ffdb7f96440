"""A form with files, as Starlette reads it, which keeps nobody waiting."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from fastapi import Request
from starlette.datastructures import FormData
from starlette.formparsers import MultiPartParser

from server.limits.pace import Pace

_LONGEST_FIELD = 2**14  # bytes; what is no file is kept in memory as text
_S_PER_BYTE_OF_HEAD = 1.5e-6  # at most, as one of semicolons takes
_S_PER_BOUNDARY = 5e-6  # or what begins like one


class Form(MultiPartParser):
    """A form whose files are counted once they are on the disk, each as one that is open.

    Args:
        request: Whose body it is.
        pace: Its workspace's: the heads of its parts are taken apart on the event loop.
        max_files: How many it may have.
        max_fields: The same, of what is no file.

    Attributes:
        is_whole: Whether its end has come.
    """

    def __init__(self, request: Request, pace: Pace, *, max_files: int, max_fields: int) -> None:
        limits = {"max_files": max_files, "max_fields": max_fields, "max_part_size": _LONGEST_FIELD}
        super().__init__(request.headers, self._at_pace(request.stream()), **limits)
        self._pace = pace
        self._content = 0  # bytes of the last piece
        self._take_file: Callable[[], None] = request.state.take_file
        self._length = 0
        self.is_whole = False

    async def parse(self) -> FormData:
        """What it has; raises `MultiPartException` where it is none, or has more than it may."""
        async with aclosing(self.stream):
            return await super().parse()

    async def _at_pace(self, pieces: AsyncGenerator[bytes]) -> AsyncGenerator[bytes]:
        """The pieces; whose take long to be read wait for others in between."""
        async for piece in pieces:
            async with self._pace.alone():
                self._content = 0
                try:
                    yield piece
                finally:  # also of one that is no form
                    # What is neither content nor head: a boundary may have any number of blanks behind it.
                    rest = max(len(piece) - self._content, 0)
                    self._pace.held(rest * _S_PER_BYTE_OF_HEAD + piece.count(b"\r\n--") * _S_PER_BOUNDARY)

    def on_end(self) -> None:
        self.is_whole = True

    def on_header_value(self, data: bytes, start: int, end: int) -> None:
        super().on_header_value(data, start, end)
        self._content += end - start
        self._pace.held((end - start) * _S_PER_BYTE_OF_HEAD)

    def on_part_begin(self) -> None:
        super().on_part_begin()
        self._length = 0

    def on_part_data(self, data: bytes, start: int, end: int) -> None:
        self._content += end - start
        before, self._length = self._length, self._length + end - start
        if before <= self.spool_max_size < self._length:
            self._take_file()
        super().on_part_data(data, start, end)
