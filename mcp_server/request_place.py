"""The place that a request has among those under way."""

from server.limits.places import Places


class RequestPlace:
    """One place for all who work on a request: in a session a call goes on when its client has hung up.

    Args:
        places: Of all.
        workspace: Whose it is.
    """

    PROBLEM = "Too many requests over MCP are under way here; end some of them, or their streams, and send it again."

    def __init__(self, places: Places, workspace: str) -> None:
        self._places = places
        self._workspace = workspace
        self._workers = 0

    def take(self) -> bool:
        """One more works on it, and is to give the place back; False where there is none."""
        has_one = bool(self._workers) or self._places.take(self._workspace)
        self._workers += has_one
        return has_one

    def give_back(self) -> None:
        """One of those is done."""
        self._workers -= 1
        if not self._workers:
            self._places.give_back(self._workspace)
