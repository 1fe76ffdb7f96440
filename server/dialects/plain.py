"""What is said before a client's dialect is known: flat messages that every known client shows or ignores."""

from collections.abc import Iterator

from agent import Usage
from server.dialects.dialect import EndReason, Frame
from server.dialects.spec import SpecDialect


class PlainDialect(SpecDialect):
    """`chat_response`, and `end` where a client may be waiting for it."""

    def turn_ended(self, _reason: EndReason, _usage: Usage, /) -> Iterator[Frame]:
        """`end` alone: `status` is one dialect's own."""
        yield {"type": "end"}
