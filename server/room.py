"""What is sent to a server and not answered yet, in bytes: all of it has a limit, and a workspace's part of it."""

from collections import Counter


class Room:
    """What everybody may have under way together; of one workspace half of that.

    Whoever adds must take as much out again once it is answered.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes: Counter[str] = Counter()

    def add(self, workspace: str, size: int) -> None:
        """Counts so many bytes more of a workspace, or less."""
        self._bytes[workspace] += size

    def is_too_small(self, workspace: str, size: int) -> bool:
        """Whether others leave no room for what has `size` bytes that are counted; one by itself always has it."""
        for taken, most in (self._bytes.total(), self._most), (self._bytes[workspace], self._most // 2):
            if size < taken > most:
                return True
        return False
