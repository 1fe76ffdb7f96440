"""Who has signed in with a browser: a random id stands for what a token opens, so that no browser keeps a token."""

import asyncio
import secrets
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

SCHEME_COOKIE = "fletcher_scheme"
"""The page's, dark or light: the other cookie that is ours."""

_LASTS_S = 7 * 24 * 3600.0
_MOST_OF_WORKSPACE = 1000


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
        self._sessions: dict[str, BrowserSession] = {}
        self._of_workspace: defaultdict[str, dict[str, None]] = defaultdict(dict)  # their ids, the oldest first

    def begin(self, workspace: str, *, is_owner: bool) -> str:
        """The id of a new session; with too many, the workspace's own oldest ends."""
        session_id = secrets.token_urlsafe(32)
        self._sessions[session_id] = BrowserSession(workspace, is_owner, self._now() + _LASTS_S)
        own = self._of_workspace[workspace]
        own[session_id] = None
        if len(own) > _MOST_OF_WORKSPACE:
            self.end(next(iter(own)))
        return session_id

    def get(self, session_id: str) -> BrowserSession | None:
        """The session; None where there is none of that id any more."""
        session = self._sessions.get(session_id)
        return session if session is not None and self._now() < session.until else None

    def end(self, session_id: str) -> None:
        """The browser has signed out, or in anew."""
        if (session := self._sessions.pop(session_id, None)) is not None:
            self._of_workspace[session.workspace].pop(session_id)
            session.ended.set()


def cookie_name(host: str) -> str:
    """What the id's cookie is called at a `Host`: browsers keep those of all ports of a machine together."""
    port = host.rpartition("]")[2].rpartition(":")[2]
    return f"fletcher_{port}" if port.isdecimal() else "fletcher"
