"""Who has signed in with a browser: a random id stands for what a token opens, so that no browser keeps a token."""

import asyncio
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

_LASTS_S = 7 * 24 * 3600.0
_MOST = 10_000


@dataclass(frozen=True)
class BrowserSession:
    """What one browser may use.

    Attributes:
        workspace: What its token opened.
        is_owner: It has shown the key of the data directory's owner file.
        until: When it ends, by the clock of the sessions.
        ended: Set once it was ended before that.
    """

    workspace: str
    is_owner: bool
    until: float
    ended: asyncio.Event = field(default_factory=asyncio.Event, compare=False)


class BrowserSessions:
    """The sessions of one server, in its memory: they end with it, or after a week.

    Args:
        now: The time in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._sessions: OrderedDict[str, BrowserSession] = OrderedDict()  # the oldest first

    def begin(self, workspace: str, *, is_owner: bool) -> str:
        """The id of a new session; with too many, the oldest ends."""
        session_id = secrets.token_urlsafe(32)
        self._sessions[session_id] = BrowserSession(workspace, is_owner, self._now() + _LASTS_S)
        if len(self._sessions) > _MOST:
            self.end(next(iter(self._sessions)))
        return session_id

    def get(self, session_id: str) -> BrowserSession | None:
        """The session; None where there is none of that id any more."""
        session = self._sessions.get(session_id)
        return session if session is not None and self._now() < session.until else None

    def end(self, session_id: str) -> None:
        """The browser has signed out."""
        if (session := self._sessions.pop(session_id, None)) is not None:
            session.ended.set()


def cookie_name(host: str) -> str:
    """What the id's cookie is called at a `Host`: browsers keep those of all ports of a machine together."""
    port = host.rpartition("]")[2].rpartition(":")[2]
    return f"fletcher_{port}" if port.isdecimal() else "fletcher"
