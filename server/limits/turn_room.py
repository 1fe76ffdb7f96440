"""The room in memory that the stories share which turns work on, over sockets, HTTP, MCP and on the page."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from threading import Lock

from corpora import CorpusError

_MOST = 512 * 2**20
# What a turn holds of a story while it waits for a model or an editor: the story, its records as they were, its text.
# Measured with tracemalloc on stories of 2 to 8 MB, in sizes of the story: 1.4 to 3.2 over HTTP, 1.7 to 2.4 over a
# socket. While it is worked out, 2 to 5, and 7 of a story that is one long text.
_TIMES = 3
# What a turn takes beside all that: what it has planned and done, in 170 parts of the room (3 MiB of 512). Of a
# workspace 85 are at work at once.
_TURNS = 170


class NoRoomForTurn(CorpusError):
    """The stories that turns work on take too much memory for one more.

    Attributes:
        retry_after_s: When there may be room; whole seconds.
    """

    code = "TOO_BUSY"
    retry_after_s = 5


class StoryAtWork:
    """The story of one turn, as it counts.

    Args:
        room: Where it does.
        workspace: Whose turn it is.
        besides: What its request takes besides the story, in bytes.
    """

    def __init__(self, room: "TurnRoom", workspace: str, besides: int) -> None:
        self._room = room
        self._workspace = workspace
        self._besides = besides
        self._story = self._another = 0
        self._size = 0
        self._is_over = False
        self._counting = Lock()  # the client may send its story while a thread weighs the one from before

    def weigh(self, size: int) -> None:
        """The story takes so many bytes now, if there is room for them; the only one of its workspace counts as half.

        One that becomes smaller counts as before: a turn keeps what it has begun with.

        Raises:
            NoRoomForTurn: There is none; what was counted before still is.
        """
        self._count(max(size, self._story), self._another)

    def weigh_another(self, size: int) -> None:
        """One of so many bytes is read beside it, as the one from before a turn is for its undo; raises as `weigh`."""
        self._count(self._story, max(self._another, size))

    def _count(self, story: int, another: int) -> None:
        with self._counting:
            if not self._is_over:
                now = _TIMES * (story + another) + self._besides + self._room.of_a_turn
                self._room.change(self._workspace, self._size, now)
                self._story, self._another, self._size = story, another, now

    def end(self) -> None:
        """The turn is over, and nothing of it counts any more."""
        with self._counting:
            self._is_over = True
            self._room.change(self._workspace, self._size, 0)


class TurnRoom:
    """What the stories of all turns of a server may take together.

    Those of a workspace may take half of it, and a sixteenth whatever others take. One story by itself may be larger,
    and counts as half where others ask for room.

    Args:
        most: In bytes.

    Attributes:
        of_a_turn: What each counts, however small its story is.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self.of_a_turn = most // _TURNS
        self._sizes: Counter[str] = Counter()
        self._changing = Lock()  # what an undo goes back to is found, and weighed, in a thread

    @contextmanager
    def at_work(self, workspace: str, size: int, besides: int = 0) -> Generator[StoryAtWork]:
        """A turn has the story in its hands while the block runs, kept elsewhere or not, and what was sent `besides`.

        Raises:
            NoRoomForTurn: The turns of the workspace have too much already, or those of all.
        """
        story = StoryAtWork(self, workspace, besides)
        story.weigh(size)
        try:
            yield story
        finally:
            story.end()

    def change(self, workspace: str, before: int, now: int) -> None:
        """Counts `now` bytes of a turn instead of those `before`; raises as `StoryAtWork.weigh` does."""
        with self._changing:
            self._change(workspace, before, now)

    def _change(self, workspace: str, before: int, now: int) -> None:
        own = self._sizes[workspace] - before
        half = self._most // 2
        # One story by itself may be larger; others have what is left all the same.
        others = sum(min(size, half) for whose, size in self._sizes.items() if whose != workspace)
        is_too_much = (own and own + now > half) or (others and others + min(own + now, half) > self._most)
        if now > before and own + now > self._most // 16 and is_too_much:
            raise NoRoomForTurn(
                "The stories that turns work on now take too much memory: those of one workspace may take "
                f"{self._most // 2**21} MiB together, of all {self._most // 2**20} MiB. "
                "Wait for the end of another turn, or stop it, and send this again."
            )
        self._sizes[workspace] += now - before
