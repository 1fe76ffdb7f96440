"""What is sent to a server and not answered yet, and answers that are not read yet, in bytes.

All of it has a limit, and a workspace's part of it.
"""

from collections import Counter
from collections.abc import Callable, Generator
from contextlib import contextmanager
from time import monotonic

from propcache import cached_property

# What is not longer finds room in any case: a connection takes more than that.
TINY = 2**14
# What is not longer has a room of its own.
_SHORT = 2**20
_MOST_SHORT = 2**28
# Where others lack room, whoever is slower than this, or says nothing for longer, gives up theirs.
_BYTES_PER_SECOND = 100_000
_WAIT_S = 20.0


class Room:
    """What everybody may have under way together; of one workspace half of that, and a sixteenth whatever others have.

    Whoever adds must take as much out again once it is answered.

    Args:
        most: In bytes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._bytes: Counter[str] = Counter()
        self.senders: set[Sender] = set()

    @cached_property
    def for_short(self) -> "Room":
        """Another one, in which nobody finds none because others send what is long."""
        return Room(_MOST_SHORT)

    @cached_property
    def for_answers(self) -> "Room":
        """Another one: what waits for its answer keeps no other from being answered."""
        return Room(self._most)

    def add(self, workspace: str, size: int) -> None:
        """Counts so many bytes more of a workspace, or less."""
        self._bytes[workspace] += size

    def suffices(self, workspace: str, size: int) -> bool:
        """Whether others leave room for what has `size` bytes that are counted; one by itself always has it.

        Those who still send, and slowly, leave theirs, the largest first.
        """
        while self._is_too_small(workspace, size):
            slow = [sender for sender in self.senders if sender.is_slow and self._is_in_the_way(sender, workspace)]
            if not slow:
                return False
            max(slow, key=lambda sender: sender.size).leave()
        return True

    def _is_too_small(self, workspace: str, size: int) -> bool:
        own = self._bytes[workspace]
        is_full = size < self._bytes.total() > self._most or size < own > self._most // 2
        return is_full and own > self._most // 16

    def _is_in_the_way(self, sender: "Sender", workspace: str) -> bool:
        has_much = self._bytes[sender.workspace] > self._most // 16
        return sender.workspace == workspace or (has_much and self._bytes.total() > self._most)


class Sender:
    """What has come by now of something that takes room, and is not whole.

    Args:
        room: Where it is counted, or in the one for what is short.
        workspace: Whose it is.
        give_up: Ends what comes; called when it comes slowly, and others lack the room that it takes.

    Attributes:
        size: In bytes, of which none are counted of what is tiny.
        workspace: As given.
    """

    def __init__(self, room: Room, workspace: str, give_up: Callable[[], object]) -> None:
        self._room = self._long = room
        self._give_up = give_up
        self._came, self._came_at, self._spare_s = 0, monotonic(), _WAIT_S
        self.workspace = workspace
        self.size = 0

    @property
    def is_slow(self) -> bool:
        """Whether it has kept its room for longer than others need to wait for it."""
        return monotonic() - self._came_at > self._spare_s

    def has_room(self, came: int, made: int = 0, *, beside: int = 0) -> bool:
        """Whether there is room, now that so many bytes have come; if there is none, none are counted any more.

        For no more than `made` there is in any case. `beside` is what they take beside themselves.
        """
        self._comes(came)
        size = came + beside
        if size <= TINY:
            self.free()
            return True
        self._count(size)
        if size > made and not self._room.suffices(self.workspace, size):
            self.free()
            return False
        self._room.senders.add(self)
        return True

    def is_whole(self) -> None:
        """All of it is here, and stays counted until it is answered."""
        self._room.senders.discard(self)

    @contextmanager
    def room_to_answer(self, size: int, give_up: Callable[[], object]) -> Generator["Sender | None"]:
        """What counts so many bytes of the answer until the block ends; None where there is no room for them.

        What was sent has made room for twice as much. Who reads slowly gives up the room where others lack it, as who
        sends slowly does.
        """
        answer = Sender(self._long.for_answers, self.workspace, give_up)
        try:
            yield answer if answer.has_room(size, 2 * self.size) else None
        finally:
            answer.free()

    def reads(self, size: int) -> None:
        """Of an answer so many bytes have been read by now."""
        self._comes(size)

    def leave(self) -> None:
        """Others lack its room."""
        self.free()
        self._give_up()

    def stays(self, size: int) -> None:
        """No more comes, and so many bytes are not answered yet; with or without room, they are there."""
        self._count(size)

    def free(self) -> None:
        """It is answered, or comes no more."""
        self._count(0)

    def _comes(self, size: int) -> None:
        now = monotonic()
        if size < self._came:  # of this another one
            self._spare_s = _WAIT_S
        else:
            earned_s = (size - self._came) / _BYTES_PER_SECOND
            self._spare_s = min(_WAIT_S, self._spare_s - (now - self._came_at) + earned_s)
        self._came, self._came_at = size, now

    def _count(self, size: int) -> None:
        """It makes no room for itself, and is no sender until it has some."""
        self._room.senders.discard(self)
        self._room.add(self.workspace, -self.size)
        self._room, self.size = self._long if size > _SHORT else self._long.for_short, size
        self._room.add(self.workspace, size)
