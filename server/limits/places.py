"""Places for what stays open: pages and sockets."""

from collections import Counter

# Of each workspace, whatever others have: nobody is kept out altogether.
_FIRST = 5


class Places:
    """So many for all, so many of them for a workspace, and the first few for each in any case.

    Args:
        most: For all together.
        each: For one workspace.
    """

    def __init__(self, most: int, each: int) -> None:
        self._most = most
        self._each = each
        self._taken: Counter[str] = Counter()

    @property
    def taken(self) -> int:
        """By all together."""
        return self._taken.total()

    def take(self, workspace: str, places: int = 1) -> bool:
        """Takes a place, or several, which are to be given back; False where there is none any more."""
        own = self._taken[workspace]
        has_one = own < min(_FIRST, self._each) or (own < self._each and self.taken < self._most)
        self._taken[workspace] += places * has_one
        return has_one

    def give_back(self, workspace: str, places: int = 1) -> None:
        """What was taken is free again."""
        self._taken[workspace] -= places
        if not self._taken[workspace]:
            del self._taken[workspace]
